//! Removes invisible characters from a text, with a map back to the original.
//!
//! A reviewer who approves a text must see all of it. Control characters, zero-width characters and
//! bidirectional marks are removed. Joiners stay where a script or an emoji
//! needs them. Knows nothing of the content.

use std::borrow::Cow;

use crate::model::ByteSpan;

/// A text without invisible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned<'a> {
    /// The remaining text.
    pub text: Cow<'a, str>,
    /// How many characters were removed.
    pub removed: usize,
    /// Stretches of `text` in order. None when `text` is the original.
    runs: Vec<Run>,
}

/// A stretch that was taken over as it is, or one character that is spelled otherwise in the
/// original: then its widths differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    clean: usize,
    original: usize,
    /// Bytes in the original.
    width: usize,
}

/// The text without control characters (but for line ends and tabs), zero-width characters and
/// direction marks.
pub fn clean(text: &str) -> Cleaned<'_> {
    if !text.bytes().any(|byte| byte >= 0x7f || byte < b' ' && byte != b'\n' && byte != b'\t') {
        return Cleaned::unchanged(text);
    }
    let mut builder = Builder::default();
    let mut changed = false;
    let mut before = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, found)) = rest.next() {
        let after = rest.peek().map(|(_, next)| *next);
        match seen(before, found, after) {
            Some(shown) => {
                changed |= shown != found;
                builder.keep(shown, at, found.len_utf8());
                before = Some(shown);
            }
            None => builder.removed += 1,
        }
    }
    if changed || builder.removed > 0 { builder.finish() } else { Cleaned::unchanged(text) }
}

impl<'a> Cleaned<'a> {
    fn unchanged(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), removed: 0, runs: Vec::new() }
    }

    /// The same, independent of the original's lifetime.
    pub fn into_owned<'b>(self) -> Cleaned<'b> {
        let text = Cow::Owned(self.text.into_owned());
        Cleaned { text, removed: self.removed, runs: self.runs }
    }

    /// The bytes of the original for the bytes `span` of [`Cleaned::text`].
    pub fn original(&self, span: ByteSpan) -> ByteSpan {
        if self.runs.is_empty() {
            return span;
        }
        let start = self.place(span.start, false);
        let end = if span.end > span.start { self.place(span.end - 1, true) } else { start };
        ByteSpan { start, end }
    }

    /// Where the byte `at` of the clean text begins or ends in the original.
    fn place(&self, at: usize, end: bool) -> usize {
        let index = self.runs.partition_point(|run| run.clean <= at).saturating_sub(1);
        let Some(run) = self.runs.get(index) else { return at };
        let next = self.runs.get(index + 1).map_or(self.text.len(), |run| run.clean);
        let inside = (at - run.clean).min(next - run.clean);
        match (next - run.clean == run.width, end) {
            (true, false) => run.original + inside,
            (true, true) => run.original + (inside + 1).min(run.width),
            (false, false) => run.original,
            (false, true) => run.original + run.width,
        }
    }
}

/// Builds a text from another one with the map back.
#[derive(Debug, Default)]
pub(super) struct Builder {
    text: String,
    runs: Vec<Run>,
    removed: usize,
}

impl Builder {
    /// Adds a character that is spelled with `width` bytes at `original`.
    pub(super) fn keep(&mut self, found: char, original: usize, width: usize) {
        let clean = self.text.len();
        self.text.push(found);
        if let Some(last) = self.runs.last_mut() {
            let as_it_was = clean - last.clean == last.width && width == found.len_utf8();
            if as_it_was && last.original + last.width == original {
                last.width += width;
                return;
            }
        }
        self.runs.push(Run { clean, original, width });
    }

    /// The text.
    pub(super) fn finish<'a>(self) -> Cleaned<'a> {
        Cleaned { text: Cow::Owned(self.text), removed: self.removed, runs: self.runs }
    }
}

/// The replacement of a character between two others.
fn seen(before: Option<char>, found: char, after: Option<char>) -> Option<char> {
    match found {
        '\n' | '\t' => Some(found),
        '\r' if after == Some('\n') => None,
        // A lone carriage return and a page break end a line; without them words would run
        // together. One byte each, so that the map stays as it is.
        '\r' | '\x0b' | '\x0c' => Some('\n'),
        // Arabic and Indic scripts spell words with joiners, emoji are put together with them.
        '\u{200c}' | '\u{200d}' => {
            let joins =
                |pair: fn(char) -> bool| before.is_some_and(pair) && after.is_some_and(pair);
            let emoji = found == '\u{200d}'
                && (joins(pictured) || before == Some('\u{fe0f}') && after.is_some_and(pictured));
            (joins(joining) || emoji).then_some(found)
        }
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(styled).then_some(found),
        _ if found.is_control() || hidden(found) => None,
        _ => Some(found),
    }
}

/// Characters that have no width, change the writing direction, or carry hidden text.
fn hidden(found: char) -> bool {
    matches!(found,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Letters of scripts that use joiners.
fn joining(found: char) -> bool {
    matches!(found, '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}')
}

/// Emoji that are combined.
fn pictured(found: char) -> bool {
    matches!(found, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Characters that a variation selector may follow.
fn styled(found: char) -> bool {
    pictured(found)
        || matches!(found, '#' | '*' | '0'..='9' | '©' | '®' | '\u{2010}'..='\u{25ff}' | '〰' | '〽')
}
