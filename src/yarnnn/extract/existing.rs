//! Finds existing blocks that are duplicates or near duplicates of a new sentence.
//!
//! Two texts that differ in a number, a date or a negation are never duplicates, however many
//! words they share: the difference is what matters.

use std::collections::{HashMap, HashSet};

use super::words::{Gist, key, words};
use crate::model::{Block, BlockState};

/// Above this similarity: a duplicate.
pub(super) const SAME: f64 = 0.9;
/// Above this similarity: about the same thing.
pub(super) const NEAR: f64 = 0.7;

/// Whether a block is in memory, or may still be approved.
pub(super) fn is_live(block: &Block) -> bool {
    !matches!(block.state, BlockState::Superseded | BlockState::Rejected)
}

/// How a new sentence compares with existing blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict<'a> {
    New,
    Same,
    Near(&'a Block),
}

/// Existing blocks, indexed by their words.
pub(super) struct ExistingBlocks<'a> {
    blocks: Vec<(&'a Block, Gist)>,
    keys: HashSet<String>,
    by_word: HashMap<String, Vec<usize>>,
}

impl<'a> ExistingBlocks<'a> {
    pub(super) fn new(blocks: &'a [Block]) -> Self {
        let mut known = Self { blocks: Vec::new(), keys: HashSet::new(), by_word: HashMap::new() };
        for block in blocks.iter().filter(|block| is_live(block)) {
            let all = words(&block.content);
            known.keys.insert(key(&all));
            let gist = Gist::from_words(&all);
            for word in &gist.words {
                known.by_word.entry(word.clone()).or_default().push(known.blocks.len());
            }
            known.blocks.push((block, gist));
        }
        known
    }

    /// Whether a block has the same words.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Compares a sentence with the blocks.
    pub(super) fn verdict(&self, gist: &Gist) -> Verdict<'a> {
        let mut best: Option<(f64, &'a Block, &Gist)> = None;
        for index in self.alike(gist) {
            let Some((block, other)) = self.blocks.get(index) else { continue };
            let (few, many) =
                (gist.words.len().min(other.words.len()), gist.words.len().max(other.words.len()));
            if (few as f64) < NEAR * many as f64 {
                continue;
            }
            let near = gist.jaccard(other);
            if near > SAME && gist.agrees(other) {
                return Verdict::Same;
            }
            let better = best
                .is_none_or(|(most, known, _)| near > most || near == most && block.id < known.id);
            if near > NEAR && better {
                best = Some((near, block, other));
            }
        }
        best.map_or(Verdict::New, |(_, block, _)| Verdict::Near(block))
    }

    /// Candidate near duplicates. A block that shares 0.7 of all words shares one of the rarest
    /// 0.3.
    fn alike(&self, gist: &Gist) -> Vec<usize> {
        let places = |word: &String| self.by_word.get(word).map_or(0, Vec::len);
        let mut rarest: Vec<&String> = gist.words.iter().collect();
        rarest.sort_by_key(|word| (places(word), *word));
        let needed = rarest.len() - (NEAR * rarest.len() as f64).ceil() as usize + 1;
        let mut found: Vec<usize> = rarest
            .into_iter()
            .take(needed)
            .filter_map(|word| self.by_word.get(word))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
