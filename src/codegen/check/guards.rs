//! Guards: known, bound with the right types, with declared error kinds, strong enough.

use serde_json::{Map, Value};

use super::arguments;
use super::registry;
use super::validators::Validators;
use crate::diagnostics::{Findings, Place, code};
use crate::model::{Effects, Guard, GuardUse, SettingKind, Strength, Tool};
use crate::names;
use crate::parse::{Entry, Node};
use crate::resolve::{Draft, ToolDraft};
use crate::schema;

/// Checks the guards of one tool.
pub(super) fn check(
    draft: &Draft<'_>,
    tool: &Tool,
    source: &ToolDraft<'_>,
    validators: &mut Validators,
    out: &mut Findings,
) {
    weakness(draft, tool, source, out);
    if tool.guards.is_empty() {
        return;
    }
    let input = schema::inline(&draft.contract, &tool.input);
    // Guards that could not be read are not in the model, so they are matched by their name.
    let nodes: Vec<&Entry> = source
        .doc
        .root
        .get("guards")
        .map(Node::elements)
        .unwrap_or_default()
        .iter()
        .filter_map(|node| match node.entries() {
            [entry] => Some(entry),
            _ => None,
        })
        .collect();
    let mut next = 0;
    let mut before: Option<&Entry> = None;
    for guard in &tool.guards {
        let found = nodes.iter().skip(next).position(|entry| entry.key == guard.name());
        let Some(found) = found else { continue };
        let entry = nodes[next + found];
        next += found + 1;
        let bound = Bound { draft, tool, source, input: &input, entry };
        if !guard.is_admission(&draft.contract) {
            before = before.or(Some(entry));
        } else if let Some(before) = before {
            let message =
                format!("`{}` must come before guards that read the arguments", entry.key);
            out.add(code::LATE_ADMISSION, entry.place, message)
                .label("an admission guard runs before the arguments are read")
                .also(before.place, "this guard reads them")
                .help(format!("write `{}` first", entry.key));
        }
        match guard {
            GuardUse::Own { name, bind } => {
                if let Some(declared) = draft.contract.guards.get(name) {
                    bound.own(declared, bind, validators, out);
                }
            }
            _ => bound.builtin(guard, out),
        }
    }
}

/// Destructive tools need more than an argument that the model can send.
fn weakness(draft: &Draft<'_>, tool: &Tool, source: &ToolDraft<'_>, out: &mut Findings) {
    let said = source.doc.root.text_of("effects");
    if !Effects::ALL.iter().any(|effects| said == Some(effects.name())) {
        // The model has a default value here, from which nothing follows.
        return;
    }
    let weak = tool.effects == Effects::Destructive
        && tool
            .guards
            .iter()
            .all(|guard| guard.strength(&draft.contract) == Strength::ModelSatisfiable);
    if weak && tool.accept_weak_guard.is_none() {
        let what = if tool.guards.is_empty() { "no guard" } else { "only weak guards" };
        let message = format!("`{}` is destructive but has {what}", tool.name);
        let finding = out.add(code::WEAK_GUARD, source.place_of("effects"), message);
        finding.label("the model could call it without consent").help(
            "add `ask`, `role` or a guard of the surface, or give a reason in `accept_weak_guard`",
        );
        for guard in source.doc.root.get("guards").map(Node::elements).unwrap_or_default() {
            let stand_in = guard.get("ask").and_then(|ask| ask.entry("otherwise"));
            if let Some(stand_in) = stand_in {
                finding.also(stand_in.place, "the model can send this in place of the user");
                finding.help(
                    "remove `otherwise`, add a stronger guard, or give a reason in `accept_weak_guard`",
                );
            }
        }
    }
    if !weak && tool.accept_weak_guard.is_some() {
        out.add(
            code::USELESS_ACCEPT,
            source.place_of("accept_weak_guard"),
            "`accept_weak_guard` is not needed",
        )
        .help("remove the line");
    }
}

/// A guard as one tool uses it.
struct Bound<'b, 'a> {
    draft: &'b Draft<'a>,
    tool: &'b Tool,
    source: &'b ToolDraft<'a>,
    input: &'b Value,
    entry: &'b Entry,
}

impl Bound<'_, '_> {
    fn at(&self, key: &str) -> Place {
        self.entry.value.entry(key).map_or(self.entry.place, Entry::focus)
    }

    fn argument(&self, name: &str) -> Option<&Value> {
        self.input.get("properties").and_then(|all| all.get(name))
    }

    fn kind(&self, kind: &str, key: &str, out: &mut Findings) {
        registry::known(self.draft, kind, self.at(key), out);
    }

