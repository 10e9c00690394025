//! Search by meaning: the vectors of blocks, and the blocks nearest to a text.
//!
//! Vectors are made before the transaction that stores them; what is missing is made later, on a
//! thread of its own. A search is exact, and compares only vectors of one model. No vector leaves
//! this module.

mod copies;
mod embedding;
mod filler;
mod int8;
mod prepared;

use std::sync::Arc;

use super::{Caller, Engine, Result};
use crate::governance::Mode;
use crate::model::Operation;
use crate::records::blocks::Record;
use crate::records::{Tx, baskets, block_vectors, governance, proposals};
use crate::sql;
use copies::{Copies, Scope, Scored};
use embedding::BlockEmbedder;
use filler::{Filler, Step};
use int8::Sought;
use prepared::Prepared;

/// Vectors that are looked up at a time.
const LOOKED_UP: usize = 200;

/// What is known of meaning in this process.
#[derive(Default)]
pub(super) struct Meaning {
    embedder: Arc<BlockEmbedder>,
    copies: Copies,
    prepared: Prepared,
    filler: Filler,
}

/// What a text means: its vector.
pub(super) struct TextMeaning(Sought);

/// A block near to a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NearBlock {
    pub(super) block_id: String,
    pub(super) basket_id: String,
    /// The cosine, to about 0.01.
    pub(super) similarity: f64,
}

/// Which blocks may be near.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest<'a> {
    pub(super) basket: Option<&'a str>,
    /// With any of these anchors; empty means all.
    pub(super) anchors: &'a [String],
    /// Less similar ones are left out.
    pub(super) least: f64,
    pub(super) limit: usize,
}

impl Engine {
    /// What a text means; none if no model can tell. May be slow: call it before a transaction.
    pub(super) fn meaning_of(&self, text: &str) -> Option<TextMeaning> {
        let vector = self.meaning.embedder.of_question(text)?;
        Sought::new(&vector).map(TextMeaning)
    }

    /// The current blocks of the workspace that are nearest to a text, the nearest first; of equally
    /// near ones, the older first.
    pub(super) fn nearest_blocks(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        text: &TextMeaning,
        nearest: Nearest<'_>,
    ) -> sql::Result<Vec<NearBlock>> {
        let Some(model) = self.meaning.embedder.model() else { return Ok(Vec::new()) };
        let totals = baskets::totals(tx, workspace, None)?;
        let (basket, revision) = (nearest.basket, totals.revision);
        let scope = Scope { workspace, model, basket, revision, least: nearest.least as f32 };
        let (scored, vectors) = self.meaning.copies.search(tx, scope, &text.0)?;
        if vectors != totals.count.blocks {
            let Meaning { filler, embedder, .. } = &self.meaning;
            filler.wake(&self.store, embedder, workspace, revision);
        }
        let mut found = Vec::new();
        for some in scored.chunks(LOOKED_UP) {
            let wanted = nearest.limit - found.len();
            found.extend(looked_up(tx, workspace, some, nearest.anchors)?.into_iter().take(wanted));
            if found.len() == nearest.limit {
                break;
            }
        }
        Ok(found)
    }

    /// Makes the vectors of what a write proposes, if the rules may approve it at once.
    pub(super) fn prepare_meaning(&self, caller: &Caller, proposed: &[Operation]) -> Result<()> {
        let settings =
            self.store.read(|tx| Ok(governance::load(tx, caller.workspace_id())?))?.coerced();
        if !settings.governance_enabled || settings.manual_edit == Mode::Hybrid {
            self.prepare(proposed);
        }
        Ok(())
    }

    /// Makes the vectors of a proposal that will be approved.
    pub(super) fn prepare_proposal(&self, caller: &Caller, id: &str) -> Result<()> {
        let found = self.store.read(|tx| Ok(proposals::find(tx, caller.workspace_id(), id)?))?;
        found.iter().for_each(|proposal| self.prepare(&proposal.operations));
        Ok(())
    }

    fn prepare(&self, proposed: &[Operation]) {
        let Meaning { embedder, prepared, .. } = &self.meaning;
        let texts: Vec<&str> = proposed
            .iter()
            .filter_map(|operation| match operation {
                Operation::CreateBlock { content, .. }
                | Operation::ReviseBlock { content, .. } => Some(content.as_str()),
                Operation::CreateContextItem { .. } => None,
            })
            .filter(|text| prepared.of(text).is_none())
            .collect();
        // Without an answer the vectors are made later.
        let vectors = embedder.of_blocks(&texts).unwrap_or_default();
        texts.iter().zip(vectors).for_each(|(text, vector)| prepared.put(text, vector));
    }

    /// Stores the vector of a new block, if it was made.
    pub(super) fn keep_meaning(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        record: &Record,
    ) -> sql::Result<()> {
        let Meaning { embedder, prepared, .. } = &self.meaning;
        let (basket, id, text) = (&record.basket_id, &record.block.id, &record.block.content);
        if let (Some(model), Some(vector)) = (embedder.model(), prepared.of(text)) {
            block_vectors::add(tx, workspace, basket, id, model, &vector)?;
        }
        Ok(())
    }

    /// Makes the vectors of some blocks that have none of the embedder's model, from the number
    /// `after` in the search index. Returns the number to go on from; none when it ends, because
    /// nothing is left or the model does not answer. When nothing is left, the vectors of all other
    /// models are erased.
    pub fn fill_block_vectors(&self, workspace: &str, after: i64) -> Result<Option<i64>> {
        let embedder = &self.meaning.embedder;
        let step = filler::step(&self.store, embedder, workspace, after)?;
        if let (Step::Done, Some(model)) = (&step, embedder.model()) {
            self.store.write(|tx| Ok(block_vectors::remove_other_models(tx, workspace, model)?))?;
        }
        Ok(match step {
            Step::More(next) => Some(next),
            Step::Done | Step::Unanswered => None,
        })
    }
}

/// Those that are current, in the same order.
fn looked_up(
    tx: &mut Tx<'_>,
    workspace: &str,
    scored: &[Scored],
    anchors: &[String],
) -> sql::Result<Vec<NearBlock>> {
    let numbers: Vec<i64> = scored.iter().map(|one| one.number).collect();
    let mut blocks: std::collections::BTreeMap<i64, block_vectors::Found> =
        block_vectors::current(tx, workspace, &numbers, anchors)?
            .into_iter()
            .map(|block| (block.number, block))
            .collect();
    let near = scored.iter().filter_map(|one| {
        let block = blocks.remove(&one.number)?;
        Some(NearBlock {
            block_id: block.block_id,
            basket_id: block.basket_id,
            similarity: f64::from(one.similarity),
        })
    });
    Ok(near.collect())
}
