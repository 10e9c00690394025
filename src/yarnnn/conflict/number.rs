//! Numbers as they are written: digits, words, `two and a half`, `a fifth`. Knows no units.

use super::token::{Kind, Token};
use super::units::{fraction, measure, tens, word_number};

/// A number that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    /// Letters glued to its digits.
    pub(super) suffix: String,
    /// The token after it.
    pub(super) end: usize,
    /// Whether it is a share, in percent: `a fifth`.
    pub(super) share: bool,
}

impl Number {
    fn plain(value: f64, end: usize) -> Self {
        Self { value, suffix: String::new(), end, share: false }
    }
}

/// The number that starts at `at`.
pub(super) fn read(tokens: &[Token], at: usize) -> Option<Number> {
    if let Some(found) = parts(tokens, at) {
        return Some(found);
    }
    let token = tokens.get(at)?;
    if token.kind == Kind::Word {
        let mut found = Number::plain(word_number(&token.lower)?, at + 1);
        if tens(&token.lower).is_some() && joined(tokens, at + 1) {
            let ones = tokens.get(at + 2).and_then(|next| word_number(&next.lower));
            if let Some(ones) = ones.filter(|ones| *ones < 10.0) {
                found = Number::plain(found.value + ones, at + 3);
            }
        }
        return Some(half_more(tokens, found));
    }
    digits(token).map(|(value, suffix)| {
        half_more(tokens, Number { value, suffix, end: at + 1, share: false })
    })
}

/// `twenty-six`, `vinte e seis`.
fn joined(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|mark| mark.any(&["-", "e"]))
}

/// `two and a half`.
fn half_more(tokens: &[Token], mut number: Number) -> Number {
    if and_a_half(tokens, number.end) {
        number.value += 0.5;
        number.end += 3;
    }
    number
}

fn and_a_half(tokens: &[Token], at: usize) -> bool {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    is(at, "and") && is(at + 1, "a") && is(at + 2, "half")
}

/// `half a kilometre`, `an hour and a half`, `a dozen`, `a fifth`, `two thirds`, `half of`.
fn parts(tokens: &[Token], at: usize) -> Option<Number> {
    let (token, next) = (tokens.get(at)?, tokens.get(at + 1)?);
    let article = ["a", "an", "one", "ein", "eine", "um", "uma"];
    if token.is("half") {
        let unit = next.any(&["a", "an"]);
        let unit = unit && tokens.get(at + 2).is_some_and(|unit| measure(&unit.lower).is_some());
        if unit {
            return Some(Number::plain(0.5, at + 2));
        }
        let of = next.any(&["of", "the", "our", "my", "their"]);
        return of.then_some(Number { share: true, ..Number::plain(50.0, at + 1) });
    }
    if token.any(&article) {
        if next.any(&["dozen", "dutzend", "dúzia"]) {
            return Some(Number::plain(12.0, at + 2));
        }
        if measure(&next.lower).is_some() && and_a_half(tokens, at + 2) {
            // The unit stands before the half.
            return Some(Number::plain(1.5, at + 1));
        }
    }
    let times = if token.any(&article) { Some(1.0) } else { word_number(&token.lower) }?;
    let part = fraction(&next.lower)?;
    let after = tokens.get(at + 2);
    let share = after.is_none_or(|after| {
        after.kind == Kind::Mark || after.any(&["of", "off", "goes", "go", "less", "more", "from"])
    });
    share.then(|| Number { share: true, ..Number::plain(times * part * 100.0, at + 2) })
}

/// Digits and the letters glued to them.
fn digits(token: &Token) -> Option<(f64, String)> {
    if token.kind != Kind::Number {
        return None;
    }
    let split = token
        .lower
        .find(|next: char| !next.is_ascii_digit() && next != ',' && next != '.')
        .unwrap_or(token.lower.len());
    let (digits, rest) = token.lower.split_at(split);
    if rest.contains(['-', ':']) {
        return None;
    }
    // "2,5" is German and Portuguese for 2.5.
    let decimal = digits.split_once(',').is_some_and(|(_, after)| after.len() != 3);
    let digits = digits.replace(',', if decimal { "." } else { "" });
    let value: f64 = digits.trim_end_matches('.').parse().ok()?;
    value.is_finite().then(|| (value, rest.to_owned()))
}
