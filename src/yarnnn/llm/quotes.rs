//! Finds the model's quotes in the dump.
//!
//! A passage must match exactly, except that white space may differ. Nothing else is
//! tolerated: a quote that is not found does not count.

use std::cell::OnceCell;

use crate::extract::{Source, folded, words};
use crate::model::{ByteSpan, Speaker};

/// Fewest words of a quote; fewer occur anywhere.
const FEWEST_WORDS: usize = 3;
/// Longest quote, in bytes.
const LONGEST: usize = 2_000;

/// A passage of the dump.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    pub(super) span: ByteSpan,
    pub(super) speaker: Speaker,
    /// Its words, with single spaces.
    pub(super) text: String,
}

/// The turns of a dump, for searching.
pub(super) struct Haystack<'a> {
    turns: Vec<(&'a Source<'a>, OnceCell<Folded>)>,
}

impl<'a> Haystack<'a> {
    pub(super) fn new(sources: &'a [Source<'a>]) -> Self {
        Self { turns: sources.iter().map(|source| (source, OnceCell::new())).collect() }
    }

    /// The first place of a quote.
    pub(super) fn quote(&self, quote: &str) -> Option<Passage> {
        let text = folded(quote);
        if text.is_empty() || text.len() > LONGEST {
            return None;
        }
        let enough = words(&text).len() >= FEWEST_WORDS;
        let exact = self.turns.iter().find_map(|(source, _)| {
            let start = source.text().find(quote.trim())?;
            Some((*source, ByteSpan { start, end: start + quote.trim().len() }))
        });
        let (source, span) = exact.or_else(|| {
            self.turns.iter().find_map(|(source, folded)| {
                let folded = folded.get_or_init(|| Folded::new(source.text()));
                Some((*source, folded.find(&text)?))
            })
        })?;
        let whole = span.end - span.start == source.text().trim().len();
        (enough || whole).then(|| Passage {
            span: source.dump(span),
            speaker: source.speaker(),
            text,
        })
    }

    /// Where a name occurs as a whole word: the first `most` places, and how many there are.
    pub(super) fn name(&self, name: &str, most: usize) -> (Vec<ByteSpan>, usize) {
        let (mut places, mut count) = (Vec::new(), 0);
        let inside = |found: Option<char>| found.is_some_and(char::is_alphanumeric);
        for (source, _) in &self.turns {
            let text = source.text();
            for (start, found) in text.match_indices(name) {
                let end = start + found.len();
                if inside(text[..start].chars().next_back()) || inside(text[end..].chars().next()) {
                    continue;
                }
                count += 1;
                if places.len() < most {
                    places.push(source.dump(ByteSpan { start, end }));
                }
            }
        }
        (places, count)
    }
}

/// A text with single spaces, and where each of its bytes came from.
struct Folded {
    text: String,
    from: Vec<usize>,
}

impl Folded {
    fn new(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), from: Vec::new() };
        for (at, found) in text.char_indices() {
            if !found.is_whitespace() {
                folded.text.push(found);
                folded.from.extend(at..at + found.len_utf8());
            } else if !folded.text.ends_with(' ') {
                folded.text.push(' ');
                folded.from.push(at);
            }
        }
        folded
    }

    /// The bytes of the unfolded text. What is looked for neither begins nor ends with a space.
    fn find(&self, needle: &str) -> Option<ByteSpan> {
        let start = self.text.find(needle)?;
        let last = (start + needle.len()).checked_sub(1)?;
        Some(ByteSpan { start: *self.from.get(start)?, end: self.from.get(last)? + 1 })
    }
}
