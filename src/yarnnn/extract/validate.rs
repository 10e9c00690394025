//! Validates proposed operations before review: their confidence, duplicates, possible
//! merges, and what cannot be applied.
//!
//! Does not decide who may approve.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::existing::{NEAR, SAME, is_live};
use super::words::{Gist, key, shared, stop, words};
use crate::model::{Block, BlockState, Operation, SemanticType};

/// Confidence of a proposal that cannot be applied.
const FAILED: f64 = 0.3;

/// The validator's report.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// 0 to 1, for the proposal as a whole; 0.3 when an operation cannot be applied.
    pub confidence: f64,
    /// Operations that duplicate existing content.
    pub dupes: Vec<Duplicate>,
    /// Blocks that the basket is built on and that an operation names.
    pub ontology_hits: Vec<OntologyHit>,
    /// Operations that could become part of a block.
    pub suggested_merges: Vec<Merge>,
    /// Notes for the reviewer, in sentences.
    pub warnings: Vec<String>,
    /// What would change, in one sentence.
    pub impact_summary: String,
    /// The extractor: `rules`, or `model` and its name. None if there was none,
    /// as for a user's own proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extractor: Option<String>,
}

/// An operation that duplicates existing content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Its place among the operations.
    pub operation: usize,
    /// The block that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// The earlier operation that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<usize>,
    /// Of the titles, 0 to 1.
    pub similarity: f64,
}

/// An operation that could become part of a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Its place among the operations.
    pub operation: usize,
    /// The block.
    pub block_id: String,
    /// Of the titles, 0 to 1.
    pub similarity: f64,
}

/// An anchored or constant block that an operation names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OntologyHit {
    /// Its place among the operations.
    pub operation: usize,
    /// The block.
    pub block_id: String,
    /// The anchor's role, else the block's title.
    pub term: String,
}

/// Checks operations against existing blocks.
pub fn validate(operations: &[Operation], existing: &[Block]) -> Report {
    let mut report = Report { impact_summary: impact(operations), ..Report::default() };
    let failures = failures(operations, existing);
    report.confidence = match failures.is_empty() {
        true => confidence(operations),
        false => FAILED,
    };
    report.warnings = failures;
    protected(operations, existing, &mut report.warnings);
    alike(operations, existing, &mut report);
    names(operations, existing, &mut report);
    if !report.dupes.is_empty() {
        let count = report.dupes.len();
        report.impact_summary.push_str(&format!(" Possible duplicates: {count}."));
    }
    report
}

/// What cannot be applied, and why.
fn failures(operations: &[Operation], existing: &[Block]) -> Vec<String> {
    let mut found = Vec::new();
    if operations.is_empty() {
        found.push("operations: nothing to propose; the text states nothing new.".to_owned());
    }
    let alive: BTreeSet<&str> =
        existing.iter().filter(|block| is_live(block)).map(|block| block.id.as_str()).collect();
    let mut revised = BTreeSet::new();
    for (at, operation) in operations.iter().enumerate() {
        let (field, text, sure) = match operation {
            Operation::CreateBlock { content, confidence, .. }
            | Operation::ReviseBlock { content, confidence, .. } => {
                ("content", content, confidence)
            }
            Operation::CreateContextItem { label, confidence, .. } => ("label", label, confidence),
        };
        if text.trim().is_empty() {
            found.push(format!(
                "operations[{at}].{field}: is empty; give it words or leave it out."
            ));
        }
        if !(0.0..=1.0).contains(sure) {
            found.push(format!(
                "operations[{at}].confidence: is {sure}; give a number from 0 to 1."
            ));
        }
        if let Operation::ReviseBlock { block_id, .. } = operation {
            if !alive.contains(block_id.as_str()) {
                found.push(format!(
                    "operations[{at}].block_id: `{block_id}` is no current block; create a new one."
                ));
            }
            if !revised.insert(block_id) {
                found.push(format!(
                    "operations[{at}].block_id: `{block_id}` is revised twice; keep one revision."
                ));
            }
        }
    }
    found
}

/// The mean over the blocks, or over the items if there are no blocks. The validator never raises
/// an operation's own confidence.
fn confidence(operations: &[Operation]) -> f64 {
    let mut blocks = Vec::new();
    let mut items = Vec::new();
    for operation in operations {
        match operation {
            Operation::CreateBlock { content, confidence, .. }
            | Operation::ReviseBlock { content, confidence, .. } => {
                blocks.push(statement(content).min(*confidence));
            }
            Operation::CreateContextItem { label, confidence, .. } => {
                items.push(item(label).min(*confidence));
            }
        }
    }
    let pluralise = if blocks.is_empty() { items } else { blocks };
    let mean = pluralise.iter().sum::<f64>() / pluralise.len().max(1) as f64;
    (mean * 10_000.0).round() / 10_000.0
}

/// How sure a statement is by its words alone.
pub(super) fn statement(content: &str) -> f64 {
    let base = if content.chars().count() > 50 { 70 } else { 50 };
    let all = words(content);
    let number = all.iter().any(|word| word.text.bytes().any(|byte| byte.is_ascii_digit()));
    let name = all.iter().skip(1).any(|word| {
        content[word.start..].chars().next().is_some_and(char::is_uppercase) && !stop(&word.text)
    });
    let rich = all.iter().filter(|word| !stop(&word.text)).count() >= 6;
    f64::from((base + 5 * (i32::from(number) + i32::from(name) + i32::from(rich))).min(95)) / 100.0
}

