//! JSON transcripts: `{role, content}` messages, one after the other or in a list.
//!
//! Every turn points into the JSON text, so that spans refer to the original bytes.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::clean::{Builder, Cleaned};
use super::turns::{Turn, Who, who};
use crate::model::{ByteSpan, Speaker};

type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// The turns of a JSON transcript; none if the text is not one.
pub(super) fn turns(text: &str) -> Option<Vec<Turn>> {
    if !text.trim_start().starts_with(['[', '{']) {
        return None;
    }
    let mut turns = Vec::new();
    let mut messages = 0;
    for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        messages += value_turns(text, value.ok()?, &mut turns)?;
    }
    (messages > 0).then_some(turns)
}

/// Reads one top-level value; returns the number of messages in it.
fn value_turns(text: &str, value: &RawValue, turns: &mut Vec<Turn>) -> Option<usize> {
    if value.get().starts_with('[') {
        let messages: Vec<Fields<'_>> = serde_json::from_str(value.get()).ok()?;
        return messages.iter().map(|fields| message(text, fields, turns)).sum();
    }
    let fields: Fields<'_> = serde_json::from_str(value.get()).ok()?;
    match ["messages", "conversation", "turns"].iter().find_map(|name| fields.get(*name)) {
        Some(list) if list.get().starts_with('[') => value_turns(text, list, turns),
        _ => message(text, &fields, turns),
    }
}

/// Reads one message; none when it lacks a role or words.
fn message(text: &str, fields: &Fields<'_>, turns: &mut Vec<Turn>) -> Option<usize> {
    let one = |names: &[&str]| names.iter().find_map(|name| fields.get(*name)).copied();
    let role: String =
        serde_json::from_str(one(&["role", "speaker", "sender", "author"])?.get()).ok()?;
    let content = one(&["content", "text", "message"])?;
    let speaker = match who(&role.to_ascii_lowercase()) {
        Some((Who::Said(speaker), _)) => speaker,
        Some((Who::Machine, _)) => return Some(1),
        None => Speaker::Unknown,
    };
    if content.get().starts_with('[') {
        // Parts: `[{"type": "text", "text": "…"}, …]`; pictures and calls have no text.
        let parts: Vec<&RawValue> = serde_json::from_str(content.get()).ok()?;
        for part in parts {
            if part.get().starts_with('{') {
                let fields: Fields<'_> = serde_json::from_str(part.get()).ok()?;
                turns.extend(fields.get("text").and_then(|words| turn(text, words, speaker)));
            } else {
                turns.extend(turn(text, part, speaker));
            }
        }
    } else {
        turns.extend(turn(text, content, speaker));
    }
    Some(1)
}

/// The turn that a JSON string is; none when it is blank or no string.
fn turn(text: &str, value: &RawValue, speaker: Speaker) -> Option<Turn> {
    let inside = value.get().strip_prefix('"')?.strip_suffix('"')?;
    // The value is borrowed from the text: its address is the position.
    let start = (inside.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let span = ByteSpan { start, end: start + inside.len() };
    let is_there = text.get(span.start..span.end) == Some(inside);
    (is_there && !inside.trim().is_empty()).then_some(Turn {
        speaker,
        span,
        escaped: true,
        name: None,
    })
}

/// The unescaped text of a JSON string's inside, with the map back.
pub(super) fn unescape(inside: &str) -> Cleaned<'_> {
    let mut builder = Builder::default();
    let mut at = 0;
    while let Some(first) = inside[at..].chars().next() {
        let (found, width) = match first {
            '\\' => escape(&inside[at..]),
            _ => (first, first.len_utf8()),
        };
        builder.keep(found, at, width);
        at += width;
    }
    builder.finish()
}

/// The character that an escape spells, and how long the escape is.
fn escape(text: &str) -> (char, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\x08',
        Some(b'f') => '\x0c',
        Some(b'"') => '"',
        Some(b'/') => '/',
        Some(b'\\') => '\\',
        Some(b'u') => return unicode(text),
        _ => return ('\\', 1),
    };
    (simple, 2)
}

fn unicode(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units: Vec<u16> = [unit(0), unit(6)].into_iter().map_while(|unit| unit).collect();
    match char::decode_utf16(units).next() {
        Some(Ok(found)) if found.len_utf16() == 2 => (found, 12),
        Some(Ok(found)) => (found, 6),
        _ => (char::REPLACEMENT_CHARACTER, 6.min(text.len())),
    }
}
