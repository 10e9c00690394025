//! Points in time in text: days, months, quarters, years, weekdays, hours, and "next
//! year". Only as much calendar arithmetic as comparing two of them needs.

use super::quantity::Relation;
use super::token::{Kind, Token};

/// As much of a point in time as was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moment {
    year: Option<u32>,
    quarter: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    weekday: Option<u32>,
    /// Minutes after midnight.
    clock: Option<u32>,
    /// `next year`, `last quarter`.
    relative: Option<String>,
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH_NAMES: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Days that may lie between two dates before they are far apart.
const NEAR_DAYS: u32 = 30;

impl Moment {
    /// Compares what both sides say.
    pub(super) fn relate(&self, other: &Self) -> Relation {
        let quarter = |of: &Self| of.quarter.or(of.month.map(|month| month.div_ceil(3)));
        let pairs = [
            (self.year, other.year),
            (quarter(self), quarter(other)),
            (self.month, other.month),
            (self.day, other.day),
            (self.weekday, other.weekday),
            (self.clock, other.clock),
        ];
        let mut shared = false;
        for (left, right) in pairs {
            if let (Some(left), Some(right)) = (left, right) {
                shared = true;
                if left != right {
                    return Relation::Different { far: self.far(other) };
                }
            }
        }
        match (&self.relative, &other.relative) {
            (Some(left), Some(right)) if left == right => return Relation::Same,
            (Some(_), Some(_)) => return Relation::Different { far: false },
            _ => {}
        }
        match shared {
            true if self == other => Relation::Same,
            true => Relation::Compatible,
            false => Relation::Apart,
        }
    }

    /// Whether more than a month lies between; weekdays and hours are never far apart.
    fn far(&self, other: &Self) -> bool {
        let days = |of: &Self| {
            let month = of.month.or(of.quarter.map(|quarter| quarter * 3 - 1))?;
            Some(month * 30 + of.day.unwrap_or(15))
        };
        match (self.year, other.year) {
            (Some(left), Some(right)) if left != right => true,
            _ => match (days(self), days(other)) {
                (Some(left), Some(right)) => left.abs_diff(right) > NEAR_DAYS,
                _ => false,
            },
        }
    }
}

/// The point in time that starts at token `at`, and the token after it.
pub(super) fn read(tokens: &[Token], at: usize) -> Option<(Moment, usize)> {
    let token = tokens.get(at)?;
    let next = tokens.get(at + 1);
    if let Some(moment) = iso(&token.lower) {
        return Some((moment, at + 1));
    }
    if let Some(month) = month(tokens, at) {
        let mut moment = Moment { month: Some(month), ..Moment::default() };
        let mut end = at + 1;
        if let Some(day) = next.and_then(day) {
            moment.day = Some(day);
            end += 1;
        }
        return Some(with_year(tokens, moment, end));
    }
    if let (Some(day), Some(month)) = (day(token), month_after(tokens, at + 1)) {
        let moment = Moment { day: Some(day), month: Some(month.0), ..Moment::default() };
        return Some(with_year(tokens, moment, month.1));
    }
    if let Some(quarter) = quarter(&token.lower) {
        let moment = Moment { quarter: Some(quarter), ..Moment::default() };
        return Some(with_year(tokens, moment, at + 1));
    }
    if let Some(weekday) = weekday(&token.lower) {
        return Some((Moment { weekday: Some(weekday), ..Moment::default() }, at + 1));
    }
    if let Some((clock, end)) = clock(tokens, at) {
        return Some((Moment { clock: Some(clock), ..Moment::default() }, end));
    }
    if let Some(year) = year(tokens, at) {
        return Some((Moment { year: Some(year), ..Moment::default() }, at + 1));
    }
    let relative = token.any(&["next", "last", "this", "previous"])
        && next.is_some_and(|word| {
            word.any(&["year", "quarter", "month", "week", "summer", "winter", "spring", "autumn"])
        });
    match next {
        Some(word) if relative => {
            let text = format!("{} {}", token.lower, word.lower);
            Some((Moment { relative: Some(text), ..Moment::default() }, at + 2))
        }
        _ => None,
    }
}

fn with_year(tokens: &[Token], mut moment: Moment, end: usize) -> (Moment, usize) {
    let comma = tokens.get(end).is_some_and(|mark| mark.any(&[",", "of", "/"]));
    let at = if comma { end + 1 } else { end };
    match year(tokens, at) {
        Some(year) => {
            moment.year = Some(year);
            (moment, at + 1)
        }
        None => (moment, end),
    }
}

