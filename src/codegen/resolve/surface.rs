//! `surface.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::fields::{self, choice, text, texts};
use super::refs::Refs;
use super::{Draft, Fields, Rule};
use crate::diagnostics::{Findings, Place, code};
use crate::model::{
    Builtin, Contract, Effects, Envelope, Error, Guard, Identity, PropertyOrder, Strength,
};
use crate::names;
use crate::parse::{Entry, Folder, Kind, Node};

/// Token limit of a surface where the spec names none.
const DEFINITION_TOKENS: u32 = 20_000;

/// Reads everything but the tools; globs are expanded by [`finish`].
pub(super) fn read<'a>(folder: &'a Folder, refs: &mut Refs<'a>, out: &mut Findings) -> Draft<'a> {
    let mut draft = Draft {
        folder,
        contract: blank(&folder.name),
        tools: Vec::new(),
        prompts: Vec::new(),
        types: BTreeMap::new(),
        rules: Vec::new(),
        whole: false,
        all_tools: false,
        ambient: BTreeSet::new(),
    };
    if let Some(doc) = &folder.surface
        && let Some(fields) = Fields::new(&doc.root, folder.place, "a surface", out)
    {
        read_fields(&mut draft, fields, refs, out);
    }
    builtin_errors(&mut draft.contract);
    draft
}

fn blank(name: &str) -> Contract {
    Contract {
        name: name.to_owned(),
        title: String::new(),
        contract: "v1".to_owned(),
        prefix: String::new(),
        instructions: String::new(),
        envelope: Envelope {
            success: json!("$data"),
            failure: json!({
                "code": "$error.code",
                "message": "$error.message",
                "hint": "$error.hint",
                "$spread": "$error.details",
            }),
        },
        errors: BTreeMap::new(),
        builtin: Builtin {
            invalid_arguments: "invalid_arguments".to_owned(),
            unknown_tool: None,
            internal: "internal".to_owned(),
        },
        guards: BTreeMap::new(),
        settings: BTreeMap::new(),
        server_settings: BTreeMap::new(),
        config: None,
        resources: Vec::new(),
        prompts: Vec::new(),
        icons: Vec::new(),
        prompt_tokens: None,
        roles: BTreeMap::new(),
        identity: None,
        toolsets: BTreeMap::new(),
        types: BTreeMap::new(),
        tools: Vec::new(),
        definition_tokens: DEFINITION_TOKENS,
        toolset_tokens: BTreeMap::new(),
        property_order: PropertyOrder::new(),
        digest: String::new(),
    }
}

