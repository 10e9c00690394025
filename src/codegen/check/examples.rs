//! Examples: complete, and each one valid.

use std::collections::BTreeMap;
use std::rc::Rc;

use jsonschema::Validator;
use serde_json::Value;

use super::validators::{Validators, problems};
use crate::diagnostics::{Findings, Place, code};
use crate::model::{Constraint, Contract, Example, Expect, Tool};
use crate::parse::Node;
use crate::resolve::{Draft, ToolDraft};
use crate::schema;

/// Checks the examples of one tool of `contract`: the draft's own, or what is sound of it.
pub(super) fn check(
    draft: &Draft<'_>,
    contract: &Contract,
    tool: &Tool,
    source: &ToolDraft<'_>,
    validators: &mut Validators,
    out: &mut Findings,
) {
    coverage(draft, tool, source, out);
    let schemas = Schemas::of(contract, tool, validators);
    let mut names: BTreeMap<&str, Place> = BTreeMap::new();
    for (example, node) in tool.examples.iter().zip(&source.examples) {
        let place = node.locate("/name");
        if let Some(first) = names.insert(&example.name, place)
            && !example.name.is_empty()
        {
            let message = format!("duplicate example `{}`", example.name);
            out.add(code::DUPLICATE_NAME, place, message)
                .also(first, "first here")
                .help("rename one of the two: each example becomes a test of that name");
        }
        if let Some(schemas) = &schemas {
            let case = Case { draft, tool, source, node, example, schemas };
            case.input(out);
            case.output(out);
        }
    }
}

fn coverage(draft: &Draft<'_>, tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    let success = tool.examples.iter().any(|example| matches!(example.expect, Expect::Output(_)));
    if !success && source.doc.root.entry("examples").is_some() {
        let message = format!("`{}` has no successful example", tool.name);
        out.add(code::NO_SUCCESS, source.place_of("examples"), message)
            .help("add one with `output`; it may list only some members of the answer");
    }
    let builtin = &draft.contract.builtin;
    for (kind, place) in &source.listed {
        let exempt = *kind == builtin.internal
            || builtin.unknown_tool.as_ref() == Some(kind)
            || draft.ambient.contains(kind)
            || !draft.contract.errors.contains_key(kind);
        let shown = tool
            .examples
            .iter()
            .any(|example| matches!(&example.expect, Expect::Error(shown) if shown == kind));
        if !exempt && !shown {
            let message = format!("`{}` has no example of `{kind}`", tool.name);
            out.add(code::NO_ERROR_EXAMPLE, *place, message)
                .label("declared here")
                .help(format!("add an example with `error: {kind}`"));
        }
    }
}

/// What all examples of a tool are held against.
struct Schemas {
    accepted: Rc<Validator>,
    output: Value,
    relaxed: Rc<Validator>,
}

impl Schemas {
    fn of(contract: &Contract, tool: &Tool, validators: &mut Validators) -> Option<Self> {
        let output = schema::inline(contract, &tool.output);
        Some(Self {
            accepted: validators.get(&schema::accepted(contract, tool)).ok()?,
            relaxed: validators.get(&schema::relaxed(&output)).ok()?,
            output,
        })
    }
}

/// One example.
struct Case<'c, 'a> {
    draft: &'c Draft<'a>,
    tool: &'c Tool,
    source: &'c ToolDraft<'a>,
    node: &'c Node,
    example: &'c Example,
    schemas: &'c Schemas,
}

impl Case<'_, '_> {
    fn at(&self, member: &str, pointer: &str) -> Place {
        self.node.locate(&format!("/{member}{pointer}"))
    }

