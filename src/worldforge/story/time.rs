//! In-world dates: which are comparable, and how much time lies between them.
//!
//! A date is an interval in a calendar, because `Day 3` has no hour. Dates of different calendars, and
//! free text, are never compared. Knows no node.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Larger numbers of days or years are no dates.
const MAX_COUNT: i64 = 1_000_000;

/// On which line a date lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Calendar {
    /// ISO 8601 dates and times.
    Iso,
    /// `Day 3`, `Night 3`, `Day 3, 14:30`.
    Days,
    /// `Year 3`.
    Years,
}

/// A date of the world that can be compared with others of its calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StoryTime {
    /// Its line.
    pub calendar: Calendar,
    /// First second.
    pub from: i64,
    /// First second after it; the same as `from` where the minute is known.
    pub until: i64,
}

impl StoryTime {
    /// Parses a date; `None` for text without one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        counted(text).or_else(|| iso(text))
    }

    /// Whether it ends before the other begins.
    pub(crate) fn before(&self, other: &Self) -> bool {
        self.calendar == other.calendar && self.until <= other.from && self.from < other.from
    }

    /// Whether both are the same minute.
    pub(crate) fn same_moment(&self, other: &Self) -> bool {
        self == other && self.exact()
    }

    /// Whether it is exact to the minute, not a day, a night or a year.
    pub(crate) fn exact(&self) -> bool {
        self.from == self.until
    }

    /// The longest time, in seconds, that can lie between this date and a later one.
    pub(crate) fn at_most_until(&self, later: &Self) -> Option<i64> {
        (self.calendar == later.calendar).then(|| (later.until - self.from).max(0))
    }
}

/// `Day 3`, `Noite 2`, `Year 410`, `Dia 3, 14:30`.
fn counted(text: &str) -> Option<StoryTime> {
    let mut words = text.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let (unit, count, clock, rest) = (words.next()?, words.next()?, words.next(), words.next());
    let count: i64 = count.parse().ok().filter(|count: &i64| count.abs() <= MAX_COUNT)?;
    let (calendar, from, length) = match unit.to_lowercase().as_str() {
        "day" | "dia" => (Calendar::Days, count * DAY, DAY),
        // A night begins on the evening of its day and ends on the next morning.
        "night" | "noite" => (Calendar::Days, count * DAY + 18 * HOUR, 12 * HOUR),
        "year" | "ano" => (Calendar::Years, count * YEAR, YEAR),
        _ => return None,
    };
    match (clock, rest) {
        (None, _) => Some(StoryTime { calendar, from, until: from + length }),
        (Some(clock), None) if length == DAY => {
            let at = from + seconds(clock)?;
            Some(StoryTime { calendar, from: at, until: at })
        }
        _ => None,
    }
}

/// `14:30`
fn seconds(clock: &str) -> Option<i64> {
    let (hours, minutes) = clock.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let valid = (0..24).contains(&hours) && (0..60).contains(&minutes);
    valid.then_some(hours * HOUR + minutes * MINUTE)
}

fn iso(text: &str) -> Option<StoryTime> {
    let calendar = Calendar::Iso;
    if text.contains(':') {
        let at = match text.parse::<Timestamp>() {
            Ok(at) => at,
            Err(_) => text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp(),
        };
        let at = at.as_second();
        return Some(StoryTime { calendar, from: at, until: at });
    }
    let midnight = |date: Date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second());
    let date: Date = text.parse().ok()?;
    let from = midnight(date)?;
    let until = date.checked_add(1.day()).ok().and_then(midnight).unwrap_or(from + DAY);
    Some(StoryTime { calendar, from, until })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> StoryTime {
        StoryTime::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn free_text_is_no_date() {
        for text in [
            "",
            "the night of the storm",
            "Day",
            "Day three",
            "Day 3 at noon",
            "Day 3 25:00",
            "Year 3 14:00",
            "2024-13-01",
            "2024-02-30",
            "Day 99999999999",
            "3",
        ] {
            assert_eq!(StoryTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_one_calendar_are_ordered() {
        for (earlier, later) in [
            ("Day 1", "Day 2"),
            ("dia 1", "Day 2 00:00"),
            ("Day 1, 08:00", "Day 1 08:01"),
            ("Night 1", "Day 3"),
            ("Ano 3", "year 4"),
            ("2024-05-03", "2024-05-04"),
            ("2024-05-03T10:00", "2024-05-03T10:30:00"),
            ("2024-05-03T10:00+02:00", "2024-05-03T09:00Z"),
            ("0012-01-01", "0013-01-01"),
        ] {
            assert!(at(earlier).before(&at(later)), "{earlier} {later}");
            assert!(!at(later).before(&at(earlier)), "{later} {earlier}");
        }
    }

    #[test]
    fn overlapping_dates_and_other_calendars_are_in_no_order() {
        for (one, other) in [
            ("Day 1", "Day 1"),
            ("Day 1", "Day 1 10:00"),
            ("Day 2", "Night 1"),
            ("Day 1", "Year 7"),
            ("Year 2024", "2024-05-03"),
            ("2024-05-03", "2024-05-03T10:00"),
        ] {
            assert!(!at(one).before(&at(other)), "{one} {other}");
            assert!(!at(other).before(&at(one)), "{other} {one}");
        }
    }

    #[test]
    fn only_a_minute_is_the_same_moment() {
        assert!(at("Day 1 10:00").same_moment(&at("Dia 1, 10:00")));
        assert!(!at("Day 1").same_moment(&at("Day 1")));
        assert!(!at("Day 1 10:00").same_moment(&at("Day 1 10:01")));
    }

    #[test]
    fn the_time_between_is_as_long_as_it_can_be() {
        let hours = |a: &str, b: &str| at(a).at_most_until(&at(b)).map(|seconds| seconds / HOUR);
        assert_eq!(hours("Day 1 10:00", "Day 1 12:00"), Some(2));
        assert_eq!(hours("Day 1", "Day 1"), Some(24));
        assert_eq!(hours("Day 1", "Day 2"), Some(48));
        assert_eq!(hours("Day 1 10:00", "Day 2"), Some(38));
        assert_eq!(hours("Day 9 10:00", "Day 2 10:00"), Some(0));
        assert_eq!(hours("Day 1", "Year 1"), None);
    }
}
