//! Figures with their units, and how two of them compare. Knows tokens, not what a figure is
//! about.

use super::dates::{self, Moment};
use super::number;
use super::stem;
use super::token::{Kind, Token};
use super::units::{adverb, currency, magnitude, measure, per_year};

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
    /// A size such as mass or length; the value is in the unit that the dimension starts from.
    Of(&'static str),
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
    /// Whether it is a point that something is before or after.
    pub(super) aside: bool,
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
            Some(mut quantity) => {
                let led = |word: &Token| {
                    word.any(&["before", "after", "since", "vor", "nach", "antes", "depois"])
                };
                quantity.aside =
                    quantity.is_moment() && tokens[at.saturating_sub(2)..at].iter().any(led);
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
            aside: false,
            at,
            end,
        }
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
        _ if vague => left.0 * (1.0 - ABOUT) <= right.1 && right.0 * (1.0 - ABOUT) <= left.1,
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
            Some(next) if next.any(&["second"]) && tokens.get(at + 2).is_some() => (2.0, at + 2),
            Some(_) => number::read(tokens, at + 1)
                .map_or((1.0, at + 1), |number| (number.value, number.end)),
            None => return None,
        };
        return made(per_year(&tokens.get(after)?.lower)? / count.max(1e-9), after + 1);
    }
    let (times, after) = match word.lower.as_str() {
        "once" => (1.0, at + 1),
        "twice" => (2.0, at + 1),
        _ => {
            let value = number::read(tokens, at)?.value;
            tokens.get(at + 1).filter(|next| next.is("times")).map(|_| (value, at + 2))?
        }
    };
    tokens.get(after).filter(|next| next.any(&["a", "per", "every", "each", "an"]))?;
    made(times * per_year(&tokens.get(after + 1)?.lower)?, after + 2)
}

/// A number with what stands around it: `at least $1,200 per month`, `3-5 days`, `25MB`.
fn figure(tokens: &[Token], at: usize) -> Option<Quantity> {
    if identifies(tokens, at) {
        return None;
    }
    if tokens[at].any(&["several", "multiple", "mehrere", "vários", "várias"]) {
        let (unit, _, end) = unit(tokens, at, at + 1, "")?;
        let plural = Quantity { bound: Bound::Least, ..Quantity::new(unit, 2.0, at, end) };
        return Some(plural).filter(|one| matches!(one.unit, Unit::Count(_)));
    }
    let first = number::read(tokens, at)?;
    let (mut low, mut suffix, mut end) = (first.value, first.suffix, first.end);
    let mut high = low;
    if let Some(upper) = upper(tokens, at, end).filter(|upper| upper.value > low) {
        (high, suffix, end) = (upper.value, upper.suffix, upper.end);
    }
    if first.share {
        let bound = bound(tokens, at, end);
        return Some(Quantity { bound, ..Quantity::new(Unit::Percent, low, at, end) });
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
    let (unit, by, mut end) = unit(tokens, at, end, &suffix)?;
    let cubic = tokens.get(end).is_some_and(|next| next.any(&["cúbicos", "cubed"]));
    let (unit, by) = if cubic && unit == Unit::Of("length") {
        end += 1;
        (Unit::Of("volume"), 1000.0)
    } else {
        (unit, by)
    };
    low *= scale * by;
    high *= scale * by;
    // "An hour and a half": the half belongs to the number that was read.
    if tokens.get(end).is_some_and(|next| next.is("and"))
        && tokens.get(end + 2).is_some_and(|next| next.is("half"))
    {
        end += 3;
    }
    let (per, end) = per(tokens, end);
    let label = !matches!(named(tokens, at), Unit::Count(noun) if noun.is_empty());
    Some(Quantity {
        unit,
        low,
        high,
        bound: bound(tokens, at, end),
        per,
        label,
        aside: false,
        at,
        end,
    })
}

/// Nouns whose number is a name.
const NUMBERED: &[&str] = &[
    "room",
    "bay",
    "van",
    "gate",
    "bus",
    "line",
    "class",
    "section",
    "floor",
    "page",
    "ward",
    "building",
    "no",
    "nr",
    "number",
    "stage",
    "lesson",
    "module",
    "flat",
    "apartment",
    "platform",
    "track",
    "raum",
    "zimmer",
    "sala",
    "turma",
    "klasse",
    "linie",
    "halle",
    "dock",
    "shelf",
    "rack",
    "pump",
    "machine",
    "table",
    "chapter",
    "article",
    "paragraph",
    "section",
    "clause",
    "part",
    "q",
    "sprint",
    "release",
    "year",
    "team",
    "box",
    "group",
    "site",
    "house",
    "unit",
    "highway",
    "route",
];

/// Whether the number at `at` names something: `room 2.07`, `Van 6`.
pub(super) fn identifies(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else { return false };
    let numbered = before.any(NUMBERED)
        || (before.capital
            && at > 1
            && before.kind == Kind::Word
            && !super::clause::is_stop(&before.lower)
            && dates::read(tokens, at - 1).is_none());
    let measured = tokens.get(at + 1).is_some_and(|next| {
        measure(&next.lower).is_some()
            || currency(&next.lower).is_some()
            || magnitude(&next.lower).is_some()
            || next.any(&["-", "–", "to", "or", "€"])
    });
    tokens[at].kind == Kind::Number
        && numbered
        && !measured
        && !before.lower.ends_with("'s")
        && tokens[at].lower.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The upper end of a range whose lower end is at `at`: `3-5`, `38k to 44k`, `between 2 and 8`,
/// `2013 or 2014`.
fn upper(tokens: &[Token], at: usize, end: usize) -> Option<number::Number> {
    let lead = at.checked_sub(1).map(|before| &tokens[before]);
    let between = lead.is_some_and(|word| word.any(&["between", "zwischen", "entre"]));
    // The unit may stand at both ends.
    let unit = tokens.get(end).filter(|unit| measure(&unit.lower).is_some());
    let mark = if unit.is_some() { end + 1 } else { end };
    let joins = tokens.get(mark).is_some_and(|mark| {
        mark.any(&["-", "–", "—", "to", "bis", "or", "ou", "oder", "até"])
            || (between && mark.any(&["and", "und", "e"]))
    });
    let joins = joins || {
        // "from six up to and including ten"
        tokens.get(mark).is_some_and(|up| up.is("up"))
            && tokens.get(mark + 1).is_some_and(|to| to.is("to"))
    };
    if !joins {
        return None;
    }
    let mut next = mark + 1;
    while tokens.get(next).is_some_and(|word| word.any(&["to", "and", "including", "a"])) {
        next += 1;
    }
    number::read(tokens, next)
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
    let ends = ["max", "maximum", "minimum", "tops", "total", "per", "each", "max."];
    let verb = |word: &&Token| super::clause::is_verb(&word.lower) || word.any(&ends);
    let mut run = tokens[end..].iter().take(3).take_while(plain);
    let first =
        run.next().filter(|word| !super::clause::is_plain_verb(&word.lower) && !word.any(&ends));
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
        word.any(&[
            "port", "version", "level", "phase", "step", "tier", "grade", "band", "size", "ph",
        ])
    });
    Unit::Count(noun.map_or_else(String::new, |word| stem::key(&word.lower)))
}

