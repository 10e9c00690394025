//! `validate_against_substrate`: whether a new idea agrees with memory.
//!
//! First the gate: a block that shares no significant term with the idea is skipped, however
//! similar the vectors are. Then clauses are compared pairwise by fixed rules, each finding with
//! the words that led to it. No model, no clock, no randomness: the same texts give the same
//! answer. Knows nothing of storage and tools; the caller selects the blocks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use self::clause::Clause;
use self::near::Near;
use self::pair::Pair;
use self::rules::Finding;
use super::model::{Block, BlockState, ByteSpan};

mod clause;
mod condition;
mod dates;
mod differences;
mod exclusion;
mod lexicon;
mod near;
mod number;
mod opposites;
mod order;
mod pair;
mod quantity;
mod rules;
mod score;
mod sentence;
mod share;
mod stance;
mod stem;
mod token;
mod units;
mod weigh;

#[cfg(test)]
mod labelled;
#[cfg(test)]
mod pairs;
#[cfg(test)]
mod tests;

/// Clauses of an idea that are compared.
pub const IDEA_CLAUSES: usize = 4_000;
/// Clauses of a block that are compared.
pub const BLOCK_CLAUSES: usize = 200;
/// Conflicts that are listed; the score counts all.
pub const LISTED: usize = 50;

/// An idea to check.
#[derive(Debug, Clone, Copy)]
pub struct Idea<'a> {
    /// In full.
    pub text: &'a str,
    /// Only blocks about one of these are compared; empty for all.
    pub focus: &'a [String],
}

/// A block to compare with.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The block.
    pub block: &'a Block,
    /// Cosine with the idea's fingerprint, if there is one.
    pub similarity: Option<f64>,
}

/// The relation of an idea to a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// They cannot both be true.
    Contradiction,
    /// They say the same.
    Overlap,
    /// The idea replaces the block or is more precise.
    Refinement,
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Worth checking first.
    Medium,
    /// Must be resolved first.
    High,
}

/// The recommended action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Add it.
    Proceed,
    /// Resolve the contradictions first.
    Revise,
    /// It is already known: merge it with the block.
    Merge,
}

/// The words that support a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Bytes of the idea's text.
    pub idea_span: ByteSpan,
    /// Bytes of the block's content.
    pub block_span: ByteSpan,
    /// The text there in the idea.
    pub idea_quote: String,
    /// The text there in the block.
    pub block_quote: String,
}

/// A block that the idea relates to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The block.
    pub block_id: String,
    /// The relation of the idea to it.
    pub kind: Kind,
    /// How much it matters.
    pub severity: Severity,
    /// Explanation in one sentence.
    pub description: String,
    /// The rule that found it.
    pub rule: &'static str,
    /// The supporting words.
    pub evidence: Evidence,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// 0 (against all that is known) to 1 (covered by it); 0.5 when nothing is known about it.
    pub alignment_score: f64,
    /// Worst first; at most [`LISTED`].
    pub conflicts: Vec<Conflict>,
    /// The recommended action.
    pub recommendation: Recommendation,
    /// Share of the idea's terms covered by agreeing blocks.
    pub support: f64,
    /// Blocks that share a significant term with the idea.
    pub related: usize,
    /// Summary in a few sentences.
    pub summary: String,
}

/// A finding with its place, before it is listed.
#[derive(Debug)]
struct LocatedFinding<'a> {
    block: &'a Block,
    idea: ByteSpan,
    known: ByteSpan,
    finding: Finding,
}

/// The sentences of a text, each of which is compared on its own.
pub fn statements(text: &str) -> impl Iterator<Item = String> {
    sentence::spans(text).into_iter().map(|span| text[span.start..span.end].to_owned())
}

/// Compares an idea with blocks. Blocks that are not part of the memory (proposed, rejected,
/// superseded) and blocks outside the focus are left out.
pub fn compare(idea: &Idea, known: &[Known]) -> Analysis {
    let clauses = sentence::clauses(idea.text, "", IDEA_CLAUSES);
    let focus = idea.focus.iter().flat_map(|word| terms(word)).collect::<BTreeSet<_>>();
    let gate = gate(&clauses);
    let (mut related, mut outside) = (0, 0);
    let mut support = score::Support::of(&clauses);
    let near = Near::default();
    let mut placed = Vec::new();
    for one in known.iter().filter(|one| in_memory(one.block)) {
        let block = one.block;
        let theirs = sentence::clauses(&block.content, &block.title, BLOCK_CLAUSES);
        let pairs = pairs_of(&gate, &clauses, &theirs);
        if pairs.is_empty() {
            continue;
        }
        if !focus.is_empty() && !touches(block, &theirs, &focus) {
            outside += 1;
            continue;
        }
        related += 1;
        let found = findings(&pairs, one, &near);
        if !found.iter().any(|placed| placed.finding.kind == Kind::Contradiction) {
            pairs.iter().for_each(|(at, pair)| support.add(*at, pair));
        }
        placed.extend(found);
    }
    let cut = clauses.len() == IDEA_CLAUSES || idea.text.len() > sentence::READ;
    let seen = score::Tally { related, outside, cut, unembedded: near.skipped() };
    score::finish(placed, support.share(), seen, idea.text)
}

