//! A resolved view of a schema: its own keywords, then those of the type that it refers to.

use serde_json::{Map, Value};

use super::super::locate::Side;
use super::super::recorder::At;
use crate::diagnostics::Place;
use crate::parse::{Entry, Kind, Node};
use crate::resolve::def_name;

/// A schema and the place of the key that holds it.
#[derive(Debug, Clone, Copy)]
pub(in crate::diff) struct Held<'a> {
    pub(in crate::diff) node: &'a Node,
    pub(in crate::diff) at: Place,
}

impl<'a> Held<'a> {
    /// The value of an entry.
    pub(in crate::diff) fn of(entry: &'a Entry) -> Self {
        Self { node: &entry.value, at: entry.place }
    }

    /// An element of a list.
    pub(super) fn element(node: &'a Node) -> Self {
        Self { node, at: node.entries().first().map_or(node.place, |entry| entry.place) }
    }
}

/// Name of the type that a schema refers to.
pub(super) fn reference(node: &Node) -> Option<&str> {
    node.text_of("$ref").and_then(def_name)
}

/// A schema with what it refers to.
pub(super) struct Schema<'a> {
    layers: Vec<&'a Node>,
    at: Place,
    side: Side<'a>,
}

impl<'a> Schema<'a> {
    pub(super) fn new(held: Held<'a>, side: Side<'a>) -> Self {
        let mut layers = vec![held.node];
        let mut next = held.node;
        // A cycle is an error of the contract; here it only must not loop.
        while let Some(entry) = reference(next).and_then(|name| side.shared(name))
            && !layers.iter().any(|layer| std::ptr::eq(*layer, &raw const entry.value))
        {
            layers.push(&entry.value);
            next = &entry.value;
        }
        Self { layers, at: held.at, side }
    }

    /// A keyword; its own wins over the type's.
    pub(super) fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.layers.iter().find_map(|layer| layer.entry(key))
    }

    pub(super) fn value(&self, key: &str) -> Option<Value> {
        self.entry(key).map(|entry| entry.value.to_value())
    }

    /// Location of a keyword, or of the schema.
    pub(super) fn at(&self, key: &str) -> At {
        match self.entry(key) {
            Some(entry) => At { place: entry.focus(), present: true },
            None => At { place: self.at, present: false },
        }
    }

    /// What `anyOf` holds beside null.
    pub(super) fn branch(&self) -> Option<(usize, Held<'a>)> {
        let branches = self.entry("anyOf")?.value.elements();
        let found = branches.iter().position(|branch| branch.text_of("type") != Some("null"))?;
        Some((found, Held::element(&branches[found])))
    }

    /// Null is one of the values, and not because anything is.
    pub(super) fn is_nullable(&self) -> bool {
        let listed = self
            .entry("type")
            .is_some_and(|entry| entry.value.elements().iter().any(|t| t.text() == Some("null")));
        let inside = self.branch().map(|(_, held)| Schema::new(held, self.side));
        listed || inside.is_some()
    }

    pub(super) fn is_anything(&self) -> bool {
        self.kind() == "anything" && self.branch().is_none()
    }

    /// The one type, null aside.
    pub(super) fn kind(&self) -> &'a str {
        if self.entry("oneOf").is_some() {
            return "one of several objects";
        }
        if let Some(entry) = self.entry("type") {
            return match &entry.value.kind {
                Kind::List(list) => {
                    list.iter().filter_map(Node::text).find(|t| *t != "null").unwrap_or("null")
                }
                _ => entry.value.text().unwrap_or("anything"),
            };
        }
        let fixed = self.entry("const").map(|entry| &entry.value);
        let first = self.entry("enum").and_then(|entry| entry.value.elements().first());
        match fixed.or(first).map(|node| &node.kind) {
            Some(Kind::Bool(_)) => "boolean",
            Some(Kind::Number(_)) => "integer",
            Some(Kind::Text(_)) => "string",
            _ => "anything",
        }
    }

    /// The values that are listed one by one.
    pub(super) fn choices(&self) -> Option<Vec<Value>> {
        if let Some(value) = self.value("const") {
            return Some(vec![value]);
        }
        self.entry("enum").map(|entry| entry.value.elements().iter().map(Node::to_value).collect())
    }

    /// Names of members that have to be there.
    pub(super) fn required(&self) -> Vec<&'a str> {
        super::elements(self, "required").iter().filter_map(Node::text).collect()
    }

    /// Where `required` names a member, or the schema.
    pub(super) fn required_at(&self, name: &str) -> At {
        let found = super::elements(self, "required").iter().find(|node| node.text() == Some(name));
        match found {
            Some(node) => At { place: node.place, present: true },
            None => At { present: false, ..self.at("required") },
        }
    }
}

/// A schema without texts and with all types inlined, for comparison.
pub(in crate::diff) fn bare(node: &Node, side: Side<'_>) -> Value {
    if let Some(entry) = reference(node).and_then(|name| side.shared(name)) {
        return bare(&entry.value, side);
    }
    match &node.kind {
        Kind::Map(entries) => entries
            .iter()
            .filter(|entry| {
                let word = matches!(entry.key.as_str(), "description" | "title");
                !(word && entry.value.text().is_some())
            })
            .map(|entry| (entry.key.clone(), bare(&entry.value, side)))
            .collect::<Map<_, _>>()
            .into(),
        Kind::List(list) => list.iter().map(|node| bare(node, side)).collect(),
        _ => node.to_value(),
    }
}
