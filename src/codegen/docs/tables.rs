//! The tables that pages and markers share: tools, errors, settings, guards, toolsets, profiles.
//!
//! Markers show the first columns of each; pages all of them.

use std::collections::BTreeMap;

use super::guards;
use super::page::{
    Inline, Item, Row, Table, Target, Text, Tone, anchor, code, joined, none, text, value,
};
use super::prose::{first_sentence, prose};
use crate::model::{Contract, Effects, GuardUse, Setting, SettingKind, Tool};
use crate::profile::{self, Profile};

/// Name on the wire.
pub(super) fn canonical(contract: &Contract, tool: &Tool) -> String {
    format!("{}{}", contract.prefix, tool.name)
}

/// Tools: name, what it does, effects, guards.
pub(super) fn tools(contract: &Contract) -> Table {
    let mut table = Table::new("Tools", &["tool", "description", "effects", "guards"]);
    for tool in &contract.tools {
        let guards = tool.guards.iter().map(|guard| {
            let name = Inline::Code(guard.name().to_owned());
            vec![name, Inline::Text(" ".to_owned()), guards::badge(guard, contract)]
        });
        let guards = joined(guards, ", ");
        let mut effects = effects(tool.effects).1.to_owned();
        if tool.idempotent {
            effects.push_str(", idempotent");
        }
        if !tool.listed {
            effects.push_str(", not listed");
        }
        table.rows.push(Row::new(vec![
            vec![tool_link(contract, &tool.name)],
            prose(first_sentence(&tool.description)),
            text(&effects),
            if guards.is_empty() { none() } else { guards },
        ]));
    }
    table
}

/// Prompts: name, what it is for, what the user fills in, when it is offered.
pub(super) fn prompts(contract: &Contract) -> Table {
    let mut table = Table::new("Prompts", &["prompt", "description", "arguments", "offered"]);
    for prompt in &contract.prompts {
        let arguments = prompt.arguments.iter().map(|argument| {
            let note = if argument.required { " (required)" } else { "" };
            [code(&argument.name), text(note)].concat()
        });
        let arguments = joined(arguments, ", ");
        let offered = match &prompt.offered_by {
            Some(key) => {
                let flag = contract.settings.get(key).and_then(|setting| setting.flag.as_deref());
                [text("with "), code(flag.unwrap_or(key))].concat()
            }
            None => text("always"),
        };
        table.rows.push(Row::new(vec![
            code(&prompt.name),
            prose(&prompt.description),
            if arguments.is_empty() { none() } else { arguments },
            offered,
        ]));
    }
    table
}

/// Which tool passes the rules of which family of clients.
pub(super) fn profiles(contract: &Contract) -> Table {
    let mut table = Table::new("Client profiles", &["tool"]);
    table.columns.extend(Profile::ALL.map(|profile| profile.name().to_owned()));
    for tool in &contract.tools {
        let mut cells = vec![vec![tool_link(contract, &tool.name)]];
        let statuses = Profile::ALL.map(|profile| profile::status(contract, tool, profile));
        cells.extend(statuses.iter().map(|status| text(status)));
        table.rows.push(Row::new(cells));
    }
    table
}

/// Errors: code, when, what to do next, whether to try again, and what else it is known by.
pub(super) fn errors(contract: &Contract) -> Table {
    let columns = ["code", "when", "what to do", "retryable", "exit", "more"];
    let mut table = Table::new("Errors", &columns);
    for (kind, error) in &contract.errors {
        let mut more = Vec::new();
        if *kind != error.code {
            more.push([text("kind "), code(kind)].concat());
        }
        if !error.aliases.is_empty() {
            let aliases = joined(error.aliases.iter().map(|alias| code(alias)), ", ");
            more.push([text("also "), aliases].concat());
        }
        if let Some(number) = error.jsonrpc {
            more.push([text("a JSON-RPC error, "), code(&number.to_string())].concat());
        }
        if !error.details.is_empty() {
            let details = value(&serde_json::Value::Object(error.details.clone()));
            more.push([text("details "), vec![details]].concat());
        }
        let cells = vec![
            code(&error.code),
            prose(&error.when),
            error.next.as_deref().map_or_else(none, prose),
            text(if error.retryable { "yes" } else { "no" }),
            text(&error.exit.to_string()),
            if more.is_empty() { none() } else { joined(more, "; ") },
        ];
        let anchor = Some(anchor("error", &error.code));
        table.rows.push(Row { anchor, item: Some(Item::Error), ..Row::new(cells) });
    }
    table
}

