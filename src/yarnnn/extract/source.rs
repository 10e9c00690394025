//! The turns of a dump as they are processed: JSON strings unescaped, invisible characters removed,
//! and a map from every byte back to the dump.

use super::clean::{Cleaned, clean};
use super::messages;
use super::turns::{Turn, turns};
use crate::model::{ByteSpan, Speaker};

/// The turns of a dump.
pub(crate) fn sources<'a>(cleaned: &'a Cleaned<'a>) -> impl Iterator<Item = Source<'a>> {
    turns(&cleaned.text).into_iter().map(|turn| Source::new(cleaned, turn))
}

/// A turn, with the map back to the dump.
pub(crate) struct Source<'a> {
    cleaned: &'a Cleaned<'a>,
    turn: Turn,
    /// The unescaped text of a JSON string, and that without invisible characters.
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

    /// The text to process.
    pub(crate) fn text(&self) -> &str {
        match &self.spelled {
            Some((_, seen)) => &seen.text,
            None => &self.cleaned.text[self.turn.span.start..self.turn.span.end],
        }
    }

    /// The bytes of the dump for bytes of the text.
    pub(crate) fn dump(&self, span: ByteSpan) -> ByteSpan {
        let span = match &self.spelled {
            Some((spelled, seen)) => spelled.original(seen.original(span)),
            None => span,
        };
        let base = self.turn.span.start;
        self.cleaned.original(ByteSpan { start: base + span.start, end: base + span.end })
    }

    /// Who said it.
    pub(crate) fn speaker(&self) -> Speaker {
        self.turn.speaker
    }

    /// The name of the person who speaks, as written, with its bytes in the dump.
    pub(crate) fn name(&self) -> Option<(&str, ByteSpan)> {
        let span = self.turn.name?;
        Some((&self.cleaned.text[span.start..span.end], self.cleaned.original(span)))
    }

    /// How many invisible characters were removed from the unescaped text.
    pub(crate) fn removed(&self) -> usize {
        self.spelled.as_ref().map_or(0, |(_, seen)| seen.removed)
    }
}
