//! Words of units: periods, number words, magnitudes, currencies, measures. Tables only.

use super::quantity::Unit;

/// Times per year of a word such as `daily`.
pub(super) fn adverb(word: &str) -> Option<f64> {
    Some(match word {
        "hourly" => 8766.0,
        "daily" | "nightly" => 365.25,
        "weekly" => 52.18,
        "biweekly" | "fortnightly" => 26.09,
        "monthly" => 12.0,
        "quarterly" => 4.0,
        "yearly" | "annually" => 1.0,
        _ => return None,
    })
}

/// How many such periods make a year.
pub(super) fn per_year(word: &str) -> Option<f64> {
    Some(match word {
        "second" | "seconds" => 31_557_600.0,
        "minute" | "minutes" => 525_960.0,
        "hour" | "hours" => 8766.0,
        "day" | "days" | "night" | "nights" | "morning" | "evening" => 365.25,
        "week" | "weeks" => 52.18,
        "month" | "months" => 12.0,
        "quarter" | "quarters" => 4.0,
        "year" | "years" | "annum" => 1.0,
        _ => return None,
    })
}

/// A number word.
pub(super) fn word_number(word: &str) -> Option<f64> {
    const SMALL: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    if let Some(value) = SMALL.iter().position(|name| *name == word) {
        return u32::try_from(value).ok().map(f64::from);
    }
    Some(match word {
        "fifteen" => 15.0,
        "twenty" => 20.0,
        "thirty" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "ninety" => 90.0,
        "hundred" => 100.0,
        "dozen" => 12.0,
        _ => return None,
    })
}

/// What a number is multiplied by.
pub(super) fn magnitude(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" => 1e3,
        "m" | "mn" | "mio" | "million" => 1e6,
        "bn" | "b" | "billion" => 1e9,
        "hundred" => 100.0,
        _ => return None,
    })
}

/// The code of a currency.
pub(super) fn currency(word: &str) -> Option<&'static str> {
    Some(match word {
        "$" | "usd" | "dollar" | "dollars" => "USD",
        "€" | "eur" | "euro" | "euros" => "EUR",
        "£" | "gbp" | "pounds" => "GBP",
        "¥" | "yen" | "jpy" => "JPY",
        "chf" | "francs" => "CHF",
        _ => return None,
    })
}

/// A unit of measure and what one of it is worth.
pub(super) fn measure(word: &str) -> Option<(Unit, f64)> {
    let data = |power: i32| Some((Unit::Data, 1000_f64.powi(power)));
    let time = |seconds: f64| Some((Unit::Time, seconds));
    match word {
        "%" | "percent" | "pct" => Some((Unit::Percent, 1.0)),
        "ms" | "millisecond" | "milliseconds" => time(1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" => time(1.0),
        "min" | "mins" | "minute" | "minutes" => time(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => time(3600.0),
        "d" | "day" | "days" | "night" | "nights" => time(86_400.0),
        "week" | "weeks" => time(604_800.0),
        "month" | "months" => time(2_629_800.0),
        "quarter" | "quarters" => time(7_889_400.0),
        "year" | "years" => time(31_557_600.0),
        "kb" | "kib" | "kilobytes" => data(1),
        "mb" | "mib" | "megabytes" => data(2),
        "gb" | "gib" | "gigabytes" => data(3),
        "tb" | "tib" | "terabytes" => data(4),
        _ => None,
    }
}
