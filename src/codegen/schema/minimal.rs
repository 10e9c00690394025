//! The smallest call that works, for the hint of an invalid-arguments answer.

use serde_json::{Map, Value, json};

use super::{broken_constraint, inline, without_aliases};
use crate::model::{Constraint, Contract, Expect, Tool};

/// Smallest arguments that fit the input: required members of the first success example, or values
/// made from the schema, plus what the constraints ask for.
pub fn minimal_call(contract: &Contract, tool: &Tool) -> Value {
    let schema = inline(contract, &tool.input);
    let example = tool
        .examples
        .iter()
        .find(|example| matches!(example.expect, Expect::Output(_)))
        .map_or_else(|| json!({}), |example| without_aliases(tool, &example.input));
    let property = |name: &str| -> Value {
        let known = example.get(name).filter(|value| !value.is_null());
        known.cloned().unwrap_or_else(|| {
            sample(
                schema.pointer("/properties").and_then(|all| all.get(name)).unwrap_or(&json!({})),
            )
        })
    };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut call: Map<String, Value> =
        required.filter_map(Value::as_str).map(|name| (name.to_owned(), property(name))).collect();
    // Each round satisfies one constraint by adding one argument.
    for _ in 0..tool.constraints.len() * 2 {
        let arguments = Value::Object(call.clone());
        let missing = match broken_constraint(tool, &arguments) {
            Some(Constraint::AtLeastOneOf(fields) | Constraint::ExactlyOneOf(fields)) => fields
                .iter()
                .find(|field| {
                    example.get(field.as_str()).is_some_and(|value| *value != json!(false))
                })
                .or(fields.first()),
            Some(Constraint::Requires { needs, .. }) => Some(needs),
            Some(Constraint::AtMostOneOf(_)) | None => None,
        };
        let Some(name) = missing else { break };
        let mut value = property(name);
        if value == json!(false) {
            value = json!(true);
        }
        call.insert(name.clone(), value);
    }
    Value::Object(call)
}

/// A value that fits an inlined schema, except for its patterns.
pub fn sample(schema: &Value) -> Value {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(value) = schema.get("const").or_else(|| schema.get("default")) {
        return value.clone();
    }
    if let Some(first) = schema.pointer("/enum/0") {
        return first.clone();
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(first) = schema.get(key).and_then(|list| list.get(0)) {
            return sample(first);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("null"),
        _ => "object",
    };
    match kind {
        "string" => json!(sample_text(schema)),
        "integer" => {
            let least = schema.get("minimum").and_then(Value::as_i64);
            let most = schema.get("maximum").and_then(Value::as_i64);
            json!(least.unwrap_or_else(|| most.map_or(1, |most| most.min(1))))
        }
        "number" => json!(number("minimum").or_else(|| number("maximum")).unwrap_or(1.0)),
        "boolean" => json!(true),
        "array" => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(16);
            let items = schema.get("items").cloned().unwrap_or_else(|| json!({}));
            (0..least).map(|_| sample(&items)).collect()
        }
        "null" => Value::Null,
        _ => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let blank = json!({});
            required
                .filter_map(Value::as_str)
                .map(|name| {
                    let all = schema.get("properties");
                    let property = all.and_then(|all| all.get(name)).unwrap_or(&blank);
                    (name.to_owned(), sample(property))
                })
                .collect::<Map<_, _>>()
                .into()
        }
    }
}

fn sample_text(schema: &Value) -> String {
    let known = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("duration") => "PT1M",
        Some("email") => "someone@example.org",
        Some("hostname") => "example.org",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uri" | "uri-reference") => "https://example.org/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "text",
    };
    let length = |key: &str| {
        schema.get(key).and_then(Value::as_u64).and_then(|length| usize::try_from(length).ok())
    };
    let mut text = known.to_owned();
    if let Some(most) = length("maxLength") {
        text = text.chars().take(most).collect();
    }
    let least = length("minLength").unwrap_or(0).min(256);
    while text.chars().count() < least {
        text.push('x');
    }
    text
}
