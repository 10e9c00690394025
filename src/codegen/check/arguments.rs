//! Aliases, raw arguments and constraints of a tool.

use serde_json::Value;

use crate::diagnostics::{Findings, Place, code};
use crate::model::{Constraint, Tool};
use crate::names;
use crate::parse::Node;
use crate::resolve::ToolDraft;

/// Checks aliases, raw arguments and constraints of one tool.
pub(super) fn check(tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    for (alias, argument) in &tool.aliases {
        let place = source.locate(&format!("/aliases/{alias}"));
        known(tool, argument, place, out);
        if has(tool, alias) {
            let message = format!("alias `{alias}` is also an argument");
            out.add(code::CONTRADICTION, place, message)
                .label("ambiguous")
                .help("an alias is a former name that is no longer an argument");
        }
        if !names::is_portable_property(alias) {
            out.add(code::BAD_PROPERTY, place, format!("alias `{alias}` is not portable"))
                .help("use up to 64 letters, digits, `_`, `.` and `-`");
        }
    }
    for node in source.doc.root.get("raw").map(Node::elements).unwrap_or_default() {
        if let Some(name) = node.text() {
            known(tool, name, node.place, out);
        }
    }
    for (constraint, node) in tool.constraints.iter().zip(&source.constraints) {
        let at = |suffix: &str| node.locate(&format!("/{suffix}"));
        match constraint {
            Constraint::AtLeastOneOf(fields) => list(tool, fields, "at_least_one_of", &at, out),
            Constraint::AtMostOneOf(fields) => list(tool, fields, "at_most_one_of", &at, out),
            Constraint::ExactlyOneOf(fields) => list(tool, fields, "exactly_one_of", &at, out),
            Constraint::Requires { field, needs } => {
                known(tool, field, at("requires/field"), out);
                known(tool, needs, at("requires/needs"), out);
            }
        }
    }
}

fn list(tool: &Tool, fields: &[String], key: &str, at: &dyn Fn(&str) -> Place, out: &mut Findings) {
    for (index, field) in fields.iter().enumerate() {
        known(tool, field, at(&format!("{key}/{index}")), out);
    }
    let mut distinct = fields.to_vec();
    distinct.sort();
    distinct.dedup();
    if distinct.len() < 2 || distinct.len() != fields.len() {
        out.add(
            code::BAD_VALUE,
            at(key),
            format!("`{key}` needs at least two different arguments"),
        );
    }
}

/// Whether the tool has the argument.
pub(super) fn has(tool: &Tool, argument: &str) -> bool {
    properties(tool).any(|name| name == argument)
}

/// Reports an argument that the tool does not have; one that was not named was reported before.
pub(super) fn known(tool: &Tool, argument: &str, place: Place, out: &mut Findings) -> bool {
    let there = has(tool, argument);
    if !there && !argument.is_empty() {
        out.add(
            code::UNKNOWN_ARGUMENT,
            place,
            format!("`{}` has no argument `{argument}`", tool.name),
        )
        .label("not a property of the input")
        .help(names::suggest(argument, properties(tool)));
    }
    there
}

/// Names of the tool's arguments.
pub(super) fn properties(tool: &Tool) -> impl Iterator<Item = &str> {
    let properties = tool.input.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|map| map.keys().map(String::as_str))
}