    /// An argument of the given type; what is not there is reported as such.
    fn typed(&self, name: &str, key: &str, kind: &str, out: &mut Findings) {
        if !arguments::known(self.tool, name, self.at(key), out) {
            return;
        }
        let Some(schema) = self.argument(name) else { return };
        let types = types(schema);
        if types.is_empty() || types.iter().any(|found| found != kind) {
            out.add(
                code::ARGUMENT_TYPE,
                self.at(key),
                format!("`{name}` is not a {kind} argument"),
            )
            .label(format!("`{key}` must name a {kind} argument"));
        }
    }

    fn builtin(&self, guard: &GuardUse, out: &mut Findings) {
        match guard {
            GuardUse::Confirm { field, unless, refuses, .. } => {
                self.typed(field, "field", "boolean", out);
                self.not_by_default(field, "field", out);
                if let Some(unless) = unless {
                    self.typed(unless, "unless", "boolean", out);
                }
                self.kind(refuses, "refuses", out);
            }
            GuardUse::TwoStage { issuer, field, unless, missing, expired, mismatch, .. } => {
                let there = self.draft.contract.tools.iter().any(|tool| tool.name == *issuer);
                if !there && !issuer.is_empty() && self.draft.all_tools {
                    super::names::unknown_tool(self.draft, issuer, self.at("issuer"), out);
                } else if *issuer == self.tool.name {
                    let message = "a tool cannot issue the token that it requires";
                    out.add(code::CONTRADICTION, self.at("issuer"), message);
                }
                self.typed(field, "field", "string", out);
                if let Some(unless) = unless {
                    self.typed(unless, "unless", "boolean", out);
                }
                self.kind(missing, "missing", out);
                self.kind(expired, "expired", out);
                self.kind(mismatch, "mismatch", out);
            }
            GuardUse::Ask { message, refuses, otherwise, optional } => {
                for name in placeholders(message) {
                    arguments::known(self.tool, name, self.at("message"), out);
                }
                if *optional && otherwise.is_some() {
                    let message = "nothing needs to stand in for an optional question";
                    out.add(code::CONTRADICTION, self.at("otherwise"), message)
                        .also(self.at("optional"), "without an answer the call goes on")
                        .help("remove one of the two lines");
                }
                if let Some(otherwise) = otherwise {
                    self.typed(otherwise, "otherwise", "boolean", out);
                    self.not_by_default(otherwise, "otherwise", out);
                }
                self.kind(refuses, "refuses", out);
            }
            GuardUse::Role { tenant, user, project, unknown, forbidden } => {
                for (key, name) in [("tenant", tenant), ("user", user), ("project", project)] {
                    if let Some(name) = name.as_ref().filter(|name| !name.is_empty()) {
                        self.typed(name, key, "string", out);
                        if key != "project" {
                            self.always_there(name, key, out);
                        }
                    }
                }
                self.kind(unknown, "unknown", out);
                self.kind(forbidden, "forbidden", out);
                if user.is_none() && self.entry.value.get("user").is_none() {
                    self.caller_is_user(out);
                }
                self.some_role(out);
            }
            GuardUse::Own { .. } => {}
        }
    }

    /// Consent must be explicit: an absent argument must not count as consent.
    fn not_by_default(&self, name: &str, key: &str, out: &mut Findings) {
        let default = self.argument(name).and_then(|schema| schema.get("default"));
        if default != Some(&Value::Bool(true)) {
            return;
        }
        // Not there where the default comes with a shared type.
        let property = ["input", "properties", name];
        let property = property.iter().try_fold(&self.source.doc.root, |node, key| node.get(key));
        let written = property.and_then(|property| property.entry("default"));
        let guard = self.at(key);
        let message =
            format!("`{name}` defaults to `true`, so an absent argument would count as consent");
        let finding =
            out.add(code::CONSENT_BY_DEFAULT, written.map_or(guard, Entry::focus), message);
        if written.is_some() {
            finding
                .label("consent by default")
                .also(guard, "an absent argument would satisfy this guard");
        } else {
            finding.label("an absent argument would satisfy this guard");
        }
        finding.help(format!("remove the default of `{name}`"));
    }

    /// Without an argument for it, the user must be the caller.
    fn caller_is_user(&self, out: &mut Findings) {
        let contract = &self.draft.contract;
        let setting = contract.identity.as_ref().map(|identity| &identity.users);
        let why = match setting.and_then(|key| Some((key, contract.settings.get(key)?))) {
            Some((key, setting)) if setting.kind == SettingKind::StringList => {
                format!("`{key}` may have several users")
            }
            None if setting.is_none() => "the contract has no `identity`".to_owned(),
            _ => return,
        };
        out.add(code::UNBOUND_PARAM, self.entry.place, "guard `role` does not know the user")
            .label(why)
            .help(
                "bind it: `user: $argument`, or name a setting with one user under `identity` in `surface.yaml`",
            );
    }