    fn input(&self, out: &mut Findings) {
        let arguments = schema::without_aliases(self.tool, &self.example.input);
        let faults = problems(&self.schemas.accepted, &arguments);
        let broken = schema::broken_constraint(self.tool, &arguments);
        if self.draft.folder.surface.is_none() && matches!(self.example.expect, Expect::Error(_)) {
            // Only `surface.yaml` says which kind stands for arguments that do not fit.
            return;
        }
        let invalid = &self.draft.contract.builtin.invalid_arguments;
        if matches!(&self.example.expect, Expect::Error(kind) if kind == invalid) {
            // A tool that lists the kind says that its handler can find more faults than a schema.
            let listed = self.source.listed.iter().any(|(kind, _)| kind == invalid);
            if faults.is_empty() && broken.is_none() && !listed {
                let message = format!(
                    "example `{}` expects `{invalid}`, but its input is valid",
                    self.example.name
                );
                out.add(code::EXAMPLE_VALID, self.at("input", ""), message)
                    .label("fits the input schema and the constraints")
                    .help(format!(
                        "if the handler itself rejects it, list `{invalid}` under `errors`"
                    ));
            }
            return;
        }
        if self.is_refused_at_admission() {
            return;
        }
        for (pointer, problem) in faults {
            out.add(code::EXAMPLE_INPUT, self.at("input", &pointer), problem)
                .label(format!("the call of example `{}` would be rejected", self.example.name))
                .also(self.source.place_of("input"), "does not fit this schema");
        }
        if let Some(constraint) = broken {
            out.add(code::EXAMPLE_INPUT, self.at("input", ""), describe(constraint))
                .label(format!("the call of example `{}` would be rejected", self.example.name))
                .also(self.source.place_of("constraints"), "does not fit these constraints");
        }
    }

    /// A guard refuses before anybody looks at the input.
    fn is_refused_at_admission(&self) -> bool {
        let Expect::Error(kind) = &self.example.expect else { return false };
        let own = &self.draft.contract.guards;
        let mut declared = self.tool.guards.iter().filter_map(|used| own.get(used.name()));
        declared.any(|guard| guard.admission && guard.refuses.contains(kind))
    }

    fn output(&self, out: &mut Findings) {
        let Expect::Output(output) = &self.example.expect else { return };
        for (pointer, problem) in problems(&self.schemas.relaxed, output) {
            out.add(code::EXAMPLE_OUTPUT, self.at("output", &pointer), problem)
                .label(format!("example `{}`", self.example.name))
                .also(self.source.place_of("output"), "does not fit this schema");
        }
        for (pointer, name) in unknown_members(&self.schemas.output, output, "") {
            let message = format!("the output schema has no member `{name}`");
            out.add(code::EXAMPLE_OUTPUT, self.at("output", &pointer), message)
                .label(format!("example `{}`", self.example.name))
                .also(self.source.place_of("output"), "not in this schema");
        }
    }
}

/// Members that an object schema with `properties` does not name: a subset of an answer has none,
/// also where the schema is open.
fn unknown_members(schema: &Value, value: &Value, pointer: &str) -> Vec<(String, String)> {
    let (Some(properties), Some(members)) =
        (schema.get("properties").and_then(Value::as_object), value.as_object())
    else {
        return Vec::new();
    };
    // A closed object is the validator's business, a map takes any key.
    let open = schema.get("additionalProperties").is_none();
    let mut found = Vec::new();
    for (name, member) in members {
        let inner = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        match properties.get(name) {
            Some(property) => found.extend(unknown_members(property, member, &inner)),
            None if open => found.push((inner, name.clone())),
            None => {}
        }
    }
    found
}

fn describe(constraint: &Constraint) -> String {
    match constraint {
        Constraint::AtLeastOneOf(fields) => format!("none of {} is present", fields.join(", ")),
        Constraint::AtMostOneOf(fields) => {
            format!("more than one of {} is present", fields.join(", "))
        }
        Constraint::ExactlyOneOf(fields) => {
            format!("not exactly one of {} is present", fields.join(", "))
        }
        Constraint::Requires { field, needs } => format!("`{field}` is present without `{needs}`"),
    }
}
