//! P1 and P2 without a model: reads statements and names out of a dump, checks what is proposed,
//! and links what is known.
//!
//! Everything that is proposed points at the bytes of the dump that it was read from. The same
//! input gives the same answer on every machine. Time is linear in the text. English is understood
//! by cue phrases; in other languages whole statements are kept as facts. Knows nothing of baskets,
//! storage or governance.

mod candidates;
mod classify;
mod clean;
mod cues;
mod details;
mod entities;
mod known;
mod language;
mod link;
mod messages;
mod noise;
mod pairs;
mod phrases;
mod sentences;
#[cfg(test)]
mod tests;
mod turns;
mod validate;
mod words;

pub use clean::{Cleaned, clean};
pub use link::{MAX_RELATIONS, Relation, RelationKind, link};
pub use turns::{Turn, turns};
pub use validate::{Duplicate, Merge, OntologyHit, Report, validate};
pub use words::gist_words;

use candidates::Candidates;
use classify::{Setting, read};
use entities::Names;
use language::english;
use sentences::sentences;
use validate::counted;

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

/// What was read from a dump.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// Blocks in the order of the text, then context items, the most frequent first.
    pub operations: Vec<Operation>,
    /// Statements and names that were found but did not fit into [`Options`].
    pub dropped: usize,
    /// What the validator says about the operations.
    pub report: Report,
}

/// Reads blocks and context items out of a dump. What `existing` blocks say already is left out;
/// what they say nearly becomes a revision.
pub fn extract(dump: &str, existing: &[Block], options: &Options) -> Extraction {
    let cleaned = clean(dump);
    let mut candidates = Candidates::default();
    let mut names = Names::default();
    let mut unseen = cleaned.removed;
    let usual = english(&cleaned.text, 2_000);
    for turn in turns(&cleaned.text) {
        let source = Source::new(&cleaned, turn);
        unseen += source.spelled.as_ref().map_or(0, |(_, seen)| seen.removed);
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
            let Turn { speaker, .. } = turn;
            let setting = Setting { form: sentence.form, under: sentence.under, speaker, english };
            if let Some(reading) = read(said, setting) {
                let span = place(ByteSpan { start: reading.start, end: said.len() });
                candidates.add(&said[reading.start..], reading, speaker, span);
            }
        }
    }
    let (mut operations, more) = candidates.operations(existing, options.max_blocks);
    let (items, rest) = names.operations(options.max_items);
    operations.extend(items);
    let mut report = validate(&operations, existing);
    let dropped = more + rest;
    if dropped > 0 {
        report.warnings.push(format!(
            "{} left out, because a proposal holds no more; send a long text in parts.",
            counted(dropped, "finding")
        ));
    }
    if unseen > 0 {
        let unseen = counted(unseen, "character");
        report.warnings.push(format!("{unseen} that nobody can see left out."));
    }
    Extraction { operations, dropped, report }
}

/// What somebody said, with the way back to the dump.
struct Source<'a> {
    cleaned: &'a Cleaned<'a>,
    turn: Turn,
    /// The spelled-out text of a JSON string, and that without what cannot be seen.
    spelled: Option<(Cleaned<'a>, Cleaned<'a>)>,
}

impl<'a> Source<'a> {
    fn new(cleaned: &'a Cleaned<'a>, turn: Turn) -> Self {
        let spelled = turn.escaped.then(|| {
            let spelled = messages::unescape(&cleaned.text[turn.span.start..turn.span.end]);
            let seen = clean(&spelled.text).into_owned();
            (spelled, seen)
        });
        Self { cleaned, turn, spelled }
    }

    fn text(&self) -> &str {
        match &self.spelled {
            Some((_, seen)) => &seen.text,
            None => &self.cleaned.text[self.turn.span.start..self.turn.span.end],
        }
    }

    /// Where in the dump bytes of the text stand.
    fn dump(&self, span: ByteSpan) -> ByteSpan {
        let span = match &self.spelled {
            Some((spelled, seen)) => spelled.original(seen.original(span)),
            None => span,
        };
        let base = self.turn.span.start;
        self.cleaned.original(ByteSpan { start: base + span.start, end: base + span.end })
    }
}

/// Shown to people: one space where the text has any number of spaces or line ends.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A few words for a block: its first words, without markup.
fn title(content: &str) -> String {
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

/// Who said it, the surest witness first.
fn witness(speaker: Speaker) -> u8 {
    match speaker {
        Speaker::User => 0,
        Speaker::Unknown => 1,
        Speaker::Assistant => 2,
    }
}
