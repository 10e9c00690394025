//! From raw arguments to a typed request, with every problem found on the way.
//!
//! Order: refuse duplicate keys, parse, rename aliases, validate against the accepted schema, check constraints,
//! deserialise. Validation comes first because the generated types are laxer than the schema
//! (ranges, lengths, `null`, arrays instead of objects). If the parsed arguments are not needed later
//! and the fast validator accepts them, they are deserialised directly from the text. Decode knows no
//! guards: fields that a guard owns are optional in the accepted schema and checked later.

mod answer;
mod compiled_tool;
mod constraints;
mod explain;
mod fast_validator;
mod numbers;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::contract::ToolInfo;
use crate::duplicate_keys;
use crate::problem::{Problem, Problems, join};

pub use answer::{AnswerSchema, InvalidAnswer};
pub(crate) use compiled_tool::CompiledTool;
pub use compiled_tool::{Defect, LazyTool};

/// For larger invalid arguments only the first problem is reported: collecting all could cost a
/// thousand times the memory of the arguments.
const COLLECT_ALL_BELOW: usize = 256 * 1024;
/// Maximum number of schema errors that are turned into problems before sorting.
const EXPLAIN_AT_MOST: usize = 500;

/// Decoded arguments.
pub struct Decoded<R> {
    /// The arguments under their canonical names, without defaults. Kept only if the contract needs
    /// them: for a guard, or for a command word taken from an argument.
    pub value: Option<Value>,
    /// The typed request.
    pub request: R,
    /// Aliases that were used: `(alias, name)`.
    pub renamed: Vec<(&'static str, &'static str)>,
}

/// Why decoding failed.
pub enum DecodeError {
    /// The arguments are invalid.
    Problems(Problems),
    /// The contract is defective: a generated schema does not compile.
    Defect(Defect),
}

/// Decodes the arguments of a tool.
pub fn decode<R: DeserializeOwned>(
    tool: &LazyTool,
    arguments: &RawValue,
) -> Result<Decoded<R>, DecodeError> {
    let compiled = tool.get().map_err(|defect| DecodeError::Defect(defect.clone()))?;
    let tool = tool.info();
    let text = arguments.get();
    if let Some(pointer) = duplicate_keys::find(text) {
        let message = "the same key twice in one object; send each key once".to_owned();
        return Err(single(Problem::new(
            pointer,
            "duplicate_key",
            message,
            json!({"type": "object"}),
        )));
    }
    if compiled.accepts(text)
        && let Ok(request) = serde_json::from_str(text)
    {
        return Ok(Decoded { value: None, request, renamed: Vec::new() });
    }
    let mut value = parse(text)?;
    let renamed = rename(tool, &mut value).map_err(DecodeError::Problems)?;

    if compiled.accepted.validate(&value).is_err() || !constraints::hold(tool, &value) {
        let mut problems = find_problems(tool, compiled, &value, text.len() < COLLECT_ALL_BELOW);
        name_as_sent(&mut problems, &renamed);
        return Err(DecodeError::Problems(problems));
    }
    let request = R::deserialize(&value).or_else(|_| {
        numbers::integral_floats_to_integers(&mut value);
        serde_path_to_error::deserialize(&value)
    });
    match request {
        Ok(request) => {
            let value = keeps_value(tool).then_some(value);
            Ok(Decoded { value, request, renamed })
        }
        Err(error) => {
            let mut problems = Problems::default();
            problems.push(explain::type_mismatch(&error, &value));
            name_as_sent(&mut problems, &renamed);
            Err(DecodeError::Problems(problems))
        }
    }
}

/// Whether single arguments are needed after decoding.
fn keeps_value(tool: &ToolInfo) -> bool {
    !tool.guards.is_empty() || tool.command.last().is_some_and(|word| word.starts_with('$'))
}

/// All problems of `arguments` for `tool`, without deserialising them.
pub fn check(tool: &'static ToolInfo, arguments: &Value) -> Result<Vec<Problem>, Defect> {
    let compiled = CompiledTool::new(tool)?;
    let mut value = arguments.clone();
    let problems = match rename(tool, &mut value) {
        Err(problems) => problems,
        Ok(renamed) => {
            let mut problems = find_problems(tool, &compiled, &value, true);
            name_as_sent(&mut problems, &renamed);
            problems
        }
    };
    Ok(problems.into_sorted().0)
}

fn single(problem: Problem) -> DecodeError {
    let mut problems = Problems::default();
    problems.push(problem);
    DecodeError::Problems(problems)
}

/// Parses the arguments; `null` means none.
fn parse(text: &str) -> Result<Value, DecodeError> {
    let problem =
        |rule: &str, message: String| Problem::new("", rule, message, json!({"type": "object"}));
    match serde_json::from_str(text) {
        Ok(Value::Null) => Ok(Value::Object(Map::new())),
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(other) => {
            let message = "arguments must be an object".to_owned();
            Err(single(problem("type", message).received(&other)))
        }
        // Only for numbers out of range and nesting beyond 127 levels: the transport has parsed the rest.
        Err(error) => {
            Err(single(problem("json", format!("arguments cannot be read as JSON: {error}"))))
        }
    }
}

/// Renames aliased arguments to their canonical names.
fn rename(
    tool: &'static ToolInfo,
    value: &mut Value,
) -> Result<Vec<(&'static str, &'static str)>, Problems> {
    let mut renamed = Vec::new();
    let Value::Object(members) = value else { return Ok(renamed) };
    let mut problems = Problems::default();
    for &(alias, name) in tool.aliases {
        let Some(moved) = members.remove(alias) else { continue };
        if members.contains_key(name) {
            let message = format!(
                "`{alias}` is an alias of `{name}`, which is also given; send only `{name}`"
            );
            problems.push(
                Problem::new(
                    join("", alias),
                    "alias",
                    message,
                    json!({"at_most_one_of": [name, alias]}),
                )
                .received(&moved),
            );
        } else {
            members.insert(name.to_owned(), moved);
            renamed.push((alias, name));
        }
    }
    if problems.is_empty() { Ok(renamed) } else { Err(problems) }
}

fn find_problems(
    tool: &'static ToolInfo,
    compiled: &CompiledTool,
    value: &Value,
    all: bool,
) -> Problems {
    let mut problems = Problems::default();
    if all {
        let mut errors = compiled.accepted.iter_errors(value);
        for error in errors.by_ref().take(EXPLAIN_AT_MOST) {
            explain::explain(tool, &compiled.schema, &error, &mut problems);
        }
        problems.add_unlisted(errors.count());
    } else if let Err(error) = compiled.accepted.validate(value) {
        explain::explain(tool, &compiled.schema, &error, &mut problems);
    }
    constraints::find(tool, value, &mut problems);
    problems
}

/// Rewrites pointers to the names that the client sent.
fn name_as_sent(problems: &mut Problems, renamed: &[(&'static str, &'static str)]) {
    for &(alias, name) in renamed {
        let own = join("", name);
        for problem in problems.iter_mut() {
            let rest = problem.pointer.strip_prefix(&own);
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                problem.pointer = join("", alias) + rest;
            }
        }
    }
}
