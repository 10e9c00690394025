//! Taking something out of a basket: because it belonged elsewhere, or because it must go.

use serde_json::json;

use super::capture::{Payload, Stored, summary};
use super::{Caller, Fault, Memory, Result};
use crate::yarnnn::model::BlockState;
use crate::yarnnn::records::baskets::{self, Count};
use crate::yarnnn::records::captures::{self, Capture, Purpose, Status};
use crate::yarnnn::records::dumps::{self, Dump};
use crate::yarnnn::records::proposals::{self, Status as ProposalStatus};
use crate::yarnnn::records::timeline::{self, Event, Kind};
use crate::yarnnn::records::{Tx, blocks, items, relations, signals, substrate};

/// What became of something that was in the wrong basket.
#[derive(Debug, Clone, PartialEq)]
pub struct Withdrawn {
    /// The capture that it waits as, or waited.
    pub capture_id: String,
    /// Where it is now; none when it waits for a person to pick a basket.
    pub stored: Option<Stored>,
}

impl Memory {
    /// Says that a dump was put into the wrong basket. It goes into another one, or waits for one;
    /// what was made of it leaves the memory, and the basket is less likely to be chosen for the
    /// like.
    pub fn misrouted(&self, caller: &Caller, dump: &str, to: Option<&str>) -> Result<Withdrawn> {
        let capture_id = self.store.write(|tx| {
            let dump = find(tx, caller, dump)?;
            let at = self.now();
            let (workspace, by) = (caller.workspace_id(), &caller.source.user_id);
            if !dumps::bury(tx, workspace, &dump, "archived", "misrouted", by, at)? {
                return Err(Fault::NoDump(dump.id));
            }
            self.take_out(tx, caller, &dump)?;
            let (basket, vector) = (&dump.basket_id, &dump.fingerprint.embedding);
            // The no is the one of whoever put it there: it is their next session that must not
            // land here again.
            let speaker = &dump.source.user_id;
            signals::add(tx, workspace, speaker, basket, -1, Some(vector), at)?;
            self.with_signature(tx, caller, basket, |record| {
                record.misrouted = true;
                Ok(record.centroid.remove(vector, dump.created_at, at)?)
            })?;
            let capture = Capture {
                id: self.store.id(),
                tool: "add_to_substrate".to_owned(),
                purpose: Purpose::Misrouted,
                summary: summary(&dump.fingerprint, &dump.body),
                payload: Payload {
                    content: dump.body.clone(),
                    metadata: dump.metadata.clone(),
                    confidence: None,
                    require_approval: false,
                },
                content_hash: dump.content_hash.clone(),
                fingerprint: dump.fingerprint.clone(),
                candidates: Vec::new(),
                status: Status::Pending,
                assigned_to: None,
                source: dump.source.clone(),
                created_at: at,
            };
            captures::add(tx, workspace, &capture)?;
            Ok(capture.id)
        })?;
        let stored = to.map(|basket| self.assign(caller, &capture_id, basket)).transpose()?;
        Ok(Withdrawn { capture_id, stored })
    }

    /// Deletes a dump and what was made of it. A tombstone with its hash stays.
    pub fn forget(&self, caller: &Caller, dump: &str, reason: &str) -> Result<()> {
        self.store.write(|tx| {
            let dump = find(tx, caller, dump)?;
            let at = self.now();
            let (workspace, by) = (caller.workspace_id(), &caller.source.user_id);
            if !dumps::bury(tx, workspace, &dump, "deleted", reason, by, at)? {
                return Err(Fault::NoDump(dump.id));
            }
            self.take_out(tx, caller, &dump)?;
            let vector = &dump.fingerprint.embedding;
            self.with_signature(tx, caller, &dump.basket_id, |record| {
                Ok(record.centroid.remove(vector, dump.created_at, at)?)
            })?;
            Ok(dumps::delete(tx, workspace, &dump.id)?)
        })
    }

    /// Takes a dump and what was made of it out of the memory.
    fn take_out(&self, tx: &mut Tx<'_>, caller: &Caller, dump: &Dump) -> Result<()> {
        let (workspace, at) = (caller.workspace_id(), self.now());
        let mut count = Count { dumps: -1, ..Count::default() };
        substrate::remove(tx, &dump.id)?;
        for record in blocks::of_dump(tx, workspace, &dump.id)? {
            blocks::set_state(tx, &record, BlockState::Superseded, at)?;
            substrate::remove(tx, &record.block.id)?;
            relations::remove(tx, &record.block.id)?;
            count.blocks -= 1;
        }
        for id in items::remove_of_dump(tx, workspace, &dump.id)? {
            substrate::remove(tx, &id)?;
            relations::remove(tx, &id)?;
            count.items -= 1;
        }
        for proposal in proposals::waiting_of_dump(tx, workspace, &dump.id)? {
            let (by, status) = (&caller.source.user_id, ProposalStatus::Superseded);
            proposals::settle(tx, &proposal.id, status, by, Some("its dump was withdrawn"), at)?;
            count.proposed -= i64::try_from(proposal.operations.len()).unwrap_or(i64::MAX);
        }
        baskets::count(tx, &dump.basket_id, count)?;
        let event = Event {
            kind: Kind::DumpWithdrawn,
            basket: Some(&dump.basket_id),
            about: &dump.id,
            preview: "",
            payload: json!({"content_hash": dump.content_hash}),
        };
        Ok(timeline::add(tx, workspace, &event, &caller.source, at)?)
    }
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Dump> {
    dumps::find(tx, caller.workspace_id(), id)?.ok_or_else(|| Fault::NoDump(id.to_owned()))
}
