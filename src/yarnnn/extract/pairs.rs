//! Scores pairs of blocks by their words and phrases.
//!
//! Words are numbers here, in alphabetical order, and only pairs that share a word are
//! compared. Only the best scores are held, so that a large memory costs time but no space.

use std::collections::{BTreeMap, BTreeSet};

use super::existing::is_live;
use super::link::RelationKind;
use super::phrases::{Phrase, THEMES, phrases, stem_of, themes};
use super::words::{jaccard, shared, stop, words};
use crate::model::Block;

/// A word in more blocks than this does not relate two of them.
const COMMON: usize = 64;
const LEAST_RELATED: f64 = 0.4;
const LEAST_THEMATIC: f64 = 0.5;
const LEAST_PHRASE: f64 = 0.6;
const HIGHEST: f64 = 0.95;

/// A block prepared for comparison.
struct Entry<'a> {
    block: &'a Block,
    /// Sorted.
    words: Vec<usize>,
    /// Each with the words of its clause, sorted.
    phrases: Vec<(Phrase, Vec<usize>)>,
    themes: [usize; THEMES.len()],
}

/// The relation of two blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Score {
    pub(super) strength: f64,
    pub(super) kind: RelationKind,
    pub(super) from: usize,
    pub(super) to: usize,
    /// The entry and its phrase that establish it.
    phrase: Option<(usize, usize)>,
    /// The theme that both are about.
    pub(super) theme: Option<usize>,
}

/// Blocks that can be linked.
pub(super) struct Memory<'a> {
    entries: Vec<Entry<'a>>,
    /// The shortest spelling of each word.
    words: Vec<String>,
}

impl<'a> Memory<'a> {
    /// The blocks that are in memory, or may still be approved, in the order of their
    /// ids, so that the input order does not matter.
    pub(super) fn new(blocks: &'a [Block]) -> Self {
        let mut alive: Vec<&Block> = blocks.iter().filter(|block| is_live(block)).collect();
        alive.sort_by(|one, other| one.id.cmp(&other.id));
        let mut spelled = BTreeMap::new();
        let said: Vec<Vec<String>> =
            alive.iter().map(|block| meaningful(&block.content, &mut spelled)).collect();
        let (all, words): (Vec<String>, Vec<String>) = spelled.into_iter().unzip();
        let numbers = |words: &[String]| -> Vec<usize> {
            words.iter().filter_map(|word| all.binary_search(word).ok()).collect()
        };
        let entries = alive.iter().zip(&said).map(|(block, said)| Entry {
            block,
            words: numbers(said),
            phrases: phrases(&block.content)
                .into_iter()
                .map(|phrase| {
                    let clause = numbers(&phrase.clause);
                    (phrase, clause)
                })
                .collect(),
            themes: themes(said),
        });
        Self { entries: entries.collect(), words }
    }

