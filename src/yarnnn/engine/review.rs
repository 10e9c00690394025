//! Commits approved operations of proposals: the rules approve all of them, a reviewer some.

use serde_json::json;

use super::commit_capture::LATEST;
use super::decisions::numbers;
use super::{Caller, Engine, Result};
use crate::extract::{link, pluralise, title};
use crate::index;
use crate::model::{Block, BlockState, Operation, SemanticType};
use crate::records::baskets::{self, Count};
use crate::records::blocks::{self, Record};
use crate::records::items::{self, Item};
use crate::records::proposals::{self, Proposal};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, relations, substrate};

/// The result of a commit.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// Blocks that are new or have a new version.
    pub(super) blocks: u64,
    /// Number of changes.
    pub(super) mutations: u32,
    count: Count,
    added: Vec<Block>,
}

impl Engine {
    /// Executes these operations of a proposal and links the result (P2).
    pub(super) fn commit(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        proposal: &Proposal,
        chosen: &[usize],
        by: &str,
    ) -> Result<Committed> {
        let at = self.now();
        let mut done = Committed::default();
        for index in chosen.iter().copied() {
            let Some(operation) = proposal.operations.get(index) else { continue };
            let (id, note) = match operation {
                Operation::CreateBlock { .. } | Operation::ReviseBlock { .. } => {
                    self.commit_block(tx, caller, proposal, operation, by, &mut done)?
                }
                Operation::CreateContextItem { .. } => {
                    self.commit_item(tx, caller, proposal, operation, &mut done)?
                }
            };
            let word = operation.as_str();
            proposals::add_execution(tx, &proposal.id, index, word, Some(&id), note.as_deref())?;
        }
        baskets::count(tx, &proposal.basket_id, done.count)?;
        let workspace = caller.workspace_id();
        for (kind, preview) in [
            (Kind::ProposalApproved, proposal.report.impact_summary.clone()),
            (Kind::SubstrateCommitted, pluralise(done.blocks as usize, "block")),
        ] {
            let event = Event {
                kind,
                basket: Some(&proposal.basket_id),
                about: &proposal.id,
                preview: &preview,
                payload: json!({"by": by, "mode": proposal.mode, "operations": numbers(chosen)}),
            };
            timeline::add(tx, workspace, &event, &caller.source, at)?;
        }
        self.connect(tx, caller, proposal, &done)?;
        Ok(done)
    }

    /// Adds a block or a new version of one. A statement already in the basket is not added again;
    /// if the block to revise is no longer current, the revision becomes a new block.
    fn commit_block(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        proposal: &Proposal,
        operation: &Operation,
        by: &str,
        done: &mut Committed,
    ) -> Result<(String, Option<String>)> {
        let at = self.now();
        let (content, confidence, spans) = match operation {
            Operation::CreateBlock { content, confidence, spans, .. }
            | Operation::ReviseBlock { content, confidence, spans, .. } => {
                (content, *confidence, spans)
            }
            Operation::CreateContextItem { .. } => return Ok(Default::default()),
        };
        if let Some(known) = blocks::find_same(tx, &proposal.basket_id, content)? {
            return Ok((known, Some("already known".to_owned())));
        }
        let workspace = caller.workspace_id();
        let revised = match operation {
            Operation::ReviseBlock { block_id, .. } => {
                let current = blocks::find(tx, workspace, block_id)?;
                current.filter(|one| {
                    one.block.state.is_current() && one.basket_id == proposal.basket_id
                })
            }
            _ => None,
        };
        let mut note = None;
        if let Some(old) = &revised {
            blocks::set_state(tx, old, BlockState::Superseded, at)?;
            substrate::remove(tx, &old.block.id)?;
            relations::remove(tx, &old.block.id)?;
            done.count.blocks -= 1;
        } else if let Operation::ReviseBlock { block_id, .. } = operation {
            note = Some(format!("`{block_id}` is no longer current; added as a new block"));
        }
        let old = revised.as_ref();
        let (semantic_type, title, metadata) = match operation {
            Operation::CreateBlock { semantic_type, title, metadata, .. } => {
                (*semantic_type, title.clone(), metadata.clone())
            }
            // Title and metadata of the old text do not apply to the new one.
            _ => (
                old.map_or(SemanticType::Fact, |old| old.block.semantic_type),
                title(content),
                Default::default(),
            ),
        };
        let anchor = match old.and_then(|old| old.block.anchor.clone()) {
            Some(anchor) => Some(anchor),
            None => suggested_anchor(tx, &proposal.basket_id, content)?,
        };
        let record = Record {
            block: Block {
                id: self.store.id(),
                title,
                content: content.clone(),
                confidence,
                state: old.map_or(BlockState::Accepted, |old| old.block.state),
                anchor: anchor.or_else(|| semantic_type.anchor().map(str::to_owned)),
                semantic_type,
            },
            basket_id: proposal.basket_id.clone(),
            parent_id: old.map(|old| old.block.id.clone()),
            version: old.map_or(1, |old| old.version + 1),
            dump_id: proposal.dump_id.clone(),
            spans: spans.clone(),
            proposal_id: proposal.id.clone(),
            metadata,
            approved_by: by.to_owned(),
            created_at: at,
            host: proposal.source.host.clone(),
        };
        blocks::add(tx, workspace, &record)?;
        let text = substrate::block_text(&record.block);
        let (place, kind) = (caller.index_scope(), substrate::Kind::Block);
        let (id, anchor) = (&record.block.id, record.block.anchor.as_deref());
        substrate::add(tx, place, &record.basket_id, kind, id, anchor, &text, at)?;
        self.keep_block_meaning(tx, workspace, &record)?;
        if let Some(old) = old {
            let event = Event {
                kind: Kind::BlockRevised,
                basket: Some(&record.basket_id),
                about: id,
                preview: &record.block.content,
                payload: json!({"replaces": old.block.id, "version": record.version}),
            };
            timeline::add(tx, workspace, &event, &caller.source, at)?;
        }
        done.blocks += 1;
        done.mutations += 1;
        done.count.blocks += 1;
        let id = record.block.id.clone();
        done.added.push(record.block);
        Ok((id, note))
    }

