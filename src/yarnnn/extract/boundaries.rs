//! Where a sentence ends, and where a passage without punctuation can be cut.
//!
//! A full stop after an abbreviation, an initial or an ordinal (`12. März`, `art. 53`) ends
//! nothing. Knows the abbreviations of English, German and Portuguese.

use super::words::{dated, words};
use crate::model::ByteSpan;

/// The longest sentence in bytes; what is longer is cut between words.
pub(super) const LONGEST: usize = 400;
/// A passage this long with hardly any punctuation is dictated, and is cut at connectives.
const DICTATED: usize = 160;
/// The shortest piece of a dictated passage.
const PIECE: usize = 55;

/// Words with a capital whose full stop never ends a sentence.
const TITLES: &[&str] = &[
    "Abs", "Adm", "Art", "Av", "Capt", "Col", "Dipl", "Dr", "Dra", "Eng", "Exma", "Exmo", "Fa",
    "Fig", "Fr", "Gen", "Gov", "Hon", "Hr", "Ing", "Lt", "Messrs", "Mr", "Mrs", "Ms", "Mt", "Prof",
    "Profa", "Rep", "Rev", "Sen", "Sgt", "Sr", "Sra", "Srta", "St",
];

/// Words whose full stop ends a sentence only before a capital.
const ABBREVIATIONS: &[&str] = &[
    "abs", "abzgl", "al", "alt", "approx", "apr", "aprox", "art", "assoc", "aug", "ausf", "av",
    "ave", "bzgl", "bzw", "ca", "cap", "cf", "cl", "co", "corp", "dept", "dez", "dt", "eg", "eq",
    "esp", "est", "etc", "etw", "evtl", "ex", "exc", "excl", "exkl", "feb", "fig", "fl", "geb",
    "gegr", "ggf", "gr", "hrs", "ie", "inc", "incl", "ing", "inkl", "jan", "jr", "kl", "lt", "ltd",
    "max", "min", "mind", "mio", "misc", "mrd", "máx", "mín", "nov", "nr", "nº", "obs", "oct",
    "okt", "op", "p", "pag", "pp", "prev", "pt", "pág", "págs", "resp", "s", "sec", "sep", "sept",
    "set", "sog", "sr", "std", "str", "tab", "tb", "tel", "u", "usw", "verh", "vgl", "vit", "vol",
    "vs", "ziff", "zzgl", "ä",
];

/// Abbreviations that what they belong to follows with a capital too: `ca. Mitte`, `Nr. A7`.
const OPEN: &[&str] = &[
    "abs", "abzgl", "approx", "aprox", "art", "bzgl", "bzw", "ca", "cl", "evtl", "exkl", "fig",
    "ggf", "inkl", "lt", "max", "min", "mind", "máx", "mín", "nr", "nº", "pag", "prev", "pt",
    "pág", "sog", "tel", "vgl", "vit", "vs", "ziff", "zzgl",
];

/// Words before an ordinal: `am 3. Advent`.
const BEFORE_ORDINALS: &[&str] = &[
    "ab", "am", "beim", "bis", "das", "dem", "den", "der", "des", "die", "diesem", "dieser", "im",
    "jede", "jeden", "jeder", "nach", "seit", "unser", "unsere", "vom", "vor", "zum", "zur",
];

/// Words after which a single letter is a name, not an initial (`Plan B.`).
const LETTERED: &[&str] = &[
    "appendix", "class", "grade", "group", "option", "phase", "plan", "section", "series", "type",
];

/// Words that may begin a new piece of a dictated passage.
const CONNECTIVES: &[&str] = &[
    "aber",
    "also",
    "and",
    "anyway",
    "außerdem",
    "aí",
    "because",
    "but",
    "dann",
    "depois",
    "e",
    "então",
    "mas",
    "oh",
    "plus",
    "so",
    "then",
    "und",
    "weil",
];

/// The sentences of a passage, in order, without space around.
pub(super) fn split(passage: &str) -> Vec<ByteSpan> {
    let mut found: Vec<ByteSpan> = Vec::new();
    let listed = passage.matches(';').count() >= 2;
    let mut start = 0;
    while start < passage.len() {
        let length = sentence(&passage[start..], listed);
        let piece = &passage[start..start + length];
        let from = start + (piece.len() - piece.trim_start().len());
        let span = ByteSpan { start: from, end: from + piece.trim().len() };
        start += length;
        if span.start == span.end {
            continue;
        }
        match found.as_mut_slice() {
            [only] if leads_in(&passage[only.start..only.end]) && span.end <= LONGEST => {
                only.end = span.end;
            }
            _ => found.push(span),
        }
    }
    found.into_iter().flat_map(|span| dictated(passage, span)).collect()
}

/// Whether a sentence only names the part that the next one is about: `Clause 2 (Term).`
fn leads_in(sentence: &str) -> bool {
    sentence.ends_with('.')
        && sentence.starts_with(char::is_uppercase)
        && sentence.contains(|found: char| found.is_ascii_digit())
        && sentence.split_whitespace().count() <= 4
        && sentence
            .split_whitespace()
            .nth(1)
            .is_some_and(|second| second.starts_with(|found: char| found.is_ascii_digit()))
}

