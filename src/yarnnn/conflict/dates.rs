//! Points in time in text: days, months, quarters, years, weekdays, hours, and "next
//! year". Only as much calendar arithmetic as comparing two of them needs.

use self::words::{doubtful, month as month_word, part_of_day, quarter, season, weekdays};
use super::number;
use super::quantity::Relation;
use super::token::{Kind, Token};

mod words;

/// As much of a point in time as was written. Pairs are the first and the last of a stretch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moment {
    year: Option<(u32, u32)>,
    month: Option<(u32, u32)>,
    day: Option<(u32, u32)>,
    /// One bit for each day of the week.
    weekdays: Option<u8>,
    /// Minutes after midnight.
    clock: Option<(u32, u32)>,
    /// `next year`, `last quarter`.
    relative: Option<String>,
}

/// Days that may lie between two dates before they are far apart.
const NEAR_DAYS: u32 = 30;

/// What a moment is told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scale {
    Date,
    Weekday,
    Clock,
    Relative,
}

impl Moment {
    /// What it is told by.
    pub(super) fn scale(&self) -> Scale {
        match self {
            Self { weekdays: Some(_), .. } => Scale::Weekday,
            Self { clock: Some(_), .. } => Scale::Clock,
            Self { relative: Some(_), .. } => Scale::Relative,
            _ => Scale::Date,
        }
    }

    /// Whether it is a stretch of hours.
    pub(super) fn is_part(&self) -> bool {
        self.clock.is_some_and(|(from, to)| from != to)
    }

