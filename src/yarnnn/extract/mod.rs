//! P1 and P2 without a model: extracts statements and names from a dump, validates proposals,
//! and links blocks.
//!
//! Everything that is proposed points at its bytes in the dump. The same
//! input gives the same answer on every machine. Time is linear in the text. English, German and
//! Portuguese have cue phrases; in other languages statements become facts. Knows nothing of
//! baskets, storage or governance.

mod boundaries;
mod candidates;
mod classify;
mod clean;
mod code;
mod cues;
mod cues_german;
mod cues_portuguese;
mod details;
mod entities;
mod existing;
mod features;
mod language;
mod lexicon;
mod link;
mod messages;
mod naming;
mod noise;
mod pairs;
mod phrases;
mod rows;
mod sentences;
mod source;
mod speakers;
mod statements;
#[cfg(test)]
mod tests;
mod turns;
mod units;
mod validate;
mod weights;
mod words;

pub use clean::{Cleaned, clean};
pub use language::{Language, language};
pub use link::{MAX_RELATIONS, Relation, RelationKind, link};
pub use naming::suggested_name;
pub(crate) use source::{Source, sources};
pub(crate) use statements::{Statement, from_statements};
pub use turns::{Turn, turns};
pub use validate::{Duplicate, Merge, OntologyHit, Report, validate};
pub(crate) use validate::{item, pluralise};
pub use words::gist_words;
pub(crate) use words::{Gist, words};

use candidates::Candidates;
use entities::Names;
use units::{stated, units};

use super::model::{Block, Operation, Speaker};

/// How much one dump may propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Blocks, new and revised.
    pub max_blocks: usize,
    /// Context items.
    pub max_items: usize,
}

impl Options {
    /// For a text of this length: ten blocks for each 5 KB.
    #[must_use]
    pub fn of(text: &str) -> Self {
        const SHARE: usize = 5_000;
        let shares = text.len().div_ceil(SHARE).max(1);
        Self { max_blocks: 10 * shares, max_items: 12 * shares }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { max_blocks: 10, max_items: 12 }
    }
}

/// What was extracted from a dump.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// Blocks in the order of the text, then context items, the most frequent first.
    pub operations: Vec<Operation>,
    /// Statements and names that were found but did not fit into [`Options`].
    pub dropped: usize,
    /// The validator's report on the operations.
    pub report: Report,
    /// Further proposals with the blocks that did not fit into this one.
    pub further: Vec<Extraction>,
}

impl Extraction {
    /// This proposal and the further ones.
    pub fn parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.further)
    }

    /// Names the extractor in every report.
    pub(crate) fn extracted_by(mut self, extractor: &str) -> Self {
        self.report.extractor = Some(extractor.to_owned());
        for part in &mut self.further {
            part.report.extractor = Some(extractor.to_owned());
        }
        self
    }
}

/// Extracts blocks and context items from a dump. Duplicates of `existing` blocks are left out;
/// near duplicates become revisions.
pub fn extract(dump: &str, existing: &[Block], options: &Options) -> Extraction {
    let cleaned = clean(dump);
    let mut candidates = Candidates::default();
    let mut names = Names::default();
    let (units, removed) = units(&cleaned, &mut names);
    for unit in stated(units) {
        candidates.add(&unit.content, None, unit.reading, unit.speaker, unit.span);
    }
    let items = names.operations(options.max_items);
    let unseen = cleaned.removed + removed;
    finish(candidates, items, unseen, existing, options).extracted_by("rules")
}

/// Builds the proposals from the candidates and validates them. The names are in the first.
fn finish(
    candidates: Candidates,
    (items, rest): (Vec<Operation>, usize),
    unseen: usize,
    existing: &[Block],
    options: &Options,
) -> Extraction {
    let (parts, more) = candidates.parts(existing, options.max_blocks);
    let mut parts = parts.into_iter();
    let mut operations = parts.next().unwrap_or_default();
    operations.extend(items);
    let part = |operations: Vec<Operation>| {
        let report = validate(&operations, existing);
        Extraction { operations, dropped: 0, report, further: Vec::new() }
    };
    let mut first = part(operations);
    first.further = parts.map(part).collect();
    first.dropped = more + rest;
    let warnings = &mut first.report.warnings;
    if !first.further.is_empty() {
        let blocks: usize = first.further.iter().map(|part| part.operations.len()).sum();
        warnings.push(format!(
            "{} more in {}, because one holds no more.",
            pluralise(blocks, "statement"),
            pluralise(first.further.len(), "further proposal")
        ));
    }
    if first.dropped > 0 {
        warnings.push(format!(
            "{} left out, because a proposal holds no more; send a long text in parts.",
            pluralise(first.dropped, "finding")
        ));
    }
    if unseen > 0 {
        let unseen = pluralise(unseen, "character");
        warnings.push(format!("{unseen} that nobody can see left out."));
    }
    first
}

/// For display: one space where the text has any number of spaces or line ends.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A title for a block: its first words, without markup.
pub(crate) fn title(content: &str) -> String {
    const LONGEST: usize = 60;
    let plain: String = content.chars().filter(|found| !matches!(found, '*' | '`' | '#')).collect();
    let plain = folded(plain.trim_end_matches(['.', '!', '…', ';', ',', '。']));
    let mut title = String::new();
    let mut count = 0;
    for word in plain.split(' ') {
        let length = word.chars().count();
        if count > 0 && count + 1 + length > LONGEST {
            title.push('…');
            break;
        }
        if count > 0 {
            title.push(' ');
        }
        // A word alone may be longer than a title.
        title.extend(word.chars().take(LONGEST));
        count += length + 1;
    }
    let mut letters = title.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => title,
    }
}

/// The rank of a speaker, the most reliable first.
fn witness(speaker: Speaker) -> u8 {
    match speaker {
        Speaker::User => 0,
        Speaker::Unknown => 1,
        Speaker::Assistant => 2,
    }
}
