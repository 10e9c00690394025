//! Reads the members of a map, and reports what is missing, of the wrong type or unknown.

use crate::diagnostics::{Findings, Place, code};
use crate::names;
use crate::parse::{Entry, Kind, Node};

/// A map being read. Every key asked for is a known key; [`Fields::finish`] reports the others.
pub(crate) struct Fields<'a> {
    node: &'a Node,
    /// What to point at where something is missing.
    at: Place,
    /// `a tool`, for messages.
    what: &'static str,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Reads `node` as a map; reports anything else.
    pub(crate) fn new(
        node: &'a Node,
        at: Place,
        what: &'static str,
        out: &mut Findings,
    ) -> Option<Self> {
        if matches!(node.kind, Kind::Map(_)) {
            Some(Self { node, at, what, known: Vec::new(), missing: Vec::new() })
        } else {
            wrong(node, at, &format!("{what} must be a map"), out);
            None
        }
    }

    /// A member, if there.
    pub(crate) fn entry(&mut self, key: &'static str) -> Option<&'a Entry> {
        self.known.push(key);
        self.node.entry(key)
    }

    /// A member that must be there.
    pub(crate) fn need(&mut self, key: &'static str) -> Option<&'a Entry> {
        let entry = self.entry(key);
        if entry.is_none() {
            self.missing.push(key);
        }
        entry
    }

    /// A text, if there.
    pub(crate) fn text(&mut self, key: &'static str, out: &mut Findings) -> Option<&'a str> {
        let entry = self.entry(key)?;
        text(entry, out)
    }

    /// A text that must be there; empty where it is not.
    pub(crate) fn need_text(&mut self, key: &'static str, out: &mut Findings) -> String {
        self.need(key).and_then(|entry| text(entry, out)).unwrap_or_default().to_owned()
    }

    /// True or false, if there.
    pub(crate) fn flag(&mut self, key: &'static str, out: &mut Findings) -> Option<bool> {
        let entry = self.entry(key)?;
        flag(entry, out)
    }

    /// True or false that must be said.
    pub(crate) fn need_flag(&mut self, key: &'static str, out: &mut Findings) -> Option<bool> {
        let entry = self.need(key)?;
        flag(entry, out)
    }

    /// A whole number within bounds, if there.
    pub(crate) fn integer(
        &mut self,
        key: &'static str,
        bounds: std::ops::RangeInclusive<i64>,
        out: &mut Findings,
    ) -> Option<i64> {
        integer(self.entry(key)?, bounds, out)
    }

    /// A list of texts, if there.
    pub(crate) fn texts(
        &mut self,
        key: &'static str,
        out: &mut Findings,
    ) -> Option<Vec<(&'a str, Place)>> {
        let entry = self.entry(key)?;
        texts(entry, out)
    }

    /// Members of a map, if there.
    pub(crate) fn map(&mut self, key: &'static str, out: &mut Findings) -> &'a [Entry] {
        let Some(entry) = self.entry(key) else { return &[] };
        if !matches!(entry.value.kind, Kind::Map(_)) {
            wrong(&entry.value, entry.focus(), &format!("`{key}` must be a map"), out);
        }
        entry.value.entries()
    }

    /// Elements of a list, if there.
    pub(crate) fn list(&mut self, key: &'static str, out: &mut Findings) -> &'a [Node] {
        let Some(entry) = self.entry(key) else { return &[] };
        if !matches!(entry.value.kind, Kind::List(_)) {
            wrong(&entry.value, entry.focus(), &format!("`{key}` must be a list"), out);
        }
        entry.value.elements()
    }

    /// One of several words, if there.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
        out: &mut Findings,
    ) -> Option<T> {
        let entry = self.entry(key)?;
        let word = text(entry, out)?;
        choice(word, entry.focus(), &format!("`{key}`"), choices, out)
    }

    /// Reports unknown and missing keys. A misspelt key is not reported again as missing.
    pub(crate) fn finish(mut self, out: &mut Findings) {
        for entry in self.node.entries() {
            if self.known.contains(&entry.key.as_str()) {
                continue;
            }
            let message = format!("{} has no key `{}`", self.what, entry.key);
            let help = unquoted(entry)
                .unwrap_or_else(|| names::suggest(&entry.key, self.known.iter().copied()));
            self.missing.retain(|key| help != format!("did you mean `{key}`?"));
            out.add(code::UNKNOWN_KEY, entry.place, message).label("unknown key").help(help);
        }
        for key in self.missing {
            out.add(code::MISSING_KEY, self.at, format!("{} must have the key `{key}`", self.what))
                .label(format!("`{key}` is missing"))
                .help_if(advice(key).map(str::to_owned));
        }
    }
}

/// Advice for an unquoted string with a comma: `{doc: This, and that}` has a key `and that`.
pub(crate) fn unquoted(entry: &Entry) -> Option<String> {
    let rest = entry.key.contains(' ') && matches!(entry.value.kind, Kind::Null);
    rest.then(|| "inside `{…}`, strings with a comma must be quoted".to_owned())
}

/// The text of an entry.
pub(crate) fn text<'a>(entry: &'a Entry, out: &mut Findings) -> Option<&'a str> {
    match entry.value.text() {
        Some(text) if text.trim().is_empty() => {
            out.add(code::BAD_VALUE, entry.place, format!("`{}` is empty", entry.key))
                .label("needs a value");
            None
        }
        Some(text) => Some(text),
        None => {
            wrong(&entry.value, entry.focus(), &format!("`{}` must be a string", entry.key), out);
            None
        }
    }
}

/// A whole number within bounds.
pub(crate) fn integer(
    entry: &Entry,
    bounds: std::ops::RangeInclusive<i64>,
    out: &mut Findings,
) -> Option<i64> {
    let key = &entry.key;
    let number = match &entry.value.kind {
        Kind::Number(number) => number.as_i64(),
        _ => None,
    };
    if number.is_none() {
        wrong(&entry.value, entry.focus(), &format!("`{key}` must be an integer"), out);
    }
    let number = number?;
    if bounds.contains(&number) {
        return Some(number);
    }
    let (low, high) = (bounds.start(), bounds.end());
    out.add(code::BAD_VALUE, entry.focus(), format!("`{key}` is {number}"))
        .label(format!("must be {low} to {high}"));
    None
}

/// The texts of an entry.
pub(crate) fn texts<'a>(entry: &'a Entry, out: &mut Findings) -> Option<Vec<(&'a str, Place)>> {
    let Kind::List(list) = &entry.value.kind else {
        wrong(
            &entry.value,
            entry.focus(),
            &format!("`{}` must be a list of strings", entry.key),
            out,
        );
        return None;
    };
    let mut texts = Vec::new();
    for element in list {
        match element.text() {
            Some(text) => texts.push((text, element.place)),
            None => {
                let expected = format!("`{}` must be a list of strings", entry.key);
                wrong(element, element.place, &expected, out);
            }
        }
    }
    Some(texts)
}

