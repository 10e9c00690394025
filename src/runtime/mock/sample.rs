//! Generates the smallest valid value of a schema: null if allowed, the first of a choice, the smallest
//! number, the shortest list, objects with only required members. Deterministic.
//!
//! Supports the keywords that contracts may use; every value is validated before it is returned.

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use super::pattern;

/// A validator with the same options as for answers.
pub(super) fn compile(schema: &Value) -> Option<Validator> {
    let options = jsonschema::options().with_draft(Draft::Draft202012);
    options.should_validate_formats(true).build(schema).ok()
}

/// Whether the value is valid.
pub(super) fn fits(schema: &Value, value: &Value) -> bool {
    compile(schema).is_some_and(|validator| validator.is_valid(value))
}

/// The branches of a choice between schemas.
pub(super) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()
}

/// A valid value; `None` if none was found.
pub(super) fn sample(schema: &Value) -> Option<Value> {
    candidates(schema).into_iter().find(|value| fits(schema, value))
}

/// Candidate values, the smallest first.
fn candidates(schema: &Value) -> Vec<Value> {
    if let Some(value) = schema.get("const") {
        return vec![value.clone()];
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let null = values.iter().filter(|value| value.is_null());
        return null.chain(values).cloned().collect();
    }
    if let Some(branches) = branches(schema) {
        let mut all: Vec<Value> = branches.iter().filter_map(sample).collect();
        all.sort_by_key(|value| !value.is_null());
        return all;
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ => vec!["null"],
    };
    let mut all: Vec<Value> = types.iter().flat_map(|name| of_type(name, schema)).collect();
    all.sort_by_key(|value| !value.is_null());
    all
}

fn of_type(name: &str, schema: &Value) -> Vec<Value> {
    match name {
        "string" => texts(schema).into_iter().map(Value::String).collect(),
        "integer" | "number" => numbers(name, schema),
        "boolean" => vec![json!(false), json!(true)],
        "array" => array(schema).into_iter().collect(),
        "object" => object(schema).into_iter().collect(),
        _ => vec![Value::Null],
    }
}

fn texts(schema: &Value) -> Vec<String> {
    let length = |key: &str| {
        let length = schema.get(key).and_then(Value::as_u64)?;
        usize::try_from(length).ok()
    };
    let least = length("minLength").unwrap_or(0);
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        // Repetitions are extended until the text is long enough.
        return [0, 1, least].into_iter().filter_map(|more| pattern::text(pattern, more)).collect();
    }
    let plain = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("duration") => "PT1M",
        Some("email") => "someone@example.org",
        Some("hostname") => "example.org",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uri") => "https://example.org/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "text",
    };
    let most = length("maxLength").unwrap_or(usize::MAX);
    let mut text: String = plain.chars().take(most).collect();
    text.extend(std::iter::repeat_n('x', least.saturating_sub(text.chars().count())));
    vec![text]
}

fn numbers(name: &str, schema: &Value) -> Vec<Value> {
    let whole = name == "integer";
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let mut all = vec![json!(0), json!(1)];
    let exact = ["minimum", "maximum"].map(|key| schema.get(key).cloned());
    all.extend(exact.into_iter().flatten());
    let low = bound("minimum").or_else(|| bound("exclusiveMinimum"));
    let high = bound("maximum").or_else(|| bound("exclusiveMaximum"));
    let mut near: Vec<f64> = Vec::new();
    near.extend(low.map(|low| low + 1.0));
    near.extend(high.map(|high| high - 1.0));
    if let Some(step) = bound("multipleOf") {
        near.extend(low.map(|low| (low / step).ceil() * step));
        near.extend(high.map(|high| (high / step).floor() * step));
    }
    if let (Some(low), Some(high)) = (low, high) {
        near.push(f64::midpoint(low, high));
    }
    #[allow(clippy::cast_possible_truncation)] // invalid candidates are discarded
    all.extend(near.into_iter().map(|value| match whole {
        true => json!(value as i64),
        false => json!(value),
    }));
    all
}

fn array(schema: &Value) -> Option<Value> {
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    if least == 0 {
        return Some(json!([]));
    }
    let item = sample(schema.get("items")?)?;
    Some((0..least).map(|_| item.clone()).collect())
}

fn object(schema: &Value) -> Option<Value> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let members = required.filter_map(Value::as_str).map(|name| {
        let member = schema.get("properties")?.get(name)?;
        Some((name.to_owned(), sample(member)?))
    });
    members.collect::<Option<Map<_, _>>>().map(Value::Object)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{fits, sample};

    #[test]
    fn the_smallest_value_fits() {
        for (schema, smallest) in [
            (json!({"const": "x"}), json!("x")),
            (json!({"enum": ["b", "a"]}), json!("b")),
            (json!({"type": ["string", "null"]}), Value::Null),
            (json!({"enum": ["b", null]}), Value::Null),
            (json!({"type": "string", "minLength": 6}), json!("textxx")),
            (json!({"type": "string", "maxLength": 2}), json!("te")),
            (json!({"type": "string", "format": "date"}), json!("2026-01-31")),
            (json!({"type": "string", "pattern": "^[0-9a-f]{4}$"}), json!("0000")),
            (json!({"type": "integer"}), json!(0)),
            (json!({"type": "integer", "minimum": 3}), json!(3)),
            (json!({"type": "integer", "maximum": -3}), json!(-3)),
            (json!({"type": "integer", "minimum": 7, "multipleOf": 5}), json!(10)),
            (json!({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}), json!(0.5)),
            (json!({"type": "number", "exclusiveMinimum": 2}), json!(3.0)),
            (json!({"type": "boolean"}), json!(false)),
            (json!({"type": "array", "items": {"type": "integer"}}), json!([])),
            (
                json!({"type": "array", "minItems": 2, "items": {"type": "boolean"}}),
                json!([false, false]),
            ),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), Value::Null),
            (
                json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {}}}),
                json!({"a": 0}),
            ),
        ] {
            assert_eq!(sample(&schema), Some(smallest), "{schema}");
        }
    }

    #[test]
    fn only_one_branch_of_a_choice_fits() {
        let branch = |tag: &str| {
            json!({"type": "object", "required": ["kind", "n"], "additionalProperties": false,
                "properties": {"kind": {"const": tag}, "n": {"type": "integer", "minimum": 1}}})
        };
        let schema = json!({"oneOf": [branch("a"), branch("b")]});
        let made = sample(&schema).unwrap();
        assert!(fits(&schema, &made), "{made}");
        assert_eq!(made, json!({"kind": "a", "n": 1}));
    }

    #[test]
    fn what_cannot_be_made_is_not_made() {
        assert_eq!(sample(&json!({"type": "string", "pattern": "^(?=x)y$"})), None);
        assert_eq!(sample(&json!({"type": "integer", "minimum": 2, "maximum": 1})), None);
    }
}
