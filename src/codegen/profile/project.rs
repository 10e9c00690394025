//! The projection itself: keywords that a family of clients refuses or drops become words, forms
//! that it does not know become wider ones that it knows.

use serde_json::{Map, Value, json};

use super::{Profile, hints};

/// A schema as this family of clients takes it. Accepts all that the schema accepts.
pub fn project(profile: Profile, schema: &Value) -> Value {
    match profile {
        Profile::Canonical | Profile::Portable => schema.clone(),
        _ => node(profile, schema),
    }
}

fn node(profile: Profile, schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut kept = Map::new();
    let mut removed: Vec<(String, Value)> = Vec::new();
    for (key, value) in keywords {
        if key == "description" {
            continue;
        }
        match keyword(profile, keywords, key, value) {
            Fate::Keep(value) => drop(kept.insert(key.clone(), value)),
            Fate::Become(key, value) => drop(kept.insert(key.to_owned(), value)),
            Fate::Say => removed.push((key.clone(), value.clone())),
            Fate::Drop => {}
        }
    }
    let said = hints::sentences(&removed);
    if let Some(text) = hints::appended(keywords.get("description"), &said) {
        kept.insert("description".to_owned(), text);
    }
    if !["type", "anyOf", "enum"].iter().any(|key| kept.contains_key(*key)) {
        kept.extend(removed.iter().find_map(|(_, values)| type_of(values)));
    }
    split_types(kept)
}

/// The type of values whose constraints became text.
fn type_of(values: &Value) -> Option<(String, Value)> {
    let values = values.as_array().map_or(std::slice::from_ref(values), Vec::as_slice);
    let name = |value: &Value| match value {
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    };
    let first = name(values.first()?);
    let same = values.iter().all(|value| name(value) == first);
    same.then(|| ("type".to_owned(), json!(first)))
}

/// What becomes of a keyword.
enum Fate {
    Keep(Value),
    Become(&'static str, Value),
    /// Taken out and said in the description.
    Say,
    Drop,
}

fn keyword(profile: Profile, all: &Map<String, Value>, key: &str, value: &Value) -> Fate {
    let gemini = profile == Profile::Gemini;
    match key {
        "properties" => Fate::Keep(each(value, |schema| node(profile, schema))),
        "items" => Fate::Keep(node(profile, value)),
        "anyOf" => Fate::Keep(list(value, |schema| node(profile, schema))),
        // Exactly one becomes at least one.
        "oneOf" => Fate::Become("anyOf", list(value, |schema| node(profile, schema))),
        "additionalProperties" if gemini => Fate::Drop,
        "additionalProperties" => Fate::Keep(node(profile, value)),
        "const" if value.is_string() => Fate::Become("enum", json!([value])),
        // There a choice is always among texts.
        "enum" | "const" if gemini && !is_texts(value) => Fate::Say,
        "const" => Fate::Become("enum", json!([value])),
        "minimum" | "maximum" | "minItems" | "maxItems" if gemini => Fate::Keep(value.clone()),
        "pattern" if profile == Profile::Claude => Fate::Keep(value.clone()),
        "format" if gemini && value == "date-time" => Fate::Keep(value.clone()),
        "format" if profile == Profile::Claude => Fate::Keep(value.clone()),
        "default" if gemini => Fate::Say,
        "deprecated" if gemini => Fate::Drop,
        // A choice is narrower than any bound beside it.
        bound if BOUNDS.contains(&bound) && all.contains_key("enum") => Fate::Drop,
        bound if BOUNDS.contains(&bound) => Fate::Say,
        _ => Fate::Keep(value.clone()),
    }
}

/// Keywords that decoders of at least one family refuse or silently ignore.
pub(super) const BOUNDS: [&str; 14] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// `type: [T, "null"]` as a choice between two schemas.
fn split_types(mut keywords: Map<String, Value>) -> Value {
    let Some(Value::Array(types)) = keywords.get("type").cloned() else {
        return Value::Object(keywords);
    };
    keywords.remove("type");
    let mut outer = Map::new();
    for annotation in ["description", "default", "title", "deprecated"] {
        if let Some(value) = keywords.remove(annotation) {
            outer.insert(annotation.to_owned(), value);
        }
    }
    let branches = types.iter().map(|name| {
        if name == "null" {
            return json!({"type": "null"});
        }
        let mut branch = keywords.clone();
        // Null has a branch of its own; a choice among texts has no room for it.
        if let Some(Value::Array(choices)) = branch.get_mut("enum") {
            choices.retain(|choice| !choice.is_null());
        }
        branch.insert("type".to_owned(), name.clone());
        Value::Object(branch)
    });
    outer.insert("anyOf".to_owned(), branches.collect());
    Value::Object(outer)
}

fn is_texts(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().all(|value| value.is_string() || value.is_null()),
        _ => false,
    }
}

fn each(value: &Value, change: impl Fn(&Value) -> Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, schema)| (name.clone(), change(schema)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn list(value: &Value, change: impl Fn(&Value) -> Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(change).collect(),
        other => other.clone(),
    }
}
