//! Taking something out of a basket: because it belonged elsewhere, or because it must go.

use serde_json::{Map, json};

use super::capture::{Payload, Stored, summary};
use super::{Caller, Engine, Fault, Result};
use crate::model::BlockState;
use crate::records::baskets::{self, Count};
use crate::records::captures::{self, Capture, Purpose, Status};
use crate::records::dumps::{self, Dump};
use crate::records::proposals::{self, Status as ProposalStatus};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, blocks, erasure, items, relations, signals, substrate};

/// What became of something that was in the wrong basket.
#[derive(Debug, Clone, PartialEq)]
pub struct Withdrawn {
    /// The capture that it waits as, or waited.
    pub capture_id: String,
    /// Where it is now; none when it waits for a person to pick a basket.
    pub stored: Option<Stored>,
}

impl Engine {
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
            // Whatever asked for more review before asks for it again.
            let before = proposals::of_dump(tx, workspace, &dump.id)?;
            let require_approval = before.iter().any(|one| one.asked_for_approval());
            let confidence = before.iter().map(|one| one.confidence).reduce(f64::min);
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
                    confidence,
                    require_approval,
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

    /// Deletes a dump and what was made of it, with all copies that were in the wrong basket. A
    /// tombstone with its hash stays.
    pub fn forget(&self, caller: &Caller, dump: &str, reason: &str) -> Result<()> {
        self.store.write(|tx| {
            let dump = find(tx, caller, dump)?;
            let at = self.now();
            let (workspace, by) = (caller.workspace_id(), &caller.source.user_id);
            let moved = dumps::archived_twins(tx, workspace, &dump.content_hash)?;
            if !dumps::bury(tx, workspace, &dump, "deleted", reason, by, at)? {
                return Err(Fault::NoDump(dump.id));
            }
            if moved.iter().all(|one| one.id != dump.id) {
                self.take_out(tx, caller, &dump)?;
                erase(tx, workspace, &dump)?;
                let vector = &dump.fingerprint.embedding;
                self.with_signature(tx, caller, &dump.basket_id, |record| {
                    // Its words are to be told anew, without this one.
                    record.misrouted = true;
                    Ok(record.centroid.remove(vector, dump.created_at, at)?)
                })?;
            }
            for copy in &moved {
                dumps::bury(tx, workspace, copy, "deleted", reason, by, at)?;
                erase(tx, workspace, copy)?;
            }
            Ok(())
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
            count.blocks += i64::from(self.bring_back(tx, caller, &record)?);
        }
        for id in items::remove_of_dump(tx, workspace, &dump.id)? {
            substrate::remove(tx, &id)?;
            relations::remove(tx, &id)?;
            count.items -= 1;
        }
        for proposal in proposals::of_dump(tx, workspace, &dump.id)? {
            if proposal.status != ProposalStatus::Proposed {
                continue;
            }
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

    /// What a withdrawn block had replaced holds again, unless it was withdrawn itself or is said
    /// elsewhere by now.
    fn bring_back(&self, tx: &mut Tx<'_>, caller: &Caller, gone: &blocks::Record) -> Result<bool> {
        let workspace = caller.workspace_id();
        let Some(parent) = &gone.parent_id else { return Ok(false) };
        let Some(old) = blocks::find(tx, workspace, parent)? else { return Ok(false) };
        if old.block.state != BlockState::Superseded
            || dumps::is_buried(tx, &old.dump_id)?
            || blocks::says(tx, &old.basket_id, &old.block.content)?.is_some()
        {
            return Ok(false);
        }
        blocks::revive(tx, &old, gone.block.state, self.now())?;
        let text = format!("{} {}", old.block.title, old.block.content);
        let (place, kind) = (caller.place(), substrate::Kind::Block);
        let (id, anchor) = (&old.block.id, old.block.anchor.as_deref());
        substrate::add(tx, place, &old.basket_id, kind, id, anchor, &text, old.created_at)?;
        Ok(true)
    }
}

/// Takes the words of a buried dump out of the database.
fn erase(tx: &mut Tx<'_>, workspace: &str, dump: &Dump) -> Result<()> {
    let nothing = Payload {
        content: String::new(),
        metadata: Map::new(),
        confidence: None,
        require_approval: false,
    };
    erasure::erase(tx, workspace, dump, &captures::stored(nothing)?)?;
    Ok(dumps::delete(tx, workspace, &dump.id)?)
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Dump> {
    dumps::find(tx, caller.workspace_id(), id)?.ok_or_else(|| Fault::NoDump(id.to_owned()))
}
