//! Text into tokens with byte spans. Knows letters and digits, not words.

use crate::model::ByteSpan;
use crate::text::{Joint, Piece, pieces};

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, perhaps with digits inside.
    Word,
    /// Starts with a digit.
    Number,
    /// Anything else that is not white space.
    Mark,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is made of.
    pub(super) kind: Kind,
    /// In lower case, curly apostrophes made straight.
    pub(super) lower: String,
    /// Whether its first letter is a capital.
    pub(super) capital: bool,
    /// Where it is in the text.
    pub(super) span: ByteSpan,
}

impl Token {
    /// Whether it is this word or mark.
    pub(super) fn is(&self, text: &str) -> bool {
        self.lower == text
    }

    /// Whether it is one of these words or marks.
    pub(super) fn any(&self, texts: &[&str]) -> bool {
        texts.contains(&self.lower.as_str())
    }
}

/// All tokens of `text`, in order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    pieces(text, holds).map(|piece| token(&piece)).collect()
}

fn token(piece: &Piece<'_>) -> Token {
    let first = piece.text.chars().next().unwrap_or_default();
    let kind = match piece.is_word {
        false => Kind::Mark,
        true if first.is_numeric() => Kind::Number,
        true => Kind::Word,
    };
    Token {
        kind,
        lower: piece.text.to_lowercase().replace('’', "'"),
        capital: first.is_uppercase() || camel(piece.text),
        span: ByteSpan { start: piece.start, end: piece.end() },
    }
}

/// Whether a mark between two characters is part of the token: `1,200`, `02:00`, `don't`,
/// `eu-west-1`, `node.js`.
fn holds(joint: &Joint<'_>) -> bool {
    let (before, after) = (joint.before, joint.after);
    match joint.mark {
        None | Some('_') => true,
        Some(',' | ':') => before.is_ascii_digit() && after.is_ascii_digit(),
        Some('.') => !after.is_uppercase(),
        Some('\'' | '’') => before.is_alphabetic() && after.is_alphabetic(),
        // A hyphen holds dates and names with digits together, and parts other compounds.
        Some('-') => hyphenated(joint.rest),
        Some(_) => false,
    }
}

/// Characters of a compound that are read.
const LONGEST: usize = 64;

/// Whether the compound that starts `from` is a name or date rather than words: it has a digit and
/// more than one hyphen or letters on the way.
fn hyphenated(from: &str) -> bool {
    let part = |next: &char| next.is_alphanumeric() || *next == '-' || *next == '_';
    let compound: String = from.chars().take_while(part).take(LONGEST).collect();
    let has_digit = compound.bytes().any(|byte| byte.is_ascii_digit());
    let parts = compound.split('-').count();
    let starts_with_digit = compound.starts_with(|first: char| first.is_ascii_digit());
    let digits_only = compound.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    has_digit && if starts_with_digit { digits_only && parts == 3 } else { parts > 1 }
}

/// `iOS`, `gRPC`: a capital further in marks a name as well.
fn camel(raw: &str) -> bool {
    raw.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.lower).collect()
    }

    #[test]
    fn names_dates_and_figures_stay_whole() {
        assert_eq!(
            words("We don’t run eu-west-1, on-call 2025-03-01 at 02:00 with 1,200 node.js boxes."),
            [
                "we",
                "don't",
                "run",
                "eu-west-1",
                ",",
                "on",
                "-",
                "call",
                "2025-03-01",
                "at",
                "02:00",
                "with",
                "1,200",
                "node.js",
                "boxes",
                "."
            ]
        );
        assert_eq!(words("3-5 days, €150k"), ["3", "-", "5", "days", ",", "€", "150k"]);
    }

    #[test]
    fn spans_quote_the_text() {
        let text = "Größe: 5 µm — não “ok”\u{200b}x";
        for token in tokens(text) {
            let quote = &text[token.span.start..token.span.end];
            assert_eq!(quote.to_lowercase(), token.lower);
        }
    }
}
