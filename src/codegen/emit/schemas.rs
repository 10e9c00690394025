//! Questions to JSON Schemas, for [`super::inline_types`]. Nothing here knows Rust names or typify.

use serde_json::{Map, Value};

use crate::model::Contract;

type Keywords = Map<String, Value>;

/// The shared type that a `$ref` names.
pub(crate) fn target(keywords: &Keywords) -> Option<&str> {
    keywords.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The members of an object, or none.
pub(crate) fn object(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

/// Branches of `oneOf` or `anyOf`.
pub(crate) fn any_of(keywords: &Keywords) -> Option<&[Value]> {
    ["oneOf", "anyOf"].iter().find_map(|name| keywords.get(*name)?.as_array()).map(Vec::as_slice)
}

/// `type`, if present; otherwise `properties` and `items` imply it.
pub(crate) fn kind(keywords: &Keywords) -> Option<&str> {
    match keywords.get("type") {
        Some(Value::String(kind)) => Some(kind),
        // A list of one is what is left of a nullable type.
        Some(Value::Array(kinds)) => match kinds.as_slice() {
            [only] => only.as_str(),
            _ => None,
        },
        _ if keywords.contains_key("properties") => Some("object"),
        _ if keywords.contains_key("items") => Some("array"),
        _ => match values(keywords)?.first()? {
            Value::Bool(_) => Some("boolean"),
            Value::Number(number) if number.is_f64() => Some("number"),
            Value::Number(_) => Some("integer"),
            Value::Null => Some("null"),
            _ => None,
        },
    }
}

fn values(keywords: &Keywords) -> Option<&[Value]> {
    match (keywords.get("const"), keywords.get("enum")) {
        (Some(value), _) => Some(std::slice::from_ref(value)),
        (None, Some(Value::Array(values))) => Some(values),
        _ => None,
    }
}

/// The values of `enum` or `const`, where all are strings.
pub(crate) fn strings(keywords: &Keywords) -> Option<Vec<&str>> {
    let values = values(keywords)?;
    if values.is_empty() { None } else { values.iter().map(Value::as_str).collect() }
}

/// An integer that is never negative. Only the sign decides, so that no other bound changes a type.
pub(crate) fn is_unsigned(keywords: &Keywords) -> bool {
    let not_negative = |value: &Value| value.as_f64().is_some_and(|number| number >= 0.0);
    match values(keywords) {
        Some(values) => values.iter().all(not_negative),
        None => ["minimum", "exclusiveMinimum"]
            .iter()
            .any(|name| keywords.get(*name).is_some_and(not_negative)),
    }
}

/// An object with known members, as against a map.
pub(crate) fn is_struct(keywords: &Keywords) -> bool {
    kind(keywords) == Some("object")
        && (object(keywords.get("properties")).next().is_some()
            || keywords.get("additionalProperties") == Some(&Value::Bool(false)))
}

/// The schema without null, where it allows null beside something else.
pub(crate) fn without_null(keywords: &Keywords) -> Option<Keywords> {
    let mut rest = keywords.clone();
    let mut nullable = false;
    for name in ["type", "oneOf", "anyOf", "enum"] {
        if let Some(Value::Array(choices)) = rest.get_mut(name) {
            let before = choices.len();
            choices.retain(|choice| match name {
                "type" => choice != "null",
                "enum" => !choice.is_null(),
                _ => !is_null(choice),
            });
            if choices.is_empty() {
                return None;
            }
            nullable |= choices.len() < before;
        }
    }
    nullable.then_some(rest)
}

/// `type: "null"` or `const: null`.
pub(crate) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
        || schema.get("const").is_some_and(Value::is_null)
}

/// Adds the description of the original, and nothing else of it.
pub(crate) fn described(mut schema: Value, original: &Keywords) -> Value {
    if let (Some(keywords), Some(text)) = (schema.as_object_mut(), original.get("description")) {
        keywords.insert("description".to_owned(), text.clone());
    }
    schema
}

/// Follows `$ref`s, as far as they lead to a schema.
pub(crate) fn resolved<'a>(contract: &'a Contract, schema: &'a Value) -> Option<&'a Keywords> {
    let mut keywords = schema.as_object()?;
    // More steps than there are types can only be a circle.
    for _ in 0..=contract.types.len() {
        match target(keywords) {
            Some(name) => keywords = contract.types.get(name)?.as_object()?,
            None => return Some(keywords),
        }
    }
    None
}

/// The required property that tells the branches of a union apart by a constant string, with the
/// constant and the keywords of each branch.
pub(crate) fn tag_of(
    contract: &Contract,
    branches: &[Value],
) -> Option<(String, Vec<(String, Keywords)>)> {
    let objects: Vec<&Keywords> =
        branches.iter().map(|branch| resolved(contract, branch)).collect::<Option<_>>()?;
    let (first, _) = objects.split_first()?;
    object(first.get("properties")).map(|(name, _)| name).find_map(|tag| {
        let mut variants: Vec<(String, Keywords)> = Vec::new();
        for branch in &objects {
            let required = branch.get("required")?.as_array()?.iter().any(|name| name == tag);
            let keywords = branch.get("properties")?.get(tag)?.as_object()?;
            let constant = match strings(keywords)?.as_slice() {
                [only] if required => (*only).to_owned(),
                _ => return None,
            };
            if variants.iter().any(|(other, _)| *other == constant) {
                return None;
            }
            variants.push((constant, (*branch).clone()));
        }
        Some((tag.clone(), variants))
    })
}

/// A default completed by the defaults of the members that it leaves out.
pub(crate) fn filled(contract: &Contract, schema: &Value, value: &Value) -> Value {
    let Some(keywords) = resolved(contract, schema) else { return value.clone() };
    match value {
        Value::Object(members) => {
            let mut members = members.clone();
            for (name, schema) in object(keywords.get("properties")) {
                let default = schema.get("default");
                if let Some(value) = members.get(name).or(default) {
                    let value = filled(contract, schema, value);
                    members.insert(name.clone(), value);
                }
            }
            Value::Object(members)
        }
        Value::Array(items) => {
            let schema = keywords.get("items").unwrap_or(&Value::Null);
            items.iter().map(|item| filled(contract, schema, item)).collect()
        }
        _ => value.clone(),
    }
}

/// Names of shared types, each after those it refers to.
pub(crate) fn in_order(types: &std::collections::BTreeMap<String, Value>) -> Vec<&String> {
    fn visit<'a>(
        name: &'a String,
        types: &'a std::collections::BTreeMap<String, Value>,
        order: &mut Vec<&'a String>,
        open: &mut Vec<&'a String>,
    ) {
        if order.contains(&name) || open.contains(&name) {
            return;
        }
        open.push(name);
        let mut targets = Vec::new();
        if let Some(schema) = types.get(name) {
            targets_in(schema, &mut targets);
        }
        for target in targets {
            if let Some((name, _)) = types.get_key_value(target) {
                visit(name, types, order, open);
            }
        }
        open.pop();
        order.push(name);
    }
    let (mut order, mut open) = (Vec::new(), Vec::new());
    for name in types.keys() {
        visit(name, types, &mut order, &mut open);
    }
    order
}

fn targets_in<'a>(schema: &'a Value, targets: &mut Vec<&'a str>) {
    match schema {
        Value::Object(keywords) => {
            targets.extend(target(keywords));
            keywords.values().for_each(|value| targets_in(value, targets));
        }
        Value::Array(items) => items.iter().for_each(|item| targets_in(item, targets)),
        _ => {}
    }
}
