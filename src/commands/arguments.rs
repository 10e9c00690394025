//! Flags derived from the contract: one per setting, one per property of a tool's input.
//!
//! Text that does not match its type is passed on as a string, so that the terminal user gets the same
//! validation errors as a client.

use std::collections::BTreeMap;

use super::entry::SurfaceEntry;
use super::{http_settings, shell};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use serde_json::{Map, Value};
use toolwright_runtime::contract::{
    SettingInfo, SettingKind, SurfaceInfo, ToolInfo, argument_flag,
};
use toolwright_runtime::duplicate_keys;

/// The flag of a setting, if it has one.
pub(crate) fn setting_flags(setting: &'static SettingInfo) -> Vec<Arg> {
    let Some(flag) = setting.flag else { return Vec::new() };
    let name = flag.trim_start_matches('-');
    let arg = Arg::new(setting.key)
        .long(name)
        .global(true)
        .help(setting.doc)
        .help_heading(if http_settings::is_one(setting.key) { "HTTP" } else { "Settings" })
        .value_name("VALUE");
    let choices = setting.choices.iter().map(|choice| (*choice).to_owned()).collect();
    let arg = match setting.kind {
        SettingKind::Path | SettingKind::PathList => arg.value_hint(ValueHint::AnyPath),
        _ if setting.choices.is_empty() => arg,
        _ => shell::with_choices(arg, choices),
    };
    match setting.kind {
        SettingKind::Boolean => vec![
            switch(arg),
            Arg::new(negation_id(setting.key))
                .long(format!("no-{name}"))
                .global(true)
                .hide(true)
                .action(ArgAction::SetTrue),
        ],
        SettingKind::StringList | SettingKind::PathList | SettingKind::StringMap => {
            vec![arg.action(ArgAction::Append)]
        }
        _ => vec![arg.action(ArgAction::Set)],
    }
}

/// The values given for a setting.
pub(crate) fn setting_values(setting: &SettingInfo, matches: &ArgMatches) -> Option<Vec<String>> {
    setting.flag?;
    // Absent on commands whose own argument uses the flag.
    let negated = matches.try_get_one::<bool>(&negation_id(setting.key)).ok().flatten();
    if setting.kind == SettingKind::Boolean && negated == Some(&true) {
        return Some(vec!["false".to_owned()]);
    }
    let texts = matches.try_get_many::<String>(setting.key).ok().flatten()?;
    Some(texts.cloned().collect())
}

fn negation_id(key: &str) -> String {
    format!("no {key}")
}

/// The flags of a tool command.
pub(crate) fn tool_flags(entry: &SurfaceEntry, tool: &'static ToolInfo) -> Vec<Arg> {
    let required = required_names(tool);
    let positional = tool.command.last().and_then(|word| word.strip_prefix('$'));
    properties(tool)
        .iter()
        .map(|(name, schema)| {
            let help = schema["description"].as_str().unwrap_or_default().to_owned();
            let help = if required.contains(name) { format!("{help} [required]") } else { help };
            let arg = Arg::new(name.clone()).help(help);
            if positional == Some(name) {
                return arg.value_parser(choices(schema));
            }
            let arg = arg.long(argument_flag(name));
            let arg = shell::with_values(arg, entry, tool, choices(schema));
            match shape(schema) {
                Shape::Switch => switch(arg),
                Shape::List => arg.action(ArgAction::Append).value_name("VALUE"),
                Shape::Map => arg.action(ArgAction::Append).value_name("NAME=TEXT"),
                Shape::Number => arg.value_name("NUMBER").allow_negative_numbers(true),
                Shape::Text => arg.value_name("TEXT").allow_hyphen_values(true),
                Shape::Json => arg.value_name("JSON"),
            }
        })
        .collect()
}

/// String arguments that most tools of a surface share and that do not clash with a setting. They may
/// precede the command: `agentpack --target codex plan`.
pub(crate) fn shared(surface: &'static SurfaceInfo) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (name, schema) in surface.tools.iter().flat_map(|tool| properties(tool)) {
        if matches!(shape(&schema), Shape::Text) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let taken = |name: &str| {
        let flag = format!("--{}", argument_flag(name));
        // Before a command it prints the program's version.
        flag == "--version"
            || surface.all_settings().any(|setting| setting.flag == Some(flag.as_str()))
            || surface.config.as_ref().is_some_and(|config| config.flag == flag)
    };
    counts.retain(|name, count| *count * 2 > surface.tools.len() && !taken(name));
    counts.into_keys().collect()
}

