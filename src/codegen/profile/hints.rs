//! Keywords as sentences for the model.

use serde_json::Value;

/// The sentences for the keywords that were removed from a schema, in a fixed order.
pub(super) fn sentences(removed: &[(String, Value)]) -> Vec<String> {
    let get = |name: &str| removed.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let mut all = Vec::new();
    all.extend(choices(get("enum"), get("const")));
    all.extend(range(get("minimum"), get("maximum"), ""));
    all.extend(get("exclusiveMinimum").map(|low| format!("More than {low}.")));
    all.extend(get("exclusiveMaximum").map(|high| format!("Less than {high}.")));
    all.extend(get("multipleOf").map(|step| format!("A multiple of {step}.")));
    all.extend(range(get("minLength"), get("maxLength"), " characters"));
    all.extend(range(get("minItems"), get("maxItems"), " items"));
    all.extend(range(get("minProperties"), get("maxProperties"), " entries"));
    if get("uniqueItems").is_some_and(|unique| *unique == Value::Bool(true)) {
        all.push("No item twice.".to_owned());
    }
    all.extend(text(get("pattern")).map(|pattern| format!("Matches {pattern}")));
    all.extend(text(get("format")).map(|format| format!("Format: {format}.")));
    all.extend(get("default").map(|value| format!("Default: {value}.")));
    all
}

/// The description, followed by the sentences.
pub(super) fn appended(description: Option<&Value>, sentences: &[String]) -> Option<Value> {
    let before = description.and_then(Value::as_str).unwrap_or_default().trim_end();
    if sentences.is_empty() {
        return description.cloned();
    }
    let stop =
        if before.is_empty() || before.ends_with(['.', '!', '?', ':', ';']) { "" } else { "." };
    let space = if before.is_empty() { "" } else { " " };
    Some(Value::String(format!("{before}{stop}{space}{}", sentences.join(" "))))
}

fn choices(values: Option<&Value>, constant: Option<&Value>) -> Option<String> {
    if let Some(value) = constant {
        return Some(format!("Always {value}."));
    }
    let values: Vec<String> = values?.as_array()?.iter().map(Value::to_string).collect();
    Some(format!("One of {}.", values.join(", ")))
}

fn range(low: Option<&Value>, high: Option<&Value>, what: &str) -> Option<String> {
    match (low, high) {
        (Some(low), Some(high)) if low == high => Some(format!("Exactly {low}{what}.")),
        (Some(low), Some(high)) => Some(format!("{low} to {high}{what}.")),
        (Some(low), None) => Some(format!("At least {low}{what}.")),
        (None, Some(high)) => Some(format!("At most {high}{what}.")),
        (None, None) => None,
    }
}

fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}
