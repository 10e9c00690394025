//! Broken answers: whatever is wrong with an answer, the failure names tool, field and rule.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use toolwright_runtime::decode::AnswerSchema;

use super::generate::Generator;
use super::{Run, json, report};

/// Lists of an answer are cut to this length: what comes later is broken in the same ways.
const ITEMS: usize = 2;

/// Breaks one success and one failure of every tool in every place.
pub fn what_is_wrong_names_tool_field_and_rule(surface: &'static SurfaceInfo, runs: &[Run]) {
    let mut complaints = Vec::new();
    let mut generator = Generator::new(surface);
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in surface.tools {
        let tampering = Tampering::of(tool);
        for is_error in [false, true] {
            let is_meant = |run: &&Run| {
                std::ptr::eq(run.tool, *tool)
                    && run.reply.is_error == is_error
                    && tampering.whole.is_valid(&run.reply.body)
            };
            let Some(run) = runs.iter().find(is_meant) else { continue };
            let count = tampering.run(&mut generator, run, &mut complaints);
            *found.entry(tool.canonical).or_default() += count;
        }
    }
    report(&complaints);
    let missing = surface.tools.iter().filter(|tool| !found.contains_key(tool.canonical));
    let missing: Vec<_> = missing.map(|tool| tool.canonical).collect();
    assert!(missing.is_empty(), "no answer could be broken of: {missing:?}");
}

/// One tool's served schema, read in two ways.
struct Tampering {
    schema: Value,
    /// Knows nothing of how the runtime reads the schema.
    whole: Validator,
    checked: AnswerSchema,
}

impl Tampering {
    fn of(tool: &'static ToolInfo) -> Self {
        let schema = json(tool.output);
        let checked = AnswerSchema::new(tool).map_err(|defect| defect.message);
        let checked = checked.expect("an output schema is a schema");
        Self { whole: validator(&schema), schema, checked }
    }

    /// How many broken answers were not valid.
    fn run(&self, generator: &mut Generator, run: &Run, complaints: &mut Vec<String>) -> usize {
        let Run { tool, example, reply, .. } = run;
        let meant = &self.schema["anyOf"][usize::from(reply.is_error)];
        let branch = validator(meant);
        let mut count = 0;
        for (what, pointer, broken) in
            generator
                .tampered(meant, &shortened(&reply.body), &|schema, value| chosen(schema, value))
        {
            if self.whole.is_valid(&broken) {
                continue;
            }
            count += 1;
            let mut rules = BTreeSet::new();
            branch.iter_errors(&broken).for_each(|error| add_rules(&error, &mut rules));
            let place = if pointer.is_empty() { "the answer" } else { &pointer };
            let complaint = match self.checked.check(&broken.to_string(), reply.is_error) {
                Ok(()) => "accepted".to_owned(),
                Err(invalid) => {
                    let told = invalid.to_string();
                    let names = told.contains(&format!("`{}`", tool.canonical))
                        && told.contains(&format!(" {place}: "))
                        && rules.iter().any(|rule| told.contains(&format!("({rule})")));
                    if names {
                        continue;
                    }
                    told
                }
            };
            let place = format!("{} / {}: {pointer}: {what}", tool.canonical, example.name);
            complaints.push(format!("{place}: {complaint}"));
        }
        count
    }
}

fn validator(schema: &Value) -> Validator {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    options.should_validate_formats(true).build(schema).expect("an output schema compiles")
}

/// The branch of a choice that a value fits.
fn chosen<'s>(schema: &'s Value, value: &Value) -> Option<&'s Value> {
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    branches.iter().find(|branch| validator(branch).is_valid(value))
}

/// The rules that an error is about, those of all branches included.
fn add_rules(error: &ValidationError<'_>, rules: &mut BTreeSet<String>) {
    rules.insert(error.kind().keyword().to_owned());
    if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind() {
        context.iter().flatten().for_each(|error| add_rules(error, rules));
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(ITEMS).map(shortened).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), shortened(member))).collect()
        }
        other => other.clone(),
    }
}
