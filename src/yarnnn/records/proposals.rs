//! Proposals: the changes that P1 proposes, and their outcome.

use super::{Source, Tx, json, unjson, unknown_word};
use crate::extract::Report;
use crate::model::{Millis, Operation};
use crate::sql::{Result, Row};

/// The status of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Awaiting review.
    Proposed,
    /// Applied.
    Approved,
    /// Rejected.
    Rejected,
    /// Its dump was withdrawn.
    Superseded,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Proposed, Self::Approved, Self::Rejected, Self::Superseded];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "PROPOSED",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
            Self::Superseded => "SUPERSEDED",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// A proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// The basket it changes.
    pub basket_id: String,
    /// The dump it was extracted from.
    pub dump_id: String,
    /// The operations, executed all or none.
    pub operations: Vec<Operation>,
    /// The validator's report.
    pub report: Report,
    /// The extractor: `rules`, or a model's name.
    pub extractor: String,
    /// Its status.
    pub status: Status,
    /// `auto` or `manual`.
    pub mode: String,
    /// Codes of the deciding rules.
    pub reasons: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Its reach.
    pub blast_radius: String,
    /// Who added it.
    pub source: Source,
    /// When.
    pub created_at: Millis,
    /// Who decided.
    pub reviewed_by: Option<String>,
    /// The reviewer's notes.
    pub review_notes: Option<String>,
}

impl Proposal {
    /// Whether the caller asked for approval.
    pub fn asked_for_approval(&self) -> bool {
        self.reasons.iter().any(|reason| reason == "require_approval")
    }
}

/// Adds a proposal.
pub(crate) fn add(tx: &mut Tx<'_>, workspace: &str, proposal: &Proposal) -> Result<()> {
    tx.execute(
        "INSERT INTO proposals
           (id, basket_id, workspace_id, proposal_kind, origin, raw_dump_id, ops, validator_report,
            extractor, status, mode, reasons, confidence, blast_radius, user_id, created_at,
            source_host, source_session)
         VALUES ($1, $2, $3, 'Extraction', 'agent', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
            $14, $15, $16)",
        &[
            (&proposal.id).into(),
            (&proposal.basket_id).into(),
            workspace.into(),
            (&proposal.dump_id).into(),
            json(&proposal.operations)?,
            json(&proposal.report)?,
            (&proposal.extractor).into(),
            proposal.status.as_str().into(),
            (&proposal.mode).into(),
            json(&proposal.reasons)?,
            proposal.confidence.into(),
            (&proposal.blast_radius).into(),
            (&proposal.source.user_id).into(),
            proposal.created_at.into(),
            (&proposal.source.host).into(),
            proposal.source.session.as_deref().into(),
        ],
    )
    .map(drop)
}

/// A proposal of the workspace.
pub(crate) fn find(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<Proposal>> {
    let found = tx.first(
        "SELECT * FROM proposals WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into()],
    )?;
    found.as_ref().map(proposal).transpose()
}

/// Proposals of the workspace in one status, the oldest first.
pub(crate) fn list(
    tx: &mut Tx<'_>,
    workspace: &str,
    status: Status,
    most: i64,
) -> Result<Vec<Proposal>> {
    tx.query(
        "SELECT * FROM proposals WHERE workspace_id = $1 AND status = $2
         ORDER BY created_at, id LIMIT $3",
        &[workspace.into(), status.as_str().into(), most.into()],
    )?
    .iter()
    .map(proposal)
    .collect()
}

/// All proposals about a dump.
pub(crate) fn of_dump(tx: &mut Tx<'_>, workspace: &str, dump: &str) -> Result<Vec<Proposal>> {
    tx.query(
        "SELECT * FROM proposals
         WHERE workspace_id = $1 AND raw_dump_id = $2 ORDER BY id",
        &[workspace.into(), dump.into()],
    )?
    .iter()
    .map(proposal)
    .collect()
}

/// Settles a proposal; false when it is no longer awaiting review.
pub(crate) fn settle(
    tx: &mut Tx<'_>,
    id: &str,
    status: Status,
    by: &str,
    notes: Option<&str>,
    at: Millis,
) -> Result<bool> {
    let add_execution = (status == Status::Approved).then_some(at);
    let changed = tx.execute(
        "UPDATE proposals SET status = $2, reviewed_by = $3, review_notes = $4, reviewed_at = $5,
           executed_at = $6 WHERE id = $1 AND status = 'PROPOSED'",
        &[
            id.into(),
            status.as_str().into(),
            by.into(),
            notes.into(),
            at.into(),
            add_execution.into(),
        ],
    )?;
    Ok(changed == 1)
}

/// Replaces the operations of a proposal that waits for review.
pub(crate) fn set_operations(tx: &mut Tx<'_>, id: &str, operations: &[Operation]) -> Result<()> {
    tx.execute("UPDATE proposals SET ops = $2 WHERE id = $1", &[id.into(), json(&operations)?])
        .map(drop)
}

/// Records the result of one operation.
pub(crate) fn add_execution(
    tx: &mut Tx<'_>,
    proposal: &str,
    index: usize,
    operation: &str,
    substrate: Option<&str>,
    note: Option<&str>,
) -> Result<()> {
    tx.execute(
        "INSERT INTO proposal_executions
           (proposal_id, operation_index, operation_type, success, substrate_id, note)
         VALUES ($1, $2, $3, TRUE, $4, $5)",
        &[
            proposal.into(),
            i64::try_from(index).unwrap_or(i64::MAX).into(),
            operation.into(),
            substrate.into(),
            note.into(),
        ],
    )
    .map(drop)
}

fn proposal(row: &Row) -> Result<Proposal> {
    Ok(Proposal {
        id: row.get("id")?,
        basket_id: row.get("basket_id")?,
        dump_id: row.get("raw_dump_id")?,
        operations: unjson(row.get("ops")?)?,
        report: unjson(row.get("validator_report")?)?,
        extractor: row.get("extractor")?,
        status: Status::parse(row.get("status")?).ok_or_else(|| unknown_word("status"))?,
        mode: row.get("mode")?,
        reasons: unjson(row.get("reasons")?)?,
        confidence: row.get("confidence")?,
        blast_radius: row.get("blast_radius")?,
        source: Source {
            user_id: row.get("user_id")?,
            host: row.get("source_host")?,
            session: row.get("source_session")?,
        },
        created_at: row.get("created_at")?,
        reviewed_by: row.get("reviewed_by")?,
        review_notes: row.get("review_notes")?,
    })
}
