//! Projections of a contract's schemas: the served schema, the accepted schema, the minimal call.
//!
//! Shared by the checks, the emitters and the docs. Works on a resolved [`Contract`] only; knows no YAML.

mod envelope;
mod minimal;
mod served;

pub use envelope::{Piece, WORDS, envelope_pieces};
pub use minimal::{minimal_call, sample};
use serde_json::{Map, Value, json};
pub use served::{definition, served_data, served_input, served_output, text_tokens, tokens};

use crate::model::{Constraint, Contract, Tool};

/// More than any definition may have; keeps types that refer to types from exploding.
const MAX_NODES: usize = 10_000;

/// A schema with all `$ref`s replaced by what they point to. Keywords beside a `$ref` win.
pub fn inline(contract: &Contract, schema: &Value) -> Value {
    let mut left = MAX_NODES;
    inline_within(contract, schema, &mut Vec::new(), &mut left)
}

fn inline_within<'a>(
    contract: &'a Contract,
    schema: &'a Value,
    path: &mut Vec<&'a str>,
    left: &mut usize,
) -> Value {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return json!({});
    }
    let map = match schema {
        Value::Object(map) => map,
        Value::Array(list) => {
            return list.iter().map(|item| inline_within(contract, item, path, left)).collect();
        }
        other => return other.clone(),
    };
    let mut result = Map::new();
    let target = map.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
    // A cycle is an error of the contract; here it only must not loop.
    if let Some(name) = target
        && !path.contains(&name)
        && let Some(definition) = contract.types.get(name)
    {
        path.push(name);
        if let Value::Object(definition) = inline_within(contract, definition, path, left) {
            result = definition;
        }
        path.pop();
    }
    for (key, value) in map {
        let value = match key.as_str() {
            "$ref" if target.is_some() => continue,
            // Plain data, not schemas.
            "enum" | "const" | "default" | "examples" | "required" => value.clone(),
            "properties" => match value {
                Value::Object(properties) => properties
                    .iter()
                    .map(|(name, schema)| {
                        (name.clone(), inline_within(contract, schema, path, left))
                    })
                    .collect::<Map<_, _>>()
                    .into(),
                other => other.clone(),
            },
            _ => inline_within(contract, value, path, left),
        };
        result.insert(key.clone(), value);
    }
    Value::Object(result)
}

/// What `decode` validates against: the input, with guard-owned fields left to their guards.
pub fn accepted(contract: &Contract, tool: &Tool) -> Value {
    let mut schema = inline(contract, &tool.input);
    for field in tool.guards.iter().filter_map(|guard| guard.owned_field()) {
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != field);
        }
        let property = schema.pointer_mut("/properties").and_then(|all| all.get_mut(field));
        if let Some(property) = property.and_then(Value::as_object_mut)
            && property.get("const") == Some(&Value::Bool(true))
        {
            property.remove("const");
            property.insert("type".to_owned(), json!("boolean"));
        }
    }
    if schema.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty)
        && let Some(schema) = schema.as_object_mut()
    {
        schema.remove("required");
    }
    schema
}

/// A schema for subsets of an answer: nothing is required, and a branch need not be the only one.
pub(crate) fn relaxed(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut result = Map::new();
            for (key, value) in map {
                match key.as_str() {
                    "required" | "minProperties" => {}
                    "enum" | "const" | "default" => {
                        result.insert(key.clone(), value.clone());
                    }
                    "properties" => {
                        let members = value.as_object().into_iter().flatten();
                        let members: Map<String, Value> =
                            members.map(|(name, schema)| (name.clone(), relaxed(schema))).collect();
                        result.insert(key.clone(), Value::Object(members));
                    }
                    "oneOf" => {
                        result.insert("anyOf".to_owned(), relaxed(value));
                    }
                    _ => {
                        result.insert(key.clone(), relaxed(value));
                    }
                }
            }
            Value::Object(result)
        }
        Value::Array(list) => list.iter().map(relaxed).collect(),
        other => other.clone(),
    }
}

/// Whether an argument counts as given: `false` and null do not.
fn given(arguments: &Value, field: &str) -> bool {
    !matches!(arguments.get(field), None | Some(Value::Null | Value::Bool(false)))
}

/// The first constraint that the arguments break.
pub fn broken_constraint<'a>(tool: &'a Tool, arguments: &Value) -> Option<&'a Constraint> {
    let count = |fields: &[String]| fields.iter().filter(|field| given(arguments, field)).count();
    tool.constraints.iter().find(|constraint| match constraint {
        Constraint::AtLeastOneOf(fields) => count(fields) == 0,
        Constraint::AtMostOneOf(fields) => count(fields) > 1,
        Constraint::ExactlyOneOf(fields) => count(fields) != 1,
        Constraint::Requires { field, needs } => {
            given(arguments, field) && !given(arguments, needs)
        }
    })
}

/// Arguments with aliases replaced by the names they stand for.
pub fn without_aliases(tool: &Tool, arguments: &Value) -> Value {
    let Value::Object(map) = arguments else { return arguments.clone() };
    map.iter()
        .map(|(name, value)| (tool.aliases.get(name).unwrap_or(name).clone(), value.clone()))
        .collect::<Map<_, _>>()
        .into()
}