/// The pieces of a long passage with hardly any punctuation, as dictation gives.
fn dictated(passage: &str, span: ByteSpan) -> Vec<ByteSpan> {
    let text = &passage[span.start..span.end];
    let marks = text.matches([',', ';', ':', '.', '–', '—', '(']).count();
    if text.len() < DICTATED || marks * 60 > text.len() {
        return vec![span];
    }
    let mut found = Vec::new();
    let mut from = span.start;
    for word in words(text) {
        let at = span.start + word.start;
        let long = at - from >= PIECE && span.end - at >= PIECE / 2;
        if long && CONNECTIVES.binary_search(&word.text.as_ref()).is_ok() {
            found.push(ByteSpan { start: from, end: from + passage[from..at].trim_end().len() });
            from = at;
        }
    }
    found.push(ByteSpan { start: from, end: span.end });
    found
}

/// How long the first sentence is, in bytes. At least one character. In a list (`listed`) a
/// semicolon ends one too.
fn sentence(text: &str, listed: bool) -> usize {
    let mut space = 0;
    for (at, found) in text.char_indices() {
        if found.is_whitespace() {
            space = at;
        }
        let after = &text[at + found.len_utf8()..];
        let end = match found {
            '.' | '…' | '!' | '?' => ends(&text[..at], found, after),
            '。' | '！' | '？' => Some(0),
            ';' if listed && after.starts_with(char::is_whitespace) => Some(0),
            _ => None,
        };
        if let Some(closing) = end {
            return at + found.len_utf8() + closing;
        }
        if at >= LONGEST {
            return if space > 0 { space } else { at + found.len_utf8() };
        }
    }
    text.len()
}

/// Whether a sentence ends with `mark`: how many bytes of quotes and brackets belong to it.
fn ends(before: &str, mark: char, after: &str) -> Option<usize> {
    // A run of marks longer than this is no punctuation; looking further would not be linear.
    let closers = after.chars().take(16).take_while(|found| "\"'”’“)]*_!?.»".contains(*found));
    let closing = closers.map(char::len_utf8).sum();
    let rest = &after[closing..];
    let next = match rest.chars().next() {
        None => return Some(closing),
        Some(space) if space.is_whitespace() => rest.trim_start(),
        Some(_) => return None,
    };
    let small = next.starts_with(char::is_lowercase);
    let dots = after.starts_with('.') || mark == '…' || before.ends_with('.');
    match mark {
        '!' | '?' => Some(closing),
        _ if dots => (!small).then_some(closing),
        _ => (!abbreviated(before, next)).then_some(closing),
    }
}

/// Whether the full stop between `before` and `next` belongs to the last word.
fn abbreviated(before: &str, next: &str) -> bool {
    let mut words = before.rsplit(|found: char| found.is_whitespace() || found == '(');
    let last = words.next().unwrap_or_default();
    let previous = words.next().unwrap_or_default().to_lowercase();
    let capital = next.starts_with(char::is_uppercase);
    let lower = last.to_lowercase();
    if TITLES.binary_search(&last).is_ok() {
        return true;
    }
    if ABBREVIATIONS.binary_search(&lower.as_str()).is_ok()
        || matches!(lower.as_str(), "a.m" | "p.m")
    {
        return !capital || OPEN.binary_search(&lower.as_str()).is_ok();
    }
    if lower == "no" {
        return next.starts_with(|found: char| found.is_ascii_digit());
    }
    if last.chars().count() == 1 && last.chars().all(char::is_alphabetic) {
        // An initial, unless it is the name of a thing (`Plan B.`).
        return last.chars().all(char::is_uppercase)
            && LETTERED.binary_search(&previous.as_str()).is_err();
    }
    ordinal(last, &previous, next)
        // `U.S.`, `e.g.`, `z.B.`
        || last.contains('.') && last.split('.').all(|part| part.chars().count() == 1)
}

/// Whether `last` is a number with a full stop that counts what follows: `12. März`, `2. Antrag`.
fn ordinal(last: &str, previous: &str, next: &str) -> bool {
    let digits = last.rsplit(|found: char| !found.is_ascii_digit()).next().unwrap_or_default();
    let counted = next.split(|found: char| !found.is_alphabetic()).next().unwrap_or_default();
    (1..=2).contains(&digits.len())
        && (next.starts_with(char::is_lowercase) && !previous.is_empty()
            || dated(&counted.to_lowercase())
            || BEFORE_ORDINALS.binary_search(&previous).is_ok() && !counted.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{ABBREVIATIONS, BEFORE_ORDINALS, CONNECTIVES, LETTERED, OPEN, TITLES};

    #[test]
    fn tables_are_sorted() {
        assert!([ABBREVIATIONS, OPEN, LETTERED, TITLES].iter().all(|table| table.is_sorted()));
        assert!([BEFORE_ORDINALS, CONNECTIVES].iter().all(|table| table.is_sorted()));
        assert!(OPEN.iter().all(|word| ABBREVIATIONS.contains(word)));
    }
}
