//! Figures with their units, and how two of them compare. Knows tokens, not what a figure is
//! about.

use super::dates::{self, Moment};
use super::stem;
use super::token::{Kind, Token};
use super::units::{adverb, currency, magnitude, measure, per_year, word_number};

/// What is measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unit {
    /// Money of a currency.
    Money(&'static str),
    /// A share.
    Percent,
    /// A length of time; the value is in seconds.
    Time,
    /// An amount of data; the value is in bytes.
    Data,
    /// How often; the value is times per year.
    Rhythm,
    /// A number of things, or of nothing named.
    Count(String),
    /// A point in time; the value does not matter.
    Moment(Moment),
}

/// How the figure is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// This much.
    Exact,
    /// More or less this much.
    About,
    /// This much or more.
    Least,
    /// This much or less.
    Most,
}

/// A figure in a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    /// What is measured.
    pub(super) unit: Unit,
    /// How much, or the lower end of a range.
    pub(super) low: f64,
    /// How much, or the upper end of a range.
    pub(super) high: f64,
    /// How it is meant.
    pub(super) bound: Bound,
    /// How many such periods make a year, where the figure is per period.
    pub(super) per: Option<f64>,
    /// Whether it is part of a name, as in "version 3".
    pub(super) label: bool,
    /// First token.
    pub(super) at: usize,
    /// Token after the last, unit included.
    pub(super) end: usize,
}

/// How two figures of one thing stand to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relation {
    /// They measure different things.
    Apart,
    /// They say the same.
    Same,
    /// Both can hold.
    Compatible,
    /// They cannot both hold; `far` says whether by much.
    Different { far: bool },
}

/// Figures further apart than this share of the larger one are far apart.
const FAR: f64 = 0.2;
/// Figures that are "about" something may be off by this share.
const ABOUT: f64 = 0.1;

/// All figures of a clause, in order.
pub(super) fn quantities(tokens: &[Token]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let next = dates::read(tokens, at)
            .map(|(moment, end)| Quantity::new(Unit::Moment(moment), 0.0, at, end))
            .or_else(|| rhythm(tokens, at))
            .or_else(|| figure(tokens, at));
        match next {
            Some(quantity) => {
                at = quantity.end.max(at + 1);
                found.push(quantity);
            }
            None => at += 1,
        }
    }
    found
}

impl Quantity {
    fn new(unit: Unit, value: f64, at: usize, end: usize) -> Self {
        Self {
            unit,
            low: value,
            high: value,
            bound: Bound::Exact,
            per: None,
            label: false,
            at,
            end,
        }
    }

    /// Whether it measures something.
    pub(super) fn is_measure(&self) -> bool {
        !self.is_moment() && !self.label
    }

    /// Whether it is a point in time.
    pub(super) fn is_moment(&self) -> bool {
        matches!(self.unit, Unit::Moment(_))
    }

    /// Compares with another figure; a count of nothing named is like a count of anything.
    pub(super) fn relate(&self, other: &Self) -> Relation {
        match (&self.unit, &other.unit) {
            (Unit::Moment(left), Unit::Moment(right)) => return left.relate(right),
            (Unit::Count(left), Unit::Count(right)) if left.is_empty() || right.is_empty() => {}
            (left, right) if left != right => return Relation::Apart,
            _ => {}
        }
        let scale = match (self.per, other.per) {
            (Some(left), Some(right)) => (left, right),
            _ => (1.0, 1.0),
        };
        let (left, right) = (self.scaled(scale.0), other.scaled(scale.1));
        relate(left, self.bound, right, other.bound)
    }

    fn scaled(&self, by: f64) -> (f64, f64) {
        (self.low * by, self.high * by)
    }
}

fn relate(left: (f64, f64), how_left: Bound, right: (f64, f64), how_right: Bound) -> Relation {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
    if close(left.0, right.0) && close(left.1, right.1) {
        return Relation::Same;
    }
    let (a, b) = (f64::midpoint(left.0, left.1), f64::midpoint(right.0, right.1));
    let gap = (a - b).abs() / a.abs().max(b.abs());
    let vague = how_left == Bound::About || how_right == Bound::About;
    let holds = match (how_left, how_right) {
        _ if vague => gap <= ABOUT,
        // Two limits of the same sort are values of one limit.
        (Bound::Least, Bound::Least) | (Bound::Most, Bound::Most) => false,
        (Bound::Least, Bound::Most) => left.0 <= right.1,
        (Bound::Most, Bound::Least) => right.0 <= left.1,
        (Bound::Least, _) => right.1 >= left.0,
        (Bound::Most, _) => right.0 <= left.1,
        (_, Bound::Least) => left.1 >= right.0,
        (_, Bound::Most) => left.0 <= right.1,
        _ => left.0 <= right.1 && right.0 <= left.1,
    };
    if holds { Relation::Compatible } else { Relation::Different { far: gap > FAR } }
}

/// `daily`, `every six months`, `twice a week`.
fn rhythm(tokens: &[Token], at: usize) -> Option<Quantity> {
    let word = tokens.get(at)?;
    let made = |times: f64, end: usize| Some(Quantity::new(Unit::Rhythm, times, at, end));
    if let Some(times) = adverb(&word.lower) {
        return made(times, at + 1);
    }
    if word.any(&["every", "each"]) {
        let (count, after) = match tokens.get(at + 1) {
            Some(next) if next.is("other") => (2.0, at + 2),
            Some(next) => number(next).map_or((1.0, at + 1), |(value, _)| (value, at + 2)),
            None => return None,
        };
        return made(per_year(&tokens.get(after)?.lower)? / count.max(1e-9), after + 1);
    }
    let (times, after) = match word.lower.as_str() {
        "once" => (1.0, at + 1),
        "twice" => (2.0, at + 1),
        _ => {
            let (value, _) = number(word)?;
            tokens.get(at + 1).filter(|next| next.is("times")).map(|_| (value, at + 2))?
        }
    };
    tokens.get(after).filter(|next| next.any(&["a", "per", "every", "each", "an"]))?;
    made(times * per_year(&tokens.get(after + 1)?.lower)?, after + 2)
}

