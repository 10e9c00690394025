//! Bytes into arguments, steered by a schema: mostly what it allows, often just beside it,
//! sometimes anything. Knows no tool by name.

use arbitrary::{Result, Unstructured};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_runtime::contract::ToolInfo;

type Bytes<'a> = Unstructured<'a>;

/// Deeper values are cut off.
const DEEPEST: usize = 5;
/// Longer texts and lists tell nothing new, and take long.
const LONGEST: u64 = 2_000;

const TEXTS: [&str; 16] = [
    "",
    "a",
    "A",
    " ",
    "latest",
    "*",
    "-1",
    "a/b",
    "../x",
    "é😀",
    "\0",
    "\u{202e}x",
    "2026-01-16T10:00:00Z",
    "2026-13-45T99:00:00Z",
    "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
    "507f1f77bcf86cd799439011",
];

/// Arguments for the tool: an example of its contract, with some members grown anew, spoilt or
/// left out; or the bytes as they are, where they are JSON.
pub(super) fn arguments(
    tool: &ToolInfo,
    schema: &Value,
    bytes: &mut Bytes<'_>,
) -> Result<Option<Box<RawValue>>> {
    if bytes.ratio(1, 16)? {
        let rest = bytes.bytes(bytes.len())?;
        return Ok(serde_json::from_slice(rest).ok());
    }
    let empty = json!({});
    let from = usize::from(bytes.arbitrary::<u8>()?) % (tool.examples.len() + 1);
    let base = tool.examples.get(from).and_then(|example| serde_json::from_str(example.input).ok());
    let mut arguments = base.unwrap_or(empty);
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(members) = arguments.as_object_mut() {
        for (name, property) in properties.into_iter().flatten() {
            change(members, name, property, bytes)?;
        }
        rename(members, tool, bytes)?;
    }
    Ok(serde_json::value::to_raw_value(&arguments).ok())
}

fn change(
    members: &mut Map<String, Value>,
    name: &str,
    schema: &Value,
    bytes: &mut Bytes<'_>,
) -> Result<()> {
    match bytes.int_in_range(0..=7)? {
        0..=3 => {}
        4 => drop(members.remove(name)),
        5 => drop(members.insert(name.to_owned(), anything(bytes, 0)?)),
        _ => drop(members.insert(name.to_owned(), grown(schema, bytes, 0)?)),
    }
    Ok(())
}

/// Another name, or a name that nobody knows.
fn rename(members: &mut Map<String, Value>, tool: &ToolInfo, bytes: &mut Bytes<'_>) -> Result<()> {
    for (alias, name) in tool.aliases {
        if bytes.ratio(1, 4)?
            && let Some(value) = members.remove(*name)
        {
            members.insert((*alias).to_owned(), value);
        }
    }
    if bytes.ratio(1, 16)? {
        members.insert(text(&Value::Null, bytes)?, anything(bytes, 0)?);
    }
    Ok(())
}

/// A value that a schema mostly allows.
fn grown(schema: &Value, bytes: &mut Bytes<'_>, depth: usize) -> Result<Value> {
    if depth > DEEPEST || bytes.ratio(1, 16)? {
        return anything(bytes, depth);
    }
    if let Some(only) = schema.get("const") {
        return Ok(only.clone());
    }
    for several in ["enum", "anyOf", "oneOf", "allOf"] {
        if let Some(choices) = schema.get(several).and_then(Value::as_array) {
            let chosen = bytes.choose(choices)?;
            let whole = several == "enum";
            return if whole { Ok(chosen.clone()) } else { grown(chosen, bytes, depth + 1) };
        }
    }
    let types = match schema.get("type") {
        Some(Value::Array(types)) => bytes.choose(types)?.as_str(),
        Some(name) => name.as_str(),
        None => None,
    };
    Ok(match types {
        Some("object") => Value::Object(object(schema, bytes, depth)?),
        Some("array") => {
            let count = size(schema, "minItems", "maxItems", bytes)?.min(64);
            let items = schema.get("items").unwrap_or(&Value::Null);
            let items = (0..count).map(|_| grown(items, bytes, depth + 1));
            Value::Array(items.collect::<Result<_>>()?)
        }
        Some("string") => text(schema, bytes)?.into(),
        Some("integer" | "number") => number(schema, bytes)?,
        Some("boolean") => bytes.arbitrary::<bool>()?.into(),
        Some("null") => Value::Null,
        _ => anything(bytes, depth)?,
    })
}

