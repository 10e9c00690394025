//! Schemas as tables: one row per value, members of objects below the object.
//!
//! Works on schemas without `$ref`s, of the supported subset. It skips what it does not know and never
//! fails.

use serde_json::{Map, Value};

use super::page::{Inline, Row, Table, Text, joined, none, text, value, yes_or_no};
use super::prose::prose;

/// The table of a tool's arguments. `also` gives the other names of one.
pub(super) fn arguments(schema: &Value, also: impl Fn(&str) -> Vec<String>) -> Table {
    let columns = ["argument", "type", "required", "default", "limits", "meaning"];
    let mut table = Table::new("Arguments", &columns);
    for field in fields(schema) {
        let mut meaning = field.meaning;
        for name in also(&field.path) {
            meaning.extend([Inline::Text(" Also ".to_owned()), Inline::Code(name)]);
            meaning.push(Inline::Text(".".to_owned()));
        }
        let default = field.default.map_or_else(none, |default| vec![default]);
        let cells = vec![
            vec![Inline::Code(field.path)],
            text(&field.kind),
            yes_or_no(field.required),
            default,
            or_none(field.limits),
            or_none(meaning),
        ];
        table.rows.push(Row { depth: field.depth, ..Row::new(cells) });
    }
    table
}

/// The table of an answer's fields.
pub(super) fn answer(schema: &Value) -> Table {
    let mut table = Table::new("Fields", &["field", "type", "always", "limits", "meaning"]);
    for field in fields(schema) {
        let cells = vec![
            vec![Inline::Code(field.path)],
            text(&field.kind),
            yes_or_no(field.required),
            or_none(field.limits),
            or_none(field.meaning),
        ];
        table.rows.push(Row { depth: field.depth, ..Row::new(cells) });
    }
    table
}

fn or_none(text: Text) -> Text {
    if text.is_empty() { none() } else { text }
}

/// One value within a schema.
struct Field {
    path: String,
    depth: usize,
    kind: String,
    required: bool,
    default: Option<Inline>,
    limits: Text,
    meaning: Text,
}

fn fields(schema: &Value) -> Vec<Field> {
    let mut all = Vec::new();
    members(schema, "", 0, &Text::new(), &mut all);
    all
}

/// Adds what is inside a schema. `only` says when it is there at all.
fn members(schema: &Value, path: &str, depth: usize, only: &Text, all: &mut Vec<Field>) {
    let inner = |name: &str| match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    };
    let required = required(schema);
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let (needed, rest): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(name, _)| required.contains(&name.as_str()));
    for (name, property) in needed.into_iter().chain(rest) {
        let needed = required.contains(&name.as_str());
        add(property, inner(name), depth, needed, only, all);
    }
    if let Some(other) = schema.get("additionalProperties").filter(|other| other.is_object())
        && (!properties.is_empty() || has_members(other) || path.is_empty())
    {
        add(other, inner("*"), depth, false, only, all);
    }
    if let Some(items) = schema.get("items") {
        members(items, &format!("{path}[]"), depth, only, all);
    }
    for branch in nullable(schema) {
        members(branch, path, depth, only, all);
    }
    if let Some(Value::Array(branches)) = schema.get("oneOf") {
        union(branches, path, depth, all);
    }
}

fn add(
    schema: &Value,
    path: String,
    depth: usize,
    required: bool,
    only: &Text,
    all: &mut Vec<Field>,
) {
    let mut limits = only.clone();
    let own = limits_of(schema);
    if !limits.is_empty() && !own.is_empty() {
        limits.push(Inline::Text("; ".to_owned()));
    }
    limits.extend(own);
    all.push(Field {
        path: path.clone(),
        depth,
        kind: kind(schema),
        required,
        default: schema.get("default").map(value),
        limits,
        meaning: prose(description(schema)),
    });
    members(schema, &path, depth + 1, &Text::new(), all);
}

/// The branches of a union: the member that tells them apart once, then what each has beside it.
fn union(branches: &[Value], path: &str, depth: usize, all: &mut Vec<Field>) {
    let tag = tag(branches);
    if let Some(tag) = &tag {
        let values = branches.iter().filter_map(|branch| tag_value(branch, tag)).map(value);
        let mut limits = text("one of ");
        limits.extend(joined(values.map(|value| vec![value]), ", "));
        let path = if path.is_empty() { tag.clone() } else { format!("{path}.{tag}") };
        let meaning = text("Says which form it is.");
        let kind = "string".to_owned();
        all.push(Field { path, depth, kind, required: true, default: None, limits, meaning });
    }
    for (index, branch) in branches.iter().enumerate() {
        let mut branch = branch.clone();
        let only = match tag.as_ref().and_then(|tag| Some((tag, tag_value(&branch, tag)?))) {
            Some((tag, tag_value)) => vec![
                Inline::Text("with ".to_owned()),
                Inline::Code(tag.clone()),
                Inline::Text(" ".to_owned()),
                value(tag_value),
            ],
            None => text(&format!("in form {} of {}", index + 1, branches.len())),
        };
        if let Some(tag) = &tag
            && let Some(properties) = branch.get_mut("properties").and_then(Value::as_object_mut)
        {
            properties.remove(tag);
        }
        members(&branch, path, depth, &only, all);
    }
}

