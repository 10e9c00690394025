//! What a client gets to see: input, output and the definition as a whole.

use serde_json::{Map, Value, json};

use super::envelope::{Piece, word};
use super::inline;
use crate::model::{Contract, Effects, Tool};

/// The input schema as served: canonical, without `$ref`s.
pub fn served_input(contract: &Contract, tool: &Tool) -> Value {
    inline(contract, &tool.input)
}

/// The output schema as served: root `type: object`, success and failure envelope.
///
/// Widespread clients validate the structured content of errors too, so a failure must fit.
pub fn served_output(contract: &Contract, tool: &Tool) -> Value {
    let success = branch(&contract.envelope.success, contract, tool);
    let failure = branch(&contract.envelope.failure, contract, tool);
    json!({"type": "object", "anyOf": [success, failure]})
}

/// The schema of the handler's answer as served: without prose, which costs every client tokens;
/// the docs have it.
pub fn served_data(contract: &Contract, tool: &Tool) -> Value {
    let mut schema = inline(contract, &tool.output);
    drop_prose(&mut schema);
    schema
}

/// Removes descriptions, not properties of that name.
fn drop_prose(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.remove("description");
    for (key, value) in map {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(drop_prose);
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(drop_prose);
            }
            ("items" | "additionalProperties", inner) => drop_prose(inner),
            _ => {}
        }
    }
}

/// The tool as `tools/list` shows it under its canonical name.
pub fn definition(contract: &Contract, tool: &Tool) -> Value {
    let read = tool.effects == Effects::Read;
    let mut definition = json!({
        "name": format!("{}{}", contract.prefix, tool.name),
        "title": tool.title,
        "description": tool.description,
        "inputSchema": served_input(contract, tool),
        "outputSchema": served_output(contract, tool),
        "annotations": {
            "readOnlyHint": read,
            "destructiveHint": tool.effects == Effects::Destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": tool.open_world,
        },
    });
    if !tool.meta.is_empty() {
        definition["_meta"] = Value::Object(tool.meta.clone());
    }
    definition
}

/// Estimated tokens of a JSON value as it is served.
pub fn tokens(value: &Value) -> u32 {
    text_tokens(&value.to_string())
}

/// Estimated tokens of a text.
pub fn text_tokens(text: &str) -> u32 {
    u32::try_from(toolwright_contract::estimate_tokens(text.len())).unwrap_or(u32::MAX)
}

/// Schema of what a template renders to. Says no more than a client needs to tell the branches
/// apart and read them.
fn branch(template: &Value, contract: &Contract, tool: &Tool) -> Value {
    match template {
        Value::String(text) => match word(text) {
            Some(piece) => slot(&piece, contract, tool),
            None => json!({"const": text}),
        },
        Value::Object(map) => {
            let members = map.iter().filter(|(key, _)| *key != "$spread");
            let properties: Map<String, Value> =
                members.map(|(key, value)| (key.clone(), branch(value, contract, tool))).collect();
            let required: Vec<&String> = properties.keys().collect();
            if required.is_empty() {
                return json!({"type": "object"});
            }
            json!({"type": "object", "required": required, "properties": properties})
        }
        Value::Array(list) if list.is_empty() => {
            json!({"type": "array", "maxItems": 0, "items": {}})
        }
        Value::Array(list) => {
            let items: Vec<Value> = list.iter().map(|item| branch(item, contract, tool)).collect();
            let items = match items.as_slice() {
                [one] => one.clone(),
                _ => json!({"anyOf": items}),
            };
            json!({"type": "array", "items": items, "minItems": list.len(), "maxItems": list.len()})
        }
        Value::Null => json!({"type": "null"}),
        literal => json!({"const": literal}),
    }
}

fn slot(piece: &Piece, contract: &Contract, tool: &Tool) -> Value {
    match piece {
        Piece::Data => served_data(contract, tool),
        Piece::ErrorCode => {
            let codes: std::collections::BTreeSet<&str> = tool
                .errors
                .iter()
                .filter_map(|kind| contract.errors.get(kind))
                .map(|error| error.code.as_str())
                .collect();
            json!({"enum": codes})
        }
        Piece::ErrorHint => json!({"type": ["string", "null"]}),
        Piece::ErrorRetryable => json!({"type": "boolean"}),
        Piece::ErrorDetails | Piece::ErrorSpread => json!({"type": "object"}),
        Piece::Warnings | Piece::CommandPath => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        Piece::ElapsedMs | Piece::NowMs => json!({"type": "integer"}),
        Piece::Text(_)
        | Piece::ErrorMessage
        | Piece::Now
        | Piece::Version
        | Piece::Contract
        | Piece::Tool
        | Piece::Command
        | Piece::CommandId
        | Piece::RequestId => json!({"type": "string"}),
    }
}
