//! Numbers with units, dates, owners and urgency in a sentence.
//!
//! What is found becomes a block's metadata: `value` and `unit`, `due`, `owner`, `priority`,
//! `severity`, `speaker`, `hedged`.

use std::collections::BTreeMap;

use super::classify::Reading;
use super::cues::{Mark, starts};
use super::words::{Word, dated, stop};
use crate::model::{SemanticType, Speaker};

/// A number and what it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Measure {
    pub(super) value: String,
    pub(super) unit: String,
}

const UNITS: &[&str] = &[
    "accounts",
    "anos",
    "b",
    "bn",
    "clients",
    "cm",
    "companies",
    "customers",
    "day",
    "days",
    "deals",
    "developers",
    "dias",
    "dollars",
    "downloads",
    "employees",
    "engineers",
    "eur",
    "euro",
    "euros",
    "fps",
    "g",
    "gb",
    "gbp",
    "grad",
    "h",
    "ha",
    "horas",
    "hour",
    "hours",
    "hr",
    "hrs",
    "iu",
    "jahre",
    "jahren",
    "k",
    "kb",
    "kg",
    "kilo",
    "km",
    "km2",
    "kmh",
    "kpa",
    "kunden",
    "kv",
    "kva",
    "kw",
    "kwh",
    "kwp",
    "l",
    "leads",
    "licenses",
    "liter",
    "liters",
    "litre",
    "litres",
    "litros",
    "m",
    "mah",
    "mb",
    "mbar",
    "meses",
    "metros",
    "mg",
    "min",
    "mins",
    "minute",
    "minuten",
    "minutes",
    "mio",
    "ml",
    "mm",
    "monate",
    "monaten",
    "month",
    "months",
    "ms",
    "mt",
    "mw",
    "mwh",
    "m²",
    "m³",
    "nm",
    "orders",
    "pages",
    "people",
    "percent",
    "personen",
    "pessoas",
    "points",
    "pounds",
    "ppl",
    "ppm",
    "prozent",
    "páginas",
    "qm",
    "qps",
    "queries",
    "reais",
    "requests",
    "rows",
    "rps",
    "s",
    "seats",
    "sec",
    "second",
    "seconds",
    "seiten",
    "semanas",
    "sessions",
    "signups",
    "stunden",
    "stück",
    "subscribers",
    "t",
    "tage",
    "tagen",
    "tb",
    "tbsp",
    "teams",
    "tickets",
    "tokens",
    "tonnes",
    "transactions",
    "tsp",
    "unidades",
    "usd",
    "users",
    "v",
    "visitors",
    "visits",
    "w",
    "watts",
    "week",
    "weeks",
    "wochen",
    "x",
    "year",
    "years",
    "µg",
    "º",
    "μg",
];

/// Verbs after `will` or at the start of a task.
const DEEDS: &[&str] = &[
    "add",
    "ask",
    "assign",
    "book",
    "build",
    "buy",
    "call",
    "cancel",
    "check",
    "clean",
    "close",
    "collect",
    "confirm",
    "contact",
    "create",
    "define",
    "delete",
    "deliver",
    "deploy",
    "design",
    "document",
    "draft",
    "email",
    "ensure",
    "file",
    "finish",
    "fix",
    "follow",
    "get",
    "handle",
    "hire",
    "implement",
    "install",
    "interview",
    "investigate",
    "invite",
    "lead",
    "look",
    "measure",
    "meet",
    "merge",
    "migrate",
    "move",
    "order",
    "organise",
    "organize",
    "own",
    "plan",
    "prepare",
    "present",
    "publish",
    "raise",
    "reach",
    "release",
    "remove",
    "rename",
    "renew",
    "replace",
    "research",
    "review",
    "rewrite",
    "run",
    "schedule",
    "send",
    "set",
    "setup",
    "share",
    "ship",
    "sign",
    "split",
    "start",
    "submit",
    "switch",
    "talk",
    "test",
    "train",
    "update",
    "upgrade",
    "upload",
    "verify",
    "write",
];

