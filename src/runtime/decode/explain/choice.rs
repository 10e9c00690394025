//! Values that fit none of the shapes of `anyOf` or `oneOf`: which shape was meant, and what is wrong
//! with it.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::{Value, json};

use super::{described, explain, listed, suggested_option, summary, words};
use crate::contract::ToolInfo;
use crate::problem::{Problem, Problems, join};

/// For `anyOf` and `oneOf`, reports the problems of the intended shape, if it can be determined.
pub(super) fn alternatives(
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
    let shapes = schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
    let tags = tags(base, shapes.map(Vec::as_slice).unwrap_or_default());
    let wrong_tag = |error: &ValidationError<'_>| {
        tag_place(base, error).is_some_and(|(place, _)| tags.contains(&place))
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
    if let Some(problem) = tags.iter().find_map(|tag| unknown_tag(base, tag, &right_type)) {
        problems.push(problem);
        return;
    }
    if let Some(errors) = nearest_shape(&right_type) {
        for error in errors {
            explain(tool, schema, error, problems);
        }
        return;
    }
    let message = format!("fits none of the {} allowed shapes", branches.len());
    let shapes: Vec<Value> = shapes.into_iter().flatten().map(summary).collect();
    let expected = json!({error.kind().keyword(): shapes});
    problems.push(
        Problem::new(base, error.kind().keyword(), message, expected).received(error.instance()),
    );
}

/// The shape that a value breaks in the fewest places; `None` where two are equally near.
fn nearest_shape<'b>(
    branches: &[&'b Vec<ValidationError<'static>>],
) -> Option<&'b [ValidationError<'static>]> {
    let distance = |errors: &[ValidationError<'static>]| -> usize {
        let of_one = |error: &ValidationError<'_>| match error.kind() {
            Kind::AdditionalProperties { unexpected } => unexpected.len(),
            _ => 1,
        };
        errors.iter().map(of_one).sum()
    };
    let least = branches.iter().map(|errors| distance(errors)).min()?;
    let nearest: Vec<_> = branches.iter().filter(|errors| distance(errors) == least).collect();
    only(&nearest).map(|errors| errors.as_slice())
}

/// The members that tell shapes apart, as `{kind: {const: a}}` in one and `{kind: {const: b}}` in the
/// next do.
fn tags(base: &str, shapes: &[Value]) -> Vec<String> {
    let constants = |shape: &Value, name: &str| {
        let member = shape.get("properties").and_then(|all| all.get(name));
        member.is_some_and(|schema| schema.get("const").or(schema.get("enum")).is_some())
    };
    let first = shapes.first().and_then(|shape| shape.get("properties")?.as_object());
    let names = first.into_iter().flatten().map(|(name, _)| name.as_str());
    names
        .filter(|name| shapes.iter().all(|shape| constants(shape, name)))
        .map(|name| join(base, name))
        .collect()
}

/// A tag that is missing, or has a value that no shape knows.
fn unknown_tag(
    base: &str,
    tag: &str,
    branches: &[&Vec<ValidationError<'static>>],
) -> Option<Problem> {
    let about = |error: &&ValidationError<'static>| {
        tag_place(base, error).is_some_and(|(place, _)| place == tag)
    };
    let errors: Vec<_> =
        branches.iter().map(|errors| errors.iter().find(about)).collect::<Option<_>>()?;
    let first = errors.first()?;
    let (_, missing) = tag_place(base, first)?;
    if missing {
        let name = tag.rsplit('/').next().unwrap_or_default();
        let message = format!("`{name}` is required");
        return Some(Problem::new(tag, "required", message, json!({"required": [name]})));
    }
    let mut known = Vec::new();
    for error in &errors {
        match error.kind() {
            Kind::Constant { expected_value } => known.push((**expected_value).clone()),
            Kind::Enum { options } => {
                known.extend(options.as_array().into_iter().flatten().cloned());
            }
            _ => {}
        }
    }
    let known = Value::Array(known);
    let suggestion = suggested_option(&known, first.instance());
    let message = format!("must be one of {}", listed(&known));
    let problem = Problem::new(tag, "enum", message, json!({"enum": known}));
    Some(problem.received(first.instance()).did_you_mean(suggestion))
}

/// The member of the value at `base` whose constant an error is about, and whether it is missing.
fn tag_place(base: &str, error: &ValidationError<'_>) -> Option<(String, bool)> {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        Kind::Required { property } if pointer == base => {
            Some((join(base, property.as_str()?), true))
        }
        Kind::Constant { .. } | Kind::Enum { .. } => Some((pointer.to_owned(), false)),
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
