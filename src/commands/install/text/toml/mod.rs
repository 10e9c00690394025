//! Entries in TOML: a table of its own at the end, or a member where the list is an inline table.

pub(super) mod update;

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, InlineTable, Item, Key, Table, TableLike};

use super::braces::{Braces, Comments, Layout};
use super::{CreatedParts, EditError, Leaf, Members, trailing_block};

/// The whole document as a value.
pub(super) fn document(text: &str) -> Result<Value, EditError> {
    parse(text)?;
    toml::from_str(text).map_err(|error| edit_error(text, error.span(), error.message()))
}

/// See [`super::insert`].
pub(super) fn insert(
    text: &str,
    list: &str,
    name: &str,
    members: &Members,
) -> Result<(String, CreatedParts), EditError> {
    let document = parse(text)?;
    let layout = Layout { lines: false, spaced: true, ..Layout::of(text) };
    let fields: Vec<String> =
        members.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
    let new = match document.get(list) {
        Some(Item::Value(toml_edit::Value::InlineTable(found))) => {
            let entry = format!("{name} = {{ {} }}", fields.join(", "));
            braces(text, found).0.insert(text, &layout, &|_| entry.clone()).text
        }
        None | Some(Item::Table(_)) => {
            let newline = layout.newline;
            let block = format!("[{list}.{name}]{newline}{}", fields.join(newline));
            trailing_block::append(text, &block, newline, true)
        }
        Some(other) => {
            return Err(edit_error(text, other.span(), &format!("`{list}` is not a table")));
        }
    };
    Ok((new, CreatedParts::default()))
}

/// See [`super::remove`]. Removing an added table leaves nothing behind, so no record of created parts is needed.
pub(super) fn remove(text: &str, list: &str, name: &str) -> Result<String, EditError> {
    let mut text = text.to_owned();
    while let Some(shorter) = without(&text, list, name)? {
        text = shorter;
    }
    Ok(text)
}

/// See [`super::leaves`].
pub(super) fn leaves(text: &str) -> Result<Vec<Leaf>, EditError> {
    let mut found = Vec::new();
    table_leaves(parse(text)?.as_table(), &[], &mut found);
    Ok(found)
}

fn table_leaves(table: &dyn TableLike, path: &[String], found: &mut Vec<Leaf>) {
    for (key, item) in table.iter() {
        let path = [path, &[key.to_owned()]].concat();
        match item {
            Item::Value(value) => value_leaves(value, &path, None, found),
            Item::Table(table) => table_leaves(table, &path, found),
            Item::ArrayOfTables(tables) => {
                tables.iter().for_each(|table| table_leaves(table, &path, found));
            }
            Item::None => {}
        }
    }
}

fn value_leaves(
    value: &toml_edit::Value,
    path: &[String],
    before: Option<&str>,
    found: &mut Vec<Leaf>,
) {
    match value {
        toml_edit::Value::InlineTable(table) => table_leaves(table, path, found),
        toml_edit::Value::Array(array) => {
            let mut before = None;
            for element in array {
                value_leaves(element, path, before, found);
                before = element.as_str();
            }
        }
        toml_edit::Value::Boolean(_) => {}
        other => found.extend(other.span().map(|range| Leaf {
            path: path.to_vec(),
            before: before.map(str::to_owned),
            value: other.as_str().map_or_else(String::new, str::to_owned),
            range,
        })),
    }
}

/// The text without a part of the entry, while there is one.
fn without(text: &str, list: &str, name: &str) -> Result<Option<String>, EditError> {
    let document = parse(text)?;
    match document.get(list) {
        Some(Item::Value(toml_edit::Value::InlineTable(found))) => {
            let (braces, names) = braces(text, found);
            let index = names.iter().position(|found| found == name);
            Ok(index.map(|index| braces.remove(text, index)))
        }
        Some(Item::Table(found)) => {
            let mut parts = Vec::new();
            if let Some((key, item)) = found.get_key_value(name) {
                collect(text, key, item, &mut parts);
            }
            parts.sort_by_key(|part| part.range.start);
            let last = parts.pop();
            Ok(last.map(|part| trailing_block::cut(text, part.range, part.is_table)))
        }
        _ => Ok(None),
    }
}

/// Lines that belong to an entry.
struct Part {
    range: Range<usize>,
    /// A table with its header, not single values.
    is_table: bool,
}

fn collect(text: &str, key: &Key, item: &Item, parts: &mut Vec<Part>) {
    match item {
        Item::Value(value) => {
            let ends = key.span().zip(value.span());
            parts.extend(ends.map(|(key, value)| Part {
                range: line_start(text, key.start)..line_end(text, value.end),
                is_table: false,
            }));
        }
        Item::Table(table) => collect_table(text, table, parts),
        Item::ArrayOfTables(tables) => {
            tables.iter().for_each(|table| collect_table(text, table, parts));
        }
        Item::None => {}
    }
}

fn collect_table(text: &str, table: &Table, parts: &mut Vec<Part>) {
    let values = table.get_values();
    if table.is_implicit() || table.is_dotted() {
        let lines = values.iter().filter_map(|(keys, value)| {
            let start = line_start(text, keys.last()?.span()?.start);
            Some(Part { range: start..line_end(text, value.span()?.end), is_table: false })
        });
        parts.extend(lines);
    } else if let Some(header) = table.span() {
        let ends = values.iter().filter_map(|(_, value)| Some(value.span()?.end));
        let end = ends.max().unwrap_or(header.end).max(header.end);
        parts.push(Part { range: header.start..line_end(text, end), is_table: true });
    }
    for (name, item) in table {
        let dotted = item.as_table().is_some_and(Table::is_dotted);
        if let (false, false, Some(key)) = (item.is_value(), dotted, table.key(name)) {
            collect(text, key, item, parts);
        }
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line ends, without its line break.
fn line_end(text: &str, at: usize) -> usize {
    let line = &text[at..];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

/// The members of an inline table, and the first key of each.
fn braces(text: &str, table: &InlineTable) -> (Braces, Vec<String>) {
    let span = table.span().unwrap_or_default();
    let inner = span.start + 1..span.end.saturating_sub(1);
    let mut found: Vec<(Range<usize>, String)> = table
        .get_values()
        .iter()
        .filter_map(|(keys, value)| {
            Some((value.span()?, keys.first().map(|key| key.get().to_owned())?))
        })
        .collect();
    found.sort_by_key(|(value, _)| value.start);
    let mut from = inner.start;
    let mut members = Vec::new();
    for (value, _) in &found {
        // Dotted keys with the same first word share its span, so search the text instead.
        members.push(Comments::Hash.skip(text, from..value.start)..value.end);
        from = value.end;
    }
    let names = found.into_iter().map(|(_, name)| name).collect();
    (Braces { inner, members, comments: Comments::Hash }, names)
}

fn parse(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| edit_error(text, error.span(), error.message()))
}

fn edit_error(text: &str, span: Option<Range<usize>>, message: &str) -> EditError {
    let message = message.lines().collect::<Vec<_>>().join(", ");
    match span {
        Some(span) => EditError::at(text, span.start, message),
        None => EditError { message, position: None },
    }
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                format!("{} = {}", Key::new(name.as_str()).display_repr(), inline(value))
            });
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        other => other.to_string(),
    }
}
