//! Rules over several arguments, which portable JSON Schema cannot express.
//!
//! An argument counts as given if it is present and neither `null` nor `false`.

use serde_json::{Value, json};

use crate::contract::{Constraint, ToolInfo};
use crate::problem::{Problem, Problems, join};

/// All constraints of the tool hold.
pub(super) fn hold(tool: &ToolInfo, value: &Value) -> bool {
    tool.constraints.iter().all(|constraint| broken(constraint, value).is_none())
}

/// Adds a problem for each constraint that does not hold.
pub(super) fn find(tool: &ToolInfo, value: &Value, problems: &mut Problems) {
    if value.is_object() {
        for problem in tool.constraints.iter().filter_map(|rule| broken(rule, value)) {
            problems.push(problem);
        }
    }
}

fn broken(constraint: &Constraint, value: &Value) -> Option<Problem> {
    match *constraint {
        Constraint::AtLeastOneOf(names) => {
            none_given(value, names).then(|| too_few("at_least_one_of", "at least one", names))
        }
        Constraint::AtMostOneOf(names) => {
            second_given(value, names).map(|extra| too_many("at_most_one_of", names, extra, value))
        }
        Constraint::ExactlyOneOf(names) if none_given(value, names) => {
            Some(too_few("exactly_one_of", "exactly one", names))
        }
        Constraint::ExactlyOneOf(names) => {
            second_given(value, names).map(|extra| too_many("exactly_one_of", names, extra, value))
        }
        Constraint::Requires { field, needs } => (given(value, field) && !given(value, needs))
            .then(|| {
                let message = format!("`{field}` is given, so `{needs}` must be given too");
                Problem::new(
                    join("", needs),
                    "requires",
                    message,
                    json!({"requires": [field, needs]}),
                )
            }),
    }
}

fn given(value: &Value, name: &str) -> bool {
    !matches!(value.get(name), None | Some(Value::Null | Value::Bool(false)))
}

fn none_given(value: &Value, names: &[&str]) -> bool {
    !names.iter().any(|name| given(value, name))
}

fn second_given<'n>(value: &Value, names: &[&'n str]) -> Option<&'n str> {
    names.iter().filter(|name| given(value, name)).nth(1).copied()
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn too_few(rule: &str, how_many: &str, names: &[&str]) -> Problem {
    let message = format!("{how_many} of {} must be given", listed(names));
    Problem::new("", rule, message, json!({ rule: names }))
}

fn too_many(rule: &str, names: &[&str], extra: &str, value: &Value) -> Problem {
    let message = format!("only one of {} may be given", listed(names));
    let problem = Problem::new(join("", extra), rule, message, json!({ rule: names }));
    match value.get(extra) {
        Some(received) => problem.received(received),
        None => problem,
    }
}
