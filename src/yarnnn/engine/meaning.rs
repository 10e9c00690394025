//! Search by meaning: the vectors of blocks and raw dumps, and the entries nearest to a text.
//!
//! Vectors are made before the transaction that stores them; what is missing is made later, on a
//! thread of its own. A search is exact, and compares only vectors of one model. No vector leaves
//! this module.

mod copies;
mod embedding;
mod filler;
mod int8;
mod prepared;
mod tokens;

use std::iter;
use std::sync::Arc;

use super::{Caller, Engine, Result};
use crate::embed::Embedder;
use crate::governance::Mode;
use crate::model::Operation;
use crate::records::blocks::Record;
use crate::records::dumps::Dump;
use crate::records::substrate::{Entry, Kind};
use crate::records::{Tx, baskets, governance, proposals, substrate_vectors};
use crate::sql;
use copies::{Copies, Scope};
use embedding::TextEmbedder;
use filler::{Filler, Step};
use int8::Sought;
use prepared::PreparedVectors;
use tokens::TokenCache;

/// Vectors that are looked up at a time.
const LOOKED_UP: usize = 200;

/// What is known of meaning in this process.
pub(super) struct Meaning {
    embedder: Arc<TextEmbedder>,
    copies: Copies,
    prepared: PreparedVectors,
    filler: Filler,
    tokens: TokenCache,
}

impl Meaning {
    /// Makes vectors by this embedder.
    pub(super) fn new(embedder: Arc<Embedder>) -> Self {
        Self {
            embedder: Arc::new(TextEmbedder(embedder)),
            copies: Copies::default(),
            prepared: PreparedVectors::default(),
            filler: Filler::default(),
            tokens: TokenCache::default(),
        }
    }
}

/// What a text means: its vector, and those of its parts.
pub(super) struct TextMeaning(Vec<Sought>);

/// An entry near to a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Near {
    pub(super) entry: Entry,
    /// The cosine, to about 0.01.
    pub(super) similarity: f64,
}

/// Which entries may be near.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest<'a> {
    pub(super) basket: Option<&'a str>,
    /// Blocks or raw dumps; names have no vectors.
    pub(super) kind: Option<Kind>,
    /// With any of these anchors; empty means all.
    pub(super) anchors: &'a [String],
    /// Less similar ones are left out.
    pub(super) least: f64,
    pub(super) limit: usize,
}

impl Engine {
    /// What a text and its parts mean; none if no model can tell. May be slow: call it before a
    /// transaction.
    pub(super) fn meaning_of(&self, text: &str, parts: &[String]) -> Option<TextMeaning> {
        let all: Vec<&str> = iter::once(text).chain(parts.iter().map(String::as_str)).collect();
        let vectors = self.meaning.embedder.of_question(&all)?;
        let sought: Vec<Sought> =
            vectors.iter().flatten().filter_map(|vector| Sought::new(vector)).collect();
        (!sought.is_empty()).then_some(TextMeaning(sought))
    }

    /// The entries of the workspace that are nearest to a text, the nearest first; of equally near
    /// ones, the older first. And how many texts of the workspace have a vector.
    pub(super) fn nearest(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        text: &TextMeaning,
        nearest: Nearest<'_>,
    ) -> sql::Result<(Vec<Near>, i64)> {
        let Some(model) = self.meaning.embedder.model() else { return Ok((Vec::new(), 0)) };
        let totals = baskets::totals(tx, workspace, None)?;
        let Nearest { basket, kind, anchors, least, limit } = nearest;
        let (revision, least) = (totals.revision, least as f32);
        let texts = totals.count.blocks + totals.count.dumps;
        let scope = Scope { workspace, model, basket, revision, texts, least };
        let (scored, vectors) = self.meaning.copies.search(tx, scope, &text.0)?;
        if vectors != texts {
            let Meaning { filler, embedder, .. } = &self.meaning;
            filler.wake(&self.store, embedder, workspace, revision);
        }
        let mut found = Vec::new();
        for some in scored.chunks(LOOKED_UP) {
            let numbers: Vec<i64> = some.iter().map(|one| one.number).collect();
            let mut entries = substrate_vectors::entries(tx, workspace, &numbers, kind, anchors)?;
            let near = some.iter().filter_map(|one| {
                let entry = entries.remove(&one.number)?;
                Some(Near { entry, similarity: f64::from(one.similarity) })
            });
            found.extend(near.take(limit - found.len()));
            if found.len() == limit {
                break;
            }
        }
        Ok((found, vectors))
    }

    /// How much of a question each of these texts says, up to 1; none if the model cannot tell. A
    /// text that was not compared lately takes some milliseconds.
    pub(super) fn said(&self, question: &str, texts: &[String]) -> Option<Vec<f64>> {
        let Meaning { embedder, tokens, .. } = &self.meaning;
        tokens.said(embedder, question, texts)
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
                Operation::CreateBlock { content, .. } | Operation::ReviseBlock { content, .. } => {
                    Some(content.as_str())
                }
                Operation::CreateContextItem { .. } => None,
            })
            .filter(|text| prepared.of(text).is_none())
            .collect();
        // Without an answer the vectors are made later.
        let vectors = embedder.of_texts(&texts).unwrap_or_default();
        texts.iter().zip(vectors).for_each(|(text, vector)| prepared.put(text, vector));
    }

    /// Stores the vector of a new block, if it was made.
    pub(super) fn keep_block_meaning(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        record: &Record,
    ) -> sql::Result<()> {
        let Meaning { embedder, prepared, .. } = &self.meaning;
        let (basket, id, text) = (&record.basket_id, &record.block.id, &record.block.content);
        if let (Some(model), Some(vector)) = (embedder.model(), prepared.of(text)) {
            substrate_vectors::add(tx, workspace, basket, id, model, &vector)?;
        }
        Ok(())
    }

    /// Stores the vector of a new raw dump, if its session has one of the embedder's model.
    pub(super) fn keep_dump_meaning(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        dump: &Dump,
    ) -> sql::Result<()> {
        let made = self.meaning.embedder.made(&dump.body, &dump.fingerprint);
        if let Some(vector) = made {
            let (basket, model) = (&dump.basket_id, &dump.fingerprint.model);
            substrate_vectors::add(tx, workspace, basket, &dump.id, model, &vector)?;
        }
        Ok(())
    }

    /// Makes some vectors of texts that have none of the embedder's model, from the number `after`
    /// in the search index on. Returns the number to go on from; none when it ends, because nothing
    /// is left or the model does not answer. When nothing is left, the vectors of all other models
    /// are erased.
    pub fn fill_substrate_vectors(&self, workspace: &str, after: i64) -> Result<Option<i64>> {
        let embedder = &self.meaning.embedder;
        let step = filler::step(&self.store, embedder, workspace, after)?;
        if let (Step::Done, Some(model)) = (&step, embedder.model()) {
            self.store
                .write(|tx| Ok(substrate_vectors::remove_other_models(tx, workspace, model)?))?;
        }
        Ok(match step {
            Step::More(next) => Some(next),
            Step::Done | Step::Unanswered => None,
        })
    }
}
