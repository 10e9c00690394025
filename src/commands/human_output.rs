//! Generic terminal output of an answer, for surfaces without their own: lines and tables.
//!
//! Lists of objects become tables, other members lines of name and value. Nothing is omitted; a
//! multi-line text follows its name.

use serde_json::{Map, Value};

use super::table::{self, width};
use toolwright_runtime::contract::{Piece, SurfaceInfo};
use toolwright_runtime::hidden::is_hidden;

/// Maximum width of table cells.
const CELL: usize = 48;

/// Renders the answer. For a success, shows only the data of the envelope.
pub(super) fn render(surface: &SurfaceInfo, body: &Value, is_error: bool) -> String {
    let mut lines = Vec::new();
    let shown = match data_member(surface) {
        Some(name) if !is_error => body.get(name).unwrap_or(body),
        _ => body,
    };
    show(shown, 0, &mut lines);
    lines.join("\n")
}

/// The member of a success envelope that holds the handler's answer.
fn data_member(surface: &SurfaceInfo) -> Option<&'static str> {
    let pieces = surface.envelope.success;
    let at = pieces.iter().position(|piece| *piece == Piece::Data)?;
    let Some(Piece::Text(before)) = pieces.get(at.checked_sub(1)?) else { return None };
    before.strip_suffix("\":")?.rsplit('"').next()
}

fn show(value: &Value, depth: usize, lines: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let named = members.iter().filter(|(_, value)| is_short(value));
            let width = named.map(|(name, _)| width(name)).max().unwrap_or(0);
            for (name, value) in members {
                member(name, value, width, depth, lines);
            }
        }
        Value::Array(items) if !items.is_empty() => list(items, depth, lines),
        other => lines.push(format!("{}{}", indent(depth), text(other))),
    }
}

fn member(name: &str, value: &Value, wide: usize, depth: usize, lines: &mut Vec<String>) {
    if is_short(value) {
        let gap = " ".repeat(wide.saturating_sub(width(name)));
        lines.push(format!("{}{name}{gap}  {}", indent(depth), text(value)));
        return;
    }
    lines.push(format!("{}{name}:", indent(depth)));
    match value {
        Value::String(long) => {
            lines.extend(long.lines().map(|line| format!("{}{}", indent(depth + 1), plain(line))));
        }
        nested => show(nested, depth + 1, lines),
    }
}

fn list(items: &[Value], depth: usize, lines: &mut Vec<String>) {
    let rows: Option<Vec<&Map<String, Value>>> = items.iter().map(Value::as_object).collect();
    match rows.filter(|rows| rows.iter().all(|row| row.values().all(is_cell))) {
        Some(rows) => as_table(&rows, depth, lines),
        None => {
            for item in items {
                if is_short(item) {
                    lines.push(format!("{}- {}", indent(depth), text(item)));
                } else {
                    lines.push(format!("{}-", indent(depth)));
                    show(item, depth + 1, lines);
                }
            }
        }
    }
}

fn as_table(rows: &[&Map<String, Value>], depth: usize, lines: &mut Vec<String>) {
    let mut headings: Vec<&String> = Vec::new();
    for name in rows.iter().flat_map(|row| row.keys()) {
        if !headings.contains(&name) {
            headings.push(name);
        }
    }
    let cells = |row: &&Map<String, Value>| -> Vec<String> {
        headings.iter().map(|name| row.get(*name).map_or_else(String::new, cut)).collect()
    };
    let mut all: Vec<Vec<String>> = vec![headings.iter().map(|name| (*name).clone()).collect()];
    all.extend(rows.iter().map(cells));
    lines.extend(table::aligned(&all).into_iter().map(|line| format!("{}{line}", indent(depth))));
}

/// Whether the value fits on the line of its name.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => {
            items.is_empty() || items.iter().all(is_scalar) && text(value).len() <= CELL
        }
        Value::String(text) => !text.contains('\n'),
        _ => true,
    }
}

/// Whether the value fits into a table cell.
fn is_cell(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_scalar),
        Value::Object(members) => members.is_empty(),
        _ => true,
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => plain(text),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Object(_) => "none".to_owned(),
        other => other.to_string(),
    }
}

fn cut(value: &Value) -> String {
    let text = text(value);
    if width(&text) <= CELL {
        return text;
    }
    text.chars().take(CELL - 1).chain(['…']).collect()
}

/// Replaces control and invisible characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect()
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: Value) -> String {
        let mut lines = Vec::new();
        show(&value, 0, &mut lines);
        lines.join("\n")
    }

    #[test]
    fn members_are_lines_and_lists_of_objects_are_tables() {
        let text = shown(json!({
            "total": 2,
            "items": [{"id": 1, "name": "one"}, {"id": 22, "tags": ["a", "b"]}],
            "next": null,
        }));
        assert_eq!(
            text,
            "items:\n  id  name  tags\n  1   one\n  22        a, b\nnext   –\ntotal  2"
        );
    }

    #[test]
    fn long_texts_follow_their_name_without_control_characters() {
        assert_eq!(shown(json!({"body": "one\ntwo\u{1b}[2J"})), "body:\n  one\n  two [2J");
    }

    #[test]
    fn empty_values_are_shown_as_none() {
        assert_eq!(shown(json!({"a": [], "b": {}, "c": ""})), "a  none\nb  none\nc  ");
    }
}
