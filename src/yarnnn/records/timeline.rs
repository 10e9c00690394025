//! The timeline: an append-only list of events, enforced by a trigger.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{Source, Tx, json};
use crate::model::Millis;
use crate::sql::{Result, Row};

/// Longest preview, in characters.
const PREVIEW: usize = 140;

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A basket was created.
    BasketCreated,
    /// P0: a dump was stored.
    DumpCreated,
    /// A dump was moved or deleted.
    DumpWithdrawn,
    /// P1: changes were proposed.
    ProposalSubmitted,
    /// A reviewer or the rules approved them.
    ProposalApproved,
    /// A reviewer rejected them.
    ProposalRejected,
    /// A reviewer changed their words.
    ProposalEdited,
    /// Blocks and names were written.
    SubstrateCommitted,
    /// A block got a new version.
    BlockRevised,
    /// P2: relations were added.
    RelationshipCreated,
    /// P3: the basket's signature was refreshed.
    ReflectionComputed,
    /// A capture waits for a basket.
    CaptureQueued,
    /// A capture was assigned.
    CaptureAssigned,
    /// A capture was dismissed.
    CaptureDismissed,
    /// The review settings were changed.
    GovernanceChanged,
}

impl Kind {
    /// The stored word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::BasketCreated => "basket.created",
            Self::DumpCreated => "dump.created",
            Self::DumpWithdrawn => "dump.withdrawn",
            Self::ProposalSubmitted => "proposal.submitted",
            Self::ProposalApproved => "proposal.approved",
            Self::ProposalRejected => "proposal.rejected",
            Self::ProposalEdited => "proposal.edited",
            Self::SubstrateCommitted => "substrate.committed",
            Self::BlockRevised => "block.revised",
            Self::RelationshipCreated => "relationship.created",
            Self::ReflectionComputed => "reflection.computed",
            Self::CaptureQueued => "capture.queued",
            Self::CaptureAssigned => "capture.assigned",
            Self::CaptureDismissed => "capture.dismissed",
            Self::GovernanceChanged => "governance.changed",
        }
    }
}

/// An event.
pub(crate) struct Event<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its basket.
    pub basket: Option<&'a str>,
    /// The id of its subject.
    pub about: &'a str,
    /// One line about it.
    pub preview: &'a str,
    /// More data.
    pub payload: Json,
}

/// Adds an event.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    workspace: &str,
    event: &Event<'_>,
    source: &Source,
    at: Millis,
) -> Result<()> {
    let preview: String = event.preview.chars().take(PREVIEW).collect();
    tx.execute(
        "INSERT INTO timeline_events
           (workspace_id, basket_id, ts, kind, ref_id, preview, payload, user_id, source_host,
            source_session)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            workspace.into(),
            event.basket.into(),
            at.into(),
            event.kind.as_str().into(),
            event.about.into(),
            preview.into(),
            json(&event.payload)?,
            (&source.user_id).into(),
            (&source.host).into(),
            source.session.as_deref().into(),
        ],
    )
    .map(drop)
}

/// An event for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// When.
    pub at: Millis,
    /// Its kind.
    pub kind: String,
    /// The id of its subject.
    pub about: String,
    /// One line about it.
    pub preview: String,
    /// The host.
    pub host: String,
    /// The user.
    pub user_id: String,
}

/// The newest events, the newest first.
pub(crate) fn latest(tx: &mut Tx<'_>, workspace: &str, most: i64) -> Result<Vec<Line>> {
    tx.query(
        "SELECT ts, kind, ref_id, preview, source_host, user_id FROM timeline_events
         WHERE workspace_id = $1 ORDER BY number DESC LIMIT $2",
        &[workspace.into(), most.into()],
    )?
    .iter()
    .map(line)
    .collect()
}

/// All events about these records, the oldest first.
pub(crate) fn about(
    tx: &mut Tx<'_>,
    workspace: &str,
    records: &BTreeSet<&str>,
) -> Result<Vec<Line>> {
    let mut found = Vec::new();
    for record in records {
        let rows = tx.query(
            "SELECT number, ts, kind, ref_id, preview, source_host, user_id FROM timeline_events
             WHERE workspace_id = $1 AND ref_id = $2 ORDER BY number",
            &[workspace.into(), (*record).into()],
        )?;
        for row in &rows {
            found.push((row.get::<i64>("number")?, line(row)?));
        }
    }
    found.sort_by_key(|(number, _)| *number);
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

fn line(row: &Row) -> Result<Line> {
    Ok(Line {
        at: row.get("ts")?,
        kind: row.get("kind")?,
        about: row.get("ref_id")?,
        preview: row.get("preview")?,
        host: row.get("source_host")?,
        user_id: row.get("user_id")?,
    })
}
