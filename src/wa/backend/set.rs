//! Several backends as one: every pane has a unique id.
//!
//! The primary backend keeps its numbers. The others get a block each: tmux from 1,000,000,
//! embedded from 2,000,000, WezTerm from 3,000,000. A backend that counts beyond its block continues
//! in the next round of blocks, so two panes never share an id.

use std::sync::Arc;
use std::thread;

use crate::error::{Error, Kind, Result};
use crate::model::{BackendKind, PaneRow};
use crate::mux::Mux;

/// Numbers in a block.
const BLOCK: u64 = 1_000_000;
/// Blocks in a round: the primary's and one for each backend.
const ROUND: u64 = 4;
/// A message names at most so many panes.
const NAMED: usize = 10;

/// The backends in use.
#[derive(Clone)]
pub struct MuxSet {
    members: Vec<Member>,
}

/// One backend of a set.
#[derive(Clone)]
pub struct Member {
    /// Which.
    pub kind: BackendKind,
    /// The backend; its pane numbers are its own.
    pub mux: Arc<dyn Mux>,
    /// Keeps its numbers.
    pub primary: bool,
}

/// Every pane of every backend that answered.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// With public ids, sorted by them.
    pub panes: Vec<PaneRow>,
    /// Backends that did not answer, and why.
    pub problems: Vec<(BackendKind, Error)>,
}

/// A pane and the backend to talk to about it. Call it with `row.native_id`.
#[derive(Clone)]
pub struct Found {
    /// The backend.
    pub mux: Arc<dyn Mux>,
    /// The pane as it was a moment ago.
    pub row: PaneRow,
}

impl MuxSet {
    /// Members in the order in which they are asked and named. At most one of each kind counts.
    pub fn new(members: Vec<Arc<dyn Mux>>, primary: BackendKind) -> Self {
        let mut kept: Vec<Member> = Vec::with_capacity(members.len());
        for mux in members {
            let kind = mux.kind();
            if kept.iter().all(|member| member.kind != kind) {
                kept.push(Member { kind, mux, primary: kind == primary });
            }
        }
        Self { members: kept }
    }

    /// Every pane there is. A error only when no backend answers.
    pub fn list(&self) -> Result<Listing> {
        let mut listing = Listing::default();
        for (member, answer) in self.members.iter().zip(self.ask()) {
            match answer {
                Ok(rows) => listing.panes.extend(member.publish(rows)),
                Err(error) => listing.problems.push((member.kind, error)),
            }
        }
        if listing.problems.len() == self.members.len() {
            return Err(no_backend_answers(&listing.problems));
        }
        listing.panes.sort_by_key(|row| row.pane_id);
        Ok(listing)
    }

    /// The pane with that public id, alive or kept after its end.
    pub fn find(&self, pane_id: u64) -> Result<Found> {
        let Some((member, native)) = self.owner(pane_id) else {
            return Err(self.unknown(pane_id, self.list()?));
        };
        let rows = member.mux.list()?;
        match member.publish(rows).find(|row| row.native_id == native) {
            Some(row) => Ok(Found { mux: Arc::clone(&member.mux), row }),
            None => Err(self.unknown(pane_id, self.list()?)),
        }
    }

    /// The backends, in their order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The backend that keeps its numbers, when it is one of the members.
    pub fn primary(&self) -> Option<BackendKind> {
        self.members.iter().find(|member| member.primary).map(|member| member.kind)
    }

    /// Whose number that public id is, and which one.
    pub fn owner(&self, pane_id: u64) -> Option<(&Member, u64)> {
        let block = pane_id / BLOCK;
        let member = self.members.iter().find(|member| member.slot() == block % ROUND)?;
        Some((member, block / ROUND * BLOCK + pane_id % BLOCK))
    }

    /// Asks all at the same time: one that hangs does not hold up the sum of all limits.
    fn ask(&self) -> Vec<Result<Vec<PaneRow>>> {
        if let [member] = self.members.as_slice() {
            return vec![member.mux.list()];
        }
        thread::scope(|scope| {
            let asked: Vec<_> = self
                .members
                .iter()
                .map(|member| (member.kind, scope.spawn(|| member.mux.list())))
                .collect();
            let broke = |kind| Err(Kind::Backend.because(format!("The {kind} backend failed.")));
            asked
                .into_iter()
                .map(|(kind, list)| list.join().unwrap_or_else(|_| broke(kind)))
                .collect()
        })
    }

    fn unknown(&self, pane_id: u64, listing: Listing) -> Error {
        let named: Vec<String> =
            listing.panes.iter().take(NAMED).map(|row| row.pane_id.to_string()).collect();
        let more = listing.panes.len().saturating_sub(named.len());
        let hint = match (named.is_empty(), more) {
            (true, _) => "No panes are open. Start one, or call `wa.state`.".to_owned(),
            (false, 0) => format!("Open panes: {}.", named.join(", ")),
            (false, more) => format!("Open panes: {} and {more} more.", named.join(", ")),
        };
        Kind::PaneNotFound.because(format!("There is no pane {pane_id}.")).hint(hint)
    }
}

impl Member {
    /// The public id of a number of this backend; none when it is absurdly large.
    pub fn public_id(&self, native: u64) -> Option<u64> {
        let block = (native / BLOCK).checked_mul(ROUND)?.checked_add(self.slot())?;
        block.checked_mul(BLOCK)?.checked_add(native % BLOCK)
    }

    fn slot(&self) -> u64 {
        match (self.primary, self.kind) {
            (true, _) => 0,
            (false, BackendKind::Tmux) => 1,
            (false, BackendKind::Embedded) => 2,
            (false, BackendKind::Wezterm) => 3,
        }
    }

    fn publish(&self, rows: Vec<PaneRow>) -> impl Iterator<Item = PaneRow> {
        rows.into_iter().filter_map(|row| {
            let pane_id = self.public_id(row.native_id)?;
            Some(PaneRow { pane_id, ..row })
        })
    }
}

impl Found {
    /// Itself, when its process still runs.
    pub fn live(self) -> Result<Self> {
        let Some(status) = self.row.dead else { return Ok(self) };
        let ended = match status {
            Some(status) => format!("has ended with status {status}"),
            None => "has ended".to_owned(),
        };
        Err(Kind::PaneNotFound
            .because(format!("Pane {} {ended}.", self.row.pane_id))
            .hint("Its last text can still be read. Choose another pane with `wa.state`."))
    }
}

/// One error for all, with what each backend said and how to start one.
fn no_backend_answers(problems: &[(BackendKind, Error)]) -> Error {
    if let [(_, error)] = problems {
        return error.clone();
    }
    let said: Vec<String> = problems.iter().map(|(_, error)| error.to_string()).collect();
    let said = if said.is_empty() { "None is configured.".to_owned() } else { said.join(" ") };
    let hints: Vec<&str> = problems.iter().filter_map(|(_, error)| error.hint.as_deref()).collect();
    let hint = if hints.is_empty() { "Set `backend` to auto.".to_owned() } else { hints.join(" ") };
    Kind::Backend.because(format!("No terminal backend answers. {said}")).hint(hint)
}

#[cfg(test)]
mod tests;