/// The member whose constant differs in every branch.
fn tag(branches: &[Value]) -> Option<String> {
    let first = branches.first()?.get("properties")?.as_object()?;
    let tells_apart = |name: &&String| {
        let mut values: Vec<String> = branches
            .iter()
            .filter_map(|branch| tag_value(branch, name))
            .map(Value::to_string)
            .collect();
        values.sort();
        values.dedup();
        values.len() == branches.len()
    };
    first.keys().find(tells_apart).cloned()
}

fn tag_value<'a>(branch: &'a Value, tag: &str) -> Option<&'a Value> {
    branch.get("properties")?.get(tag)?.get("const")
}

/// The branches of `anyOf` that are not null.
fn nullable(schema: &Value) -> impl Iterator<Item = &Value> {
    let branches = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    branches.filter(|branch| !is_null(branch))
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn has_members(schema: &Value) -> bool {
    ["properties", "oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some())
        || schema.get("items").is_some_and(has_members)
}

fn required(schema: &Value) -> Vec<&str> {
    let list = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// The type of a schema: `array of string`, `map of integer`, `object or null`.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(Value::Array(branches)) = schema.get("anyOf") {
        return either(branches.iter().map(kind));
    }
    if schema.get("oneOf").is_some() {
        return "object".to_owned();
    }
    let named = |name: &str| match name {
        "array" => match schema.get("items").filter(|items| items.is_object()).map(kind) {
            Some(items) if items != "any" => format!("array of {items}"),
            _ => "array".to_owned(),
        },
        "object" => match schema.get("additionalProperties").filter(|other| other.is_object()) {
            Some(other) if schema.get("properties").is_none() => format!("map of {}", kind(other)),
            _ => "object".to_owned(),
        },
        other => other.to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(name)) => named(name),
        Some(Value::Array(names)) => either(names.iter().filter_map(Value::as_str).map(named)),
        _ => {
            let first = schema.get("const").or_else(|| schema.pointer("/enum/0"));
            first.map_or("any", kind_of_value).to_owned()
        }
    }
}

/// A comma keeps `array of string, or null` from being an array of either.
fn either(kinds: impl Iterator<Item = String>) -> String {
    let kinds: Vec<String> = kinds.collect();
    let between = if kinds.iter().any(|kind| kind.contains(' ')) { ", or " } else { " or " };
    kinds.join(between)
}

fn kind_of_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Limits of a value beyond its type.
pub(super) fn limits_of(schema: &Value) -> Text {
    let mut parts = Vec::new();
    if let Some(only) = schema.get("const") {
        parts.push(vec![Inline::Text("always ".to_owned()), value(only)]);
    }
    if let Some(Value::Array(choices)) = schema.get("enum") {
        let mut part = text("one of ");
        part.extend(joined(choices.iter().map(|choice| vec![value(choice)]), ", "));
        parts.push(part);
    }
    parts.extend(number_limits(schema));
    parts.extend(range(schema, "minLength", "maxLength", "character"));
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        let pattern = Inline::Code(pattern.to_owned());
        parts.push(vec![Inline::Text("matches ".to_owned()), pattern]);
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        parts.push(text(&format!("a {format}")));
    }
    parts.extend(range(schema, "minItems", "maxItems", "item"));
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        parts.push(text("no item twice"));
    }
    parts.extend(range(schema, "minProperties", "maxProperties", "member"));
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        parts.push(text("any members"));
    }
    for key in ["items", "additionalProperties"] {
        let each = schema.get(key).filter(|each| each.is_object()).map(limits_of);
        if let Some(each) = each.filter(|each| !each.is_empty()) {
            parts.push([text("each "), each].concat());
        }
    }
    parts.extend(nullable(schema).map(limits_of).filter(|words| !words.is_empty()));
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        parts.push(text("deprecated"));
    }
    joined(parts, "; ")
}

fn number_limits(schema: &Value) -> Option<Text> {
    let bound = |key: &str| schema.get(key).map(Value::to_string);
    let mut words = Vec::new();
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => words.push(format!("{least} to {most}")),
        (Some(least), None) => words.push(format!("at least {least}")),
        (None, Some(most)) => words.push(format!("at most {most}")),
        (None, None) => {}
    }
    words.extend(bound("exclusiveMinimum").map(|least| format!("more than {least}")));
    words.extend(bound("exclusiveMaximum").map(|most| format!("less than {most}")));
    words.extend(bound("multipleOf").map(|step| format!("a multiple of {step}")));
    (!words.is_empty()).then(|| text(&words.join("; ")))
}

fn range(schema: &Value, least: &str, most: &str, unit: &str) -> Option<Text> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let units = |count: u64| if count == 1 { unit.to_owned() } else { format!("{unit}s") };
    // At least nothing says nothing.
    let words = match (bound(least).filter(|least| *least > 0), bound(most)) {
        (Some(least), Some(most)) if least == most => format!("exactly {least} {}", units(least)),
        (Some(least), Some(most)) => format!("{least} to {most} {}", units(most)),
        (Some(least), None) => format!("at least {least} {}", units(least)),
        (None, Some(most)) => format!("at most {most} {}", units(most)),
        (None, None) => return None,
    };
    Some(text(&words))
}
