//! The timeline: everything that happened, never changed. A trigger sees to it.

use serde_json::Value as Json;

use super::{Source, Tx, json};
use crate::model::Millis;
use crate::sql::Result;

/// Longest preview, in characters.
const PREVIEW: usize = 140;

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A basket was made.
    BasketCreated,
    /// P0: something came in.
    DumpCreated,
    /// A dump was put somewhere else or removed.
    DumpWithdrawn,
    /// P1: changes were proposed.
    ProposalSubmitted,
    /// A person let them in, or the rules did.
    ProposalApproved,
    /// A person refused them.
    ProposalRejected,
    /// Blocks and names were written.
    SubstrateCommitted,
    /// A block got a later version.
    BlockRevised,
    /// P2: things were linked.
    RelationshipCreated,
    /// P3: the basket was looked at anew.
    ReflectionComputed,
    /// Something waits for a basket.
    CaptureQueued,
    /// It was given one.
    CaptureAssigned,
    /// It was dropped.
    CaptureDismissed,
    /// How changes are reviewed was changed.
    GovernanceChanged,
}

impl Kind {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BasketCreated => "basket.created",
            Self::DumpCreated => "dump.created",
            Self::DumpWithdrawn => "dump.withdrawn",
            Self::ProposalSubmitted => "proposal.submitted",
            Self::ProposalApproved => "proposal.approved",
            Self::ProposalRejected => "proposal.rejected",
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

/// Something that happened.
pub struct Event<'a> {
    /// What.
    pub kind: Kind,
    /// In which basket.
    pub basket: Option<&'a str>,
    /// To what.
    pub about: &'a str,
    /// A few words.
    pub preview: &'a str,
    /// More about it.
    pub payload: Json,
}

/// Writes it down.
pub fn add(
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

/// An event as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// When.
    pub at: Millis,
    /// What.
    pub kind: String,
    /// To what.
    pub about: String,
    /// A few words.
    pub preview: String,
    /// Through what.
    pub host: String,
    /// Who.
    pub user_id: String,
}

/// The newest events, the newest first.
pub fn latest(tx: &mut Tx<'_>, workspace: &str, most: i64) -> Result<Vec<Line>> {
    tx.query(
        "SELECT ts, kind, ref_id, preview, source_host, user_id FROM timeline_events
         WHERE workspace_id = $1 ORDER BY number DESC LIMIT $2",
        &[workspace.into(), most.into()],
    )?
    .iter()
    .map(|row| {
        Ok(Line {
            at: row.get("ts")?,
            kind: row.get("kind")?,
            about: row.get("ref_id")?,
            preview: row.get("preview")?,
            host: row.get("source_host")?,
            user_id: row.get("user_id")?,
        })
    })
    .collect()
}