    fn some_role(&self, out: &mut Findings) {
        let roles = &self.draft.contract.roles;
        if !roles.values().any(|tools| tools.contains(&self.tool.name)) {
            let message = format!("no role lists `{}`", self.tool.name);
            out.add(code::NO_ROLE, self.entry.place, message)
                .label("this guard would refuse every call")
                .help("add the tool to a role under `roles` in `surface.yaml`");
        }
    }

    /// A guard must never lack a parameter.
    fn always_there(&self, name: &str, key: &str, out: &mut Findings) {
        let Some(schema) = self.argument(name) else { return };
        let required = self.input.get("required").and_then(Value::as_array);
        let required = required.is_some_and(|list| list.iter().any(|field| field == name));
        if !required && schema.get("default").is_none() {
            out.add(code::UNBOUND_PARAM, self.at(key), format!("`{name}` is optional"))
                .label("the guard needs a value in every call")
                .help(
                    "make the argument required, give it a default, or make the parameter optional",
                );
        }
    }

    fn own(
        &self,
        guard: &Guard,
        bind: &Map<String, Value>,
        validators: &mut Validators,
        out: &mut Findings,
    ) {
        for name in guard.params.keys() {
            if !bind.contains_key(name) && !guard.optional.contains(name) {
                let message = format!("guard `{}` lacks the parameter `{name}`", self.entry.key);
                out.add(code::UNBOUND_PARAM, self.entry.place, message)
                    .label(format!("`{name}` is not bound"))
                    .help(match guard.admission {
                        true => format!("bind `{name}` to a constant"),
                        false => format!("bind it: `{name}: $argument`, or a constant"),
                    });
            }
        }
        for (name, value) in bind {
            let Some(param) = guard.params.get(name) else {
                let message = format!("guard `{}` has no parameter `{name}`", self.entry.key);
                let place = self.entry.value.entry(name).map_or(self.entry.place, |e| e.place);
                out.add(code::UNKNOWN_PARAM, place, message)
                    .label("not a parameter")
                    .help(names::suggest(name, guard.params.keys().map(String::as_str)));
                continue;
            };
            let param = schema::inline(&self.draft.contract, param);
            let argument = value.as_str().and_then(|text| text.strip_prefix('$'));
            if guard.admission && argument.is_some() {
                let message = format!("`{}` runs before the arguments are read", self.entry.key);
                out.add(code::LATE_ADMISSION, self.at(name), message)
                    .label("no argument is available yet")
                    .help("write a constant, or check the argument in a separate guard");
            } else if let Some(argument) = argument {
                self.bound_argument(argument, name, &param, guard, out);
            } else {
                for (_, problem) in validators.problems(&param, value) {
                    let message = format!("`{name}` does not fit: {problem}");
                    out.add(code::PARAM_TYPE, self.at(name), message)
                        .help("to pass an argument, write `$argument`");
                }
            }
        }
    }

    fn bound_argument(
        &self,
        argument: &str,
        name: &str,
        param: &Value,
        guard: &Guard,
        out: &mut Findings,
    ) {
        if !arguments::known(self.tool, argument, self.at(name), out) {
            return;
        }
        let Some(schema) = self.argument(argument) else { return };
        let wanted = types(param);
        let fits = |kind: &String| {
            wanted.is_empty()
                || wanted.contains(kind)
                || (kind == "integer" && wanted.iter().any(|wanted| wanted == "number"))
        };
        let given = types(schema);
        if !given.iter().all(fits) || (given.is_empty() && !wanted.is_empty()) {
            let message =
                format!("`{argument}` is {}, not {}", describe(&given), describe(&wanted));
            out.add(code::PARAM_TYPE, self.at(name), message)
                .label(format!("does not fit the parameter `{name}`"));
        } else if let (Some(Value::Array(wanted)), Some(given)) =
            (param.get("enum"), schema.get("enum").and_then(Value::as_array))
            && let Some(extra) = given.iter().find(|value| !wanted.contains(value))
        {
            let message = format!("`{argument}` may be {extra}, which `{name}` does not allow");
            out.add(code::PARAM_TYPE, self.at(name), message);
        }
        if !guard.optional.iter().any(|optional| optional == name) {
            self.always_there(argument, name, out);
        }
    }
}

/// JSON types that a schema allows; empty where it allows any.
fn types(schema: &Value) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(kind)) => return vec![kind.clone()],
        Some(Value::Array(kinds)) => {
            return kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        _ => {}
    }
    let literal = schema.get("const").or_else(|| schema.pointer("/enum/0"));
    if let Some(literal) = literal {
        let kind = match literal {
            Value::Bool(_) => "boolean",
            Value::String(_) => "string",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::Null => "null",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        return vec![kind.to_owned()];
    }
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    branches.into_iter().flatten().flat_map(types).collect()
}

fn describe(types: &[String]) -> String {
    if types.is_empty() { "anything".to_owned() } else { types.join(" or ") }
}

/// Names in braces.
fn placeholders(message: &str) -> impl Iterator<Item = &str> {
    message.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}
