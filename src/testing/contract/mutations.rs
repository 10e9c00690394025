//! Each success example, spoilt in every way its schema knows, must be answered with the right
//! pointer and change nothing.

use serde_json::{Map, Value, json};
use toolwright_runtime::contract::{Expect, ToolInfo};

use super::{States, all_examples, examples, report};

/// Arguments that must not be accepted, with the pointer that must be named.
struct Mutation {
    what: String,
    arguments: Value,
    pointer: String,
}

/// Runs every mutation of every success example.
pub fn are_invalid_arguments(states: &dyn States) {
    let surface = states.surface();
    let code = surface.builtin.invalid_arguments.code;
    let mut complaints = Vec::new();
    let mut count = 0;
    for (index, tool, example) in all_examples(surface) {
        if matches!(example.expect, Expect::Error(_)) {
            continue;
        }
        let mut state = states.make_for(tool, example);
        let before = state.picture();
        for mutation in mutations(tool, &super::json(example.input)) {
            count += 1;
            let place = format!("{} / {}: {}", tool.canonical, example.name, mutation.what);
            let reply = state.call(index, &mutation.arguments);
            // Over a transport, arguments that are no object are a JSON-RPC error without data.
            if reply.is_error && reply.body.is_null() && mutation.pointer.is_empty() {
                continue;
            }
            if !reply.is_error || !examples::mentions(&reply.body, code) {
                complaints.push(format!("{place}: accepted or another code: {}", reply.body));
            } else if !names(&reply.body, &mutation.pointer) {
                complaints.push(format!("{place}: no {} in {}", mutation.pointer, reply.body));
            }
            if let Err(problem) = examples::fits_schema(tool, &reply.body) {
                complaints.push(format!("{place}: {problem}"));
            }
        }
        if before != state.picture() {
            complaints.push(format!("{} / {}: changed the store", tool.canonical, example.name));
        }
    }
    assert!(count > 0, "no example could be mutated");
    report(&complaints);
}

/// Whether a failure names the place: among its details, or in the message of an envelope that has
/// no room for details.
pub(super) fn names(body: &Value, pointer: &str) -> bool {
    let place = if pointer.is_empty() { "the arguments" } else { pointer };
    let said = format!(": {place}: ");
    let mut texts = body.as_object().into_iter().flat_map(Map::values).filter_map(Value::as_str);
    examples::mentions(body, pointer) || texts.any(|text| text.contains(&said))
}

fn mutations(tool: &ToolInfo, arguments: &Value) -> Vec<Mutation> {
    let schema = super::json(tool.accepted);
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let arguments = &by_own_names(tool, arguments);
    let mut all = vec![
        changed(arguments, "no_such_argument", json!(1), "unknown argument"),
        Mutation {
            what: "arguments are a list".to_owned(),
            arguments: json!([1, 2]),
            pointer: String::new(),
        },
    ];
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let mut without = arguments.clone();
        if let Some(members) = without.as_object_mut() {
            members.remove(name);
        }
        all.push(Mutation {
            what: format!("{name} left out"),
            arguments: without,
            pointer: format!("/{name}"),
        });
    }
    for (name, property) in properties {
        all.extend(
            violations(property)
                .into_iter()
                .map(|(what, value)| changed(arguments, name, value, &format!("{name} {what}"))),
        );
    }
    all
}

/// Aliases replaced by the arguments they stand for: only one of the two may be given.
fn by_own_names(tool: &ToolInfo, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    for (alias, name) in tool.aliases {
        if let Some(value) = arguments.as_object_mut().and_then(|members| members.remove(*alias)) {
            arguments[*name] = value;
        }
    }
    arguments
}

/// Values that a property's schema forbids.
fn violations(schema: &Value) -> Vec<(&'static str, Value)> {
    let mut values = Vec::new();
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() {
        let wrong = [
            ("string", json!("text")),
            ("integer", json!(7)),
            ("boolean", json!(true)),
            ("object", json!({"a": 1})),
            ("array", json!([1])),
            ("null", Value::Null),
        ];
        let fits =
            |name: &str| types.contains(&name) || (name == "integer" && types.contains(&"number"));
        values.extend(
            wrong
                .into_iter()
                .filter(|(name, _)| !fits(name))
                .map(|(_, value)| ("of another type", value)),
        );
    }
    if schema.get("enum").is_some() && types.contains(&"string") {
        values.push(("outside the enum", json!("surely-not-in-the-enum")));
    }
    if let Some(minimum) = schema["minimum"].as_i64() {
        values.push(("below the minimum", json!(minimum - 1)));
    }
    if let Some(maximum) = schema["maximum"].as_i64() {
        values.push(("above the maximum", json!(maximum + 1)));
    }
    if schema["minLength"].as_u64().is_some_and(|length| length > 0) {
        values.push(("too short", json!("")));
    }
    if let Some(length) = schema["maxLength"].as_u64().filter(|length| *length < 10_000) {
        values.push(("too long", json!("x".repeat(length as usize + 1))));
    }
    if let Some(items) = schema["maxItems"].as_u64().filter(|items| *items < 1_000) {
        values.push(("with too many items", json!(vec![Value::Null; items as usize + 1])));
    }
    values
}

fn changed(arguments: &Value, name: &str, value: Value, what: &str) -> Mutation {
    let mut arguments = arguments.clone();
    arguments[name] = value;
    Mutation { what: what.to_owned(), arguments, pointer: format!("/{name}") }
}
