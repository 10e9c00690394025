//! Checks rendered answers against the served schema: the counterpart of decoding.
//!
//! Names the field and the rule, never a value: what is found goes to the log.

use std::fmt;
use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::compiled_tool::{Defect, compile};
use super::explain::explain;
use super::fast_validator::FastValidator;
use crate::contract::ToolInfo;
use crate::problem::{Problem, Problems};

/// Maximum number of problems in the text.
const LISTED: usize = 5;

/// What is wrong with an answer. Its text names the tool, and field and rule of each problem.
#[derive(Debug)]
pub struct InvalidAnswer {
    tool: &'static ToolInfo,
    problems: Vec<Problem>,
}

impl InvalidAnswer {
    /// Neither right nor wrong: the answer cannot be checked.
    pub(crate) fn defect(tool: &'static ToolInfo, cause: &str) -> Self {
        Self { tool, problems: vec![Problem::new("", "schema", cause, Value::Null)] }
    }

    /// JSON pointer of the first field that is wrong.
    pub(crate) fn field(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.pointer)
    }

    /// The rule that it breaks: a keyword of JSON Schema.
    pub(crate) fn rule(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.rule)
    }
}

impl fmt::Display for InvalidAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the answer of `{}` does not match its output schema", self.tool.canonical)?;
        for (index, Problem { pointer, rule, message, .. }) in
            self.problems.iter().take(LISTED).enumerate()
        {
            let place = if pointer.is_empty() { "the answer" } else { pointer };
            write!(f, "{} {place}: {message} ({rule})", if index == 0 { ":" } else { ";" })?;
        }
        match self.problems.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// The served output schema of one tool.
pub struct AnswerSchema {
    tool: &'static ToolInfo,
    schema: Value,
    fast: Option<FastValidator>,
    /// For answers of which the fast validator is not sure.
    full: OnceLock<Result<Validator, Defect>>,
}

impl AnswerSchema {
    /// Reads the schema of a tool.
    ///
    /// # Errors
    /// It is not JSON.
    pub fn new(tool: &'static ToolInfo) -> Result<Self, Defect> {
        let schema = serde_json::from_str(tool.output).map_err(|error| Defect {
            message: format!("the output schema of `{}` is not JSON: {error}", tool.canonical),
        })?;
        let fast = FastValidator::of(&schema);
        Ok(Self { tool, schema, fast, full: OnceLock::new() })
    }

    /// Checks an answer; `is_error` tells the envelope of a failure from that of a success.
    ///
    /// # Errors
    /// The answer does not match, or cannot be checked.
    pub fn check(&self, text: &str, is_error: bool) -> Result<(), InvalidAnswer> {
        if self.fast.as_ref().is_some_and(|fast| fast.accepts(text)) {
            return Ok(());
        }
        let defect = |cause: &str| InvalidAnswer::defect(self.tool, cause);
        let full = self.full.get_or_init(|| compile(&self.schema, "output", self.tool));
        let full = full.as_ref().map_err(|cause| defect(&cause.message))?;
        let value: Value = serde_json::from_str(text)
            .map_err(|error| defect(&format!("it is not JSON: {error}")))?;
        if full.is_valid(&value) {
            return Ok(());
        }
        let mut problems = Problems::default();
        for error in full.iter_errors(&value) {
            match envelope(&error, is_error) {
                Some(errors) => {
                    errors.iter().for_each(|error| self.explain(error, &mut problems));
                }
                None => self.explain(&error, &mut problems),
            }
        }
        Err(InvalidAnswer { tool: self.tool, problems: problems.into_sorted().0 })
    }

    fn explain(&self, error: &ValidationError<'_>, problems: &mut Problems) {
        explain(self.tool, &self.schema, error, problems);
    }
}

/// What is wrong with the envelope that was meant. A served schema is a choice of two: success, failure.
fn envelope<'e>(
    error: &'e ValidationError<'_>,
    is_error: bool,
) -> Option<&'e [ValidationError<'static>]> {
    match error.kind() {
        Kind::AnyOf { context } if error.schema_path().as_str() == "/anyOf" => {
            context.get(usize::from(is_error)).map(Vec::as_slice)
        }
        _ => None,
    }
}
