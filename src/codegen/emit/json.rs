//! JSON texts as Rust literals: compact at run time, one member per line in the source, for diffs.

use std::fmt::Write as _;

use proc_macro2::TokenStream;
use serde_json::Value;

use super::literal::{self, WIDTH, literal};

/// A part of a value that is defined elsewhere, with the macro call that inserts it.
pub(crate) type Known<'a> = (&'a Value, &'a str);

/// Encloses a macro call within a line; compact JSON has no such character.
const CALL: char = '\0';

/// One literal per line, indented as the JSON is nested; `concat!` where there are several.
pub(crate) fn lines(value: &Value, known: Option<Known<'_>>) -> String {
    let lines = layout(value, known);
    if let [(_, line)] = lines.as_slice() {
        return literals(line);
    }
    let mut text = "concat!(\n".to_owned();
    for (depth, line) in lines {
        let _ = writeln!(text, "{}{},", "    ".repeat(depth + 1), literals(&line));
    }
    text.push(')');
    text
}

/// The literals and calls of a line.
fn literals(line: &str) -> String {
    let parts = line.split(CALL).enumerate().filter(|(_, part)| !part.is_empty());
    let parts: Vec<String> = parts
        .map(|(index, part)| if index % 2 == 1 { part.to_owned() } else { literal(part) })
        .collect();
    parts.join(", ")
}

/// A literal, or a `concat!` of several that end between members, inside an expression.
pub(crate) fn expression(value: &Value) -> TokenStream {
    let mut pieces: Vec<String> = Vec::new();
    for (_, line) in layout(value, None) {
        match pieces.last_mut() {
            Some(piece) if piece.len() + line.len() <= WIDTH => piece.push_str(&line),
            _ => pieces.push(line),
        }
    }
    literal::concat(pieces.iter().map(String::as_str))
}

/// Lines of compact JSON with their depth. Joined, they are the value.
fn layout(value: &Value, known: Option<Known<'_>>) -> Vec<(usize, String)> {
    let mut layout = Layout { known, lines: Vec::new() };
    layout.lay(0, String::new(), value, "");
    layout.lines
}

struct Layout<'a> {
    known: Option<Known<'a>>,
    lines: Vec<(usize, String)>,
}

impl Layout<'_> {
    fn lay(&mut self, depth: usize, lead: String, value: &Value, tail: &str) {
        if let Some((known, call)) = self.known
            && known == value
        {
            self.lines.push((depth, format!("{lead}{CALL}{call}{CALL}{tail}")));
            return;
        }
        let compact = value.to_string();
        let fits = lead.len() + compact.len() + tail.len() <= WIDTH;
        match value {
            Value::Object(members) if !fits && !members.is_empty() => {
                self.lines.push((depth, format!("{lead}{{")));
                let last = members.len() - 1;
                for (index, (name, member)) in members.iter().enumerate() {
                    let lead = format!("{}:", Value::from(name.as_str()));
                    self.lay(depth + 1, lead, member, if index == last { "" } else { "," });
                }
                self.lines.push((depth, format!("}}{tail}")));
            }
            Value::Array(items) if !fits && items.iter().any(Value::is_object) => {
                self.lines.push((depth, format!("{lead}[")));
                let last = items.len() - 1;
                for (index, item) in items.iter().enumerate() {
                    self.lay(depth + 1, String::new(), item, if index == last { "" } else { "," });
                }
                self.lines.push((depth, format!("]{tail}")));
            }
            _ => {
                let line = format!("{lead}{compact}{tail}");
                for (index, piece) in literal::pieces(&line).into_iter().enumerate() {
                    self.lines.push((depth + usize::from(index > 0), piece.to_owned()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::literal::tests::evaluated;
    use super::*;

    #[test]
    fn literals_are_the_compact_value() {
        for value in [
            json!(null),
            json!({}),
            json!("a \"# quote, a \\ and a \u{7f}"),
            json!({"text": "x".repeat(200), "nested": {"list": [{"a": "y".repeat(90)}, 1, []]}}),
        ] {
            assert_eq!(evaluated(expression(&value)), value.to_string());
        }
    }

    #[test]
    fn long_values_are_broken_by_member_and_indented() {
        let value =
            json!({"properties": {"ns": {"description": "d".repeat(90)}}, "type": "object"});
        let text = lines(&value, None);
        assert!(text.contains("\n            r#\"\"ns\":{\"#,\n"), "{text}");
        assert!(text.contains("\n        r#\"\"type\":\"object\"\"#,\n"), "{text}");
    }

    #[test]
    fn a_known_part_is_called_by_name() {
        let part = json!({"text": "x".repeat(200)});
        let text = lines(&json!({"data": part, "ok": true}), Some((&part, "part!()")));
        assert_eq!(
            text,
            "concat!(\n    \"{\",\n        r#\"\"data\":\"#, part!(), \",\",\n        \
             r#\"\"ok\":true\"#,\n    \"}\",\n)"
        );
    }
}
