//! Redacts secrets in text before it is stored or shown.
//!
//! Families of secrets are recognised by how they begin. All beginnings are searched for at once; what
//! follows one is read forward only, so the time is linear in the text whatever it contains. Knows
//! nothing of panes or events. A guard, not a proof: a secret without a recognisable form is missed.

mod families;
mod painted;
mod readers;
mod shapes;
mod stream;
#[cfg(test)]
mod tests;
mod wrapped;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use families::FAMILIES;
pub use painted::Painted;
use shapes::Text;
pub use stream::{Cut, Settled, lines, settle};

/// Secrets that are found last and checked again.
const AHEAD: usize = 4;

/// Replacement of a secret.
pub const MARK: &str = "[REDACTED]";

/// Beginnings of secrets, and for each the family that it belongs to.
static BEGINNINGS: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let all = FAMILIES
        .iter()
        .enumerate()
        .flat_map(|(family, known)| known.beginnings.iter().map(move |text| (*text, family)));
    let (texts, owners): (Vec<&str>, Vec<usize>) = all.unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(texts);
    automaton.ok().map(|automaton| (automaton, owners))
});

/// Names of the families, sorted.
pub fn families() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        names.sort_unstable();
        names
    });
    &NAMES
}

/// The text with every secret replaced by [`MARK`]; the same text when there is none.
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, secrets(text))
}

/// The same for text that a terminal showed: a secret that continues in the next line because the
/// screen was too narrow for it is replaced with its rest.
pub fn redact_captured(text: &str) -> Cow<'_, str> {
    let mut all = secrets(text);
    if let Some(joined) = wrapped::Joined::guessed(text) {
        all.extend(joined.original(secrets(&joined.text)));
    }
    replaced(text, merged(all))
}

/// JSON text with secrets replaced in all its strings. What is no JSON is redacted as text.
pub fn redact_json(text: &str) -> Cow<'_, str> {
    fn clean(value: &mut serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => {
                let settled = stream::lines(text, None).text;
                let changed = settled != *text;
                *text = settled;
                changed
            }
            serde_json::Value::Array(items) => {
                items.iter_mut().fold(false, |changed, item| clean(item) | changed)
            }
            serde_json::Value::Object(members) => {
                members.values_mut().fold(false, |changed, member| clean(member) | changed)
            }
            _ => false,
        }
    }
    let Ok(mut value) = serde_json::from_str(text) else { return redact(text) };
    match clean(&mut value) {
        true => Cow::Owned(value.to_string()),
        false => Cow::Borrowed(text),
    }
}

fn replaced(text: &str, secrets: Vec<(usize, usize)>) -> Cow<'_, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in secrets {
        clean.push_str(&text[at..start]);
        clean.push_str(MARK);
        at = end;
    }
    clean.push_str(&text[at..]);
    Cow::Owned(clean)
}

/// Where secrets are: in order, not overlapping.
fn secrets(text: &str) -> Vec<(usize, usize)> {
    find(text, 0).secrets
}

/// What a text holds, as far as known without knowing what follows it.
struct Found {
    /// In order, not overlapping.
    secrets: Vec<(usize, usize)>,
    /// From here on more text could change the answer.
    open: usize,
    /// The same for secrets whose beginning is complete.
    begun: usize,
}

/// Searches for secrets that are announced at `from` or later.
fn find(text: &str, from: usize) -> Found {
    let open = text.len() - partial_beginning(text);
    let mut begun = text.len();
    // The automaton is built from constants; a test builds it.
    let Some((automaton, owners)) = BEGINNINGS.as_ref() else {
        return Found { secrets: Vec::new(), open, begun: text.len() };
    };
    let mut reader = Text::new(text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for hit in automaton.find_overlapping_iter(text) {
        // A secret may be found far ahead of what announces it; only what is inside of one is known.
        let known = |(start, end): &(usize, usize)| (*start..*end).contains(&hit.start());
        if hit.start() < from || found.iter().rev().take(AHEAD).any(known) {
            continue;
        }
        let family = &FAMILIES[owners[hit.pattern().as_usize()]];
        reader.begin(hit.start());
        let secret = (family.read)(&mut reader, hit.start(), hit.end());
        if let Some(begins) = reader.open() {
            begun = begun.min(secret.map_or(begins, |(start, _)| start.min(begins)));
        }
        found.extend(secret.filter(|secret| found.last() != Some(secret)));
    }
    // Two beginnings may lead to one secret; the one that began later can reach back.
    Found { secrets: merged(found), open: open.min(begun), begun }
}

/// Bytes at the end of a text that may be the first ones of a beginning which is part of its secret.
fn partial_beginning(text: &str) -> usize {
    let whole = FAMILIES.iter().filter(|family| family.whole).flat_map(|family| family.beginnings);
    let suffix = |beginning: &&str| {
        (1..beginning.len().min(text.len() + 1)).rev().find(|length| {
            let start = text.len() - length;
            let end = &text.as_bytes()[start..];
            let fresh = start == 0 || !shapes::name(text.as_bytes()[start - 1]);
            fresh && end.eq_ignore_ascii_case(&beginning.as_bytes()[..*length])
        })
    };
    whole.filter_map(suffix).max().unwrap_or(0)
}

/// In order, and those that touch as one.
fn merged(mut found: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    found.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::with_capacity(found.len());
    for (start, end) in found {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}
