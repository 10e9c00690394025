//! Takes secrets out of text before it is kept or shown.
//!
//! Fifteen families are known by how they begin. All beginnings are looked for at once; what
//! follows one is read forward only, so that the time is linear in the text whatever it holds.
//! Knows nothing of panes or events. A guard, not a proof: a secret that looks like nothing in
//! particular is not seen.

mod families;
mod shapes;
#[cfg(test)]
mod tests;
mod wrapped;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use families::FAMILIES;
use shapes::Text;

/// What stands where a secret was.
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

/// The same for text that a terminal showed: a secret that goes on in the next line because the
/// screen was too narrow for it is replaced with its rest.
pub fn redact_captured(text: &str) -> Cow<'_, str> {
    let mut all = secrets(text);
    all.extend(wrapped::secrets(text, secrets));
    replaced(text, merged(all))
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
    // The automaton is built from constants; a test builds it.
    let Some((automaton, owners)) = BEGINNINGS.as_ref() else { return Vec::new() };
    let mut reader = Text::new(text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut covered = 0;
    for hit in automaton.find_overlapping_iter(text) {
        if hit.start() < covered {
            continue;
        }
        let family = &FAMILIES[owners[hit.pattern().as_usize()]];
        if let Some((start, end)) = (family.read)(&mut reader, hit.start(), hit.end()) {
            covered = end;
            found.push((start, end));
        }
    }
    // Two beginnings may lead to one secret; the one that began later can reach back.
    merged(found)
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
