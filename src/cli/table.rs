//! Lists for people, or JSON for programs.

use serde_json::{Map, Value};

use super::terminal;

/// Prints rows under their headings, or as a JSON array of objects.
pub(crate) fn print<const N: usize>(headings: [&str; N], rows: &[[Value; N]], json: bool) {
    if json {
        let objects: Vec<Value> = rows.iter().map(|row| object(headings, row)).collect();
        terminal::line(&Value::from(objects).to_string());
        return;
    }
    let texts: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(text).collect()).collect();
    let widths: Vec<usize> = (0..N)
        .map(|column| {
            let longest = texts.iter().filter_map(|row| row.get(column)).map(|cell| width(cell));
            longest.chain([width(headings[column])]).max().unwrap_or(0)
        })
        .collect();
    let heading: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    for row in std::iter::once(&heading).chain(&texts) {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> =
            cells.map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell)))).collect();
        terminal::line(line.join("  ").trim_end());
    }
}

fn object<const N: usize>(headings: [&str; N], row: &[Value; N]) -> Value {
    let members: Map<String, Value> =
        headings.iter().zip(row).map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Value::Object(members)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.chars().filter(|c| !c.is_control()).collect(),
        other => other.to_string(),
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// A moment as people read it.
pub(crate) fn moment(at: i64) -> Value {
    let text = jiff::Timestamp::from_millisecond(at).map(|at| format!("{at:.0}"));
    text.map_or(Value::Null, Value::from)
}
