//! Texts of a contract: code in backticks, paragraphs, JSON, and invisible characters written out.
//! Independent of formats.

use serde_json::Value;

use super::page::{Block, Inline, Text};

/// Longest JSON that stays on one line.
const LINE: usize = 88;

/// A text in which backticks mark code and new lines count.
pub(super) fn prose(text: &str) -> Text {
    let mut inlines = Text::new();
    for (index, line) in text.trim().lines().enumerate() {
        if index > 0 {
            inlines.push(Inline::Break);
        }
        let mut rest = line.trim();
        while let Some((before, code, after)) = next_code(rest) {
            push_text(&mut inlines, before);
            inlines.push(Inline::Code(code.to_owned()));
            rest = after;
        }
        push_text(&mut inlines, rest);
    }
    inlines
}

/// Paragraphs, which blank lines part.
pub(super) fn paragraphs(text: &str) -> Vec<Block> {
    let text = text.replace("\r\n", "\n");
    let parts = text.split("\n\n").filter(|part| !part.trim().is_empty());
    parts.map(|part| Block::Paragraph(prose(part))).collect()
}

/// Up to the end of the first sentence.
pub(super) fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn push_text(inlines: &mut Text, text: &str) {
    if !text.is_empty() {
        inlines.push(Inline::Text(text.to_owned()));
    }
}

/// The next code between two single backticks: what is before it, the code, what is after it.
fn next_code(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    (!code.trim().is_empty()).then_some((before, code, after))
}

/// The text with every character that cannot be seen, or that turns others around, written out.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            seen.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            seen.push(c);
        }
    }
    seen
}

/// Joiners stay: scripts and emoji need them.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
            | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// JSON on one line.
pub(super) fn json_line(value: &Value) -> String {
    escaped(&compact(value))
}

/// JSON over as many lines as it takes; what fits on a line stays on it.
pub(super) fn json(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, 0, 0, &mut text);
    escaped(&text)
}

fn write_json(value: &Value, indent: usize, before: usize, out: &mut String) {
    let line = compact(value);
    let members = match value {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    if members == 0 || indent + before + line.chars().count() <= LINE {
        out.push_str(&line);
        return;
    }
    let pad = " ".repeat(indent + 2);
    let ends = |index: usize| if index + 1 < members { ",\n" } else { "\n" };
    match value {
        Value::Array(list) => {
            out.push_str("[\n");
            for (index, item) in list.iter().enumerate() {
                out.push_str(&pad);
                write_json(item, indent + 2, 0, out);
                out.push_str(ends(index));
            }
        }
        Value::Object(map) => {
            out.push_str("{\n");
            for (index, (key, item)) in map.iter().enumerate() {
                let key = Value::from(key.as_str()).to_string();
                out.push_str(&format!("{pad}{key}: "));
                write_json(item, indent + 2, key.chars().count() + 2, out);
                out.push_str(ends(index));
            }
        }
        _ => {}
    }
    out.push_str(&" ".repeat(indent));
    out.push(if value.is_array() { ']' } else { '}' });
}

/// JSON with a space after every comma and colon.
fn compact(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(compact).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let members: Vec<String> = map
                .iter()
                .map(|(key, item)| format!("{}: {}", Value::from(key.as_str()), compact(item)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// Hidden characters of JSON, which only strings can have, the way JSON writes them.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(visible("a\u{202e}b\u{7}\n"), "a⟨U+202E⟩b⟨U+0007⟩\n");
        assert_eq!(visible("e\u{301} 👩\u{200d}🚀"), "e\u{301} 👩\u{200d}🚀");
        assert_eq!(json_line(&json!(["\u{202e}\u{e0041}"])), r#"["\u202e\udb40\udc41"]"#);
    }

    #[test]
    fn json_breaks_only_where_it_does_not_fit() {
        assert_eq!(json(&json!({"a": [1, 2], "b": {}})), r#"{"a": [1, 2], "b": {}}"#);
        let long = "x".repeat(80);
        let text = json(&json!({"a": [1, 2], "long": [long]}));
        assert_eq!(text, format!("{{\n  \"a\": [1, 2],\n  \"long\": [\n    \"{long}\"\n  ]\n}}"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["a"], json!([1, 2]));
    }

    #[test]
    fn backticks_mark_code_where_they_come_in_pairs() {
        let shown = |text: &str| -> Vec<String> {
            let inlines = prose(text);
            inlines
                .iter()
                .map(|inline| match inline {
                    Inline::Code(code) => format!("<{code}>"),
                    Inline::Text(text) => text.clone(),
                    _ => "/".to_owned(),
                })
                .collect()
        };
        assert_eq!(shown("use `a` or `b"), ["use ", "<a>", " or `b"]);
        assert_eq!(shown("one\n two "), ["one", "/", "two"]);
    }
}