/// A number with what stands around it: `at least $1,200 per month`, `3-5 days`, `25MB`.
fn figure(tokens: &[Token], at: usize) -> Option<Quantity> {
    let (mut low, mut suffix) = number(tokens.get(at)?)?;
    let mut end = at + 1;
    let mut high = low;
    let dash = tokens.get(end).is_some_and(|mark| mark.any(&["-", "–", "to"]));
    if let Some((upper, after)) = tokens.get(end + 1).filter(|_| dash).and_then(number)
        && upper > low
    {
        (high, suffix, end) = (upper, after, end + 2);
    }
    let mut scale = 1.0;
    if let Some(by) = magnitude(&suffix) {
        scale = by;
        suffix.clear();
    } else if suffix.is_empty()
        && let Some(by) = tokens.get(end).and_then(|next| magnitude(&next.lower))
    {
        scale = by;
        end += 1;
    }
    let (unit, by, end) = unit(tokens, at, end, &suffix)?;
    low *= scale * by;
    high *= scale * by;
    let (per, end) = per(tokens, end);
    let label = !matches!(named(tokens, at), Unit::Count(noun) if noun.is_empty());
    Some(Quantity { unit, low, high, bound: bound(tokens, at), per, label, at, end })
}

/// The unit of the figure at `at` whose number ends before `end`, what one of it is worth, and
/// where it ends.
fn unit(tokens: &[Token], at: usize, end: usize, suffix: &str) -> Option<(Unit, f64, usize)> {
    if let Some(code) = at.checked_sub(1).and_then(|before| currency(&tokens[before].lower)) {
        return Some((Unit::Money(code), 1.0, end));
    }
    if !suffix.is_empty() {
        let (unit, by) = measure(suffix)?;
        return Some((unit, by, end));
    }
    let Some(next) = tokens.get(end) else { return Some((named(tokens, at), 1.0, end)) };
    if let Some(code) = currency(&next.lower) {
        return Some((Unit::Money(code), 1.0, end + 1));
    }
    if let Some((unit, by)) = measure(&next.lower) {
        return Some((unit, by, end + 1));
    }
    let plain = |word: &&Token| {
        let stop = super::clause::is_stop(&word.lower) && measure(&word.lower).is_none();
        word.kind == Kind::Word && !stop
    };
    let verb = |word: &&Token| super::clause::is_verb(&word.lower);
    let mut run = tokens[end..].iter().take(3).take_while(plain);
    let first = run.next().filter(|word| !super::clause::is_plain_verb(&word.lower));
    let Some(first) = first else { return Some((named(tokens, at), 1.0, end)) };
    let rest: Vec<&Token> = run.take_while(|word| !verb(word)).collect();
    // "3 business days" is a length of time; "vacation" in "30 vacation days" is still a word.
    if let Some((unit @ (Unit::Time | Unit::Data), by)) =
        rest.last().and_then(|last| measure(&last.lower))
    {
        return Some((unit, by, end));
    }
    let noun = rest.last().copied().unwrap_or(first);
    Some((Unit::Count(stem::key(&noun.lower)), 1.0, end))
}

/// `port 8080`, `version 3`: the noun stands before the number.
fn named(tokens: &[Token], at: usize) -> Unit {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let noun = before.filter(|word| {
        word.any(&["port", "version", "level", "phase", "step", "tier", "grade", "band"])
    });
    Unit::Count(noun.map_or_else(String::new, |word| stem::key(&word.lower)))
}

/// `per month`, `a year`, `/ week`, `monthly`.
fn per(tokens: &[Token], end: usize) -> (Option<f64>, usize) {
    let Some(next) = tokens.get(end) else { return (None, end) };
    if next.any(&["per", "a", "an", "/", "each", "every"])
        && let Some(times) = tokens.get(end + 1).and_then(|word| per_year(&word.lower))
    {
        return (Some(times), end + 2);
    }
    match adverb(&next.lower) {
        Some(times) => (Some(times), end + 1),
        None => (None, end),
    }
}

fn bound(tokens: &[Token], at: usize) -> Bound {
    let from = at.saturating_sub(4);
    let words: Vec<_> = tokens[from..at].iter().map(|token| token.lower.as_str()).collect();
    let near = |word: &str| words.contains(&word);
    let pair = |first, second| words.windows(2).any(|two| two == [first, second]);
    if pair("at", "least") || near("minimum") || near("least") || pair("more", "than") {
        return Bound::Least;
    }
    if near("over") || near("above") || near("exceeds") || near("exceed") {
        return Bound::Least;
    }
    let most = ["most", "under", "below", "within", "maximum", "max"];
    if pair("up", "to") || pair("less", "than") || most.into_iter().any(near) {
        return Bound::Most;
    }
    let about = ["about", "around", "roughly", "approximately", "nearly", "almost", "~", "approx"];
    if about.into_iter().any(near) { Bound::About } else { Bound::Exact }
}

/// A number and the letters glued to it.
fn number(token: &Token) -> Option<(f64, String)> {
    if token.kind == Kind::Word {
        return word_number(&token.lower).map(|value| (value, String::new()));
    }
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
    let value: f64 = digits.replace(',', "").parse().ok()?;
    value.is_finite().then(|| (value, rest.to_owned()))
}

#[cfg(test)]
mod tests;
