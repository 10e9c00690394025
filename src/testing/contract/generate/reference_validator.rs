//! Decides whether arguments fit, independently of the runtime: with `jsonschema`, and the rules over
//! several arguments that a schema cannot express.

use jsonschema::Validator;
use serde_json::Value;
use toolwright_runtime::contract::{Constraint, ToolInfo};

/// The expected outcome for arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They fit what is served.
    Fits,
    /// They do not, and a guard has to refuse them: the field is the guard's own.
    Guarded,
    /// They do not fit.
    Refused,
}

/// The contract of one tool's arguments.
pub(crate) struct ReferenceValidator {
    /// The served schema without what guards answer for, as data.
    pub accepted: Value,
    input: Validator,
    checked: Validator,
    constraints: &'static [Constraint],
    aliases: &'static [(&'static str, &'static str)],
}

impl ReferenceValidator {
    pub(crate) fn new(tool: &ToolInfo) -> Self {
        let accepted = crate::contract::json(tool.accepted);
        let build = |schema: &Value| {
            let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
            options.should_validate_formats(true).build(schema).expect("a schema")
        };
        let (input, checked) = (build(&crate::contract::json(tool.input)), build(&accepted));
        let (constraints, aliases) = (tool.constraints, tool.aliases);
        Self { accepted, input, checked, constraints, aliases }
    }

    /// The expected outcome for arguments, under canonical names or aliases.
    pub(crate) fn verdict(&self, arguments: &Value) -> Verdict {
        let mut arguments = arguments.clone();
        for (alias, name) in self.aliases {
            let Some(members) = arguments.as_object_mut() else { break };
            if let Some(value) = members.remove(*alias)
                && members.insert((*name).to_owned(), value).is_some()
            {
                return Verdict::Refused;
            }
        }
        let hold = self.constraints.iter().all(|constraint| holds(constraint, &arguments));
        if !hold || !self.checked.is_valid(&arguments) {
            Verdict::Refused
        } else if !self.input.is_valid(&arguments) {
            Verdict::Guarded
        } else {
            Verdict::Fits
        }
    }
}

fn holds(constraint: &Constraint, arguments: &Value) -> bool {
    let given = |name: &&str| {
        let value = arguments.get(*name);
        value.is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
    };
    let count = |names: &[&str]| names.iter().filter(|name| given(name)).count();
    match constraint {
        Constraint::AtLeastOneOf(names) => count(names) >= 1,
        Constraint::AtMostOneOf(names) => count(names) <= 1,
        Constraint::ExactlyOneOf(names) => count(names) == 1,
        Constraint::Requires { field, needs } => !given(field) || given(needs),
    }
}