/// One of several words.
pub(crate) fn choice<T: Copy>(
    word: &str,
    at: Place,
    what: &str,
    choices: &[(&str, T)],
    out: &mut Findings,
) -> Option<T> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    if found.is_none() {
        out.add(code::BAD_VALUE, at, format!("unknown value `{word}` for {what}"))
            .label("not an allowed value")
            .help(names::suggest(word, choices.iter().map(|(name, _)| *name)));
    }
    found
}

fn flag(entry: &Entry, out: &mut Findings) -> Option<bool> {
    if let Kind::Bool(value) = entry.value.kind {
        return Some(value);
    }
    wrong(&entry.value, entry.focus(), &format!("`{}` must be `true` or `false`", entry.key), out);
    None
}

/// Reports a value of the wrong type.
pub(crate) fn wrong(node: &Node, at: Place, expected: &str, out: &mut Findings) {
    out.add(code::WRONG_TYPE, at, format!("{expected}, not {}", node.describe()));
}

/// What to write for keys that are easily forgotten.
fn advice(key: &str) -> Option<&'static str> {
    Some(match key {
        "open_world" => "`true` if a call reaches beyond the store of the surface, else `false`",
        "idempotent" => "`true` if a repeated identical call changes nothing more, else `false`",
        "effects" => "what a call can change: `read`, `write` or `destructive`",
        "title" => "a short name for lists",
        "description" => "for the model: what it does, when to use it, what it returns",
        "examples" => "at least one successful call, and one for each listed error",
        "instructions" => "what clients show to the model about the whole surface",
        _ => return None,
    })
}