/// Settings: key, flag, environment, default, meaning, what is allowed.
pub(super) fn settings(contract: &Contract) -> Table {
    let columns = ["setting", "flag", "environment", "default", "meaning", "allowed"];
    let mut table = Table::new("Settings", &columns);
    let name = |name: &Option<String>| name.as_deref().map_or_else(none, code);
    for (key, setting) in &contract.settings {
        let cells = vec![
            [code(key), text(&format!(" ({})", setting_kind(setting.kind)))].concat(),
            name(&setting.flag),
            name(&setting.env),
            setting.default.as_ref().map_or_else(none, |default| {
                // As it has always been written, without spaces between items.
                code(&default.to_string())
            }),
            prose(&setting.doc),
            allowed(setting),
        ];
        let anchor = Some(anchor("setting", key));
        table.rows.push(Row { anchor, item: Some(Item::Setting), ..Row::new(cells) });
    }
    table
}

fn allowed(setting: &Setting) -> Text {
    let mut parts = Vec::new();
    if !setting.choices.is_empty() {
        parts.push(joined(setting.choices.iter().map(|choice| code(choice)), ", "));
    }
    if let Some((least, most)) = setting.range {
        parts.push(match (least, most) {
            (least, i64::MAX) => text(&format!("at least {least}")),
            (i64::MIN, most) => text(&format!("at most {most}")),
            _ => text(&format!("{least} to {most}")),
        });
    }
    if setting.secret {
        parts.push(text("secret, never shown"));
    }
    if !setting.aliases.is_empty() {
        let aliases = joined(setting.aliases.iter().map(|alias| code(alias)), ", ");
        parts.push([text("also in the file: "), aliases].concat());
    }
    if parts.is_empty() { none() } else { joined(parts, "; ") }
}

/// Guards, its own and those its tools use: name, strength, what it decides, what it refuses with.
pub(super) fn guards(contract: &Contract) -> Table {
    let columns = ["guard", "strength", "checks", "refuses with"];
    let mut table = Table::new("Guards", &columns);
    for (name, guard) in &contract.guards {
        let refuses = joined(guard.refuses.iter().map(|kind| error_link(contract, kind)), ", ");
        table.rows.push(Row::new(vec![
            code(name),
            vec![guards::strength_badge(guard.strength, guard.admission)],
            prose(&guard.doc),
            if refuses.is_empty() { none() } else { refuses },
        ]));
    }
    let uses: BTreeMap<&str, &GuardUse> = contract
        .tools
        .iter()
        .flat_map(|tool| &tool.guards)
        .filter(|guard| !contract.guards.contains_key(guard.name()))
        .map(|guard| (guard.name(), guard))
        .collect();
    for (name, guard) in uses {
        table.rows.push(Row::new(vec![
            code(name),
            vec![guards::badge(guard, contract)],
            text(guards::builtin(guard)),
            text("set by each tool"),
        ]));
    }
    table
}

/// Toolsets: name, tools.
pub(super) fn toolsets(contract: &Contract) -> Table {
    let mut table = Table::new("Toolsets", &["toolset", "tools"]);
    for (name, tools) in &contract.toolsets {
        let tools = tools.iter().map(|tool| vec![tool_link(contract, tool)]);
        table.rows.push(Row::new(vec![code(name), joined(tools, ", ")]));
    }
    table
}

/// A tool's name on the wire that leads to its section.
pub(super) fn tool_link(contract: &Contract, tool: &str) -> Inline {
    let name = format!("{}{tool}", contract.prefix);
    Inline::Link(Target::Here(anchor("tool", &name)), Box::new(Inline::Code(name)))
}

/// The code of a kind that leads to the registry.
pub(super) fn error_link(contract: &Contract, kind: &str) -> Text {
    let Some(error) = contract.errors.get(kind) else { return code(kind) };
    let target = Target::Here(anchor("error", &error.code));
    vec![Inline::Link(target, Box::new(Inline::Code(error.code.clone())))]
}

/// What a call may change, in a word.
pub(super) fn effects(effects: Effects) -> (Tone, &'static str) {
    match effects {
        Effects::Read => (Tone::Plain, "read"),
        Effects::Write => (Tone::Notice, "write"),
        Effects::Destructive => (Tone::Danger, "destructive"),
    }
}

fn setting_kind(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::String => "text",
        SettingKind::Path => "path",
        SettingKind::Integer => "number",
        SettingKind::Boolean => "true or false",
        SettingKind::StringList => "list",
        SettingKind::PathList => "list of paths",
        SettingKind::StringMap => "map",
    }
}
