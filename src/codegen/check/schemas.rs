//! All schemas of a surface: in the supported subset, valid, described, with valid defaults.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::sanitize;
use super::subset::{ROOT_COMBINATORS, Strictness, Walk};
use super::validators::Validators;
use crate::diagnostics::{Findings, Place, code};
use crate::parse::{Entry, Kind, Node};
use crate::resolve::{Draft, def_name};
use crate::schema;

/// Checks all schemas. True where every one is sound, so that examples can be held against them.
pub(super) fn check(draft: &Draft<'_>, validators: &mut Validators, out: &mut Findings) -> bool {
    let mark = out.mark();
    let strict = sent_by_clients(draft);
    for (name, entry) in &draft.types {
        let value = draft.contract.types.get(*name);
        let strictness = Strictness { strict: strict.contains(*name), described: true };
        root(draft, &entry.value, entry.place, value, strictness, validators, out);
        if entry.value.text_of("description").is_none() && matches!(entry.value.kind, Kind::Map(_))
        {
            out.add(code::UNDESCRIBED, entry.place, format!("type `{name}` has no description"))
                .label("readers would have only the name")
                .help("add `description`");
        }
    }
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        if let (Some(node), false) = (source.input, source.borrowed_input) {
            let at = source.place_of("input");
            let strictness =
                Strictness { strict: true, described: tool.accept_undescribed.is_none() };
            match input_root(node, at, out) {
                Root::Sound => {
                    root(draft, node, at, Some(&tool.input), strictness, validators, out);
                }
                Root::Combined => {
                    Walk { draft, out, strictness }.without_combinators(node, at);
                    defaults_and_patterns(draft, node, out.mark(), validators, out);
                }
                Root::Elsewhere => {}
            }
        }
        if let (Some(node), false) = (source.output, source.borrowed_output) {
            let at = source.place_of("output");
            if draft.folder.surface.is_some() {
                output_root(draft, node, at, out);
            }
            root(draft, node, at, Some(&tool.output), Strictness::SERVER, validators, out);
        }
    }
    let surface = draft.folder.surface.as_ref().map(|doc| &doc.root);
    let guards = surface.and_then(|root| root.get("guards")).map(Node::entries);
    for guard in guards.unwrap_or_default() {
        let values = draft.contract.guards.get(&guard.key).map(|guard| &guard.params);
        let params = guard.value.get("params").map(Node::entries).unwrap_or_default();
        for param in params {
            let value = values.and_then(|params| params.get(&param.key));
            root(draft, &param.value, param.place, value, Strictness::SERVER, validators, out);
        }
    }
    !out.errors_since(mark)
}

/// Reports types that nothing refers to.
pub(super) fn unused(draft: &Draft<'_>, out: &mut Findings) {
    let folder = draft.folder;
    let docs = folder.surface.iter().chain(&folder.tools);
    let mut named: BTreeSet<&str> = BTreeSet::new();
    docs.for_each(|doc| references(&doc.root, &mut named));
    let within: Vec<(&str, BTreeSet<&str>)> = draft
        .types
        .iter()
        .map(|(name, entry)| {
            let mut inside = BTreeSet::new();
            references(&entry.value, &mut inside);
            (*name, inside)
        })
        .collect();
    for (name, entry) in &draft.types {
        let by_types = within.iter().any(|(other, inside)| other != name && inside.contains(name));
        if !named.contains(name) && !by_types {
            out.add(code::UNUSED_TYPE, entry.place, format!("unused type `{name}`"))
                .help("remove it");
        }
    }
}

fn root(
    draft: &Draft<'_>,
    node: &Node,
    at: Place,
    value: Option<&Value>,
    strictness: Strictness,
    validators: &mut Validators,
    out: &mut Findings,
) {
    let mark = out.mark();
    Walk { draft, out, strictness }.schema(node, at);
    if let Some(value) = value {
        meta(node, at, value, mark, out);
    }
    defaults_and_patterns(draft, node, mark, validators, out);
}

/// The schema is one by the meta-schema's word. What was said since `mark` is not said again.
fn meta(node: &Node, at: Place, value: &Value, mark: usize, out: &mut Findings) {
    let validator = jsonschema::draft202012::meta::validator();
    if validator.is_valid(value) {
        return;
    }
    for error in validator.iter_errors(value) {
        let pointer = error.instance_path().to_string();
        let place = if pointer.is_empty() { at } else { node.locate(&pointer) };
        if !out.reported_since(mark, place) {
            out.add(code::BAD_SCHEMA, place, format!("not valid JSON Schema: {error}"));
        }
    }
}

