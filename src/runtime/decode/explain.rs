//! Converts schema errors to problems: the pointer of the value that has to change, the rule, and what
//! was expected. The only module that depends on the validator's error kinds.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

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

/// For `anyOf` and `oneOf`, reports the problems of the intended shape, if it can be determined.
fn alternatives(
    tool: &ToolInfo,
    schema: &Value,
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    problems: &mut Problems,
) {
    let base = error.instance_path().as_str();
    let wrong_type = |error: &ValidationError<'_>| {
        error.instance_path().as_str() == base && matches!(error.kind(), Kind::Type { .. })
    };
    // `{kind: {const: a}}` in one shape and `{kind: {const: b}}` in the next distinguish shapes.
    let wrong_tag = |error: &ValidationError<'_>| {
        let below = error.instance_path().as_str().strip_prefix(base);
        below.is_some_and(|path| path.matches('/').count() == 1)
            && matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. })
    };
    let right_type: Vec<_> =
        branches.iter().filter(|errors| !errors.iter().any(wrong_type)).collect();
    let right_tag: Vec<_> =
        right_type.iter().filter(|errors| !errors.iter().any(wrong_tag)).collect();
    if let Some(errors) = only(&right_tag).copied().or_else(|| only(&right_type)) {
        for error in *errors {
            explain(tool, schema, error, problems);
        }
        return;
    }
    if right_type.is_empty() {
        problems.push(no_type_fits(error, branches));
        return;
    }
    if let Some(problem) = unknown_tag(base, &right_type) {
        problems.push(problem);
        return;
    }
    let message = format!("fits none of the {} allowed shapes", branches.len());
    let expected = schema.pointer(error.schema_path().as_str()).map_or_else(
        || json!({}),
        |shapes| json!({error.kind().keyword(): shapes.as_array().into_iter().flatten().map(summary).collect::<Vec<_>>()}),
    );
    problems.push(
        Problem::new(base, error.kind().keyword(), message, expected).received(error.instance()),
    );
}

/// The member that tells the shapes apart, where it is missing or has a value that no shape knows.
fn unknown_tag(base: &str, branches: &[&Vec<ValidationError<'static>>]) -> Option<Problem> {
    branches.first()?.iter().find_map(|first| {
        let tag = tag_place(base, first)?;
        let mut known = Vec::new();
        for errors in branches {
            let error =
                errors.iter().find(|error| tag_place(base, error).as_ref() == Some(&tag))?;
            match error.kind() {
                Kind::Constant { expected_value } => known.push((**expected_value).clone()),
                Kind::Enum { options } => {
                    known.extend(options.as_array().into_iter().flatten().cloned())
                }
                _ => {}
            }
        }
        let (pointer, missing) = tag;
        Some(if missing {
            let name = pointer.rsplit('/').next().unwrap_or_default();
            let message = format!("`{name}` is required");
            Problem::new(pointer.clone(), "required", message, json!({"required": [name]}))
        } else {
            let known = Value::Array(known);
            let suggestion = suggested_option(&known, first.instance());
            let message = format!("must be one of {}", listed(&known));
            Problem::new(pointer, "enum", message, json!({"enum": known}))
                .received(first.instance())
                .did_you_mean(suggestion)
        })
    })
}

/// The member of the value at `base` whose constant an error is about, and whether it is missing.
fn tag_place(base: &str, error: &ValidationError<'_>) -> Option<(String, bool)> {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        Kind::Required { property } if pointer == base => {
            Some((join(base, property.as_str()?), true))
        }
        Kind::Constant { .. } | Kind::Enum { .. } => {
            let below = pointer.strip_prefix(base)?;
            (below.matches('/').count() == 1).then(|| (pointer.to_owned(), false))
        }
        _ => None,
    }
}

fn only<T>(list: &[T]) -> Option<&T> {
    match list {
        [one] => Some(one),
        _ => None,
    }
}

fn no_type_fits(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
) -> Problem {
    let mut names: Vec<&str> = Vec::new();
    for kind in branches.iter().flatten().map(ValidationError::kind) {
        match kind {
            Kind::Type { kind: TypeKind::Single(one) } => names.push(one.as_str()),
            Kind::Type { kind: TypeKind::Multiple(set) } => {
                names.extend(set.iter().map(JsonType::as_str));
            }
            _ => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    let message = format!("must be {}, not {}", words(&names), described(error.instance()));
    Problem::new(error.instance_path().as_str(), "type", message, json!({"type": names}))
        .received(error.instance())
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
