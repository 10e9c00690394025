//! Changes members of an entry in TOML, in place, in whichever of the ways of TOML it is written: a
//! table with a header, dotted keys, or an inline table.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{InlineTable, Item, Key, Table};

use super::{Part, braces, collect, edit_error, inline, line_end, line_start, parse};
use crate::install::text::EditError;
use crate::install::text::braces::{Comments, Layout};
use crate::install::text::trailing_block;

/// The text with a value set.
pub(in crate::install::text) fn set(
    text: &str,
    path: &[&str],
    value: &Value,
) -> Result<String, EditError> {
    let document = parse(text)?;
    set_in_table(text, document.as_table(), path, value)
}

fn set_in_table(
    text: &str,
    table: &Table,
    path: &[&str],
    value: &Value,
) -> Result<String, EditError> {
    let [name, rest @ ..] = path else { return Ok(text.to_owned()) };
    match table.get(name) {
        None => Ok(add_line(text, table, name, &nested(rest, value))),
        Some(Item::Table(inner)) if !rest.is_empty() => {
            // Only tables below it have a header; it gets one before them.
            let headless = inner.is_implicit() && !inner.is_dotted() && rest.len() == 1;
            match headless.then(|| first_part(text, inner)).flatten() {
                Some(at) => Ok(add_header(text, at, name, rest[0], value)),
                None => set_in_table(text, inner, rest, value),
            }
        }
        Some(Item::Value(toml_edit::Value::InlineTable(inner))) if !rest.is_empty() => {
            set_inline(text, inner, rest, value)
        }
        Some(Item::Value(found)) => replace(text, found.span(), &nested(rest, value)),
        Some(other) => Err(edit_error(text, other.span(), &format!("`{name}` is a table"))),
    }
}

fn set_inline(
    text: &str,
    table: &InlineTable,
    path: &[&str],
    value: &Value,
) -> Result<String, EditError> {
    let [name, rest @ ..] = path else { return Ok(text.to_owned()) };
    match table.get(name) {
        Some(toml_edit::Value::InlineTable(inner)) if !rest.is_empty() => {
            if inner.is_dotted() {
                // Its members stand between the braces of the outer table.
                return match rest.first().and_then(|name| inner.get(name)) {
                    Some(found) => replace(text, found.span(), &nested(&rest[1..], value)),
                    None => {
                        Ok(add_inline(text, table, &format!("{name}.{}", rest.join(".")), value))
                    }
                };
            }
            set_inline(text, inner, rest, value)
        }
        Some(found) => replace(text, found.span(), &nested(rest, value)),
        None => Ok(add_inline(text, table, &key(name), &nested(rest, value))),
    }
}

fn add_inline(text: &str, table: &InlineTable, key: &str, value: &Value) -> String {
    let layout = Layout { lines: false, spaced: true, ..Layout::of(text) };
    let member = format!("{key} = {}", inline(value));
    braces(text, table).0.insert(text, &layout, &|_| member.clone()).text
}

/// The text with a line at the end of the values of a table.
fn add_line(text: &str, table: &Table, name: &str, value: &Value) -> String {
    let newline = Layout::of(text).newline;
    let values = table.get_values();
    let last = values
        .iter()
        .filter_map(|(keys, value)| Some((keys.first()?.span()?.start, value.span()?.end)));
    let last = last.max_by_key(|(_, end)| *end);
    let header = table.span().map(|header| header.end);
    let Some(end) = last.map(|(_, end)| end).or(header) else { return text.to_owned() };
    let at = line_end(text, end);
    // What stands before the key in the line of another one: indentation, and the keys of a dotted table.
    let before = last.map_or("", |(start, _)| &text[line_start(text, start)..start]);
    let line = format!("{newline}{before}{} = {}", key(name), inline(value));
    format!("{}{line}{}", &text[..at], &text[at..])
}

fn add_header(text: &str, at: usize, entry: &str, name: &str, value: &Value) -> String {
    let newline = Layout::of(text).newline;
    let header = &text[at..];
    // `[mcp_servers.wink.env]`: up to the key of the entry.
    let list = header.trim_start_matches('[').split('.').next().unwrap_or_default().trim();
    let block = format!(
        "[{list}.{}]{newline}{} = {}{newline}{newline}",
        key(entry),
        key(name),
        inline(value)
    );
    format!("{}{block}{}", &text[..at], &text[at..])
}

fn first_part(text: &str, table: &Table) -> Option<usize> {
    let mut parts = Vec::new();
    super::collect_table(text, table, &mut parts);
    parts.iter().map(|part| part.range.start).min()
}

fn replace(text: &str, span: Option<Range<usize>>, value: &Value) -> Result<String, EditError> {
    let missing = || edit_error(text, None, "a value has no place in the file");
    let mut new = text.to_owned();
    new.replace_range(span.ok_or_else(missing)?, &inline(value));
    Ok(new)
}

fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, name| {
        Value::Object(Map::from_iter([((*name).to_owned(), value)]))
    })
}

fn key(name: &str) -> String {
    Key::new(name).display_repr().into_owned()
}

/// The text without a part of a member, while there is one.
pub(in crate::install::text) fn drop(
    text: &str,
    [list, entry, member]: [&str; 3],
) -> Result<Option<String>, EditError> {
    let document = parse(text)?;
    let inside = |table: &InlineTable| {
        let (braces, names) = braces(text, table);
        let index = names.iter().position(|found| found == member)?;
        Some(braces.remove(text, index))
    };
    let found = match document.get(list) {
        Some(Item::Table(servers)) => servers.get(entry),
        Some(Item::Value(toml_edit::Value::InlineTable(servers))) => {
            let found = servers.get(entry).and_then(toml_edit::Value::as_inline_table);
            return Ok(found.and_then(inside));
        }
        _ => None,
    };
    match found {
        Some(Item::Value(toml_edit::Value::InlineTable(found))) => Ok(inside(found)),
        Some(Item::Table(found)) => {
            let mut parts = Vec::new();
            if let Some((key, item)) = found.get_key_value(member) {
                collect(text, key, item, &mut parts);
            }
            let last = parts.into_iter().max_by_key(|part| part.range.start);
            Ok(last.map(|part| trailing_block::cut(text, part.range, part.is_table)))
        }
        _ => Ok(None),
    }
}

/// Where the parts of an entry are written, in order. Parts with only blanks and comments between them
/// are one.
pub(in crate::install::text) fn places(
    text: &str,
    list: &str,
    name: &str,
) -> Result<Vec<Range<usize>>, EditError> {
    let document = parse(text)?;
    let mut parts: Vec<Range<usize>> = match document.get(list) {
        Some(Item::Value(toml_edit::Value::InlineTable(servers))) => {
            let (braces, names) = braces(text, servers);
            let members = names.iter().zip(braces.members);
            members.filter(|(found, _)| *found == name).map(|(_, range)| range).collect()
        }
        Some(Item::Table(servers)) => {
            let mut parts: Vec<Part> = Vec::new();
            if let Some((key, item)) = servers.get_key_value(name) {
                collect(text, key, item, &mut parts);
            }
            parts.into_iter().map(|part| part.range).collect()
        }
        _ => Vec::new(),
    };
    parts.sort_by_key(|part| part.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match merged.last_mut() {
            Some(last) if Comments::Hash.skip(text, last.end..part.start) == part.start => {
                last.end = part.end.max(last.end);
            }
            _ => merged.push(part),
        }
    }
    Ok(merged)
}