    /// All blocks, by id.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &'a Block> {
        self.entries.iter().map(|entry| entry.block)
    }

    pub(super) fn block(&self, index: usize) -> &'a Block {
        self.entries[index].block
    }

    /// The phrase that a score comes from.
    pub(super) fn phrase(&self, score: &Score) -> Option<&Phrase> {
        let (entry, phrase) = score.phrase?;
        self.entries.get(entry)?.phrases.get(phrase).map(|(phrase, _)| phrase)
    }

    /// The words that a score comes from.
    pub(super) fn shared(&self, score: &Score) -> Vec<&str> {
        let (from, to) = (&self.entries[score.from], &self.entries[score.to]);
        let clause = score
            .phrase
            .and_then(|(entry, phrase)| self.entries.get(entry)?.phrases.get(phrase))
            .map(|(_, clause)| clause);
        let both = from.words.iter().filter(|word| to.words.binary_search(word).is_ok());
        both.filter(|word| clause.is_none_or(|clause| clause.binary_search(word).is_ok()))
            .filter_map(|word| self.words.get(*word).map(String::as_str))
            .collect()
    }

    /// The best scores, at most one per pair, the strongest first.
    pub(super) fn scores(&self, most: usize) -> Vec<Score> {
        let mut by_word: Vec<Vec<usize>> = vec![Vec::new(); self.words.len()];
        for (index, entry) in self.entries.iter().enumerate() {
            for word in &entry.words {
                by_word[*word].push(index);
            }
        }
        let mut best: Vec<Score> = Vec::new();
        let mut others = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            others.clear();
            for word in &entry.words {
                let places = &by_word[*word];
                if places.len() <= COMMON {
                    others.extend(places.iter().filter(|other| **other > index));
                }
            }
            others.sort_unstable();
            others.dedup();
            best.extend(others.iter().filter_map(|other| self.score(index, *other)));
            if best.len() > most * 20 {
                strongest(&mut best, most);
            }
        }
        strongest(&mut best, most);
        best
    }

    /// The relation of two blocks: by a phrase if there is one, else by words, else by theme.
    fn score(&self, left: usize, right: usize) -> Option<Score> {
        let (one, other) = (&self.entries[left], &self.entries[right]);
        if one.block.id == other.block.id {
            return None;
        }
        let both = shared(&one.words, &other.words);
        let said =
            self.by_phrase(left, right, both).into_iter().chain(self.by_phrase(right, left, both));
        let said = said.max_by(|one, other| {
            one.strength.total_cmp(&other.strength).then_with(|| other.kind.cmp(&one.kind))
        });
        let found = |kind, strength, theme| {
            let strength = rounded(strength);
            Score { strength, kind, from: left, to: right, phrase: None, theme }
        };
        said.or_else(|| {
            let more = if both >= 3 { 0.2 } else { 0.0 };
            let strength = jaccard(&one.words, &other.words) + more;
            (strength >= LEAST_RELATED).then(|| found(RelationKind::RelatedContent, strength, None))
        })
        .or_else(|| {
            let depths = one.themes.iter().zip(&other.themes).map(|(one, other)| one.min(other));
            // The first of the deepest.
            let (theme, depth) = depths.enumerate().rev().max_by_key(|(_, depth)| **depth)?;
            let strength = 0.3 + 0.1 * *depth as f64;
            (strength >= LEAST_THEMATIC)
                .then(|| found(RelationKind::ThematicConnection, strength, Some(theme)))
        })
    }

    /// The relation that one of a block's phrases establishes to another block.
    fn by_phrase(&self, this: usize, other: usize, both: usize) -> Option<Score> {
        let mut best: Option<Score> = None;
        for (index, (phrase, clause)) in self.entries[this].phrases.iter().enumerate() {
            let common = shared(clause, &self.entries[other].words);
            // A block that shares as much with the rest is a near duplicate, not the target of the
            // phrase.
            if common < 2 || both.saturating_sub(common) >= common {
                continue;
            }
            let share = common as f64 / clause.len() as f64;
            let strength = rounded(0.5 + 0.3 * share + 0.05 * common as f64);
            if strength >= LEAST_PHRASE && best.is_none_or(|best| strength > best.strength) {
                let (from, to) = if phrase.points_back { (other, this) } else { (this, other) };
                let phrase_at = Some((this, index));
                let kind = phrase.kind;
                best = Some(Score { strength, kind, from, to, phrase: phrase_at, theme: None });
            }
        }
        best
    }
}

/// Four digits, so that a stored value is the same when it is read again.
fn rounded(strength: f64) -> f64 {
    (strength.min(HIGHEST) * 10_000.0).round() / 10_000.0
}

/// Keeps the strongest; equal ones by kind and by the ids of their blocks.
fn strongest(scores: &mut Vec<Score>, most: usize) {
    scores.sort_by(|one, other| {
        let key = |score: &Score| (score.kind, score.from, score.to);
        other.strength.total_cmp(&one.strength).then_with(|| key(one).cmp(&key(other)))
    });
    scores.truncate(most);
}

/// Stems of words of more than three letters that say something, sorted, each once. `spelled` is
/// told how short each is written.
fn meaningful(text: &str, spelled: &mut BTreeMap<String, String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for word in words(text).iter().filter(|word| !stop(&word.text)) {
        let Some(stem) = stem_of(&word.text) else { continue };
        let bare = word.text.strip_suffix("'s").unwrap_or(&word.text);
        let shown = spelled.entry(stem.clone()).or_insert_with(|| bare.to_owned());
        if (bare.len(), bare) < (shown.len(), shown.as_str()) {
            *shown = bare.to_owned();
        }
        found.insert(stem);
    }
    found.into_iter().collect()
}