/// `2025-06-30`.
fn iso(text: &str) -> Option<Moment> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let sound = (1..=12).contains(&month) && (1..=31).contains(&day);
    sound.then(|| Moment {
        year: Some(year),
        month: Some(month),
        day: Some(day),
        ..Moment::default()
    })
}

/// A month that starts at `at`. "May" and "march" are words as well: they need a capital and a
/// neighbour that makes them a month.
fn month(tokens: &[Token], at: usize) -> Option<u32> {
    let token = tokens.get(at)?;
    let month = month_name(token)?;
    if !token.any(&["may", "march", "mar", "sep", "dec", "jan", "jun"]) {
        return Some(month);
    }
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let led = before.is_some_and(|word| {
        word.any(&["in", "by", "on", "since", "until", "before", "after", "from", "to", "for"])
            || word.any(&["early", "late", "mid", "of"])
    });
    let dated = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Number);
    (token.capital && (led || dated)).then_some(month)
}

/// A month that follows a day: `3 March`, `3rd of May`.
fn month_after(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let at = if tokens.get(at)?.is("of") { at + 1 } else { at };
    let token = tokens.get(at).filter(|token| token.capital)?;
    month_name(token).map(|month| (month, at + 1))
}

fn month_name(token: &Token) -> Option<u32> {
    let word = token.lower.as_str();
    let at = MONTHS
        .iter()
        .position(|name| *name == word)
        .or_else(|| MONTH_NAMES.iter().position(|name| *name == word))
        .or((word == "sept").then_some(8))?;
    u32::try_from(at + 1).ok()
}

fn day(token: &Token) -> Option<u32> {
    if token.kind != Kind::Number {
        return None;
    }
    let digits = token.lower.trim_end_matches(|next: char| next.is_ascii_alphabetic());
    let ending = &token.lower[digits.len()..];
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(ending, "" | "st" | "nd" | "rd" | "th").then_some(day)
}

fn quarter(word: &str) -> Option<u32> {
    match word {
        "q1" => Some(1),
        "q2" => Some(2),
        "q3" => Some(3),
        "q4" => Some(4),
        _ => None,
    }
}

fn weekday(word: &str) -> Option<u32> {
    let single = word.strip_suffix('s').unwrap_or(word);
    let at = WEEKDAYS.iter().position(|name| *name == single)?;
    u32::try_from(at).ok()
}

/// `02:00`, `10am`, `2 pm`.
fn clock(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Number)?;
    let text = token.lower.as_str();
    let (digits, half) = match text.strip_suffix("am").map(|rest| (rest, 0)) {
        Some(found) => (found.0, Some(found.1)),
        None => match text.strip_suffix("pm") {
            Some(rest) => (rest, Some(12)),
            None => (text, None),
        },
    };
    let (half, end) = match (half, tokens.get(at + 1)) {
        (None, Some(next)) if next.is("am") => (Some(0), at + 2),
        (None, Some(next)) if next.is("pm") => (Some(12), at + 2),
        (half, _) => (half, at + 1),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None => (digits, "0"),
    };
    if half.is_none() && !digits.contains(':') {
        return None;
    }
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours > 24 || minutes > 59 {
        return None;
    }
    let hours = half.map_or(hours, |half| hours % 12 + half);
    Some((hours * 60 + minutes, end))
}

/// A bare year. A number with a unit or a currency beside it is none.
fn year(tokens: &[Token], at: usize) -> Option<u32> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Number)?;
    let year: u32 = token.lower.parse().ok().filter(|year| (1950..=2100).contains(year))?;
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let led = before.is_none_or(|word| {
        word.kind == Kind::Number
            || month_name(word).is_some()
            || quarter(&word.lower).is_some()
            || word.any(&["in", "by", "for", "of", "since", "until", "before", "after", "from"])
            || word.any(&["during", "to", "end", "early", "late", "mid", ",", "fiscal", "year"])
    });
    let counted = tokens.get(at + 1).is_some_and(|next| {
        // "in 2025 revenue grew" against "in 2000 stores".
        let plural = next.lower.ends_with('s') || !before.is_some_and(|word| word.is("in"));
        next.kind == Kind::Word && !super::clause::is_stop(&next.lower) && plural && !next.capital
    });
    (led && !counted).then_some(year)
}