/// The first number with a unit, a percent sign or a currency.
pub(super) fn measure(text: &str, words: &[Word<'_>]) -> Option<Measure> {
    words.iter().enumerate().find_map(|(at, word)| {
        let sign = word.text.chars().next().filter(|sign| "$€£¥".contains(*sign));
        let number = word.text.trim_start_matches(['$', '€', '£', '¥']);
        let bare = number.trim_start_matches(['-', '+']);
        let digits = bare
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
            .count();
        if digits == 0 {
            return None;
        }
        let number = &number[..number.len() - bare.len() + digits];
        let next = words.get(at + 1).map_or("", |word| word.text.as_ref());
        let large =
            matches!(next, "hundred" | "thousand" | "million" | "billion" | "k" | "m" | "bn");
        let value = if large { format!("{number} {next}") } else { number.to_owned() };
        let after = words.get(at + 1 + usize::from(large)).map_or("", |word| word.text.as_ref());
        let after_sign = sign_after(&text[word.end..]);
        let unit = match (sign, &bare[digits..]) {
            (Some(sign), scale) => {
                return Some(Measure { value: format!("{value}{scale}"), unit: sign.to_string() });
            }
            (None, "") if known(after) => after,
            (None, "") if after_sign.is_some() => after_sign?,
            (None, "") if large => "",
            (None, "%") => "%",
            (None, suffix) if known(suffix) => suffix,
            _ => return None,
        };
        Some(Measure { value, unit: unit.to_owned() })
    })
}

/// A currency or a degree right after a number.
fn sign_after(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let sign = rest.chars().next().filter(|sign| "€$£%°".contains(*sign))?;
    rest.get(..sign.len_utf8())
}

fn known(unit: &str) -> bool {
    UNITS.binary_search(&unit).is_ok()
}

/// Whether the word is such a verb.
pub(super) fn deed(word: &str) -> bool {
    DEEDS.binary_search(&word).is_ok()
}

/// The first date, as written.
pub(super) fn date<'a>(text: &'a str, words: &[Word<'_>]) -> Option<&'a str> {
    (0..words.len()).find_map(|at| {
        let length = date_at(&words[at..], text)?;
        text.get(words[at].start..words[at + length - 1].end)
    })
}

/// How many words from here are a date.
fn date_at(words: &[Word<'_>], text: &str) -> Option<usize> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_ref());
    let number = |at: usize, longest: usize| {
        let digits = word(at).trim_end_matches(|found: char| found.is_ascii_alphabetic());
        !digits.is_empty() && digits.len() <= longest && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let month = |at: usize| dated(word(at)) && !word(at).ends_with("day") && word(at) != "tomorrow";
    let (first, second) = (words.first()?, words.get(1));
    let dashed = second.is_some_and(|second| &text[first.end..second.start] == "-");
    match word(0) {
        "tomorrow" | "eod" | "eow" => Some(1),
        "next" | "this" if matches!(word(1), "week" | "month" | "quarter" | "year") => Some(2),
        "end" if word(1) == "of" => Some(if word(2) == "the" { 4 } else { 3 }.min(words.len())),
        "q1" | "q2" | "q3" | "q4" => Some(if number(1, 4) { 2 } else { 1 }),
        weekday if dated(weekday) && weekday.ends_with("day") => Some(1),
        year if dashed && year.len() == 4 && number(0, 4) && number(1, 2) => {
            Some(if number(2, 2) { 3 } else { 2 })
        }
        _ if month(0) && number(1, 4) => {
            Some(if number(2, 4) && word(2).len() == 4 { 3 } else { 2 })
        }
        _ if number(0, 2) && month(1) => Some(if number(2, 4) { 3 } else { 2 }),
        _ => None,
    }
}

/// Who is to do it: a name before the verb, after `assigned to` or `owner`, or with an `@`.
pub(super) fn owner(text: &str, words: &[Word<'_>], speaker: Speaker) -> Option<String> {
    let named = |word: &Word<'_>| {
        let spelled = &text[word.start..word.end];
        let capital = spelled.chars().next().is_some_and(char::is_uppercase);
        (capital && !stop(&word.text) && !dated(&word.text)).then(|| spelled.to_owned())
    };
    for (at, word) in words.iter().enumerate() {
        let rest = &words[at..];
        if text[..word.start].ends_with('@') {
            return Some(text[word.start..word.end].to_owned());
        }
        for phrase in [&["assigned", "to"][..], &["owned", "by"], &["owner", "is"], &["owner"]] {
            if starts(rest, phrase)
                && let Some(name) = rest.get(phrase.len()).and_then(named)
            {
                return Some(name);
            }
        }
    }
    match words {
        [first, second, third, ..] => {
            let acts = match second.text.as_ref() {
                "will" => deed(&third.text),
                "needs" | "has" => third.text == "to",
                "to" => deed(&third.text),
                "is" => third.text == "responsible",
                "owns" | "should" => true,
                _ => false,
            };
            let first_person = |word: &Word<'_>| matches!(word.text.as_ref(), "i" | "i'll" | "i'm");
            let me = first_person(first);
            // `Tom: I'll …`
            let labelled = text[first.end..second.start].starts_with(':') && first_person(second);
            match speaker {
                _ if labelled => named(first),
                Speaker::User if me => Some("user".to_owned()),
                _ if acts => named(first),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The metadata of a block.
pub(super) fn metadata(
    reading: &Reading,
    text: &str,
    words: &[Word<'_>],
    speaker: Speaker,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let measured = measure(text, words);
    let mut put = |name: &str, value: String| found.insert(name.to_owned(), value);
    match speaker {
        Speaker::User => put("speaker", "user".to_owned()),
        Speaker::Assistant => put("speaker", "assistant".to_owned()),
        Speaker::Unknown => None,
    };
    if let Some(measure) = measured {
        put("value", measure.value);
        if !measure.unit.is_empty() {
            put("unit", measure.unit);
        }
    }
    if reading.has(Mark::Hedge) {
        put("hedged", "true".to_owned());
    }
    match reading.kind {
        SemanticType::Constraint => {
            let hard = reading.has(Mark::Hard);
            put("severity", if hard { "hard" } else { "soft" }.to_owned());
        }
        SemanticType::Action => {
            if let Some(owner) = owner(text, words, speaker) {
                put("owner", owner);
            }
            if reading.has(Mark::Urgent) {
                put("priority", "high".to_owned());
            }
        }
        _ => {}
    }
    if let Some(date) = date(text, words) {
        put(if reading.kind == SemanticType::Action { "due" } else { "date" }, date.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{DEEDS, UNITS};

    #[test]
    fn tables_are_sorted() {
        assert!([DEEDS, UNITS].iter().all(|table| table.is_sorted()));
    }
}
