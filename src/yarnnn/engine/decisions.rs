//! What reviewers decide: they approve, edit or reject the single operations of a proposal.
//!
//! Approved operations are applied at once. A proposal waits until each of its operations is decided;
//! it counts as approved if any of them was. Only owners and admins decide.

use serde_json::json;

use super::{Caller, Engine, Error, Result};
use crate::extract::{clean, title};
use crate::model::{Operation, SemanticType};
use crate::records::baskets::{self, Count};
use crate::records::dumps::{self, REJECTED};
use crate::records::proposals::{self, Proposal, Status};
use crate::records::reviews::{self, Action, Review};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, blocks, dump_vectors, substrate};

/// Longest text of an edited statement, in characters.
const STATEMENT: usize = 4_000;
/// Longest edited name or title, in characters.
const LABEL: usize = 200;

/// A decision about operations of a proposal.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// Approve them, otherwise reject them.
    pub approve: bool,
    /// Their places in the proposal; without, all that are still undecided.
    pub only: Option<&'a [usize]>,
    /// The reviewer's notes.
    pub notes: Option<&'a str>,
    /// How many steps of review the reviewer has seen; with others since, nothing is decided.
    pub seen: Option<usize>,
}

/// New words of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// The statement, or the name.
    pub content: &'a str,
    /// The title of a new block; without, its first words.
    pub title: Option<&'a str>,
    /// The type of a new block; without, the one it has.
    pub semantic_type: Option<SemanticType>,
    /// As in [`Decision::seen`].
    pub seen: Option<usize>,
}

/// Where an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Waits for a decision.
    Waiting,
    /// Applied.
    Approved,
    /// Rejected.
    Rejected,
    /// Its dump was withdrawn before anybody decided.
    Withdrawn,
}

impl Standing {
    /// The word for reviewers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A proposal and the steps of its review.
#[derive(Debug, Clone, PartialEq)]
pub struct Reviewed {
    /// The proposal.
    pub proposal: Proposal,
    /// The steps, in order.
    pub steps: Vec<Review>,
}

impl Reviewed {
    /// Where the operation at this place stands.
    pub fn standing(&self, operation: usize) -> Standing {
        let decided = self.steps.iter().filter(|step| step.operation == operation);
        match decided.map(|step| step.action).rfind(|action| *action != Action::Edited) {
            Some(Action::Approved) => Standing::Approved,
            Some(_) => Standing::Rejected,
            // The rules decide about all operations at once, without steps.
            None => match self.proposal.status {
                Status::Proposed => Standing::Waiting,
                Status::Approved => Standing::Approved,
                Status::Rejected => Standing::Rejected,
                Status::Superseded => Standing::Withdrawn,
            },
        }
    }

    /// The places of the operations that wait for a decision.
    pub fn waiting(&self) -> Vec<usize> {
        let all = 0..self.proposal.operations.len();
        all.filter(|index| self.standing(*index) == Standing::Waiting).collect()
    }

    /// The places that were asked for, each once; all waiting ones if none were.
    fn chosen(&self, only: Option<&[usize]>) -> Result<Vec<usize>> {
        let waiting = self.waiting();
        let Some(only) = only else { return Ok(waiting) };
        let mut chosen = only.to_vec();
        chosen.sort_unstable();
        chosen.dedup();
        for index in &chosen {
            if *index >= self.proposal.operations.len() {
                return Err(self.no_operation(*index));
            }
            if !waiting.contains(index) {
                let (number, how) = (index + 1, self.standing(*index).as_str());
                let id = self.proposal.id.clone();
                return Err(Error::DecidedOperation { id, number, how });
            }
        }
        Ok(chosen)
    }

    fn no_operation(&self, index: usize) -> Error {
        let operations = self.proposal.operations.len();
        Error::NoOperation {
            id: self.proposal.id.clone(),
            number: index.saturating_add(1),
            operations,
        }
    }

    /// Fails if the proposal is settled, or has changed since the reviewer looked.
    fn is_open(&self, seen: Option<usize>) -> Result<()> {
        let id = || self.proposal.id.clone();
        if self.proposal.status != Status::Proposed {
            return Err(Error::SettledProposal { id: id(), status: self.proposal.status.as_str() });
        }
        match seen.is_some_and(|seen| seen != self.steps.len()) {
            true => Err(Error::ChangedProposal(id())),
            false => Ok(()),
        }
    }
}

impl Engine {
    /// Proposals in one status with their reviews, the oldest first.
    pub fn reviewed_proposals(
        &self,
        caller: &Caller,
        status: Status,
        most: i64,
    ) -> Result<Vec<Reviewed>> {
        self.store.read(|tx| {
            let found = proposals::list(tx, caller.workspace_id(), status, most)?;
            found.into_iter().map(|proposal| reviewed(tx, proposal)).collect()
        })
    }

