//! `validate_against_substrate`: compares an idea with memory.

use std::collections::{BTreeMap, BTreeSet};

use super::meaning::{Nearest, TextMeaning};
use super::{Caller, Engine, Error, Result};
use crate::conflict::{self, Analysis, Idea, Known};
use crate::extract::clean;
use crate::index;
use crate::inference::{Decision, Selection, cosine};
use crate::model::{Block, Fingerprint};
use crate::records::substrate::{self, Filter, Kind};
use crate::records::{Tx, baskets, blocks, dump_vectors};

/// Blocks that one statement of an idea is compared with, the best matches first.
const PER_STATEMENT: i64 = 40;
/// The same, where the idea is one statement.
const ALONE: i64 = 200;
/// Blocks that an idea is compared with in all.
const COMPARED: usize = 1_000;
/// Words of a statement that blocks are searched by: those that few other statements have, then
/// the longest, which are rarer than short ones.
const WORDS: usize = 12;
/// Statements of an idea that blocks are searched for.
const STATEMENTS: usize = 400;
/// The first so many are also searched by meaning.
const MEANT: usize = 100;
/// Blocks that are nearest to a statement by meaning, and how near they are at least.
const NEAREST: usize = 12;
const NEAR: f64 = 0.4;

/// How an idea compares with memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The comparison itself.
    pub analysis: Analysis,
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
        let statements = statements(text);
        // Vectors are made before the transaction.
        let meant: Vec<Option<TextMeaning>> =
            statements.iter().take(MEANT).map(|one| self.meaning_of(&one.text, &[])).collect();
        let session = self.complete_read(fingerprint)?;
        let fingerprint = session.as_ref();
        let vectors = self.store.opened()?.vectors;
        let (known, limits, narrowed_to, selection) = self.store.read(|tx| {
            let selection = match fingerprint {
                Some(fingerprint) => Some(self.choose(tx, caller, fingerprint, text, vectors)?),
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
            let (found, limits) = self.candidates(tx, caller, basket, &statements, &meant)?;
            let mut sessions = SessionSimilarity { fingerprint, seen: BTreeMap::new() };
            let mut known = Vec::with_capacity(found.len());
            for id in found {
                if let Some(record) = blocks::find(tx, caller.workspace_id(), &id)? {
                    let similarity = sessions.similarity(tx, caller, &record.dump_id)?;
                    known.push((record.block, similarity));
                }
            }
            Ok((known, limits, narrowed_to, selection))
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
        limits.tell(&mut analysis);
        Ok(Comparison { analysis, narrowed_to, selection })
    }
}

/// What the limits kept from being compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Limits {
    /// Statements that no block was searched for.
    unsearched: usize,
    /// Statements with more candidates than were compared.
    capped: usize,
}

impl Limits {
    /// Says so in the answer.
    fn tell(self, analysis: &mut Analysis) {
        if self.unsearched > 0 {
            let count = self.unsearched;
            analysis.summary.push_str(&format!(
                " {count} statements at its end were not compared; check them in a call of their own."
            ));
        }
        if self.capped > 0 {
            let (count, plural) = (self.capped, if self.capped == 1 { "" } else { "s" });
            analysis.summary.push_str(&format!(
                " For {count} statement{plural} only the best matching blocks were compared."
            ));
        }
    }
}

/// A statement of an idea, and what blocks are searched by.
struct Statement {
    text: String,
    /// The best first.
    words: Vec<String>,
}

/// The statements of a text that have words.
fn statements(text: &str) -> Vec<Statement> {
    let sets: Vec<_> = conflict::statements(text)
        .map(|one| {
            let words = index::words(&one);
            (one, words)
        })
        .collect();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for word in sets.iter().flat_map(|(_, words)| words) {
        *known.entry(word).or_default() += 1;
    }
    let order = |words: &BTreeSet<String>| {
        let mut words: Vec<String> = words.iter().cloned().collect();
        words.sort_by_key(|word| {
            let often = known.get(word.as_str()).copied().unwrap_or_default();
            (often, std::cmp::Reverse(word.chars().count()), word.clone())
        });
        words.truncate(if sets.len() == 1 { 40 } else { WORDS });
        words
    };
    let all =
        sets.iter().map(|(text, words)| Statement { text: text.to_string(), words: order(words) });
    all.filter(|statement| !statement.words.is_empty()).collect()
}

impl Engine {
    /// The blocks that the statements are compared with: those that share words with one of them,
    /// and those that are near by meaning.
    fn candidates(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        basket: Option<&str>,
        statements: &[Statement],
        meant: &[Option<TextMeaning>],
    ) -> Result<(Vec<String>, Limits)> {
        let mut limits = Limits::default();
        let mut found: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        let most = if statements.len() == 1 { ALONE } else { PER_STATEMENT };
        for (at, Statement { words, .. }) in statements.iter().enumerate() {
            if at == STATEMENTS || found.len() >= COMPARED {
                limits.unsearched = statements.len() - at;
                break;
            }
            let filter = Filter { basket, words, anchors: &[], kind: Some(Kind::Block) };
            let entries = substrate::find(tx, caller.index_scope(), &filter, most, 0)?;
            limits.capped +=
                usize::from(i64::try_from(entries.len()).is_ok_and(|count| count == most));
            let mut ids: Vec<String> = entries.into_iter().map(|entry| entry.id).collect();
            if let Some(Some(meaning)) = meant.get(at) {
                let nearest = Nearest {
                    basket,
                    kind: Some(Kind::Block),
                    anchors: &[],
                    least: NEAR,
                    limit: NEAREST,
                };
                let (near, _) = self.nearest(tx, caller.workspace_id(), meaning, nearest)?;
                ids.extend(near.into_iter().map(|one| one.entry.id));
            }
            found.extend(ids.into_iter().filter(|id| seen.insert(id.clone())));
        }
        Ok((found, limits))
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