fn defaults_and_patterns(
    draft: &Draft<'_>,
    node: &Node,
    mark: usize,
    validators: &mut Validators,
    out: &mut Findings,
) {
    if let Some(entry) = node.entry("pattern")
        && let Some(pattern) = entry.value.text()
        && let Err(why) = validators.get(&json!({"type": "string", "pattern": pattern}))
    {
        out.add(code::BAD_SCHEMA, entry.focus(), format!("not a regular expression: {why}"));
    }
    if let Some(entry) = node.entry("default")
        && !out.reported_since(mark, entry.place)
    {
        default(draft, node, entry, validators, out);
    }
    for key in ["properties", "items", "additionalProperties", "oneOf", "anyOf"] {
        let Some(inner) = node.get(key) else { continue };
        match key {
            "properties" => inner.entries().iter().for_each(|entry| {
                defaults_and_patterns(draft, &entry.value, mark, validators, out)
            }),
            "oneOf" | "anyOf" => inner
                .elements()
                .iter()
                .for_each(|branch| defaults_and_patterns(draft, branch, mark, validators, out)),
            _ => defaults_and_patterns(draft, inner, mark, validators, out),
        }
    }
}

fn default(
    draft: &Draft<'_>,
    node: &Node,
    entry: &Entry,
    validators: &mut Validators,
    out: &mut Findings,
) {
    let mut own = node.to_value();
    if let Some(map) = own.as_object_mut() {
        map.remove("default");
        if let Some(name) = node.text_of("$ref").and_then(def_name) {
            map.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
        }
    }
    let inlined = sanitize::schema(&schema::inline(&draft.contract, &own));
    for (_, problem) in validators.problems(&inlined, &entry.value.to_value()) {
        out.add(code::BAD_DEFAULT, entry.focus(), format!("the default is not allowed: {problem}"))
            .label("this default")
            .help("change the default or the keyword that it violates");
    }
}

/// What the root of an input is, and so how much of it is worth a look.
enum Root {
    Sound,
    /// With alternatives that were refused.
    Combined,
    /// Written in a place that no input is read from.
    Elsewhere,
}

fn input_root(node: &Node, at: Place, out: &mut Findings) -> Root {
    if node.entry("$ref").is_some() {
        out.add(code::INPUT_ROOT, at, "an input cannot be a shared type")
            .help("write it out, or use the input of another tool: `{$ref: \"plan.yaml#/input\"}`");
        return Root::Elsewhere;
    }
    for key in ROOT_COMBINATORS {
        if let Some(entry) = node.entry(key) {
            out.add(code::INPUT_ROOT, entry.place, format!("`{key}` at the root of an input"))
                .label("some clients then reject all tools of the server")
                .help("use `constraints` of the tool, or one argument for the alternatives");
            return Root::Combined;
        }
    }
    let closed = node.get("additionalProperties").map(|value| &value.kind);
    if node.text_of("type") != Some("object") || !matches!(closed, Some(Kind::Bool(false))) {
        out.add(code::INPUT_ROOT, at, "an input must be a closed object")
            .label("needs `type: object` and `additionalProperties: false`")
            .help("otherwise misspelt arguments are silently ignored");
    }
    Root::Sound
}

fn output_root(draft: &Draft<'_>, node: &Node, at: Place, out: &mut Findings) {
    let root = match node.text_of("$ref").and_then(def_name) {
        Some(name) => draft.types.get(name).map(|entry| &entry.value),
        None => Some(node),
    };
    let Some(root) = root else { return };
    // Inside an envelope that is an object of its own, a list does no harm.
    let enveloped = draft.contract.envelope.success != "$data";
    let list = enveloped && root.text_of("type") == Some("array");
    if root.text_of("type") != Some("object") && root.entry("oneOf").is_none() && !list {
        out.add(code::OUTPUT_ROOT, at, "an output must be an object")
            .label("not `type: object`")
            .help("put the value into a member; more members can follow later");
    }
}

/// Types that inputs reach: their values come from clients.
fn sent_by_clients(draft: &Draft<'_>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Value> = draft.contract.tools.iter().map(|tool| &tool.input).collect();
    while let Some(value) = next.pop() {
        match value {
            Value::Object(map) => {
                let target = map.get("$ref").and_then(Value::as_str).and_then(def_name);
                if let Some(name) = target
                    && reached.insert(name.to_owned())
                {
                    next.extend(draft.contract.types.get(name));
                }
                next.extend(map.values());
            }
            Value::Array(list) => next.extend(list),
            _ => {}
        }
    }
    reached
}

/// Names of all types that something in the tree refers to, also under a misspelt key.
fn references<'a>(node: &'a Node, found: &mut BTreeSet<&'a str>) {
    found.extend(node.text_of("$ref").and_then(def_name));
    node.entries().iter().for_each(|entry| references(&entry.value, found));
    node.elements().iter().for_each(|element| references(element, found));
}