    /// One proposal with its review.
    pub fn reviewed(&self, caller: &Caller, id: &str) -> Result<Reviewed> {
        self.store.read(|tx| find(tx, caller, id))
    }

    /// Approves all of a proposal that is undecided.
    pub fn approve(&self, caller: &Caller, id: &str, notes: Option<&str>) -> Result<Proposal> {
        let all = Decision { approve: true, only: None, notes, seen: None };
        Ok(self.decide(caller, id, &all)?.proposal)
    }

    /// Rejects all of a proposal that is undecided.
    pub fn reject(&self, caller: &Caller, id: &str, notes: Option<&str>) -> Result<Proposal> {
        let all = Decision { approve: false, only: None, notes, seen: None };
        Ok(self.decide(caller, id, &all)?.proposal)
    }

    /// Approves or rejects operations of a proposal.
    pub fn decide(&self, caller: &Caller, id: &str, decision: &Decision<'_>) -> Result<Reviewed> {
        caller.must_review()?;
        let by = &caller.source.user_id;
        let notes = decision.notes.map(|notes| clean(notes).text.into_owned());
        if decision.approve {
            self.prepare_proposal(caller, id)?;
        }
        self.store.write(|tx| {
            let before = find(tx, caller, id)?;
            before.is_open(decision.seen)?;
            let chosen = before.chosen(decision.only)?;
            let at = self.now();
            let action = if decision.approve { Action::Approved } else { Action::Rejected };
            for operation in &chosen {
                let step = Review {
                    operation: *operation,
                    action,
                    replaced: None,
                    notes: notes.clone(),
                    by: by.clone(),
                    host: caller.source.host.clone(),
                    at,
                };
                reviews::add(tx, id, &step)?;
            }
            let after = reviewed(tx, before.proposal.clone())?;
            let settled = after.waiting().is_empty();
            if settled {
                let any = after.steps.iter().any(|step| step.action == Action::Approved);
                let status = if any { Status::Approved } else { Status::Rejected };
                proposals::settle(tx, id, status, by, notes.as_deref(), at)?;
            }
            let proposal = &before.proposal;
            let fewer = i64::try_from(chosen.len()).unwrap_or(i64::MAX);
            let count = Count { proposed: -fewer, ..Count::default() };
            baskets::count(tx, &proposal.basket_id, count)?;
            if decision.approve {
                let committed = self.commit(tx, caller, proposal, &chosen, by)?;
                self.changed(tx, caller, &proposal.basket_id, committed.mutations)?;
            } else {
                self.rejected(tx, caller, &after, &chosen, notes.as_deref())?;
            }
            find(tx, caller, id)
        })
    }

    /// Changes the words of an operation that waits for a decision.
    pub fn edit(
        &self,
        caller: &Caller,
        id: &str,
        operation: usize,
        edit: &Edit<'_>,
    ) -> Result<Reviewed> {
        caller.must_review()?;
        self.store.write(|tx| {
            let before = find(tx, caller, id)?;
            before.is_open(edit.seen)?;
            before.chosen(Some(&[operation]))?;
            let mut operations = before.proposal.operations.clone();
            let Some(edited) = operations.get_mut(operation) else {
                return Err(before.no_operation(operation));
            };
            let replaced = edited.clone();
            apply(edited, edit)?;
            if *edited == replaced {
                return Ok(before);
            }
            let at = self.now();
            proposals::set_operations(tx, id, &operations)?;
            let step = Review {
                operation,
                action: Action::Edited,
                replaced: Some(replaced),
                notes: None,
                by: caller.source.user_id.clone(),
                host: caller.source.host.clone(),
                at,
            };
            reviews::add(tx, id, &step)?;
            let event = Event {
                kind: Kind::ProposalEdited,
                basket: Some(&before.proposal.basket_id),
                about: id,
                preview: "",
                payload: json!({"by": caller.source.user_id, "operations": [operation + 1]}),
            };
            timeline::add(tx, caller.workspace_id(), &event, &caller.source, at)?;
            find(tx, caller, id)
        })
    }