/// `per month`, `a year`, `/ week`, `monthly`.
fn per(tokens: &[Token], end: usize) -> (Option<f64>, usize) {
    let Some(next) = tokens.get(end) else { return (None, end) };
    if next.any(&["per", "a", "an", "/", "each", "every", "pro", "por", "the"])
        && let Some(times) = tokens.get(end + 1).and_then(|word| per_year(&word.lower))
    {
        return (Some(times), end + 2);
    }
    match adverb(&next.lower) {
        Some(times) => (Some(times), end + 1),
        None => (None, end),
    }
}

fn bound(tokens: &[Token], at: usize, end: usize) -> Bound {
    let from = at.saturating_sub(4);
    let words: Vec<_> = tokens[from..at].iter().map(|token| token.lower.as_str()).collect();
    let after: Vec<_> = tokens[end.min(tokens.len())..].iter().take(3).collect();
    let near = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let pair = |first: &str, second: &str| words.windows(2).any(|two| two == [first, second]);
    let denied = tokens[at.saturating_sub(6)..at].iter().any(|token| {
        token.any(&["no", "not", "never", "nie", "nicht", "não", "nunca"])
            || token.lower.ends_with("n't")
    });
    let spread = pair("spread", "over") || pair("all", "over");
    let more = (near(&["over"]) && !spread)
        || near(&["above", "exceeds", "exceed", "beyond", "über", "acima"])
        || pair("more", "than")
        || pair("longer", "than")
        || pair("mehr", "als")
        || pair("mais", "de");
    if more {
        return if denied { Bound::Most } else { Bound::Least };
    }
    let less = near(&["under", "below", "unter", "abaixo"])
        || pair("less", "than")
        || pair("fewer", "than")
        || pair("weniger", "als")
        || pair("menos", "de");
    if less {
        return if denied { Bound::Least } else { Bound::Most };
    }
    let later = |first: &str, second: &str| {
        after.windows(2).any(|two| two[0].is(first) && two[1].is(second))
    };
    if near(&["minimum", "least", "mindestens", "mínimo"])
        || pair("pelo", "menos")
        || later("or", "more")
        || later("and", "up")
        || later("ou", "mais")
    {
        return Bound::Least;
    }
    let most = ["most", "within", "maximum", "max", "höchstens", "maximal", "máximo", "limit"];
    if pair("up", "to")
        || pair("bis", "zu")
        || near(&most)
        || after.first().is_some_and(|next| next.any(&["max", "maximum", "tops"]))
        || later("or", "less")
        || later("or", "fewer")
        || later("at", "most")
    {
        return Bound::Most;
    }
    let about = ["about", "around", "roughly", "approximately", "nearly", "almost", "~", "approx"];
    let about_too = ["circa", "ca", "some", "etwa", "ungefähr", "rund", "cerca", "somewhere"];
    if near(&about) || near(&about_too) { Bound::About } else { Bound::Exact }
}

#[cfg(test)]
mod tests;
