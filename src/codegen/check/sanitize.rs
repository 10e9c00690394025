//! Invalid schemas without their invalid keywords.
//!
//! Examples and defaults are validated against the result, so that an error in one property does not
//! hide errors in others. It only ever allows more than intended; a valid schema stays unchanged.

use serde_json::{Map, Value};

use super::subset::{ANNOTATIONS, FORMATS, TYPES};
use crate::model::Contract;

/// The contract with all its schemas sanitized.
pub(super) fn contract(contract: &Contract) -> Contract {
    let mut sanitized = contract.clone();
    sanitized.types.values_mut().for_each(|value| *value = schema(value));
    for tool in &mut sanitized.tools {
        tool.input = schema(&tool.input);
        tool.output = schema(&tool.output);
    }
    sanitized
}

/// A schema without its invalid keywords.
pub(super) fn schema(value: &Value) -> Value {
    let Value::Object(map) = value else { return Value::Object(Map::new()) };
    let mut sound = Map::new();
    for (key, value) in map {
        if let Some(value) = keyword(key, value, map) {
            sound.insert(key.clone(), value);
        }
    }
    Value::Object(sound)
}

fn keyword(key: &str, value: &Value, schema_map: &Map<String, Value>) -> Option<Value> {
    let kept = |fits: bool| fits.then(|| value.clone());
    match key {
        "type" => {
            let known = |word: &Value| word.as_str().is_some_and(|word| TYPES.contains(&word));
            let list = |all: &Vec<Value>| !all.is_empty() && all.iter().all(known);
            kept(known(value) || value.as_array().is_some_and(list))
        }
        "$ref" => kept(value.as_str().is_some_and(|target| target.starts_with("#/$defs/"))),
        "properties" => {
            let members = value.as_object()?.iter();
            Some(members.map(|(name, value)| (name.clone(), schema(value))).collect())
        }
        "required" => {
            // A required name without a property would fail in every example.
            let properties = schema_map.get("properties").and_then(Value::as_object)?;
            let names = value.as_array()?.iter();
            let there =
                |name: &&Value| name.as_str().is_some_and(|name| properties.contains_key(name));
            Some(names.filter(there).cloned().collect())
        }
        "items" => Some(schema(value)),
        "additionalProperties" => match value {
            Value::Bool(_) => Some(value.clone()),
            _ => Some(schema(value)),
        },
        // A branch that allows too much would make the alternatives ambiguous.
        "oneOf" | "anyOf" => kept(value.as_array().is_some_and(|branches| {
            !branches.is_empty() && branches.iter().all(|branch| schema(branch) == *branch)
        })),
        "enum" => kept(value.as_array().is_some_and(|choices| !choices.is_empty())),
        "const" => kept(true),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            kept(value.is_u64())
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => kept(value.is_number()),
        "multipleOf" => kept(value.as_f64().is_some_and(|step| step > 0.0)),
        "uniqueItems" => kept(value.is_boolean()),
        "pattern" => kept(is_pattern(value)),
        "format" => kept(value.as_str().is_some_and(|format| FORMATS.contains(&format))),
        _ => kept(ANNOTATIONS.contains(&key)),
    }
}

fn is_pattern(value: &Value) -> bool {
    let alone = serde_json::json!({"pattern": value});
    value.is_string() && jsonschema::draft202012::new(&alone).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::schema;

    #[test]
    fn a_sound_schema_stays_as_it_is() {
        let sound = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["a"],
            "properties": {
                "a": {"type": ["string", "null"], "pattern": "^a+$", "minLength": 1},
                "b": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}], "description": "B."},
                "c": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 3},
            },
        });
        assert_eq!(schema(&sound), sound);
    }

    #[test]
    fn faulty_parts_go_and_the_others_stay() {
        let faulty = json!({
            "type": "object",
            "required": ["a", "z"],
            "allOf": [],
            "properties": {
                "a": {"type": "strnig", "minLength": 1},
                "b": {"type": "string", "pattern": "(", "maxLength": "7"},
                "c": {"oneOf": [{"type": "objct"}, {"type": "object"}]},
            },
        });
        let sanitized = json!({
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"minLength": 1}, "b": {"type": "string"}, "c": {}},
        });
        assert_eq!(schema(&faulty), sanitized);
    }
}