    /// Compares what both sides say.
    pub(super) fn relate(&self, other: &Self) -> Relation {
        if let (Some(left), Some(right)) = (&self.relative, &other.relative) {
            let same = left == right;
            // "Last winter" and "this winter" tell of two winters.
            let past = |text: &str| text.starts_with("last ") || text.starts_with("previous ");
            let now = |text: &str| text.starts_with("this ");
            if past(left) && now(right) || now(left) && past(right) {
                return Relation::Compatible;
            }
            return if same { Relation::Same } else { Relation::Different { far: false } };
        }
        if let (Some(left), Some(right)) = (self.weekdays, other.weekdays) {
            return match left & right {
                _ if left == right => Relation::Same,
                0 => Relation::Different { far: false },
                _ => Relation::Compatible,
            };
        }
        let pairs = [
            (self.year, other.year),
            (self.month, other.month),
            (self.day, other.day),
            (self.clock, other.clock),
        ];
        let mut shared = false;
        let within = |at: usize| {
            // Days are compared within one month only.
            at != 2
                || matches!((self.month, other.month), (Some(left), Some(right)) if left.0 == right.0)
                || self.month.is_none()
                || other.month.is_none()
        };
        for (at, pair) in pairs.into_iter().enumerate() {
            if let (Some(left), Some(right)) = pair
                && within(at)
            {
                shared = true;
                if left.0 > right.1 || right.0 > left.1 {
                    return Relation::Different { far: self.far(other) };
                }
            }
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
            let (first, last) = of.month?;
            let day = of.day.map_or(15, |(first, _)| first);
            Some((first + last) * 15 + day)
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
    if let Some(found) = in_month(tokens, at).or_else(|| days_of(tokens, at)) {
        return Some(found);
    }
    if let Some(quarter) = quarter(&token.lower) {
        let month = Some((quarter * 3 - 2, quarter * 3));
        return Some(with_year(tokens, Moment { month, ..Moment::default() }, at + 1));
    }
    if let Some((days, end)) = weekdays(tokens, at) {
        return Some((Moment { weekdays: Some(days), ..Moment::default() }, end));
    }
    if let Some((clock, end)) = clock(tokens, at) {
        return Some((Moment { clock: Some(clock), ..Moment::default() }, end));
    }
    let relative = token.any(&["next", "last", "this", "previous"])
        && next.is_some_and(|word| {
            word.any(&["year", "quarter", "month", "week", "summer", "winter", "spring", "autumn"])
        });
    if let Some(word) = next.filter(|_| relative) {
        let text = format!("{} {}", token.lower, word.lower);
        return Some((Moment { relative: Some(text), ..Moment::default() }, at + 2));
    }
    let led = at.checked_sub(1).is_some_and(|before| {
        tokens[before].any(&["in", "the", "every", "of", "im", "no", "na", "late", "early"])
    });
    if let Some(month) = season(&token.lower).filter(|_| led) {
        let of = next.is_some_and(|of| of.is("of"));
        let end = if of { at + 2 } else { at + 1 };
        let (moment, end) =
            with_year(tokens, Moment { month: Some(month), ..Moment::default() }, end);
        // "in the summer camp" is no time.
        let free = tokens
            .get(end)
            .is_none_or(|word| word.kind != Kind::Word || super::clause::is_stop(&word.lower));
        return free.then_some((moment, end));
    }
    let first = year(tokens, at)?;
    let range = tokens.get(at + 1).is_some_and(|mark| mark.any(&["or", "to", "-", "–", "and"]));
    let last = tokens.get(at + 2).filter(|_| range).and_then(|last| last.lower.parse().ok());
    let last = last.filter(|last| (first..=2100).contains(last));
    let end = if last.is_some() { at + 3 } else { at + 1 };
    let moment = Moment { year: Some((first, last.unwrap_or(first))), ..Moment::default() };
    Some((moment, end))
}

/// `March 3`, `May`.
fn in_month(tokens: &[Token], at: usize) -> Option<(Moment, usize)> {
    let month = month(tokens, at)?;
    let mut moment = Moment { month: Some((month, month)), ..Moment::default() };
    let mut end = at + 1;
    if let Some((days, after)) = days(tokens, end) {
        moment.day = Some(days);
        end = after;
    } else if let Some(part) = part_of_month(tokens, at) {
        moment.day = Some(part);
    }
    Some(with_year(tokens, moment, end))
}

/// `3 March`, `3rd of May`, `3 to 21 July`, `24. Dezember`, `15 de maio`, `24/12`.
fn days_of(tokens: &[Token], at: usize) -> Option<(Moment, usize)> {
    let (days, mut end) = days(tokens, at)?;
    let made =
        |month: u32| Moment { month: Some((month, month)), day: Some(days), ..Moment::default() };
    let of = |token: &Token| token.any(&["of", "de", ".", "st", "nd", "rd", "th", "-"]);
    while tokens.get(end).is_some_and(of) {
        end += 1;
    }
    let month = tokens
        .get(end)
        .and_then(|token| month_word(&token.lower).filter(|_| !doubtful(token) || token.capital));
    Some(with_year(tokens, made(month?), end + 1))
}

/// One day, or the first and the last of several.
fn days(tokens: &[Token], at: usize) -> Option<((u32, u32), usize)> {
    let first = day(tokens.get(at)?)?;
    if tokens
        .get(at + 1)
        .is_some_and(|mark| mark.any(&["to", "-", "–", "bis", "a", "until", "and"]))
        && let Some(last) = tokens.get(at + 2).and_then(day).filter(|last| *last > first)
    {
        return Some(((first, last), at + 3));
    }
    Some(((first, first), at + 1))
}

/// `late October`, `mid-May`.
fn part_of_month(tokens: &[Token], at: usize) -> Option<(u32, u32)> {
    let before = tokens[at.saturating_sub(2)..at].iter().rev();
    before.into_iter().find_map(|word| match word.lower.as_str() {
        "early" | "anfang" => Some((1, 12)),
        "mid" | "middle" | "mitte" => Some((8, 22)),
        "late" | "ende" => Some((18, 31)),
        _ => None,
    })
}

fn with_year(tokens: &[Token], mut moment: Moment, end: usize) -> (Moment, usize) {
    let comma = tokens.get(end).is_some_and(|mark| mark.any(&[",", "of", "/", "de"]));
    let at = if comma { end + 1 } else { end };
    match year(tokens, at) {
        Some(year) => {
            moment.year = Some((year, year));
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
    let (year, month, day): (u32, u32, u32) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let sound = (1..=12).contains(&month) && (1..=31).contains(&day);
    sound.then(|| Moment {
        year: Some((year, year)),
        month: Some((month, month)),
        day: Some((day, day)),
        ..Moment::default()
    })
}

/// A month that starts at `at`. "May" and "march" are words as well: they need a capital and a
/// neighbour that makes them a month.
fn month(tokens: &[Token], at: usize) -> Option<u32> {
    let token = tokens.get(at)?;
    let month = month_word(&token.lower)?;
    if !doubtful(token) {
        return Some(month);
    }
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let led = before.is_some_and(|word| {
        word.any(&["in", "by", "on", "since", "until", "before", "after", "from", "to", "for"])
            || word.any(&["early", "late", "mid", "of", "im", "em", "every", "and", "seit", "ab"])
    });
    let dated = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Number);
    (token.capital && (led || dated)).then_some(month)
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

/// `02:00`, `10am`, `2 pm`, `half past six`, `ten in the evening`, `Friday afternoon`.
fn clock(tokens: &[Token], at: usize) -> Option<((u32, u32), usize)> {
    let token = tokens.get(at)?;
    if let Some(part) = part_of_day(&token.lower) {
        // "Good morning" and "the morning shift" are no times.
        let free = tokens
            .get(at + 1)
            .is_none_or(|next| next.kind != Kind::Word || super::clause::is_stop(&next.lower));
        return free.then_some((part, at + 1));
    }
    if token.is("half") && tokens.get(at + 1).is_some_and(|next| next.is("past")) {
        let hour = number::read(tokens, at + 2)?;
        return Some((exact(tokens, hour.value, 30.0, hour.end)?, hour.end));
    }
    let text = token.lower.as_str();
    if text.contains(':') {
        let (hours, minutes) = text.split_once(':')?;
        let minutes = minutes.trim_end_matches(|next: char| next.is_ascii_alphabetic());
        let late = text.ends_with("pm");
        let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
        let half = late || tokens.get(at + 1).is_some_and(|next| next.any(&["pm", "p.m"]));
        let end = if half && !late { at + 2 } else { at + 1 };
        let hours = if half { hours % 12 + 12 } else { hours };
        return (hours <= 24 && minutes < 60)
            .then_some(((hours * 60 + minutes, hours * 60 + minutes), end));
    }
    let (value, suffix, end) = match number::read(tokens, at) {
        Some(hour) if !hour.share => (hour.value, hour.suffix, hour.end),
        _ => return None,
    };
    let next = tokens.get(end);
    let half = match suffix.as_str() {
        "am" => Some((0.0, end)),
        "pm" => Some((12.0, end)),
        "" => next.and_then(|next| match next.lower.as_str() {
            "am" | "a.m" => Some((0.0, end + 1)),
            "pm" | "p.m" => Some((12.0, end + 1)),
            "o'clock" | "uhr" => Some((-1.0, end + 1)),
            _ => None,
        }),
        _ => None,
    };
    if let Some((half, end)) = half {
        let value = if half < 0.0 { value } else { value % 12.0 + half };
        return Some((exact(tokens, value, 0.0, end)?, end));
    }
    // "until ten in the evening", "opens at six".
    let led = at.checked_sub(1).is_some_and(|before| {
        tokens[before].any(&["at", "until", "till", "by", "before", "after", "from", "um", "às"])
    });
    let free = suffix.is_empty()
        && next
            .is_none_or(|next| next.kind == Kind::Mark || next.any(&["in", "on", "and", "every"]));
    let in_the = next.is_some_and(|next| next.is("in"))
        && tokens.get(end + 2).is_some_and(|part| part_of_day(&part.lower).is_some());
    let hour = led && free && value.fract() == 0.0 && (1.0..=12.0).contains(&value);
    let of_day = next.is_none_or(|next| !next.any(&["%", "€", "$", "°"]));
    (hour && of_day).then(|| {
        let end = if in_the { end + 3 } else { end };
        exact(tokens, value, 0.0, end).map(|clock| (clock, end))
    })?
}

/// The minute of the day; an hour of the evening counts from noon.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 24 hours")]
fn exact(tokens: &[Token], hours: f64, minutes: f64, end: usize) -> Option<(u32, u32)> {
    if !(0.0..=24.0).contains(&hours) {
        return None;
    }
    let evening = end.checked_sub(1).and_then(|last| tokens.get(last));
    let evening = evening.is_some_and(|part| part.any(&["evening", "afternoon"]));
    let hours = if evening && hours < 12.0 { hours + 12.0 } else { hours };
    let at = (hours * 60.0 + minutes) as u32;
    Some((at, at))
}

/// A bare year. A number with a unit or a currency beside it is none.
fn year(tokens: &[Token], at: usize) -> Option<u32> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Number)?;
    let year: u32 = token.lower.parse().ok().filter(|year| (1950..=2100).contains(year))?;
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let led = before.is_none_or(|word| {
        word.kind == Kind::Number
            || month_word(&word.lower).is_some()
            || quarter(&word.lower).is_some()
            || season(&word.lower).is_some()
            || word.any(&["in", "by", "for", "of", "since", "until", "before", "after", "from"])
            || word.any(&["during", "to", "end", "early", "late", "mid", ",", "fiscal", "year"])
            || word.any(&["seit", "em", "desde", "or", "de"])
    });
    let counted = tokens.get(at + 1).is_some_and(|next| {
        // "in 2025 revenue grew" against "in 2000 stores".
        let plural = next.lower.ends_with('s') || !before.is_some_and(|word| word.is("in"));
        next.kind == Kind::Word && !super::clause::is_stop(&next.lower) && plural && !next.capital
    });
    // "the 2023 tax return"
    let named = before.is_some_and(|word| word.any(&["the", "our", "my", "this"]))
        && tokens
            .get(at + 1)
            .is_some_and(|next| next.kind == Kind::Word && !next.lower.ends_with('s'));
    ((led && !counted) || named).then_some(year)
}
