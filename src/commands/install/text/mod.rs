//! Reads, adds and removes one entry in the text of a client's file. Every other byte is preserved.
//!
//! Works on text; nothing here opens a file. [`CreatedParts`] records what removal cannot detect, such
//! as that the list of servers was created too.

mod braces;
mod json;
mod toml;
mod trailing_block;
mod update;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::client::Format;

pub(super) use update::{Update, restore, source, update};

/// The parts that were created to add an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CreatedParts {
    /// The whole document: there was no text, or only blanks and comments.
    pub document: bool,
    /// Lines between the braces of the document.
    pub document_lines: bool,
    /// The list of servers.
    pub list: bool,
    /// Lines between the braces of the list.
    pub list_lines: bool,
}

impl CreatedParts {
    /// The union of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            document: self.document || other.document,
            document_lines: self.document_lines || other.document_lines,
            list: self.list || other.list,
            list_lines: self.list_lines || other.list_lines,
        }
    }
}

/// The members of an entry in the order in which they are written.
pub(super) type Members = Vec<(String, Value)>;

/// Why a text cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditError {
    /// What is wrong.
    pub message: String,
    /// Line and column, counted from 1, where they are known.
    pub position: Option<(usize, usize)>,
}

impl std::fmt::Display for EditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.position {
            Some((line, column)) => {
                write!(f, "line {line}, column {column}: {}", self.message)
            }
            None => f.write_str(&self.message),
        }
    }
}

impl EditError {
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { message: message.into(), position: Some((line, column)) }
    }
}

/// A string or number of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    /// The keys that lead to it.
    pub path: Vec<String>,
    /// The string before it, in a list.
    pub before: Option<String>,
    /// Its value.
    pub value: String,
    /// Where it is written, with its quotes.
    pub range: Range<usize>,
}

/// The strings and numbers of a file, in the order in which they are written.
pub(super) fn leaves(text: &str, format: Format) -> Result<Vec<Leaf>, EditError> {
    let (mark, rest) = without_mark(text);
    let mut found = match format {
        Format::Json(_) => json::leaves(rest)?,
        Format::Toml(_) => toml::leaves(rest)?,
    };
    found.sort_by_key(|leaf| leaf.range.start);
    for leaf in &mut found {
        leaf.range = leaf.range.start + mark.len()..leaf.range.end + mark.len();
    }
    Ok(found)
}

/// The servers of a file: an object by name, or null where there is no list.
pub(crate) fn servers(text: &str, format: Format) -> Result<Value, EditError> {
    split(without_mark(text).1, format).map(|(servers, _)| servers)
}

/// The servers, and everything else of the document.
fn split(text: &str, format: Format) -> Result<(Value, Value), EditError> {
    let (mut document, list) = match format {
        Format::Json(list) => (json::document(text)?, list),
        Format::Toml(list) => (toml::document(text)?, list),
    };
    let servers = document.as_object_mut().and_then(|members| members.remove(list));
    Ok((servers.unwrap_or_default(), document))
}

/// An entry (null if it is absent), and everything else of the document.
fn take_entry(
    text: &str,
    format: Format,
    name: &str,
) -> Result<(Value, (Value, Value)), EditError> {
    let (mut servers, rest) = split(text, format)?;
    let entry = servers.as_object_mut().and_then(|servers| servers.remove(name));
    Ok((entry.unwrap_or_default(), (servers, rest)))
}

/// Adds an entry that is not present.
pub(super) fn insert(
    text: &str,
    format: Format,
    name: &str,
    members: &Members,
) -> Result<(String, CreatedParts), EditError> {
    let (mark, old) = without_mark(text);
    let (new, created) = match format {
        Format::Json(list) => json::insert(old, list, name, members)?,
        Format::Toml(list) => toml::insert(old, list, name, members)?,
    };
    verify(old, &new, format, name, Some(members))?;
    Ok((format!("{mark}{new}"), created))
}