fn read_fields<'a>(
    draft: &mut Draft<'a>,
    mut fields: Fields<'a>,
    refs: &mut Refs<'a>,
    out: &mut Findings,
) {
    let contract = &mut draft.contract;
    if let Some(entry) = fields.need("surface")
        && let Some(name) = text(entry, out)
        && name != contract.name
    {
        let message = format!("surface `{name}` is in folder `{}`", contract.name);
        out.add(code::SURFACE_FOLDER, entry.focus(), message)
            .label("differs from the folder")
            .help(format!("write `surface: {}` or rename the folder", contract.name));
    }
    contract.title = fields.need_text("title", out);
    if let Some(entry) = fields.need("contract")
        && let Some(version) = text(entry, out)
    {
        contract.contract = version.to_owned();
    }
    if let Some(entry) = fields.entry("names")
        && let Some(mut inner) = Fields::new(&entry.value, entry.place, "`names`", out)
    {
        contract.prefix = inner.need_text("prefix", out);
        inner.finish(out);
    }
    contract.instructions = fields.need_text("instructions", out);
    if let Some(entry) = fields.entry("envelope")
        && let Some(mut inner) = Fields::new(&entry.value, entry.place, "`envelope`", out)
    {
        if let Some(success) = inner.need("success") {
            contract.envelope.success = success.value.to_value();
        }
        if let Some(failure) = inner.need("failure") {
            contract.envelope.failure = failure.value.to_value();
        }
        inner.finish(out);
    }
    for entry in fields.map("errors", out) {
        if let Some((error, ambient)) = read_error(entry, out) {
            if ambient {
                draft.ambient.insert(entry.key.clone());
            }
            contract.errors.insert(entry.key.clone(), error);
        }
    }
    if let Some(entry) = fields.entry("builtin_errors")
        && let Some(mut inner) = Fields::new(&entry.value, entry.place, "`builtin_errors`", out)
    {
        let builtin = &mut contract.builtin;
        if let Some(kind) = inner.text("invalid_arguments", out) {
            builtin.invalid_arguments = kind.to_owned();
        }
        builtin.unknown_tool = inner.text("unknown_tool", out).map(str::to_owned);
        if let Some(kind) = inner.text("internal", out) {
            builtin.internal = kind.to_owned();
        }
        inner.finish(out);
    }
    for entry in fields.map("guards", out) {
        if let Some(guard) = read_guard(entry, draft.folder, refs, out) {
            contract.guards.insert(entry.key.clone(), guard);
        }
    }
    draft.rules = fields.list("rules", out).iter().filter_map(|node| rule(node, out)).collect();
    for entry in fields.map("settings", out) {
        if let Some(setting) = super::settings::read(entry, out) {
            contract.settings.insert(entry.key.clone(), setting);
        }
    }
    contract.server_settings = super::settings::of_server(contract);
    contract.config = fields.entry("config").and_then(|entry| super::settings::config(entry, out));
    let resources = fields.list("resources", out).iter();
    contract.resources =
        resources.filter_map(|node| super::resources::read(node, draft.folder, out)).collect();
    // Icons and globs need the tools, which are read later.
    fields.entry("icons");
    fields.map("roles", out);
    contract.identity = fields.entry("identity").and_then(|entry| identity(entry, out));
    fields.map("toolsets", out);
    if let Some(entry) = fields.entry("budget")
        && let Some(mut inner) = Fields::new(&entry.value, entry.place, "`budget`", out)
    {
        let tokens = inner.integer("definition_tokens", 1..=1_000_000, out);
        contract.definition_tokens =
            tokens.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or(DEFINITION_TOKENS);
        contract.prompt_tokens = inner
            .integer("prompt_tokens", 1..=1_000_000, out)
            .and_then(|tokens| u32::try_from(tokens).ok());
        for entry in inner.map("toolsets", out) {
            let tokens = fields::integer(entry, 1..=1_000_000, out);
            let tokens = tokens.and_then(|tokens| u32::try_from(tokens).ok());
            contract.toolset_tokens.extend(tokens.map(|tokens| (entry.key.clone(), tokens)));
        }
        inner.finish(out);
    }
    fields.finish(out);
}

fn read_error(entry: &Entry, out: &mut Findings) -> Option<(Error, bool)> {
    let mut fields = Fields::new(&entry.value, entry.place, "an error", out)?;
    let error = Error {
        code: fields.text("code", out).unwrap_or(&entry.key).to_owned(),
        when: fields.need_text("when", out),
        retryable: fields.flag("retryable", out).unwrap_or(false),
        next: fields.text("next", out).map(str::to_owned),
        aliases: owned(fields.texts("aliases", out)),
        jsonrpc: fields
            .integer("jsonrpc", i64::from(i32::MIN)..=i64::from(i32::MAX), out)
            .and_then(|number| i32::try_from(number).ok()),
        exit: fields
            .integer("exit", 1..=125, out)
            .and_then(|status| u8::try_from(status).ok())
            .unwrap_or(1),
        details: fields
            .map("details", out)
            .iter()
            .map(|detail| (detail.key.clone(), detail.value.to_value()))
            .collect(),
    };
    let ambient = fields.flag("ambient", out).unwrap_or(false);
    fields.finish(out);
    Some((error, ambient))
}

fn read_guard<'a>(
    entry: &'a Entry,
    folder: &'a Folder,
    refs: &mut Refs<'a>,
    out: &mut Findings,
) -> Option<Guard> {
    let doc = folder.surface.as_ref()?;
    let mut fields = Fields::new(&entry.value, entry.place, "a guard", out)?;
    let doc_text = fields.need_text("doc", out);
    fields.need("strength");
    let strengths = Strength::ALL.map(|strength| (strength.name(), strength));
    let strength = fields.choice("strength", &strengths, out);
    let admission = fields.flag("admission", out).unwrap_or(false);
    let params: Map<String, Value> = fields
        .map("params", out)
        .iter()
        .map(|param| (param.key.clone(), refs.schema(&param.value, doc, out)))
        .collect();
    let mut optional = Vec::new();
    for (name, place) in fields.texts("optional", out).unwrap_or_default() {
        if params.contains_key(name) {
            optional.push(name.to_owned());
        } else {
            out.add(code::UNKNOWN_PARAM, place, format!("unknown parameter `{name}`"))
                .help(names::suggest(name, params.keys().map(String::as_str)));
        }
    }
    fields.need("refuses");
    let refuses = owned(fields.texts("refuses", out));
    fields.finish(out);
    Some(Guard {
        doc: doc_text,
        strength: strength.unwrap_or(Strength::ModelSatisfiable),
        admission,
        params,
        optional,
        refuses,
    })
}

