//! Withdraws dumps from a basket, to move them elsewhere or to forget them.

use serde_json::json;

use super::capture::{Payload, Stored, summary};
use super::decisions::undecided;
use super::{Caller, Engine, Error, Result};
use crate::embed::ModelVector;
use crate::model::BlockState;
use crate::records::baskets::{self, Count};
use crate::records::captures::{self, Capture, Purpose, Status};
use crate::records::dumps::{self, Dump};
use crate::records::proposals::{self, Status as ProposalStatus};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, blocks, dump_vectors, items, relations, signals, substrate};

/// The result of moving a misrouted dump.
#[derive(Debug, Clone, PartialEq)]
pub struct Withdrawn {
    /// The capture that it became.
    pub capture_id: String,
    /// The new basket; none when it waits until a reviewer picks one.
    pub stored: Option<Stored>,
}

impl Engine {
    /// Moves a dump out of the wrong basket, into another one or back into the queue.
    /// Everything derived from it is withdrawn, and the basket becomes less likely for similar
    /// sessions.
    pub fn misrouted(&self, caller: &Caller, dump: &str, to: Option<&str>) -> Result<Withdrawn> {
        caller.must_review()?;
        let capture_id = self.store.write(|tx| {
            let dump = find(tx, caller, dump)?;
            let at = self.now();
            let (workspace, by) = (caller.workspace_id(), &caller.source.user_id);
            if !dumps::insert_tombstone(tx, workspace, &dump, "archived", "misrouted", by, at)? {
                return Err(Error::NoDump(dump.id));
            }
            self.withdraw_dump(tx, caller, &dump, true)?;
            // Requests for more review carry over.
            let before = proposals::of_dump(tx, workspace, &dump.id)?;
            let require_approval = before.iter().any(|one| one.asked_for_approval());
            let confidence = before.iter().map(|one| one.confidence).reduce(f64::min);
            let (basket, session) = (&dump.basket_id, &dump.fingerprint);
            // The negative signal belongs to the user who added the dump: their next session must
            // not select this basket again.
            let speaker = &dump.source.user_id;
            let (model, vector) = (session.model.clone(), session.embedding.clone());
            let moved = (!vector.is_empty()).then_some(ModelVector { model, vector });
            signals::add(tx, workspace, speaker, basket, -1, moved.as_ref(), at)?;
            self.record_withdrawal(tx, caller, &dump)?;
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

    /// Withdraws a dump and everything derived from it. `recalled`: it was not taken out of recall
    /// before.
    pub(super) fn withdraw_dump(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        dump: &Dump,
        recalled: bool,
    ) -> Result<()> {
        let (workspace, at) = (caller.workspace_id(), self.now());
        let mut count = Count { dumps: -i64::from(recalled), ..Count::default() };
        substrate::remove(tx, &dump.id)?;
        dump_vectors::remove(tx, workspace, &dump.id)?;
        for record in blocks::of_dump(tx, workspace, &dump.id)? {
            blocks::set_state(tx, &record, BlockState::Superseded, at)?;
            substrate::remove(tx, &record.block.id)?;
            relations::remove(tx, &record.block.id)?;
            count.blocks -= 1;
            count.blocks += i64::from(self.restore_replaced(tx, caller, &record)?);
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
            count.proposed -= undecided(tx, &proposal)?;
            let (by, status) = (&caller.source.user_id, ProposalStatus::Superseded);
            proposals::settle(tx, &proposal.id, status, by, Some("its dump was withdrawn"), at)?;
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

    /// Restores the block that a withdrawn one had replaced, unless its dump was withdrawn too or
    /// the statement is back already.
    fn restore_replaced(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        gone: &blocks::Record,
    ) -> Result<bool> {
        let workspace = caller.workspace_id();
        let Some(parent) = &gone.parent_id else { return Ok(false) };
        let Some(old) = blocks::find(tx, workspace, parent)? else { return Ok(false) };
        if old.block.state != BlockState::Superseded
            || dumps::tombstone(tx, workspace, &old.dump_id)?.is_some_and(|one| !one.is_rejection())
            || blocks::find_same(tx, &old.basket_id, &old.block.content)?.is_some()
        {
            return Ok(false);
        }
        blocks::revive(tx, &old, gone.block.state, self.now())?;
        let text = format!("{} {}", old.block.title, old.block.content);
        let (place, kind) = (caller.index_scope(), substrate::Kind::Block);
        let (id, anchor) = (&old.block.id, old.block.anchor.as_deref());
        substrate::add(tx, place, &old.basket_id, kind, id, anchor, &text, old.created_at)?;
        Ok(true)
    }
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Dump> {
    dumps::find(tx, caller.workspace_id(), id)?.ok_or_else(|| Error::NoDump(id.to_owned()))
}
