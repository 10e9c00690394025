//! Turns of people who are named at the start of their lines: `Dr. Lee:`, `[18:02] Jo:`.
//!
//! A label counts if it begins at least two lines; a single one may be a caption (`Decision:`).

use std::collections::HashMap;

use super::turns::{Turn, turn};
use crate::model::{ByteSpan, Speaker};

/// The longest name, in bytes.
const LONGEST: usize = 40;

/// Words that begin several lines without being names.
const CAPTIONS: &[&str] = &[
    "achtung",
    "action",
    "an",
    "answer",
    "antwort",
    "aufgabe",
    "bcc",
    "beschluss",
    "betreff",
    "cc",
    "data",
    "date",
    "datum",
    "de",
    "decision",
    "decisão",
    "entscheidung",
    "example",
    "fact",
    "fix",
    "frage",
    "from",
    "goal",
    "hinweis",
    "info",
    "link",
    "metric",
    "nota",
    "note",
    "notiz",
    "obs",
    "para",
    "pergunta",
    "problem",
    "problema",
    "ps",
    "question",
    "resposta",
    "risk",
    "subject",
    "tarefa",
    "termin",
    "to",
    "todo",
    "top",
    "update",
    "von",
    "warning",
    "wichtig",
];

/// The turns of a text; the whole text is one if nobody is named twice.
pub(super) fn turns(text: &str) -> Vec<Turn> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, label) in labels(text) {
        *counts.entry(label.name).or_default() += 1;
    }
    let found: Vec<(usize, Label<'_>)> = labels(text)
        .filter(|(_, label)| counts.get(label.name).is_some_and(|count| *count >= 2))
        .collect();
    let first = found.first().map_or(text.len(), |(at, _)| *at);
    let mut turns: Vec<Turn> = turn(text, 0, first, Speaker::Unknown).into_iter().collect();
    for (index, (at, label)) in found.iter().enumerate() {
        let end = found.get(index + 1).map_or(text.len(), |(next, _)| *next);
        let start = at + label.start;
        let name = Some(ByteSpan { start, end: start + label.name.len() });
        let said = turn(text, at + label.length, end, Speaker::Unknown);
        turns.extend(said.map(|turn| Turn { name, ..turn }));
    }
    turns
}

struct Label<'a> {
    name: &'a str,
    /// Where in the line the name begins, and the words after it.
    start: usize,
    length: usize,
}

/// Every label with where its line begins. Code has none.
fn labels(text: &str) -> impl Iterator<Item = (usize, Label<'_>)> {
    let mut at = 0;
    let mut fenced = false;
    text.split_inclusive('\n').filter_map(move |line| {
        let from = at;
        at += line.len();
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced { None } else { label(line).map(|label| (from, label)) }
    })
}

fn label(line: &str) -> Option<Label<'_>> {
    let timed = past_time(line.trim_start());
    let rest = timed.trim_start_matches('*');
    // The colon is near, or there is none: a long line is not searched.
    let head = &rest[..rest.floor_char_boundary(LONGEST + 40)];
    let colon = head.find(':')?;
    let after = rest[colon + 1..].trim_start_matches('*');
    let name = head[..colon].trim_end_matches('*');
    let name = name.split_once(" (").map_or(name, |(name, _)| name);
    let has_time = timed.len() < line.trim_start().len();
    let ends = after.is_empty() || after.starts_with(char::is_whitespace);
    let spelled = name.chars().all(|one| one.is_alphanumeric() || " .'’-_&".contains(one));
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    let few = (1..=4).contains(&name.split(' ').count());
    let caption = CAPTIONS.binary_search(&name.to_lowercase().as_str()).is_ok();
    let people = ends && spelled && few && !caption && name.len() <= LONGEST;
    (people && (capital || has_time && name.starts_with(char::is_alphabetic))).then(|| {
        let words = after.trim_start_matches([' ', '\t']);
        Label { name, start: line.len() - rest.len(), length: line.len() - words.len() }
    })
}

/// A line without the time that it begins with: `[18:02] `, `18:02 - `, `12.03.25, 18:02 - `.
fn past_time(line: &str) -> &str {
    let rest =
        line.trim_start_matches(|one: char| one.is_ascii_digit() || "[(.:/,- –".contains(one));
    let time = &line[..line.len() - rest.len()];
    let rest =
        rest.strip_prefix([']', ')']).map_or(rest, |rest| rest.trim_start_matches([' ', '-']));
    let timed = time.contains(':') && time.bytes().filter(u8::is_ascii_digit).count() >= 3;
    if timed { rest } else { line }
}

#[cfg(test)]
mod tests {
    use super::CAPTIONS;

    #[test]
    fn captions_are_sorted() {
        assert!(CAPTIONS.is_sorted());
    }
}