fn rule(node: &Node, out: &mut Findings) -> Option<Rule> {
    let mut fields = Fields::new(node, node.place, "a rule", out)?;
    let mut rule =
        Rule { place: node.place, effects: Vec::new(), name: None, has_guard: String::new() };
    if let Some(entry) = fields.need("every_tool") {
        rule.place = entry.place;
        if let Some(mut inner) = Fields::new(&entry.value, entry.place, "`every_tool`", out) {
            let words = Effects::ALL.map(|effects| (effects.name(), effects));
            for (word, place) in inner.texts("effects", out).unwrap_or_default() {
                rule.effects.extend(choice(word, place, "`effects`", &words, out));
            }
            rule.name = inner.text("name", out).map(str::to_owned);
            inner.finish(out);
        }
    }
    rule.has_guard = fields.need_text("has_guard", out);
    fields.finish(out);
    Some(rule)
}

/// Adds the runtime's own kinds to the registry.
fn builtin_errors(contract: &mut Contract) {
    let defaults = [
        (
            "invalid_arguments",
            "the arguments do not fit the tool's schema",
            "fix the fields that the message names and call again",
            2,
        ),
        ("internal", "a defect in the server", "try again, then report it with the request id", 70),
    ];
    for (kind, when, next, exit) in defaults {
        let used = [&contract.builtin.invalid_arguments, &contract.builtin.internal];
        if used.iter().any(|used| *used == kind) && !contract.errors.contains_key(kind) {
            let error = Error {
                code: kind.to_owned(),
                when: when.to_owned(),
                retryable: false,
                next: Some(next.to_owned()),
                aliases: Vec::new(),
                jsonrpc: None,
                exit,
                details: serde_json::Map::new(),
            };
            contract.errors.insert(kind.to_owned(), error);
        }
    }
}

fn identity(entry: &Entry, out: &mut Findings) -> Option<Identity> {
    let mut fields = Fields::new(&entry.value, entry.place, "`identity`", out)?;
    let identity = Identity {
        users: fields.need_text("users", out),
        tenant: fields.text("tenant", out).map(str::to_owned),
        tokens: fields.text("tokens", out).map(str::to_owned),
    };
    fields.finish(out);
    Some(identity)
}

/// Expands what names tools by globs.
pub(super) fn finish(draft: &mut Draft<'_>, out: &mut Findings) {
    let names: Vec<String> = draft.contract.tools.iter().map(|tool| tool.name.clone()).collect();
    let root = draft.folder.surface.as_ref().map(|doc| &doc.root);
    let expand = |key: &str, out: &mut Findings| -> BTreeMap<String, Vec<String>> {
        let entries = root.and_then(|root| root.get(key)).map(Node::entries).unwrap_or_default();
        entries
            .iter()
            .map(|entry| {
                let globs = texts(entry, out).unwrap_or_default();
                (entry.key.clone(), expand_globs(&globs, &names, draft.all_tools, out))
            })
            .collect()
    };
    let roles = expand("roles", out);
    let mut toolsets = expand("toolsets", out);
    if toolsets.is_empty()
        && !matches!(
            root.and_then(|root| root.get("toolsets")),
            Some(Node { kind: Kind::Map(_), .. })
        )
    {
        toolsets.insert("default".to_owned(), names.clone());
    }
    draft.contract.roles = roles;
    draft.contract.toolsets = toolsets;
}

/// Names that the globs add, less those that `!globs` remove, in order.
fn expand_globs(
    globs: &[(&str, Place)],
    names: &[String],
    all_tools: bool,
    out: &mut Findings,
) -> Vec<String> {
    let mut chosen: BTreeSet<&String> = BTreeSet::new();
    for (pattern, place) in globs {
        let (remove, pattern) =
            pattern.strip_prefix('!').map_or((false, *pattern), |pattern| (true, pattern));
        let matching: Vec<&String> =
            names.iter().filter(|name| names::glob(pattern, name)).collect();
        if matching.is_empty() && all_tools {
            out.add(code::UNKNOWN_TOOL, *place, format!("`{pattern}` matches no tool"))
                .label("no tool has a matching name")
                .help(names::suggest(pattern, names.iter().map(String::as_str)));
        }
        for name in matching {
            if remove {
                chosen.remove(name);
            } else {
                chosen.insert(name);
            }
        }
    }
    chosen.into_iter().cloned().collect()
}

fn owned(texts: Option<Vec<(&str, Place)>>) -> Vec<String> {
    texts.unwrap_or_default().into_iter().map(|(text, _)| text.to_owned()).collect()
}
