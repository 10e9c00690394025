//! Resource templates: their variables, the arguments that they fill, and URIs that two would match.

use serde_json::Value;
use toolwright_contract::{TemplateFault, UriTemplate};

use super::validators::Validators;
use crate::diagnostics::{Findings, Place, code};
use crate::model::{Contract, GuardUse, Resource, Source, Tool};
use crate::parse::{Entry, Node};
use crate::{names, schema};

/// One resource with its places.
pub(super) struct Declared<'a> {
    pub(super) contract: &'a Contract,
    pub(super) resource: &'a Resource,
    pub(super) node: &'a Node,
}

impl Declared<'_> {
    /// The place of a key, or of the resource.
    pub(super) fn at(&self, key: &str) -> Place {
        self.node.entry(key).map_or(self.node.place, Entry::focus)
    }

    /// Checks what does not depend on a tool. `others` are those above it in the spec.
    pub(super) fn uri(&self, others: &[Declared<'_>], out: &mut Findings) {
        let uri = &self.resource.uri;
        let template = match UriTemplate::parse(uri) {
            Ok(template) => template,
            // Reported as a URI without a scheme.
            Err(TemplateFault::NoScheme) => return,
            Err(fault) => return self.fault(fault, out),
        };
        let is_file = !matches!(self.resource.source, Source::Tool(_));
        if is_file && template.variables().next().is_some() {
            out.add(code::BAD_TEMPLATE, self.at("uri"), format!("`{uri}` names a file"))
                .label("a file has no variables")
                .help("a template mirrors a `tool`");
        }
        if is_file {
            for key in ["arguments", "not_found", "member"] {
                if self.node.entry(key).is_some() {
                    let message = format!("`{key}` applies to tools: a file is always the same");
                    out.add(code::BAD_RESOURCE, self.at(key), message).label("only with `tool`");
                }
            }
        }
        let other = others.iter().find(|other| {
            other.resource.uri != *uri
                && UriTemplate::parse(&other.resource.uri)
                    .is_ok_and(|other| other.overlaps(&template))
        });
        if let Some(other) = other {
            let message = format!("`{uri}` matches URIs of `{}` too", other.resource.uri);
            out.add(code::DUPLICATE_NAME, self.at("uri"), message)
                .label("which one is read would be chance")
                .also(other.at("uri"), "the other one");
        }
    }

    fn fault(&self, fault: TemplateFault<'_>, out: &mut Findings) {
        let (label, help) = match fault {
            TemplateFault::NoScheme => return,
            TemplateFault::PartOfSegment(part) => (
                format!("`{part}` is not a whole segment"),
                "a variable is all that is between two slashes: `things/{id}`",
            ),
            TemplateFault::BadName(name) => (
                format!("`{name}` is not a variable"),
                "a variable is a letter and then letters, digits or `_`: `{nodeId}`",
            ),
            TemplateFault::Twice(name) => {
                (format!("`{{{name}}}` is there twice"), "give each variable its own name")
            }
            TemplateFault::OtherNotation(part) => (
                format!("`{part}` looks like a variable"),
                "write variables in braces: `things/{id}`",
            ),
        };
        let message = format!("`{}` is not a template", self.resource.uri);
        out.add(code::BAD_TEMPLATE, self.at("uri"), message).label(label).help(help);
    }

    /// Checks what the tool gets.
    pub(super) fn arguments(&self, tool: &Tool, all: &mut Validators, out: &mut Findings) {
        let input = schema::inline(self.contract, &tool.input);
        let properties = input.get("properties").and_then(Value::as_object);
        let known = || properties.into_iter().flat_map(|all| all.keys().map(String::as_str));
        let property = |name: &str| properties.and_then(|all| all.get(name));
        let entries = self.node.get("arguments").map(Node::entries).unwrap_or_default();
        for entry in entries {
            let variable = entry.value.text().and_then(|text| text.strip_prefix('$'));
            let variables = || self.resource.variables.iter().map(|it| it.name.as_str());
            if let Some(variable) = variable
                && variables().all(|name| name != variable)
            {
                let message = format!("`{}` has no variable `{variable}`", self.resource.uri);
                out.add(code::BAD_TEMPLATE, entry.focus(), message)
                    .help(names::suggest(variable, variables()));
            }
            let Some(schema) = property(&entry.key) else {
                let message = format!("`{}` has no argument `{}`", tool.name, entry.key);
                out.add(code::BAD_TEMPLATE, entry.place, message)
                    .help(names::suggest(&entry.key, known()));
                continue;
            };
            if variable.is_none() {
                for (_, problem) in all.problems(schema, &entry.value.to_value()) {
                    out.add(code::BAD_TEMPLATE, entry.focus(), problem)
                        .label(format!("not a value of `{}`", entry.key));
                }
            }
        }
        for variable in &self.resource.variables {
            let name = &variable.argument;
            match property(name) {
                None if entries.iter().any(|entry| entry.key == *name) => {}
                None => {
                    let message = format!("`{}` has no argument `{name}`", tool.name);
                    out.add(code::BAD_TEMPLATE, self.at("uri"), message)
                        .label("not a variable that the tool knows")
                        .help(format!(
                            "name the argument that takes it: `arguments: {{…: ${name}}}`; {}",
                            names::suggest(name, known())
                        ));
                }
                Some(schema) if !is_scalar(schema) => {
                    let message = format!("`{name}` of `{}` is not one value", tool.name);
                    out.add(code::BAD_TEMPLATE, self.at("uri"), message)
                        .label("a segment of a path is a string, a number or a boolean");
                }
                Some(_) => {}
            }
        }
        self.complete(tool, &input, out);
        self.member(tool, out);
        let kinds = self.node.get("not_found").map(Node::elements).unwrap_or_default();
        for (kind, node) in self.resource.not_found.iter().zip(kinds) {
            if !tool.errors.contains(kind) {
                let message = format!("`{}` does not fail with `{kind}`", tool.name);
                out.add(code::UNKNOWN_KIND, node.place, message)
                    .help(names::suggest(kind, tool.errors.iter().map(String::as_str)));
            }
        }
    }

    /// Reports required arguments that nobody gives.
    fn complete(&self, tool: &Tool, input: &Value, out: &mut Findings) {
        let resource = self.resource;
        let given = |name: &&str| {
            resource.variables.iter().any(|variable| variable.argument == **name)
                || resource.arguments.contains_key(*name)
                || self.of_identity(tool).contains(name)
        };
        let unknown = |name: &str| input.pointer(&format!("/properties/{name}")).is_none();
        if UriTemplate::parse(&resource.uri).is_err()
            || resource.variables.iter().any(|variable| unknown(&variable.argument))
        {
            // Reported, and the variable may be meant for what is missing.
            return;
        }
        let required = input.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing: Vec<String> = required
            .filter_map(Value::as_str)
            .filter(|name| !given(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !missing.is_empty() {
            let message = format!("`{}` requires {}", tool.name, missing.join(", "));
            out.add(code::BAD_RESOURCE, self.at("tool"), message)
                .label("not given by the URI")
                .help("make it a variable of `uri`, such as `…/{id}`, or fix it in `arguments`");
        }
    }

    /// Checks the member of the answer that is the content.
    fn member(&self, tool: &Tool, out: &mut Findings) {
        let Some(content) = &self.resource.content else {
            if self.node.entry("base64").is_some() {
                out.add(code::BAD_RESOURCE, self.at("base64"), "`base64` applies to a `member`")
                    .label("only with `member`");
            }
            return;
        };
        let output = schema::inline(self.contract, &tool.output);
        let properties = output.get("properties").and_then(Value::as_object);
        let name = &content.member;
        let Some(member) = properties.and_then(|all| all.get(name)) else {
            let known = properties.into_iter().flat_map(|all| all.keys().map(String::as_str));
            let message = format!("the answer of `{}` has no member `{name}`", tool.name);
            out.add(code::BAD_RESOURCE, self.at("member"), message)
                .help(names::suggest(name, known));
            return;
        };
        let is_text = member.get("type").is_some_and(|kind| kind == "string");
        let is_json = content.mime_type == "application/json" && !content.base64;
        if !is_text && !is_json {
            let message = format!("`{name}` is not a string");
            out.add(code::BAD_RESOURCE, self.at("member"), message)
                .label("bytes and text come from a string; all else is `application/json`");
        }
    }

    /// Arguments that say for whom the call acts: reading a resource takes them from the caller.
    fn of_identity<'t>(&self, tool: &'t Tool) -> Vec<&'t str> {
        let Some(identity) = &self.contract.identity else { return Vec::new() };
        let of_guard = tool.guards.iter().filter_map(|guard| match guard {
            GuardUse::Role { tenant, user, .. } => {
                let tenant = tenant.as_deref().filter(|_| identity.tenant.is_some());
                Some([tenant, user.as_deref()])
            }
            _ => None,
        });
        of_guard.flatten().flatten().collect()
    }
}

fn is_scalar(schema: &Value) -> bool {
    let scalar = |name: &Value| {
        matches!(name.as_str(), Some("string" | "integer" | "number" | "boolean" | "null"))
    };
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().all(scalar),
        Some(name) => scalar(name),
        None => schema.get("enum").is_some() || schema.get("const").is_some(),
    }
}