    fn commit_item(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        proposal: &Proposal,
        operation: &Operation,
        done: &mut Committed,
    ) -> Result<(String, Option<String>)> {
        let Operation::CreateContextItem { label, kind, synonyms, confidence, spans } = operation
        else {
            return Ok(Default::default());
        };
        let item = Item {
            id: self.store.id(),
            basket_id: proposal.basket_id.clone(),
            kind: kind.clone(),
            label: label.clone(),
            synonyms: synonyms.clone(),
            confidence: *confidence,
            dump_id: proposal.dump_id.clone(),
            proposal_id: proposal.id.clone(),
            spans: spans.clone(),
            created_at: self.now(),
            host: proposal.source.host.clone(),
        };
        if let Some(known) = items::add(tx, caller.workspace_id(), &item)? {
            return Ok((known, Some("already known".to_owned())));
        }
        let text = format!("{label} {}", synonyms.join(" "));
        let (place, kind) = (caller.index_scope(), substrate::Kind::Item);
        substrate::add(tx, place, &item.basket_id, kind, &item.id, None, &text, item.created_at)?;
        done.mutations += 1;
        done.count.items += 1;
        Ok((item.id, None))
    }

    /// P2: links new blocks with the newest ones.
    fn connect(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        proposal: &Proposal,
        done: &Committed,
    ) -> Result<()> {
        if done.added.is_empty() {
            return Ok(());
        }
        let basket = &proposal.basket_id;
        let around = blocks::latest(tx, basket, LATEST)?;
        let names = items::latest(tx, basket, LATEST)?;
        let is_new = |id: &String| done.added.iter().any(|block| block.id == *id);
        let mut found = link(&around, &names);
        found.retain(|relation| is_new(&relation.from) || is_new(&relation.to));
        if found.is_empty() {
            return Ok(());
        }
        relations::add(tx, basket, &found, self.now())?;
        let preview = found.first().map(|relation| relation.description.as_str());
        let event = Event {
            kind: Kind::RelationshipCreated,
            basket: Some(basket),
            about: &proposal.id,
            preview: preview.unwrap_or_default(),
            payload: json!({"relations": found.len()}),
        };
        Ok(timeline::add(tx, caller.workspace_id(), &event, &caller.source, self.now())?)
    }
}

/// The anchor whose label the text mentions: at least half of its words.
fn suggested_anchor(tx: &mut Tx<'_>, basket: &str, content: &str) -> Result<Option<String>> {
    let said = index::words(content);
    let speaks_of = |label: &str| {
        let wanted = index::words(label);
        !wanted.is_empty() && 2 * wanted.intersection(&said).count() >= wanted.len()
    };
    let found = baskets::anchors(tx, basket)?.into_iter().find(|(_, label)| speaks_of(label));
    Ok(found.map(|(key, _)| key))
}