fn object(schema: &Value, bytes: &mut Bytes<'_>, depth: usize) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let odds = if is_required(name) { 15 } else { 6 };
        if bytes.ratio(odds, 16)? {
            members.insert(name.clone(), grown(property, bytes, depth + 1)?);
        }
    }
    let others = schema.get("additionalProperties").filter(|others| others.is_object());
    for _ in 0..bytes.int_in_range(0..=2)? {
        if let Some(others) = others {
            members.insert(text(&Value::Null, bytes)?, grown(others, bytes, depth + 1)?);
        }
    }
    Ok(members)
}

/// How many: a limit of the schema, one beside it, or a few.
fn size(schema: &Value, least: &str, most: &str, bytes: &mut Bytes<'_>) -> Result<u64> {
    let limit = |name: &str| schema.get(name).and_then(Value::as_u64);
    let chosen = match bytes.int_in_range(0..=5)? {
        0 => limit(least).unwrap_or(0),
        1 => limit(least).unwrap_or(1).saturating_sub(1),
        2 => limit(most).unwrap_or(3),
        3 => limit(most).unwrap_or(3) + 1,
        _ => bytes.int_in_range(0..=8)?,
    };
    Ok(chosen.min(LONGEST))
}

fn text(schema: &Value, bytes: &mut Bytes<'_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=4)? {
        0 => (*bytes.choose(&TEXTS)?).to_owned(),
        1 => "x".repeat(size(schema, "minLength", "maxLength", bytes)? as usize),
        2 => "é".repeat(size(schema, "minLength", "maxLength", bytes)? as usize),
        3 => "a1".repeat(*bytes.choose(&[12, 20, 32])?),
        _ => bytes.arbitrary::<&str>()?.to_owned(),
    })
}

fn number(schema: &Value, bytes: &mut Bytes<'_>) -> Result<Value> {
    let limit = |name: &str| schema.get(name).and_then(Value::as_i64);
    Ok(match bytes.int_in_range(0..=9)? {
        0 => limit("minimum").unwrap_or(0).into(),
        1 => limit("minimum").unwrap_or(0).saturating_sub(1).into(),
        2 => limit("maximum").unwrap_or(i64::MAX).into(),
        3 => limit("maximum").unwrap_or(i64::MAX - 1).saturating_add(1).into(),
        4 => json!(limit("minimum").unwrap_or(1) as f64),
        5 => bytes.choose(&[json!(1.5), json!(-0.0), json!(1e300), json!(5e-324)])?.clone(),
        6 => bytes.choose(&[json!(i64::MIN), json!(u64::MAX), json!(1_u64 << 53)])?.clone(),
        7 => json!(bytes.arbitrary::<f64>()?),
        _ => bytes.arbitrary::<i16>()?.into(),
    })
}

/// A value of any kind.
fn anything(bytes: &mut Bytes<'_>, depth: usize) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 => Value::Null,
        1 => bytes.arbitrary::<bool>()?.into(),
        2 | 3 => text(&Value::Null, bytes)?.into(),
        4 => number(&Value::Null, bytes)?,
        5 if depth <= DEEPEST => json!([anything(bytes, depth + 1)?]),
        6 if depth <= DEEPEST => json!({ text(&Value::Null, bytes)?: anything(bytes, depth + 1)? }),
        5 => json!([]),
        _ => json!({}),
    })
}