    /// Records a rejection. The raw text of a rejected statement is no longer recalled; it stays as
    /// the source that `trace` shows.
    fn rejected(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        after: &Reviewed,
        chosen: &[usize],
        notes: Option<&str>,
    ) -> Result<()> {
        let (proposal, at) = (&after.proposal, self.now());
        let (workspace, by) = (caller.workspace_id(), &caller.source.user_id);
        let event = Event {
            kind: Kind::ProposalRejected,
            basket: Some(&proposal.basket_id),
            about: &proposal.id,
            preview: notes.unwrap_or(&proposal.report.impact_summary),
            payload: json!({"by": by, "operations": numbers(chosen)}),
        };
        timeline::add(tx, workspace, &event, &caller.source, at)?;
        let settled = after.waiting().is_empty();
        let nothing = settled && after.steps.iter().all(|step| step.action != Action::Approved);
        let statement = chosen
            .iter()
            .filter_map(|index| proposal.operations.get(*index))
            .any(Operation::is_block);
        if !statement && !nothing {
            return Ok(());
        }
        let Some(dump) = dumps::find(tx, workspace, &proposal.dump_id)? else { return Ok(()) };
        let fresh = dumps::insert_tombstone(tx, workspace, &dump, "archived", REJECTED, by, at)?;
        if fresh {
            substrate::remove(tx, &dump.id)?;
            baskets::count(tx, &dump.basket_id, Count { dumps: -1, ..Count::default() })?;
        }
        let lives = has_life(tx, workspace, &dump.id)?;
        if lives {
            return self.refresh_words(tx, caller, &dump.basket_id);
        }
        dump_vectors::remove(tx, workspace, &dump.id)?;
        self.record_withdrawal(tx, caller, &dump)
    }
}

/// Whether anything of a dump is in memory or waits for a decision.
pub(super) fn has_life(tx: &mut Tx<'_>, workspace: &str, dump: &str) -> Result<bool> {
    let about = proposals::of_dump(tx, workspace, dump)?;
    Ok(about.iter().any(|one| one.status == Status::Proposed)
        || !blocks::of_dump(tx, workspace, dump)?.is_empty())
}

/// The operations of a proposal that nobody decided about yet.
pub(super) fn undecided(tx: &mut Tx<'_>, proposal: &Proposal) -> Result<i64> {
    let waiting = reviewed(tx, proposal.clone())?.waiting().len();
    Ok(i64::try_from(waiting).unwrap_or(i64::MAX))
}

pub(super) fn reviewed(tx: &mut Tx<'_>, proposal: Proposal) -> Result<Reviewed> {
    let steps = reviews::of(tx, &proposal.id)?;
    Ok(Reviewed { proposal, steps })
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Reviewed> {
    let found = proposals::find(tx, caller.workspace_id(), id)?;
    reviewed(tx, found.ok_or_else(|| Error::NoProposal(id.to_owned()))?)
}

/// Operations as people count them.
pub(super) fn numbers(indices: &[usize]) -> Vec<usize> {
    indices.iter().map(|index| index + 1).collect()
}

/// Puts new words into an operation. Details that were read from the old words go.
fn apply(operation: &mut Operation, edit: &Edit<'_>) -> Result<()> {
    let tidy = |text: &str, most: usize| -> Result<String> {
        let text = clean(text).text.trim().to_owned();
        let characters = text.chars().count();
        match characters {
            0 => Err(Error::Empty("content")),
            _ if characters > most => Err(Error::LongEdit { characters, most }),
            _ => Ok(text),
        }
    };
    let given = edit.title.filter(|title| !title.trim().is_empty());
    let new_title = given.map(|title| tidy(title, LABEL)).transpose()?;
    match operation {
        Operation::CreateBlock { semantic_type, title: old_title, content, metadata, .. } => {
            let new = tidy(edit.content, STATEMENT)?;
            let changed = new != *content;
            if changed {
                metadata.clear();
                *old_title = title(&new);
            }
            *old_title = new_title.unwrap_or_else(|| old_title.clone());
            *semantic_type = edit.semantic_type.unwrap_or(*semantic_type);
            *content = new;
        }
        Operation::ReviseBlock { content, .. } => *content = tidy(edit.content, STATEMENT)?,
        Operation::CreateContextItem { label, .. } => *label = tidy(edit.content, LABEL)?,
    }
    Ok(())
}
