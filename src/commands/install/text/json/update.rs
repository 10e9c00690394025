//! Changes members of an entry in JSON, in place.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use serde_json::{Map, Value};

use super::{as_object, braces, index, inline, member, parse, property};
use crate::install::text::EditError;
use crate::install::text::braces::Layout;

/// The text with a value set. What leads to it becomes an object where it is none.
pub(in crate::install::text) fn set(
    text: &str,
    path: &[&str],
    value: &Value,
) -> Result<String, EditError> {
    let layout = Layout::of(text);
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let mut object = as_object(text, &root, "the document")?;
    for (at, name) in path.iter().enumerate() {
        let rest = &path[at + 1..];
        let nested = || {
            rest.iter().rev().fold(value.clone(), |value, name| {
                Value::Object(Map::from_iter([((*name).to_owned(), value)]))
            })
        };
        let Some(found) = property(object, name) else {
            let new = member(name, &inline(&nested(), layout.spaced), &layout);
            return Ok(braces(object).insert(text, &layout, &|_| new.clone()).text);
        };
        match (found.value.as_object(), rest.is_empty()) {
            (Some(inner), false) => object = inner,
            _ => {
                let mut text = text.to_owned();
                let new = inline(&nested(), layout.spaced);
                text.replace_range(range(&found.value), &new);
                return Ok(text);
            }
        }
    }
    Ok(text.to_owned())
}

/// The text without a member, if it is present.
pub(in crate::install::text) fn drop(
    text: &str,
    [list, entry, member]: [&str; 3],
) -> Result<Option<String>, EditError> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let entry = [list, entry].iter().try_fold(&root, |value, name| {
        property(value.as_object()?, name).map(|property| &property.value)
    });
    let entry = entry.and_then(ast::Value::as_object);
    Ok(entry.and_then(|entry| Some(braces(entry).remove(text, index(entry, member)?))))
}

/// Where the value of an entry is written.
pub(in crate::install::text) fn places(
    text: &str,
    list: &str,
    name: &str,
) -> Result<Vec<Range<usize>>, EditError> {
    let Some(root) = parse(text)? else { return Ok(Vec::new()) };
    let servers = root.as_object().and_then(|root| property(root, list)?.value.as_object());
    let entry = servers.and_then(|servers| property(servers, name));
    Ok(entry.map(|entry| range(&entry.value)).into_iter().collect())
}

fn range(value: &ast::Value<'_>) -> Range<usize> {
    value.start()..value.end()
}