/// The flag of a shared argument before the command.
pub(crate) fn shared_flag(name: &str) -> Arg {
    Arg::new(shared_id(name)).long(argument_flag(name)).hide(true).value_name("TEXT")
}

/// The shared arguments given before the command.
pub(crate) fn shared_values(
    surface: &'static SurfaceInfo,
    matches: &ArgMatches,
) -> Map<String, Value> {
    let given = |name: String| {
        let text = matches.get_one::<String>(&shared_id(&name))?.clone();
        Some((name, Value::String(text)))
    };
    shared(surface).into_iter().filter_map(given).collect()
}

fn shared_id(name: &str) -> String {
    format!("shared {name}")
}

/// The given arguments, as a client would send them.
pub(crate) fn tool_arguments(
    tool: &'static ToolInfo,
    matches: &ArgMatches,
) -> std::io::Result<Map<String, Value>> {
    let mut arguments = Map::new();
    for (name, schema) in properties(tool) {
        let Some(texts) = matches.get_many::<String>(&name) else { continue };
        let texts: Vec<String> = texts.map(|text| read_text(text)).collect::<Result<_, _>>()?;
        let value = match shape(&schema) {
            Shape::List => texts.iter().map(|text| scalar(&schema["items"], text)).collect(),
            Shape::Map => texts
                .iter()
                .map(|text| {
                    let (name, value) = text.split_once('=').unwrap_or((text, ""));
                    (name.to_owned(), Value::String(value.to_owned()))
                })
                .collect::<Map<_, _>>()
                .into(),
            _ => texts.last().map_or(Value::Null, |text| scalar(&schema, text)),
        };
        arguments.insert(name, value);
    }
    Ok(arguments)
}

/// `@FILE` and `@-` read a file and standard input; `@@` escapes a leading `@`.
fn read_text(text: &str) -> std::io::Result<String> {
    match text.strip_prefix('@') {
        Some("-") => std::io::read_to_string(std::io::stdin()),
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some(path) => std::fs::read_to_string(path).map_err(|error| {
            std::io::Error::new(error.kind(), format!("cannot read `{path}`: {error}"))
        }),
        None => Ok(text.to_owned()),
    }
}

/// The strings that a schema, or that of its items, allows.
fn choices(schema: &Value) -> Vec<String> {
    let values = [&schema["enum"], &schema["items"]["enum"]];
    let texts = values.into_iter().filter_map(Value::as_array).flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn switch(arg: Arg) -> Arg {
    arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("BOOL")
}

enum Shape {
    Switch,
    Number,
    Text,
    List,
    Map,
    Json,
}

fn shape(schema: &Value) -> Shape {
    match type_name(schema) {
        "boolean" => Shape::Switch,
        "integer" | "number" => Shape::Number,
        "array" => Shape::List,
        "object" if schema["additionalProperties"]["type"] == "string" => Shape::Map,
        "string" => Shape::Text,
        _ if schema["const"].is_boolean() => Shape::Switch,
        _ => Shape::Json,
    }
}

fn scalar(schema: &Value, text: &str) -> Value {
    let as_text = || Value::String(text.to_owned());
    match shape(schema) {
        Shape::Text => as_text(),
        _ => serde_json::from_str(text).unwrap_or_else(|_| as_text()),
    }
}

fn type_name(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(name) => name,
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or_default()
        }
        _ => "",
    }
}

fn properties(tool: &ToolInfo) -> Map<String, Value> {
    match parsed_input(tool)["properties"].take() {
        Value::Object(properties) => properties,
        _ => Map::new(),
    }
}

fn required_names(tool: &ToolInfo) -> Vec<String> {
    serde_json::from_value(parsed_input(tool)["required"].take()).unwrap_or_default()
}

fn parsed_input(tool: &ToolInfo) -> Value {
    serde_json::from_str(tool.input).unwrap_or_default()
}

/// Names of a tool's arguments.
pub(crate) fn names(tool: &'static ToolInfo) -> Vec<String> {
    properties(tool).into_iter().map(|(name, _)| name).collect()
}

/// Whether the argument was given.
pub(crate) fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine)
}

/// A JSON object from a flag, a file or standard input.
pub(crate) fn json_object(text: &str) -> Result<Map<String, Value>, String> {
    let text = read_text(text).map_err(|error| error.to_string())?;
    if let Some(key) = duplicate_keys::find(&text) {
        return Err(format!("--json-args has the key `{key}` twice"));
    }
    serde_json::from_str(&text)
        .map_err(|error| format!("--json-args is not a JSON object: {error}"))
}