/// How sure a context item is by its label alone.
pub(crate) fn item(label: &str) -> f64 {
    if (4..=49).contains(&label.chars().count()) { 0.8 } else { 0.6 }
}

/// Warns where a revision touches a protected block.
fn protected(operations: &[Operation], existing: &[Block], warnings: &mut Vec<String>) {
    let states: BTreeMap<&str, BlockState> =
        existing.iter().map(|block| (block.id.as_str(), block.state)).collect();
    for (at, operation) in operations.iter().enumerate() {
        let Operation::ReviseBlock { block_id, .. } = operation else { continue };
        let word = match states.get(block_id.as_str()) {
            Some(BlockState::Locked) => "locked",
            Some(BlockState::Constant) => "constant",
            _ => continue,
        };
        warnings.push(format!(
            "operations[{at}]: revises the {word} block `{block_id}`; a person has to approve it."
        ));
    }
}

/// Finds duplicates and merges by title. Statements that differ in a number, a date or a negation
/// are no duplicates, whatever their titles.
fn alike(operations: &[Operation], existing: &[Block], report: &mut Report) {
    let known: Vec<(&Block, Gist, Gist)> = existing
        .iter()
        .filter(|block| is_live(block))
        .map(|block| (block, Gist::of(&block.title), Gist::of(&block.content)))
        .collect();
    let mut earlier: Vec<(usize, Gist, Gist)> = Vec::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    for (operation, change) in operations.iter().enumerate() {
        let (title, content) = match change {
            Operation::CreateBlock { title, content, .. } => (Gist::of(title), Gist::of(content)),
            Operation::ReviseBlock { .. } => continue,
            Operation::CreateContextItem { label, .. } => {
                let first = *labels.entry(key(&words(label))).or_insert(operation);
                if first != operation {
                    let (block_id, earlier) = (None, Some(first));
                    report.dupes.push(Duplicate { operation, block_id, earlier, similarity: 1.0 });
                }
                continue;
            }
        };
        let mut best: Option<(f64, &str, bool)> = None;
        for (block, other, said) in &known {
            let similarity = title.jaccard(other);
            let id = block.id.as_str();
            let better = best.is_none_or(|(most, known, _)| {
                similarity > most || similarity == most && id < known
            });
            if similarity > NEAR && better {
                best = Some((similarity, id, similarity > SAME && content.agrees(said)));
            }
        }
        if let Some((similarity, id, same)) = best {
            let block_id = id.to_owned();
            if same {
                let (block_id, earlier) = (Some(block_id), None);
                report.dupes.push(Duplicate { operation, block_id, earlier, similarity });
            } else {
                report.suggested_merges.push(Merge { operation, block_id, similarity });
            }
        }
        for (first, other, said) in &earlier {
            let similarity = title.jaccard(other);
            if similarity > SAME && content.agrees(said) {
                let (block_id, earlier) = (None, Some(*first));
                report.dupes.push(Duplicate { operation, block_id, earlier, similarity });
                break;
            }
        }
        earlier.push((operation, title, content));
    }
}

/// Finds operations that name what the basket is built on.
fn names(operations: &[Operation], existing: &[Block], report: &mut Report) {
    let known: Vec<(&Block, Gist)> = existing
        .iter()
        .filter(|block| is_live(block))
        .filter(|block| block.anchor.is_some() || block.state == BlockState::Constant)
        .map(|block| (block, Gist::of(&block.title)))
        .collect();
    for (operation, change) in operations.iter().enumerate() {
        let text = match change {
            Operation::CreateBlock { content, .. } | Operation::ReviseBlock { content, .. } => {
                content
            }
            Operation::CreateContextItem { label, .. } => label,
        };
        let said = Gist::of(text);
        for (block, title) in &known {
            if !title.words.is_empty() && shared(&title.words, &said.words) == title.words.len() {
                let term = block.anchor.as_ref().unwrap_or(&block.title).clone();
                let block_id = block.id.clone();
                report.ontology_hits.push(OntologyHit { operation, block_id, term });
            }
        }
    }
}

/// What would change: `2 new blocks (1 decision, 1 metric), 1 revision, 3 context items.`
fn impact(operations: &[Operation]) -> String {
    let mut kinds: BTreeMap<SemanticType, usize> = BTreeMap::new();
    let (mut revisions, mut items) = (0, 0);
    for operation in operations {
        match operation {
            Operation::CreateBlock { semantic_type, .. } => {
                *kinds.entry(*semantic_type).or_default() += 1;
            }
            Operation::ReviseBlock { .. } => revisions += 1,
            Operation::CreateContextItem { .. } => items += 1,
        }
    }
    let blocks: usize = kinds.values().sum();
    let mut parts = Vec::new();
    if blocks > 0 {
        let each: Vec<String> =
            kinds.iter().map(|(kind, count)| pluralise(*count, kind.as_str())).collect();
        parts.push(format!("{} ({})", pluralise(blocks, "new block"), each.join(", ")));
    }
    if revisions > 0 {
        parts.push(pluralise(revisions, "revision"));
    }
    if items > 0 {
        parts.push(pluralise(items, "context item"));
    }
    match parts.is_empty() {
        true => "Nothing changes.".to_owned(),
        false => format!("{}.", parts.join(", ")),
    }
}

/// A number and what it counts, in the plural where it has to be.
pub(crate) fn pluralise(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
