//! P1 and P2 without a model: extracts statements and names from a dump, validates proposals,
//! and links blocks.
//!
//! Everything that is proposed points at its bytes in the dump. The same
//! input gives the same answer on every machine. Time is linear in the text. English is understood
//! by cue phrases; in other languages whole statements become facts. Knows nothing of baskets,
//! storage or governance.

mod candidates;
mod classify;
mod clean;
mod cues;
mod details;
mod entities;
mod existing;
mod language;
mod link;
mod messages;
mod noise;
mod pairs;
mod phrases;
mod sentences;
mod source;
mod statements;
#[cfg(test)]
mod tests;
mod turns;
mod validate;
mod words;

pub use clean::{Cleaned, clean};
pub(crate) use language::english;
pub use link::{MAX_RELATIONS, Relation, RelationKind, link};
pub(crate) use source::{Source, sources};
pub(crate) use statements::{Statement, from_statements};
pub use turns::{Turn, turns};
pub use validate::{Duplicate, Merge, OntologyHit, Report, validate};
pub(crate) use validate::{item, pluralise};
pub use words::gist_words;
pub(crate) use words::{Gist, words};

use candidates::Candidates;
use classify::{Setting, read};
use entities::Names;
use sentences::sentences;

use super::model::{Block, ByteSpan, Operation, Speaker};

/// How much one dump may propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Blocks, new and revised.
    pub max_blocks: usize,
    /// Context items.
    pub max_items: usize,
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
}

/// Extracts blocks and context items from a dump. Duplicates of `existing` blocks are left out;
/// near duplicates become revisions.
pub fn extract(dump: &str, existing: &[Block], options: &Options) -> Extraction {
    let cleaned = clean(dump);
    let mut candidates = Candidates::default();
    let mut names = Names::default();
    let mut unseen = cleaned.removed;
    let usual = english(&cleaned.text, 2_000);
    for source in sources(&cleaned) {
        unseen += source.removed();
        let text = source.text();
        let english = english(text, 400).or(usual).unwrap_or(true);
        for sentence in sentences(text) {
            let said = &text[sentence.span.start..sentence.span.end];
            let place = |span: ByteSpan| {
                let base = sentence.span.start;
                source.dump(ByteSpan { start: base + span.start, end: base + span.end })
            };
            if sentence.form != sentences::Form::Heading {
                names.read(said, place);
            }
            let speaker = source.speaker();
            let setting = Setting { form: sentence.form, under: sentence.under, speaker, english };
            if let Some(reading) = read(said, setting) {
                let span = place(ByteSpan { start: reading.start, end: said.len() });
                candidates.add(&said[reading.start..], None, reading, speaker, span);
            }
        }
    }
    let items = names.operations(options.max_items);
    let mut extraction = finish(candidates, items, unseen, existing, options);
    extraction.report.extractor = Some("rules".to_owned());
    extraction
}

/// Builds a proposal from the candidates and validates it.
fn finish(
    candidates: Candidates,
    (items, rest): (Vec<Operation>, usize),
    unseen: usize,
    existing: &[Block],
    options: &Options,
) -> Extraction {
    let (mut operations, more) = candidates.operations(existing, options.max_blocks);
    operations.extend(items);
    let mut report = validate(&operations, existing);
    let dropped = more + rest;
    if dropped > 0 {
        report.warnings.push(format!(
            "{} left out, because a proposal holds no more; send a long text in parts.",
            pluralise(dropped, "finding")
        ));
    }
    if unseen > 0 {
        let unseen = pluralise(unseen, "character");
        report.warnings.push(format!("{unseen} that nobody can see left out."));
    }
    Extraction { operations, dropped, report }
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
