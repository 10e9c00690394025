//! Keys of the spec language as `specs/spec.schema.json` describes them.

use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::super::page::{Inline, Target, Text, anchor, code, joined, none, text, value};
use super::super::prose::prose;
use super::super::schema_text;
use crate::diagnostics::Sources;
use crate::parse::{Node, read_tree};

/// Keyword of the schema that lists the diagnostics of a key. Editors ignore it.
const DIAGNOSTICS: &str = "x-diagnostics";

const TEXT: &str = include_str!("../../../../specs/spec.schema.json");

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(TEXT).unwrap_or_default());
/// The same with its order: JSON is YAML.
static TREE: LazyLock<Option<Node>> = LazyLock::new(|| {
    let file = Sources::default().add(PathBuf::new(), None);
    read_tree(file, &Ok(TEXT.as_bytes().to_vec())).ok()
});
static ACCEPTED: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../../specs/accepted-breaks.schema.json");
    serde_json::from_str(text).unwrap_or_default()
});

/// A key of a map of the spec language.
#[derive(Clone)]
pub(super) struct Key {
    /// Where it is: `tool`, `tool.guards.confirm`.
    within: String,
    /// From there: `field`, `every_tool.effects`.
    pub(super) path: String,
    pub(super) required: bool,
    pub(super) node: &'static Value,
}

/// A definition of the schema.
pub(super) fn definition(name: &str) -> &'static Value {
    SCHEMA.get("$defs").and_then(|all| all.get(name)).unwrap_or(&Value::Null)
}

/// The schema of an accepted break.
pub(super) fn accepted_break() -> &'static Value {
    ACCEPTED.get("items").unwrap_or(&Value::Null)
}

/// A key on its own.
pub(super) fn alone(node: &'static Value, within: &str, path: &str) -> Key {
    Key { within: within.to_owned(), path: path.to_owned(), required: false, node }
}

/// The members of a map, with those of maps inside where `deep`.
pub(super) fn members(node: &'static Value, within: &str, deep: bool) -> Vec<Key> {
    let mut all = Vec::new();
    collect(node, within, "", deep, &mut all);
    all
}

fn collect(node: &'static Value, within: &str, prefix: &str, deep: bool, all: &mut Vec<Key>) {
    let Some(properties) = node.get("properties").and_then(Value::as_object) else { return };
    let required = |name: &str| {
        let list = node.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|required| required == name))
    };
    for name in in_order(properties) {
        let Some(member) = properties.get(name) else { continue };
        let path = format!("{prefix}{name}");
        let required = required(name);
        all.push(Key { within: within.to_owned(), path: path.clone(), required, node: member });
        if deep {
            collect(member, within, &format!("{path}."), deep, all);
        }
    }
}

/// The names as the schema's text orders them; a parsed schema has lost that.
fn in_order(properties: &'static Map<String, Value>) -> Vec<&'static str> {
    fn find<'t>(node: &'t Node, properties: &Map<String, Value>) -> Option<&'t Node> {
        let entries = node.entries();
        let all_known = entries.iter().all(|entry| properties.contains_key(&entry.key));
        if entries.len() == properties.len() && all_known {
            return Some(node);
        }
        let inner = entries.iter().map(|entry| &entry.value).chain(node.elements());
        inner.into_iter().find_map(|inner| find(inner, properties))
    }
    match TREE.as_ref().and_then(|tree| find(tree, properties)) {
        Some(found) => found.entries().iter().map(|entry| entry.key.as_str()).collect(),
        None => properties.keys().map(String::as_str).collect(),
    }
}

impl Key {
    /// Name alone.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// Whether it holds the other key.
    pub(super) fn holds(&self, other: &Key) -> bool {
        let own = format!("{}.{}.", self.within, self.path);
        format!("{}.{}", other.within, other.path).starts_with(&own)
    }

    /// What links lead to.
    pub(super) fn anchor(&self) -> String {
        anchor("key", &format!("{}.{}", self.within, self.path))
    }

    /// Name with a link to its row.
    pub(super) fn link(&self) -> Text {
        let full = format!("{}.{}", self.within, self.path);
        vec![Inline::Link(Target::Here(self.anchor()), Box::new(Inline::Code(full)))]
    }

    /// Codes of the diagnostics that guard it.
    pub(super) fn codes(&self) -> Vec<&'static str> {
        codes(self.node)
    }

    /// `required`, or the default.
    pub(super) fn default(&self) -> Text {
        match self.node.get("default") {
            _ if self.required => text("required"),
            Some(Value::String(default)) => code(default),
            Some(default) => vec![value(default)],
            None => none(),
        }
    }

    /// Its description and the values that it takes.
    pub(super) fn meaning(&self) -> Text {
        let mut meaning = description(self.node);
        let mut allowed = allowed(self.node);
        if let Some(Inline::Text(first)) = allowed.first_mut() {
            *first = sentence_case(first);
        }
        if !allowed.is_empty() {
            meaning.extend(text(" "));
            meaning.extend(allowed);
            meaning.extend(text("."));
        }
        meaning
    }

    /// Its type.
    pub(super) fn kind(&self) -> Text {
        kind(self.node)
    }
}

/// Codes that a node of the schema lists.
pub(super) fn codes(node: &'static Value) -> Vec<&'static str> {
    let list = node.get(DIAGNOSTICS).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Links to the diagnostics.
pub(super) fn code_links(codes: &[&str]) -> Text {
    if codes.is_empty() {
        return none();
    }
    joined(codes.iter().map(|code| vec![code_link(code)]), " ")
}

fn code_link(code: &str) -> Inline {
    Inline::Link(Target::Here(anchor("code", code)), Box::new(Inline::Text(code.to_owned())))
}

/// The description of a node.
pub(super) fn description(node: &Value) -> Text {
    prose(node.get("description").and_then(Value::as_str).unwrap_or_default())
}

fn allowed(node: &Value) -> Text {
    if let Some(Value::Array(choices)) = node.get("enum") {
        let choices = choices.iter().map(|choice| match choice {
            Value::String(word) => code(word),
            other => vec![value(other)],
        });
        return [text("one of "), joined(choices, ", ")].concat();
    }
    let mut node = node.clone();
    if let Some(map) = node.as_object_mut() {
        // Every text has at least one character; an inner schema is described on its own.
        if map.get("minLength") == Some(&Value::from(1)) {
            map.remove("minLength");
        }
        for inner in ["items", "additionalProperties", "anyOf", "oneOf"] {
            map.remove(inner);
        }
    }
    schema_text::limits_of(&node)
}

fn sentence_case(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn kind(node: &Value) -> Text {
    let inner = |key: &str| node.get(key).filter(|inner| inner.is_object());
    if let Some(name) = node.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or(name);
        return match name {
            "schema" => vec![Inline::Link(
                Target::Here("schemas".to_owned()),
                Box::new(Inline::Text("schema".to_owned())),
            )],
            other => text(other),
        };
    }
    if let Some(items) = inner("items") {
        return [text("list of "), kind(items)].concat();
    }
    if let Some(values) = inner("additionalProperties").filter(|_| inner("properties").is_none()) {
        return [text("map of "), kind(values)].concat();
    }
    if node.get("properties").is_some() {
        return text("object");
    }
    if let Some(Value::Array(branches)) = node.get("oneOf").or_else(|| node.get("anyOf")) {
        let objects = branches.iter().all(|branch| branch.get("properties").is_some());
        return match objects || branches.iter().any(|branch| branch.get("maxProperties").is_some())
        {
            true => text("object"),
            false => joined(branches.iter().map(kind), " or "),
        };
    }
    text(&schema_text::kind(node))
}
