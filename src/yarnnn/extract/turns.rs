//! Splits a transcript into turns by speaker.
//!
//! Reads labels at the start of lines (`User:`, `**You**`, `### Assistant`), JSON messages, and the
//! names of people who speak more than once (`Dr. Lee:`, `[18:02] Jo:`). A text without any is one
//! turn without a speaker. Knows nothing of sentences.

use super::{messages, speakers};
use crate::model::{ByteSpan, Speaker};

/// A turn of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The speaker.
    pub speaker: Speaker,
    /// Bytes of the text, without the label and surrounding space.
    pub span: ByteSpan,
    /// Whether the bytes are the inside of a JSON string, with its escapes.
    pub escaped: bool,
    /// The name of the person who speaks, where the text has one.
    pub name: Option<ByteSpan>,
}

/// The speaker that a label names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Said(Speaker),
    /// A system prompt or a tool's output: ignored.
    Machine,
}

struct Label {
    /// Where its line begins.
    line: usize,
    /// Where the words begin.
    words: usize,
    who: Who,
    /// Whether the label alone shows that the text is a transcript.
    sure: bool,
}

/// Names of speakers. Ambiguous names also start lines of plain notes (`Model: T5`).
const NAMES: &[(&str, Who, bool)] = &[
    ("agent", Who::Said(Speaker::Assistant), false),
    ("ai", Who::Said(Speaker::Assistant), false),
    ("assistant", Who::Said(Speaker::Assistant), true),
    ("assistent", Who::Said(Speaker::Assistant), true),
    ("assistente", Who::Said(Speaker::Assistant), true),
    ("benutzer", Who::Said(Speaker::User), true),
    ("bot", Who::Said(Speaker::Assistant), false),
    ("chatbot", Who::Said(Speaker::Assistant), true),
    ("chatgpt", Who::Said(Speaker::Assistant), true),
    ("claude", Who::Said(Speaker::Assistant), true),
    ("copilot", Who::Said(Speaker::Assistant), true),
    ("developer", Who::Machine, false),
    ("du", Who::Said(Speaker::User), false),
    ("eu", Who::Said(Speaker::User), false),
    ("function", Who::Machine, false),
    ("gemini", Who::Said(Speaker::Assistant), true),
    ("gpt", Who::Said(Speaker::Assistant), true),
    ("human", Who::Said(Speaker::User), true),
    ("ia", Who::Said(Speaker::Assistant), false),
    ("ich", Who::Said(Speaker::User), false),
    ("ki", Who::Said(Speaker::Assistant), false),
    ("me", Who::Said(Speaker::User), false),
    ("model", Who::Said(Speaker::Assistant), false),
    ("nutzer", Who::Said(Speaker::User), true),
    ("nutzerin", Who::Said(Speaker::User), true),
    ("system", Who::Machine, false),
    ("tool", Who::Machine, false),
    ("user", Who::Said(Speaker::User), true),
    ("utilizador", Who::Said(Speaker::User), true),
    ("you", Who::Said(Speaker::User), true),
];

/// The turns of a text, in order. System prompts and outputs of tools are left out.
pub fn turns(text: &str) -> Vec<Turn> {
    if let Some(turns) = messages::turns(text) {
        return turns;
    }
    let labels = labels(text);
    if labels.is_empty() {
        return speakers::turns(text);
    }
    let first = labels.first().map_or(text.len(), |label| label.line);
    let mut turns: Vec<Turn> = Vec::new();
    turns.extend(turn(text, 0, first, Speaker::Unknown));
    for (index, label) in labels.iter().enumerate() {
        let end = labels.get(index + 1).map_or(text.len(), |next| next.line);
        if let Who::Said(speaker) = label.who {
            turns.extend(turn(text, label.words, end, speaker));
        }
    }
    turns
}

/// The speaker of a role or label.
pub(super) fn who(name: &str) -> Option<(Who, bool)> {
    let known = NAMES.binary_search_by(|(known, ..)| (*known).cmp(name)).ok()?;
    NAMES.get(known).map(|(_, who, sure)| (*who, *sure))
}

/// A turn without space around; none when nothing is left.
pub(super) fn turn(text: &str, start: usize, end: usize, speaker: Speaker) -> Option<Turn> {
    let said = &text[start..end];
    let words = said.trim();
    let start = start + (said.len() - said.trim_start().len());
    let span = ByteSpan { start, end: start + words.len() };
    (!words.is_empty()).then_some(Turn { speaker, span, escaped: false, name: None })
}

fn labels(text: &str) -> Vec<Label> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if let Some((length, who, sure)) = label(line).filter(|_| !fenced) {
            found.push(Label { line: at, words: at + length, who, sure });
        }
        at += line.len();
    }
    let says = |speaker| found.iter().any(|label: &Label| label.who == Who::Said(speaker));
    let both = says(Speaker::User) && says(Speaker::Assistant);
    if !both && !found.iter().any(|label| label.sure) {
        found.clear();
    }
    found
}

/// The label at the start of a line: how long it is and whose words follow.
fn label(line: &str) -> Option<(usize, Who, bool)> {
    let mut rest = line.trim_start();
    // `[10:32]` before the name.
    if let Some(inside) = rest
        .strip_prefix('[')
        .filter(|inside| inside.starts_with(|first: char| first.is_ascii_digit()))
    {
        rest = inside.split_once(']').filter(|(time, _)| time.len() <= 30)?.1.trim_start();
    }
    let heading = rest.starts_with('#');
    rest = rest.trim_start_matches('#').trim_start();
    let bold = rest.starts_with("**") || rest.starts_with("__");
    let opened = rest.trim_start_matches(['*', '_', '[']);
    let bracket = rest.starts_with('[');
    let length = opened.bytes().take_while(u8::is_ascii_alphabetic).count();
    if length > 10 {
        return None;
    }
    let (who, sure) = who(&opened[..length].to_ascii_lowercase())?;
    rest = &opened[length..];
    rest = rest.strip_prefix(" said").unwrap_or(rest);
    // `User (10:32):`
    if let Some((inside, after)) = rest.strip_prefix(" (").and_then(|rest| rest.split_once(')'))
        && inside.len() <= 30
    {
        rest = after;
    }
    let before = rest;
    rest = rest.trim_start_matches(['*', '_', ']', ':', ' ']);
    let closing = &before[..before.len() - rest.len()];
    let alone =
        rest.trim().is_empty() && (bold && closing.contains(['*', '_']) || heading || bracket);
    (closing.contains(':') || alone).then_some((
        line.len() - rest.len(),
        who,
        sure || heading || bold,
    ))
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted_by_key(|(name, ..)| *name));
    }
}
