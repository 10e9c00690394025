//! Prints lists as tables, or as JSON.

use serde_json::{Map, Value};

use super::terminal;
use toolwright_runtime::hidden::is_hidden;

/// Prints rows under their headings, or as a JSON array of objects.
pub fn print<const N: usize>(headings: [&str; N], rows: &[[Value; N]], json: bool) {
    if json {
        let objects: Vec<Value> = rows.iter().map(|row| object(headings, row)).collect();
        terminal::line(&Value::from(objects).to_string());
        return;
    }
    let heading = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let texts = rows.iter().map(|row| row.iter().map(text).collect());
    let texts: Vec<Vec<String>> = std::iter::once(heading).chain(texts).collect();
    for line in aligned(&texts) {
        terminal::line(&line);
    }
}

/// Rows of cells as lines, each column as wide as its longest cell.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max())
        .map(Option::unwrap_or_default)
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> =
            cells.map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell)))).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn object<const N: usize>(headings: [&str; N], row: &[Value; N]) -> Value {
    let members: Map<String, Value> =
        headings.iter().zip(row).map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Value::Object(members)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.chars().filter(|c| !is_hidden(*c)).collect(),
        other => other.to_string(),
    }
}

/// Width of a text in columns.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

/// A timestamp as readable text.
pub fn moment(at: i64) -> Value {
    let text = jiff::Timestamp::from_millisecond(at).map(|at| format!("{at:.0}"));
    text.map_or(Value::Null, Value::from)
}
