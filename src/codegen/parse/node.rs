//! A spec file as a tree in which every key and value knows its bytes.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{Location, Spanned};

use crate::diagnostics::{FileId, Place};

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) value: Node,
}

impl Entry {
    /// The value's place, or the key's where the value is a block, or nothing at all.
    pub(crate) fn focus(&self) -> Place {
        match &self.value.kind {
            Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => self.value.place,
            Kind::Null | Kind::List(_) | Kind::Map(_) => self.place,
        }
    }
}

impl Node {
    /// Member of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Member of a map with its key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Members of a map; nothing for other values.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Kind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// Elements of a list; nothing for other values.
    pub(crate) fn elements(&self) -> &[Node] {
        if let Kind::List(elements) = &self.kind { elements } else { &[] }
    }

    /// The text of a text.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// Text of a member.
    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Node::text)
    }

    /// The value without places.
    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::Text(value) => Value::String(value.clone()),
            Kind::List(list) => Value::Array(list.iter().map(Node::to_value).collect()),
            Kind::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// The place of the value at a JSON pointer, or of the deepest ancestor there is.
    pub(crate) fn locate(&self, pointer: &str) -> Place {
        let mut node = self;
        let mut place = self.place;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            if let Some(entry) = node.entry(&step) {
                place = entry.focus();
                node = &entry.value;
            } else if let Some(element) =
                step.parse::<usize>().ok().and_then(|index| node.elements().get(index))
            {
                place = element.place;
                node = element;
            } else {
                break;
            }
        }
        place
    }

    /// Describes the kind of value in messages.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Number(value) => format!("the number {value}"),
            Kind::Text(value) if value.chars().count() <= 30 => format!("the string \"{value}\""),
            Kind::Text(_) => "a string".to_owned(),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a map".to_owned(),
        }
    }
}

/// What serde builds; the file is filled in by [`Raw::place`].
#[derive(Debug)]
pub(super) enum Raw {
    Null,
    Bool(bool),
    Number(Number),
    /// A number that JSON cannot carry.
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Number::from_f64(value).map_or_else(|| Raw::Text(value.to_string()), Raw::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element()? {
            list.push(element);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

/// Turns what serde built into nodes of one file.
pub(super) fn place_tree(raw: Spanned<Raw>, file: FileId) -> Node {
    let own = place(raw.defined, file);
    match raw.value {
        Raw::Null => Node { place: own, kind: Kind::Null },
        Raw::Bool(value) => Node { place: own, kind: Kind::Bool(value) },
        Raw::Number(value) => Node { place: own, kind: Kind::Number(value) },
        Raw::Text(value) => Node { place: own, kind: Kind::Text(value) },
        Raw::List(list) => {
            let list: Vec<Node> = list.into_iter().map(|item| place_tree(item, file)).collect();
            let end = list.last().map_or(own.end, |last| last.place.end);
            Node { place: Place { end: end.max(own.end), ..own }, kind: Kind::List(list) }
        }
        Raw::Map(entries) => {
            let entries: Vec<Entry> = entries
                .into_iter()
                .map(|(key, value)| Entry {
                    place: place(key.defined, file),
                    key: key.value,
                    value: place_tree(value, file),
                })
                .collect();
            let end = entries.last().map_or(own.end, |last| last.value.place.end);
            Node { place: Place { end: end.max(own.end), ..own }, kind: Kind::Map(entries) }
        }
    }
}

/// Like [`place`]; syntax errors often know their line and column only.
pub(super) fn place_in(location: Location, file: FileId, text: &str) -> Place {
    if location.span().byte_offset().is_some_and(|offset| offset > 0) {
        return place(location, file);
    }
    let nth = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(0);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = nth(location.line()).min(lines.len());
    let before: usize = lines[..line].iter().map(|line| line.len()).sum();
    let inside: usize = lines
        .get(line)
        .map_or(0, |line| line.chars().take(nth(location.column())).map(char::len_utf8).sum());
    let start = u32::try_from(before + inside).unwrap_or(u32::MAX);
    Place { file, start, end: start }
}

pub(super) fn place(location: Location, file: FileId) -> Place {
    let span = location.span();
    let start = span.byte_offset().unwrap_or(0);
    let end = start + span.byte_len().unwrap_or(0);
    let narrow = |offset: u64| u32::try_from(offset).unwrap_or(u32::MAX);
    Place { file, start: narrow(start), end: narrow(end) }
}
