//! Examples run against the real handlers, and every answer validates.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;
use toolwright_runtime::contract::{Expect, Piece, SurfaceInfo, ToolInfo};

use super::{Run, json, report};

/// Success examples answer a superset of what they show, error examples answer their code, and
/// every answer fits the served schema.
pub fn answer_as_written(surface: &SurfaceInfo, runs: &[Run]) {
    let mut complaints = Vec::new();
    for Run { tool, example, reply, .. } in runs {
        let place = format!("{} / {}", tool.canonical, example.name);
        if let Err(problem) = fits_schema(tool, &reply.body) {
            complaints.push(format!("{place}: {problem}\n  in {}", reply.body));
        }
        match example.expect {
            Expect::Output(_) if reply.is_error => {
                complaints.push(format!("{place}: failed: {}", reply.body));
            }
            Expect::Output(expected) => {
                let data = data(surface, &reply.body);
                if let Some(difference) = difference("", &json(expected), data) {
                    complaints.push(format!("{place}: {difference}"));
                }
            }
            Expect::Error(kind) => {
                let code = surface.error(kind).expect("examples name registry kinds").code;
                if !reply.is_error || !mentions(&reply.body, code) {
                    complaints.push(format!("{place}: expected {code}, got {}", reply.body));
                }
            }
        }
    }
    report(&complaints);
}

/// What the envelope of a success is around.
pub fn data<'a>(surface: &SurfaceInfo, body: &'a Value) -> &'a Value {
    let template: String = surface
        .envelope
        .success
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Data => "\"$data\"",
            _ => "null",
        })
        .collect();
    let pointer = pointer_to(&json(&template), "$data").expect("a success has its data");
    body.pointer(&pointer).expect("the answer has the envelope's shape")
}

fn pointer_to(value: &Value, text: &str) -> Option<String> {
    match value {
        Value::String(found) => (found == text).then(String::new),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, member)| Some(format!("/{name}{}", pointer_to(member, text)?))),
        _ => None,
    }
}

/// An answer's size stays within the tool's token budget.
pub fn stay_within_their_budget(runs: &[Run]) {
    let mut complaints = Vec::new();
    for Run { tool, example, reply, .. } in runs {
        let tokens = reply.body.to_string().len() / 4;
        if tokens > tool.budget.result_tokens as usize {
            complaints.push(format!("{} / {}: {tokens} tokens", tool.canonical, example.name));
        }
    }
    report(&complaints);
}

/// Validates an answer, success or failure, against what `tools/list` promises.
pub fn fits_schema(tool: &ToolInfo, body: &Value) -> Result<(), String> {
    /// By their texts: compiling one takes longer than using it.
    static VALIDATORS: LazyLock<Mutex<BTreeMap<&'static str, Arc<Validator>>>> =
        LazyLock::new(Mutex::default);
    let validator = {
        let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = validators.entry(tool.output).or_insert_with(|| {
            Arc::new(jsonschema::draft202012::new(&json(tool.output)).expect("a schema"))
        });
        Arc::clone(known)
    };
    let problems: Vec<String> = validator
        .iter_errors(body)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

/// Whether a code stands anywhere in a failure envelope.
pub fn mentions(body: &Value, code: &str) -> bool {
    match body {
        Value::String(text) => text == code,
        Value::Array(items) => items.iter().any(|item| mentions(item, code)),
        Value::Object(members) => members.values().any(|member| mentions(member, code)),
        _ => false,
    }
}

/// The first place where `actual` does not contain `expected`. Members may be more, items may not.
fn difference(pointer: &str, expected: &Value, actual: &Value) -> Option<String> {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().find_map(|(name, value)| match actual.get(name) {
                Some(member) => difference(&format!("{pointer}/{name}"), value, member),
                None => Some(format!("{pointer}/{name} is missing")),
            })
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            expected
                .iter()
                .zip(actual)
                .enumerate()
                .find_map(|(index, (a, b))| difference(&format!("{pointer}/{index}"), a, b))
        }
        _ if expected == actual => None,
        _ => Some(format!("{pointer}: expected {expected}, got {actual}")),
    }
}
