//! `validate_against_substrate`: compares an idea with memory.

use std::collections::BTreeMap;

use super::{Caller, Engine, Error, Result};
use crate::conflict::{self, Analysis, Idea, Known};
use crate::extract::clean;
use crate::index;
use crate::inference::{Decision, Selection, cosine};
use crate::model::{Block, Fingerprint};
use crate::records::substrate::{self, Filter, Kind};
use crate::records::{Tx, baskets, blocks, dump_vectors};

/// Blocks that an idea is compared with, the best matches first.
const COMPARED: i64 = 200;
/// Words of an idea that blocks are searched by.
const WORDS: usize = 40;

/// How an idea compares with memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The comparison itself.
    pub analysis: Analysis,
    /// Blocks that share words with the idea, whether they were compared or not.
    pub candidates: i64,
    /// The searched basket, if it was inferred.
    pub narrowed_to: Option<String>,
    /// The result of inference, if a session was given.
    pub selection: Option<Selection>,
}

impl Engine {
    /// Compares an idea with memory.
    pub fn compare(
        &self,
        caller: &Caller,
        idea: &str,
        basket_id: Option<&str>,
        focus: &[String],
        fingerprint: Option<&Fingerprint>,
    ) -> Result<Comparison> {
        let seen = clean(idea);
        let text = &seen.text;
        if text.trim().is_empty() {
            return Err(Error::Empty("new_idea"));
        }
        // Long words are rarer than short ones: they find what matters first.
        let mut words: Vec<String> = index::words(text).into_iter().collect();
        words.sort_by_key(|word| (std::cmp::Reverse(word.chars().count()), word.clone()));
        words.truncate(WORDS);
        let session = self.complete_read(fingerprint)?;
        let fingerprint = session.as_ref();
        let vectors = self.store.opened()?.vectors;
        let (known, candidates, narrowed_to, selection) = self.store.read(|tx| {
            let selection = match fingerprint {
                Some(fingerprint) => Some(self.choose(tx, caller, fingerprint, vectors)?),
                None => None,
            };
            let narrowed_to = match (basket_id, &selection) {
                (None, Some(Selection { decision: Decision::Auto, primary: Some(best), .. })) => {
                    Some(best.basket_id.clone())
                }
                _ => None,
            };
            let basket = basket_id.or(narrowed_to.as_deref());
            if let Some(id) = basket
                && baskets::find(tx, caller.workspace_id(), id)?.is_none()
            {
                return Err(Error::NoBasket(id.to_owned()));
            }
            let kind = Some(Kind::Block);
            let filter = Filter { basket, words: &words, anchors: &[], kind };
            if words.is_empty() {
                return Ok((Vec::new(), 0, narrowed_to, selection));
            }
            let candidates = substrate::count(tx, caller.index_scope(), &filter)?;
            let found = substrate::find(tx, caller.index_scope(), &filter, COMPARED, 0)?;
            let mut sessions = SessionSimilarity { fingerprint, seen: BTreeMap::new() };
            let mut known = Vec::with_capacity(found.len());
            for entry in found {
                if let Some(record) = blocks::find(tx, caller.workspace_id(), &entry.id)? {
                    let similarity = sessions.similarity(tx, caller, &record.dump_id)?;
                    known.push((record.block, similarity));
                }
            }
            Ok((known, candidates, narrowed_to, selection))
        })?;
        let known: Vec<Known<'_>> = known
            .iter()
            .map(|(block, similarity): &(Block, Option<f64>)| Known {
                block,
                similarity: *similarity,
            })
            .collect();
        let mut analysis = conflict::compare(&Idea { text, focus }, &known);
        for conflict in &mut analysis.conflicts {
            let span = &mut conflict.evidence.idea_span;
            *span = seen.original(*span);
        }
        Ok(Comparison { analysis, candidates, narrowed_to, selection })
    }
}

/// Similarity of this session to the sessions that blocks came from, cached by dump.
struct SessionSimilarity<'a> {
    fingerprint: Option<&'a Fingerprint>,
    seen: BTreeMap<String, Option<f64>>,
}

impl SessionSimilarity<'_> {
    fn similarity(&mut self, tx: &mut Tx<'_>, caller: &Caller, dump: &str) -> Result<Option<f64>> {
        let Some(fingerprint) = self.fingerprint else { return Ok(None) };
        if let Some(known) = self.seen.get(dump) {
            return Ok(*known);
        }
        let named = dump_vectors::find(tx, caller.workspace_id(), dump)?;
        let named = named.filter(|named| named.model == fingerprint.model);
        let similarity = named.and_then(|named| cosine(&fingerprint.embedding, &named.vector));
        self.seen.insert(dump.to_owned(), similarity);
        Ok(similarity)
    }
}
