//! Changes an entry that is present, in place: its other members, their order and the comments between
//! them stay. Also gives back the text that an entry had before.

use serde_json::{Map, Value};

use super::{EditError, json, take_entry, toml, without_mark};
use crate::install::client::Format;

/// What is to change in an entry.
#[derive(Debug, Clone, Default)]
pub(in crate::install) struct Update<'a> {
    /// Values by their keys: `["command"]`, `["env", "NAME"]`.
    pub set: Vec<(Vec<&'a str>, Value)>,
    /// Members that go.
    pub drop: Vec<&'a str>,
}

impl Update<'_> {
    /// The entry as it will be.
    pub(in crate::install) fn applied(&self, entry: &Value) -> Value {
        let mut members = entry.as_object().cloned().unwrap_or_default();
        members.retain(|name, _| !self.drop.contains(&name.as_str()));
        for (path, value) in &self.set {
            set(&mut members, path, value);
        }
        Value::Object(members)
    }
}

fn set(members: &mut Map<String, Value>, path: &[&str], value: &Value) {
    match path {
        [] => {}
        [name] => {
            members.insert((*name).to_owned(), value.clone());
        }
        [name, rest @ ..] => {
            let inner = members.entry(*name).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            if let Some(inner) = inner.as_object_mut() {
                set(inner, rest, value);
            }
        }
    }
}

/// The text with the entry changed.
pub(in crate::install) fn update(
    text: &str,
    format: Format,
    name: &str,
    update: &Update<'_>,
) -> Result<String, EditError> {
    let (mark, old) = without_mark(text);
    let (list, edit, cut): (_, EditMember, CutMember) = match format {
        Format::Json(list) => (list, json::update::set, json::update::drop),
        Format::Toml(list) => (list, toml::update::set, toml::update::drop),
    };
    let mut new = old.to_owned();
    for member in &update.drop {
        while let Some(shorter) = cut(&new, [list, name, member])? {
            new = shorter;
        }
    }
    let mut now = current(old, format, name)?;
    let wanted = update.applied(&now);
    for (path, value) in &update.set {
        let same = path.iter().try_fold(&now, |value, name| value.get(*name)) == Some(value);
        if !same {
            new = edit(&new, &[&[list, name], &path[..]].concat(), value)?;
        }
    }
    now = wanted;
    verify(old, &new, format, name, &now)?;
    Ok(format!("{mark}{new}"))
}

type EditMember = fn(&str, &[&str], &Value) -> Result<String, EditError>;
type CutMember = fn(&str, [&str; 3]) -> Result<Option<String>, EditError>;

/// The source of an entry: one text for each place where a part of it is written.
pub(in crate::install) fn source(
    text: &str,
    format: Format,
    name: &str,
) -> Result<Vec<String>, EditError> {
    let (_, text) = without_mark(text);
    Ok(places(text, format, name)?.into_iter().map(|place| text[place].to_owned()).collect())
}

/// Writes an entry as it was before: `source` in the places of the present one, where there are as many.
/// `None` if the present one is written elsewhere.
pub(in crate::install) fn restore(
    text: &str,
    format: Format,
    name: &str,
    source: &[String],
    entry: &Value,
) -> Result<Option<String>, EditError> {
    let (mark, old) = without_mark(text);
    let places = places(old, format, name)?;
    if places.len() != source.len() {
        return Ok(None);
    }
    let mut new = old.to_owned();
    for (place, source) in places.into_iter().zip(source).rev() {
        new.replace_range(place, source);
    }
    Ok(verify(old, &new, format, name, entry).is_ok().then(|| format!("{mark}{new}")))
}

fn places(
    text: &str,
    format: Format,
    name: &str,
) -> Result<Vec<std::ops::Range<usize>>, EditError> {
    match format {
        Format::Json(list) => json::update::places(text, list, name),
        Format::Toml(list) => toml::update::places(text, list, name),
    }
}

fn current(text: &str, format: Format, name: &str) -> Result<Value, EditError> {
    Ok(take_entry(text, format, name)?.0)
}

/// Checks that the texts differ in the entry only, which is as expected.
fn verify(
    old: &str,
    new: &str,
    format: Format,
    name: &str,
    expected: &Value,
) -> Result<(), EditError> {
    let (_, before) = take_entry(old, format, name)?;
    match take_entry(new, format, name) {
        Ok((entry, after)) if entry == *expected && before == after => Ok(()),
        _ => Err(EditError {
            message:
                "the entry cannot be changed in place: it would change something else in the file"
                    .to_owned(),
            position: None,
        }),
    }
}
