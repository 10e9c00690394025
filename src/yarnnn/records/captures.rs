//! Captures that wait for a basket: nothing is proposed before one is assigned.

use serde::{Deserialize, Serialize};

use super::{Source, Tx, json, unjson, unknown_word};
use crate::inference::{from_blob, to_blob};
use crate::model::{Fingerprint, Millis};
use crate::sql::{Kind, Result, Row};

/// What a capture waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The caller has to confirm a basket.
    Confirm,
    /// A reviewer has to pick one.
    Pick,
    /// A reviewer moved it out of the wrong basket.
    Misrouted,
}

impl Purpose {
    const ALL: [Self; 3] = [Self::Confirm, Self::Pick, Self::Misrouted];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Pick => "pick",
            Self::Misrouted => "misrouted",
        }
    }
}

/// The status of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Waiting.
    Pending,
    /// Stored in a basket.
    Assigned,
    /// Dismissed.
    Dismissed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Assigned, Self::Dismissed];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Assigned => "assigned",
            Self::Dismissed => "dismissed",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// A candidate basket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The basket.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How well it fits.
    pub score: f64,
}

/// A capture.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture<P> {
    /// Its id.
    pub id: String,
    /// The tool that was called.
    pub tool: String,
    /// What it waits for.
    pub purpose: Purpose,
    /// One line about it.
    pub summary: String,
    /// The addition to replay.
    pub payload: P,
    /// SHA-256 of the content.
    pub content_hash: String,
    /// The session's fingerprint.
    pub fingerprint: Fingerprint,
    /// Candidate baskets, best first.
    pub candidates: Vec<Choice>,
    /// Its status.
    pub status: Status,
    /// The assigned basket.
    pub assigned_to: Option<String>,
    /// Who added it.
    pub source: Source,
    /// When.
    pub created_at: Millis,
}

/// The stored payload: the addition and the text part of the fingerprint.
#[derive(Serialize, Deserialize)]
struct Kept<P> {
    payload: P,
    fingerprint: Fingerprint,
}

/// The stored form of a payload, for `erasure`.
pub fn stored<P: Serialize>(payload: P) -> Result<String> {
    let fingerprint = Fingerprint::default();
    serde_json::to_string(&Kept { payload, fingerprint }).map_err(|error| {
        Kind::Broken.because("A record cannot be written as JSON.").internal(error)
    })
}

/// Adds a capture.
pub fn add<P: Serialize + Clone>(
    tx: &mut Tx<'_>,
    workspace: &str,
    capture: &Capture<P>,
) -> Result<()> {
    let words = capture.fingerprint.words();
    tx.execute(
        "INSERT INTO mcp_unassigned_captures
           (id, workspace_id, requested_by, tool, purpose, summary, payload, content_hash,
            embedding, candidates, status, created_at, source_host, source_session, model)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        &[
            (&capture.id).into(),
            workspace.into(),
            (&capture.source.user_id).into(),
            (&capture.tool).into(),
            capture.purpose.as_str().into(),
            (&capture.summary).into(),
            json(&Kept { payload: capture.payload.clone(), fingerprint: words })?,
            (&capture.content_hash).into(),
            to_blob(&capture.fingerprint.embedding).into(),
            json(&capture.candidates)?,
            capture.status.as_str().into(),
            capture.created_at.into(),
            (&capture.source.host).into(),
            capture.source.session.as_deref().into(),
            (&capture.fingerprint.model).into(),
        ],
    )
    .map(drop)
}

/// A capture of the workspace.
pub fn find<P: for<'de> Deserialize<'de>>(
    tx: &mut Tx<'_>,
    workspace: &str,
    id: &str,
) -> Result<Option<Capture<P>>> {
    let found = tx.first(
        "SELECT * FROM mcp_unassigned_captures WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into()],
    )?;
    found.as_ref().map(capture).transpose()
}

/// The dump that a capture became, if it did.
pub fn dump_of(tx: &mut Tx<'_>, workspace: &str, id: &str) -> Result<Option<String>> {
    let found = tx.first(
        "SELECT raw_dump_id FROM mcp_unassigned_captures WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into()],
    )?;
    found.map_or(Ok(None), |row| row.get("raw_dump_id"))
}

/// The captures that became a dump.
pub fn of_dump<P: for<'de> Deserialize<'de>>(
    tx: &mut Tx<'_>,
    workspace: &str,
    dump: &str,
) -> Result<Vec<Capture<P>>> {
    tx.query(
        "SELECT * FROM mcp_unassigned_captures WHERE workspace_id = $1 AND raw_dump_id = $2
         ORDER BY created_at, id",
        &[workspace.into(), dump.into()],
    )?
    .iter()
    .map(capture)
    .collect()
}

/// Captures of the workspace in one status, the oldest first.
pub fn list<P: for<'de> Deserialize<'de>>(
    tx: &mut Tx<'_>,
    workspace: &str,
    status: Status,
    most: i64,
) -> Result<Vec<Capture<P>>> {
    tx.query(
        "SELECT * FROM mcp_unassigned_captures WHERE workspace_id = $1 AND status = $2
         ORDER BY created_at, id LIMIT $3",
        &[workspace.into(), status.as_str().into(), most.into()],
    )?
    .iter()
    .map(capture)
    .collect()
}

/// Settles a pending capture; false when it is no longer pending. A caller that gets true must
/// replay it in the same transaction.
pub fn settle(
    tx: &mut Tx<'_>,
    id: &str,
    status: Status,
    basket: Option<&str>,
    by: &str,
    at: Millis,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE mcp_unassigned_captures
         SET status = $2, assigned_basket_id = $3, resolved_by = $4, resolved_at = $5
         WHERE id = $1 AND status = 'pending'",
        &[id.into(), status.as_str().into(), basket.into(), by.into(), at.into()],
    )?;
    Ok(changed == 1)
}

/// Sets the dump that a capture became.
pub fn set_dump(tx: &mut Tx<'_>, id: &str, dump: &str) -> Result<()> {
    tx.execute(
        "UPDATE mcp_unassigned_captures SET raw_dump_id = $2 WHERE id = $1",
        &[id.into(), dump.into()],
    )
    .map(drop)
}

fn capture<P: for<'de> Deserialize<'de>>(row: &Row) -> Result<Capture<P>> {
    let kept: Kept<P> = unjson(row.get("payload")?)?;
    let embedding = from_blob(row.get("embedding")?)
        .map_err(|error| Kind::Broken.because("A stored vector is damaged.").internal(error))?;
    let purpose: &str = row.get("purpose")?;
    Ok(Capture {
        id: row.get("id")?,
        tool: row.get("tool")?,
        purpose: Purpose::ALL
            .into_iter()
            .find(|known| known.as_str() == purpose)
            .ok_or_else(|| unknown_word("purpose"))?,
        summary: row.get("summary")?,
        payload: kept.payload,
        content_hash: row.get("content_hash")?,
        fingerprint: Fingerprint { embedding, model: row.get("model")?, ..kept.fingerprint },
        candidates: unjson(row.get("candidates")?)?,
        status: Status::parse(row.get("status")?).ok_or_else(|| unknown_word("status"))?,
        assigned_to: row.get("assigned_basket_id")?,
        source: Source {
            user_id: row.get("requested_by")?,
            host: row.get("source_host")?,
            session: row.get("source_session")?,
        },
        created_at: row.get("created_at")?,
    })
}