/// Whether a block is in memory.
fn in_memory(block: &Block) -> bool {
    matches!(block.state, BlockState::Accepted | BlockState::Locked | BlockState::Constant)
}

/// Roots of significant terms to the clauses of the idea that have them: the gate.
type Gate = BTreeMap<String, Vec<usize>>;

fn gate(idea: &[Clause]) -> Gate {
    let mut gate = Gate::new();
    for (at, clause) in idea.iter().enumerate() {
        for term in clause.terms.iter().filter(|term| !term.light) {
            gate.entry(root(&term.key)).or_default().push(at);
        }
    }
    gate
}

/// What forms of one word begin with.
fn root(key: &str) -> String {
    key.chars().take(pair::ROOT).collect()
}

/// All pairs of clauses that pass the gate, with the place of the idea's clause.
fn pairs_of<'a>(gate: &Gate, idea: &'a [Clause], known: &'a [Clause]) -> Vec<(usize, Pair<'a>)> {
    let mut pairs = Vec::new();
    for other in known {
        let weighty = other.terms.iter().filter(|term| !term.light);
        let places: BTreeSet<usize> =
            weighty.filter_map(|term| gate.get(&root(&term.key))).flatten().copied().collect();
        pairs.extend(places.into_iter().filter_map(|at| Some((at, Pair::of(&idea[at], other)?))));
    }
    pairs
}

/// The findings for one block: every contradiction, once for each clause of the idea; without
/// one, the best likeness.
fn findings<'a>(
    pairs: &[(usize, Pair)],
    known: &Known<'a>,
    near: &Near,
) -> Vec<LocatedFinding<'a>> {
    let mut best: Vec<(usize, LocatedFinding<'a>)> = Vec::new();
    for (_, pair) in pairs {
        let Some(finding) = rules::judge(pair, known.block, known.similarity, near) else {
            continue;
        };
        let (idea, theirs) = (pair.idea.span, pair.known.span);
        let placed = LocatedFinding { block: known.block, idea, known: theirs, finding };
        // A sentence and its parts give one finding.
        let sentence = pair.idea.sentence;
        match best.iter_mut().find(|(place, _)| *place == sentence) {
            Some((_, held)) if score::order(&placed, held).is_lt() => *held = placed,
            Some(_) => {}
            None => best.push((sentence, placed)),
        }
    }
    // A part of a sentence may say the same where the sentence does not.
    best.retain(|(sentence, placed)| {
        let same = |pair: &Pair| pair.idea.sentence == *sentence;
        placed.finding.kind != Kind::Overlap
            || !pairs.iter().any(|(_, pair)| same(pair) && rules::differs(pair))
    });
    let mut best: Vec<_> = best.into_iter().map(|(_, placed)| placed).collect();
    best.sort_by(score::order);
    let against = best.iter().filter(|placed| placed.finding.kind == Kind::Contradiction).count();
    best.truncate(against.max(1));
    best
}

/// Whether a block is about one of the focus terms, by its words, its anchor or its type.
fn touches(block: &Block, clauses: &[Clause], focus: &BTreeSet<String>) -> bool {
    let mut labels = terms(block.semantic_type.as_str());
    labels.extend(block.anchor.iter().flat_map(|anchor| terms(anchor)));
    labels.extend(terms(&block.title));
    labels.iter().any(|key| focus.contains(key))
        || clauses.iter().any(|clause| clause.terms.iter().any(|term| focus.contains(&term.key)))
}

/// The keys of a few words, light ones included.
fn terms(text: &str) -> Vec<String> {
    let clauses = sentence::clauses(text, "", 1);
    clauses.into_iter().flat_map(|clause| clause.terms).map(|term| term.key).collect()
}

impl Severity {
    /// One step less.
    fn lowered(self) -> Self {
        match self {
            Self::High => Self::Medium,
            _ => Self::Low,
        }
    }
}
