//! Converts schema errors to problems: the pointer of the value that has to change, the rule, and what
//! was expected. The only module that depends on the validator's error kinds.

mod choice;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

use choice::alternatives;

use crate::contract::ToolInfo;
use crate::problem::{Problem, Problems, excerpt, join, shorten};
use crate::suggest::nearest;

/// Adds the problems of `error` to `problems`.
pub(super) fn explain(
    tool: &ToolInfo,
    schema: &Value,
    error: &ValidationError<'_>,
    problems: &mut Problems,
) {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let expected = sibling(schema, error).and_then(|all| all.get(name)).map(summary);
            problems.push(Problem::new(
                join(pointer, name),
                "required",
                format!("`{name}` is required"),
                expected.unwrap_or_else(|| json!({"required": [name]})),
            ));
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known: Vec<&str> =
                sibling(schema, error).into_iter().flatten().map(|(name, _)| &**name).collect();
            for name in unexpected {
                problems.push(unknown_property(tool, error, name, &known));
            }
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives(tool, schema, error, context, problems);
        }
        Kind::PropertyNames { error: inner } => {
            let name = inner.instance().as_str().unwrap_or_default();
            let message = format!("`{}` is not allowed as a name", shorten(name));
            problems.push(Problem::new(join(pointer, name), "propertyNames", message, json!({})));
        }
        kind => problems.push(simple(kind, error)),
    }
}

fn unknown_property(
    tool: &ToolInfo,
    error: &ValidationError<'_>,
    name: &str,
    known: &[&str],
) -> Problem {
    let pointer = error.instance_path().as_str();
    let aliases = tool.aliases.iter().map(|(alias, _)| *alias).filter(|_| pointer.is_empty());
    let suggestion = nearest(name, known.iter().copied().chain(aliases));
    let message = format!("`{}` is not known here", shorten(name));
    let problem = Problem::new(
        join(pointer, name),
        error.kind().keyword(),
        message,
        json!({"properties": known}),
    )
    .did_you_mean(suggestion);
    match error.instance().get(name) {
        Some(value) => problem.received(value),
        None => problem,
    }
}

/// Problems that depend only on the offending value.
fn simple(kind: &Kind, error: &ValidationError<'_>) -> Problem {
    let value = error.instance();
    let keyword = kind.keyword();
    let bound = |limit: Value| {
        let mut expected = Map::new();
        expected.insert(keyword.to_owned(), limit);
        Value::Object(expected)
    };
    let (message, expected) = match kind {
        Kind::Type { kind } => {
            let (words, expected) = types(kind);
            (format!("must be {words}, not {}", described(value)), expected)
        }
        Kind::Enum { options } => {
            let suggestion = suggested_option(options, value);
            let message = format!("must be one of {}", listed(options));
            return Problem::new(
                error.instance_path().as_str(),
                keyword,
                message,
                bound((**options).clone()),
            )
            .received(value)
            .did_you_mean(suggestion);
        }
        Kind::Constant { expected_value } => {
            (format!("must be {}", excerpt(expected_value)), bound((**expected_value).clone()))
        }
        Kind::Minimum { limit } => (format!("must be {limit} or more"), bound(limit.clone())),
        Kind::Maximum { limit } => (format!("must be {limit} or less"), bound(limit.clone())),
        Kind::ExclusiveMinimum { limit } => {
            (format!("must be more than {limit}"), bound(limit.clone()))
        }
        Kind::ExclusiveMaximum { limit } => {
            (format!("must be less than {limit}"), bound(limit.clone()))
        }
        Kind::MultipleOf { multiple_of } => {
            (format!("must be a multiple of {multiple_of}"), bound(json!(multiple_of)))
        }
        Kind::MinLength { limit } => (at_least(*limit, "character"), bound(json!(limit))),
        Kind::MaxLength { limit } => (at_most(*limit, "character"), bound(json!(limit))),
        Kind::MinItems { limit } => (at_least(*limit, "item"), bound(json!(limit))),
        Kind::MaxItems { limit } => (at_most(*limit, "item"), bound(json!(limit))),
        Kind::MinProperties { limit } => (at_least(*limit, "member"), bound(json!(limit))),
        Kind::MaxProperties { limit } => (at_most(*limit, "member"), bound(json!(limit))),
        Kind::UniqueItems => ("items must differ from each other".to_owned(), bound(json!(true))),
        Kind::Pattern { pattern } => {
            (format!("must match the pattern `{pattern}`"), bound(json!(pattern)))
        }
        Kind::Format { format } => (format!("must be written as `{format}`"), bound(json!(format))),
        Kind::OneOfMultipleValid { .. } => {
            ("fits more than one of the allowed shapes".to_owned(), json!({}))
        }
        _ => (error.masked_with("the value").to_string(), json!({})),
    };
    Problem::new(error.instance_path().as_str(), keyword, message, expected).received(value)
}

/// `properties` next to the keyword that failed.
fn sibling<'s>(schema: &'s Value, error: &ValidationError<'_>) -> Option<&'s Map<String, Value>> {
    let path = error.schema_path().as_str();
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    schema.pointer(parent)?.get("properties")?.as_object()
}

/// The part of a schema that states what to send.
fn summary(schema: &Value) -> Value {
    let keep =
        ["type", "enum", "const", "format", "pattern", "minimum", "maximum", "required", "$ref"];
    let mut short = Map::new();
    for name in keep {
        if let Some(value) = schema.get(name) {
            short.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(short)
}

fn types(kind: &TypeKind) -> (String, Value) {
    let names: Vec<&str> = match kind {
        TypeKind::Single(one) => return (words(&[one.as_str()]), json!({"type": one.as_str()})),
        TypeKind::Multiple(set) => set.iter().map(JsonType::as_str).collect(),
    };
    (words(&names), json!({"type": names}))
}

fn words(names: &[&str]) -> String {
    names.iter().map(|name| with_article(name)).collect::<Vec<_>>().join(" or ")
}

fn with_article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn described(value: &Value) -> String {
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    with_article(name)
}

fn listed(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = options.iter().take(12).map(excerpt).collect::<Vec<_>>().join(", ");
    if options.len() > 12 {
        text.push_str(", …");
    }
    text
}

fn suggested_option<'o>(options: &'o Value, value: &Value) -> Option<&'o str> {
    nearest(value.as_str()?, options.as_array()?.iter().filter_map(Value::as_str))
}

fn at_least(limit: u64, unit: &str) -> String {
    format!("must have {limit} {unit}{} or more", if limit == 1 { "" } else { "s" })
}

fn at_most(limit: u64, unit: &str) -> String {
    format!("must have {limit} {unit}{} or less", if limit == 1 { "" } else { "s" })
}

/// A value that the schema allows and the generated type cannot hold, such as an integer beyond
/// 64 bits.
pub(super) fn type_mismatch(
    error: &serde_path_to_error::Error<serde_json::Error>,
    value: &Value,
) -> Problem {
    let mut pointer = String::new();
    for segment in error.path() {
        match segment {
            Segment::Seq { index } => pointer = join(&pointer, &index.to_string()),
            Segment::Map { key } => pointer = join(&pointer, key),
            Segment::Enum { .. } | Segment::Unknown => break,
        }
    }
    let message = shorten(&error.inner().to_string());
    let problem = Problem::new(pointer.clone(), "type", message, json!({}));
    match value.pointer(&pointer) {
        Some(received) => problem.received(received),
        None => problem,
    }
}
