//! State that is computed once per tool: parsed schemas, validators, defaults.
//!
//! Built on first use, because a validator costs 45 µs and most tools of a server are never called.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jsonschema::{Draft, Validator};
use serde_json::Value;

use super::answer::AnswerSchema;
use super::fast_validator::FastValidator;
use super::keeps_value;
use crate::contract::ToolInfo;

/// A defective contract: a generated schema that does not compile.
#[derive(Debug, Clone)]
pub struct Defect {
    /// What is wrong, for the log.
    pub message: String,
}

/// A tool whose schemas are compiled on first use. Generated code has one for each tool.
pub struct LazyTool {
    info: &'static ToolInfo,
    compiled: OnceLock<Result<CompiledTool, Defect>>,
}

impl LazyTool {
    /// Nothing is compiled yet.
    pub const fn new(info: &'static ToolInfo) -> Self {
        Self { info, compiled: OnceLock::new() }
    }

    /// The tool's contract.
    pub fn info(&self) -> &'static ToolInfo {
        self.info
    }

    /// The tool, ready for calls.
    pub(crate) fn get(&self) -> Result<&CompiledTool, &Defect> {
        self.compiled.get_or_init(|| CompiledTool::new(self.info)).as_ref()
    }
}

/// One tool, ready for calls.
pub(crate) struct CompiledTool {
    /// Validates arguments.
    pub(crate) accepted: Validator,
    /// The same schema as data, for messages.
    pub(crate) schema: Value,
    /// Defaults of top-level properties.
    pub(crate) defaults: BTreeMap<String, Value>,
    /// Accepts most valid arguments in one pass; present if only the typed request is needed.
    fast: Option<FastValidator>,
    answers: OnceLock<Result<AnswerSchema, Defect>>,
    tool: &'static ToolInfo,
}

impl CompiledTool {
    pub(super) fn new(tool: &'static ToolInfo) -> Result<Self, Defect> {
        let schema: Value = serde_json::from_str(tool.accepted).map_err(|error| Defect {
            message: format!("the input schema of `{}` is not JSON: {error}", tool.canonical),
        })?;
        let accepted = compile(&schema, "input", tool)?;
        let properties = schema.get("properties").and_then(Value::as_object);
        let defaults = properties
            .into_iter()
            .flatten()
            .filter_map(|(name, schema)| Some((name.clone(), schema.get("default")?.clone())))
            .collect();
        let plain = !keeps_value(tool) && tool.aliases.is_empty() && tool.constraints.is_empty();
        let fast = plain.then(|| FastValidator::of(&schema)).flatten();
        Ok(Self { accepted, schema, defaults, fast, answers: OnceLock::new(), tool })
    }

    /// Whether the fast validator accepts the arguments. `false` is inconclusive.
    pub(super) fn accepts(&self, text: &str) -> bool {
        self.fast.as_ref().is_some_and(|fast| fast.accepts(text))
    }

    /// Checks answers against the served schema.
    pub(crate) fn answers(&self) -> Result<&AnswerSchema, &Defect> {
        self.answers.get_or_init(|| AnswerSchema::new(self.tool)).as_ref()
    }
}

pub(super) fn compile(schema: &Value, which: &str, tool: &ToolInfo) -> Result<Validator, Defect> {
    // Clients with ajv check formats, so we do.
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| Defect {
            message: format!(
                "the {which} schema of `{}` does not compile: {error}",
                tool.canonical
            ),
        })
}
