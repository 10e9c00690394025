//! All schemas of a surface: inside the subset, valid, described, with defaults that fit.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::subset::{Demands, Walk};
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
        let demands = Demands { strict: strict.contains(*name), described: true };
        root(draft, &entry.value, entry.place, value, demands, validators, out);
        if entry.value.text_of("description").is_none() && matches!(entry.value.kind, Kind::Map(_))
        {
            out.add(code::UNDESCRIBED, entry.place, format!("the type `{name}` is not described"))
                .label("its Rust type and its users have only the name to go by")
                .help("add `description`");
        }
    }
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        if let (Some(node), false) = (source.input, source.borrowed_input) {
            let at = source.place_of("input");
            if input_root(node, at, out) {
                let demands =
                    Demands { strict: true, described: tool.accept_undescribed.is_none() };
                root(draft, node, at, Some(&tool.input), demands, validators, out);
            }
        }
        if let (Some(node), false) = (source.output, source.borrowed_output) {
            let at = source.place_of("output");
            output_root(draft, node, at, out);
            root(draft, node, at, Some(&tool.output), Demands::OURS, validators, out);
        }
    }
    let surface = draft.folder.surface.as_ref().map(|doc| &doc.root);
    let guards = surface.and_then(|root| root.get("guards")).map(Node::entries);
    for guard in guards.unwrap_or_default() {
        let values = draft.contract.guards.get(&guard.key).map(|guard| &guard.params);
        let params = guard.value.get("params").map(Node::entries).unwrap_or_default();
        for param in params {
            let value = values.and_then(|params| params.get(&param.key));
            root(draft, &param.value, param.place, value, Demands::OURS, validators, out);
        }
    }
    !out.errors_since(mark)
}

/// Reports types that nothing refers to.
pub(super) fn unused(draft: &Draft<'_>, out: &mut Findings) {
    for (name, entry) in &draft.types {
        if !draft.used_types.contains(*name) && !used_by_types(draft, name) {
            out.add(code::UNUSED_TYPE, entry.place, format!("nothing uses the type `{name}`"))
                .help("remove it");
        }
    }
}

fn root(
    draft: &Draft<'_>,
    node: &Node,
    at: Place,
    value: Option<&Value>,
    demands: Demands,
    validators: &mut Validators,
    out: &mut Findings,
) {
    let mark = out.mark();
    Walk { draft, out, demands }.schema(node, at);
    if out.errors_since(mark) {
        return;
    }
    if let Some(value) = value {
        meta(node, at, value, out);
    }
    if !out.errors_since(mark) {
        defaults_and_patterns(draft, node, validators, out);
    }
}

/// The schema is one by the meta-schema's word.
fn meta(node: &Node, at: Place, value: &Value, out: &mut Findings) {
    let validator = jsonschema::draft202012::meta::validator();
    if validator.is_valid(value) {
        return;
    }
    for error in validator.iter_errors(value) {
        let pointer = error.instance_path().to_string();
        let place = if pointer.is_empty() { at } else { node.locate(&pointer) };
        out.add(code::BAD_SCHEMA, place, format!("not valid JSON Schema: {error}"));
    }
}

fn defaults_and_patterns(
    draft: &Draft<'_>,
    node: &Node,
    validators: &mut Validators,
    out: &mut Findings,
) {
    if let Some(entry) = node.entry("pattern")
        && let Some(pattern) = entry.value.text()
        && let Err(why) = validators.get(&json!({"type": "string", "pattern": pattern}))
    {
        out.add(code::BAD_SCHEMA, entry.focus(), format!("not a regular expression: {why}"));
    }
    if let Some(entry) = node.entry("default") {
        default(draft, node, entry, validators, out);
    }
    for key in ["properties", "items", "additionalProperties", "oneOf", "anyOf"] {
        let Some(inner) = node.get(key) else { continue };
        match key {
            "properties" => inner
                .entries()
                .iter()
                .for_each(|entry| defaults_and_patterns(draft, &entry.value, validators, out)),
            "oneOf" | "anyOf" => inner
                .elements()
                .iter()
                .for_each(|branch| defaults_and_patterns(draft, branch, validators, out)),
            _ => defaults_and_patterns(draft, inner, validators, out),
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
    let inlined = schema::inline(&draft.contract, &own);
    for (_, problem) in validators.problems(&inlined, &entry.value.to_value()) {
        out.add(code::BAD_DEFAULT, entry.focus(), format!("the default does not fit: {problem}"))
            .label("this default")
            .help("change the default or the rule that it breaks");
    }
}

/// Whether the rest of the schema is worth a look.
fn input_root(node: &Node, at: Place, out: &mut Findings) -> bool {
    if node.entry("$ref").is_some() {
        out.add(code::INPUT_ROOT, at, "an input is written out in the tool's file")
            .help("only another tool's input can stand in: `{$ref: \"plan.yaml#/input\"}`");
        return false;
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(entry) = node.entry(key) {
            out.add(code::INPUT_ROOT, entry.place, format!("`{key}` at the root of an input"))
                .label("some clients refuse all tools of a server for it")
                .help("use the tool's `constraints`, or one argument that holds the alternatives");
            return false;
        }
    }
    let closed = node.get("additionalProperties").map(|value| &value.kind);
    if node.text_of("type") != Some("object") || !matches!(closed, Some(Kind::Bool(false))) {
        out.add(code::INPUT_ROOT, at, "an input is an object that says which arguments there are")
            .label("needs `type: object` and `additionalProperties: false`")
            .help("otherwise a misspelt argument is silently ignored");
    }
    true
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
        out.add(code::OUTPUT_ROOT, at, "an output is an object")
            .label("not `type: object`")
            .help("put the value into a member: room for more later");
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

fn used_by_types(draft: &Draft<'_>, name: &str) -> bool {
    let reference = format!("#/$defs/{name}");
    fn mentions(value: &Value, reference: &str) -> bool {
        match value {
            Value::Object(map) => {
                map.get("$ref").is_some_and(|target| target == reference)
                    || map.values().any(|value| mentions(value, reference))
            }
            Value::Array(list) => list.iter().any(|value| mentions(value, reference)),
            _ => false,
        }
    }
    draft.contract.types.iter().any(|(other, value)| other != name && mentions(value, &reference))
}