/// Checks that the new text differs from the old one only by the entry.
fn verify(
    old: &str,
    new: &str,
    format: Format,
    name: &str,
    added: Option<&Members>,
) -> Result<(), EditError> {
    let done = if added.is_some() { "added to" } else { "removed from" };
    let wrong = |why: &str| EditError {
        message: format!("an entry cannot be {done} this file: {why}"),
        position: None,
    };
    let take = |servers: &mut Value| servers.as_object_mut()?.remove(name);
    let (mut before, after) = (split(old, format)?, split(new, format));
    let (mut servers, rest) = after.map_err(|error| wrong(&error.to_string()))?;
    let entry = take(&mut servers);
    let expected = added
        .map(|members| members.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
    if added.is_none() {
        take(&mut before.0);
    }
    let was_empty = |value: &Value| value.as_object().is_none_or(serde_json::Map::is_empty);
    let same_servers = servers == before.0 || (was_empty(&servers) && was_empty(&before.0));
    let same_rest = rest == before.1 || (was_empty(&rest) && was_empty(&before.1));
    if entry == expected.map(Value::Object) && same_servers && same_rest {
        Ok(())
    } else {
        Err(wrong("it would change something else in the file"))
    }
}

/// Removes an entry, and the parts that were created for it unless they are still in use. Also returns
/// the created parts that are still in use.
pub(super) fn remove(
    text: &str,
    format: Format,
    name: &str,
    created: CreatedParts,
) -> Result<(String, CreatedParts), EditError> {
    let (mark, old) = without_mark(text);
    let (new, left) = match format {
        Format::Json(list) => json::remove(old, list, name, created)?,
        Format::Toml(list) => (toml::remove(old, list, name)?, CreatedParts::default()),
    };
    verify(old, &new, format, name, None)?;
    Ok((format!("{mark}{new}"), left))
}

/// The byte order mark, where there is one, and the rest.
fn without_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Format = Format::Json("servers");
    const TOML: Format = Format::Toml("mcp_servers");

    #[track_caller]
    fn removed(text: &str, format: Format, expected: &str) {
        assert_eq!(remove(text, format, "wink", CreatedParts::default()).unwrap().0, expected);
    }

    #[test]
    fn a_comment_swallows_nothing_after_the_entry() {
        let json = |inner: &str| format!("{{\"servers\": {{{inner}}}}}");
        for (old, new) in [
            (" // mine\n  \"wink\": {}, \"late\": {}\n", " // mine\n  \"late\": {}\n"),
            (" // mine\r\n\t\"wink\": {} , \"late\": {}", " // mine\r\n\t\"late\": {}"),
            (
                " // mine\n  \"wink\": {} /* a\n b */, \"z\": {}",
                " // mine\n  /* a\n b */ \"z\": {}",
            ),
            (" // mine\n  \"wink\": {} ", " // mine\n  "),
            ("\"a\": {}, // a\n  \"wink\": {}", "\"a\": {} // a\n  "),
            (" // mine\n  \"wink\": {},\n  \"late\": {}", " // mine\n  \"late\": {}"),
            (" /* mine\n */ \"wink\": {}, \"late\": {}", " /* mine\n */ \"late\": {}"),
        ] {
            removed(&json(old), JSON, &json(new));
        }
        removed(
            "mcp_servers = { # mine\n  wink = { command = 'w' }, late = { command = 'l' } }\n",
            TOML,
            "mcp_servers = { # mine\n  late = { command = 'l' } }\n",
        );
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        let members = vec![("command".to_owned(), Value::from("w"))];
        for old in [
            "{\"servers\": { //\r },\n}\n",
            "{\"servers\": {\r \"a\": 1\r}}",
            "{\"servers\": {\"a\": 1 // a\r}}",
            "{\"servers\": {\"a\": 1, // a\r\"b\": 2}}",
        ] {
            let (new, created) = insert(old, JSON, "wink", &members).unwrap();
            assert_eq!(remove(&new, JSON, "wink", created).unwrap().0, old, "{new}");
        }
    }

    #[test]
    fn a_text_that_lost_more_than_the_entry_is_refused() {
        let old = "{\"a\": 1, \"servers\": {\"wink\": {}, \"late\": {}}}";
        let verify = |new: &str| verify(old, new, JSON, "wink", None);
        verify("{\"a\": 1, \"servers\": {\"late\": {}}}").unwrap();
        for new in [
            "{\"a\": 1, \"servers\": {}}",
            "{\"a\": 1, \"servers\": {\"late\": {\"b\": 1}}}",
            "{\"servers\": {\"late\": {}}}",
            "{\"a\": 1, \"servers\": {\"wink\": {}, \"late\": {}}}",
            "{\"a\": 1, \"servers\": {\"late\": {}}",
        ] {
            let refused = verify(new).unwrap_err();
            assert!(refused.message.contains("removed from this file"), "{refused}");
        }
    }
}
