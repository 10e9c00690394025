//! The settings that choose tools: read, checked against the contract, and shown in the help of the
//! commands that serve.

use clap::{ArgMatches, Command};
use serde_json::Value;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::settings::{Loaded, SettingProblem, SettingsError};
use toolwright_runtime::{ChoiceError, ToolChoice, ToolSelection};

use super::{arguments, http_settings};

/// The tools that these settings choose.
///
/// # Errors
/// For names that the surface does not have, and where no tool is left.
pub fn selection(info: &SurfaceInfo, loaded: &Loaded) -> Result<ToolSelection, SettingsError> {
    let value =
        |key: &str| loaded.get(key).filter(|_| is_choice(info, key)).map(|found| &found.value);
    let texts = |key: &str| -> Vec<String> {
        let items = value(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let choice = ToolChoice {
        toolset: texts("toolset"),
        tools: texts("tools"),
        exclude_tools: texts("exclude_tools"),
        read_only: value("read_only") == Some(&Value::Bool(true)),
    };
    ToolSelection::new(info, &choice).map_err(|errors| {
        let problem = |ChoiceError { key, message }| SettingProblem {
            key: key.to_owned(),
            source: loaded.get(key).map(|found| found.source.clone()),
            message,
        };
        let problems = errors.into_iter().map(problem).collect();
        SettingsError { problems, warnings: Vec::new() }
    })
}

/// Whether the setting of this key chooses tools. A contract's own setting of such a key belongs to its
/// surface.
pub(crate) fn is_choice(info: &SurfaceInfo, key: &str) -> bool {
    ["exclude_tools", "read_only", "tools", "toolset"].contains(&key)
        && info.settings.iter().all(|setting| setting.key != key)
}

/// Checks the choice that a command line makes by itself, before a server is started with it.
pub(crate) fn check_flags(info: &SurfaceInfo, matches: &ArgMatches) -> Result<(), String> {
    let texts = |key: &str| {
        let setting = info.server_settings.iter().find(|setting| setting.key == key);
        setting.and_then(|setting| arguments::setting_values(setting, matches)).unwrap_or_default()
    };
    let choice = ToolChoice {
        toolset: texts("toolset"),
        tools: texts("tools"),
        exclude_tools: texts("exclude_tools"),
        read_only: texts("read_only").last().is_some_and(|text| text == "true"),
    };
    ToolSelection::new(info, &choice).map(drop).map_err(|errors| {
        let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
        problems.join("\n")
    })
}

/// Commands that serve, or prepare it: their help shows the settings of servers.
const SERVING: [&str; 3] = ["install", "mcp", "settings"];

/// Hides the flags of server settings, which every command accepts, except in the help of the commands
/// that they are for.
pub(crate) fn hide_elsewhere(command: Command, info: &'static SurfaceInfo) -> Command {
    let settings = || info.all_settings().skip(info.settings.len());
    let flags = || settings().flat_map(arguments::setting_flags);
    let command = flags().fold(command, |command, flag| {
        let id = flag.get_id().clone();
        command.mut_arg(id, |arg| arg.hide(true))
    });
    command.mut_subcommands(|inner| {
        if !SERVING.contains(&inner.get_name()) {
            return inner;
        }
        // Clients start what `install` registers over stdio.
        let over_http = inner.get_name() != "install";
        let shown = settings().filter(|setting| over_http || !http_settings::is_one(setting.key));
        shown.flat_map(arguments::setting_flags).fold(inner, |inner, flag| {
            let taken = inner
                .get_arguments()
                .any(|arg| arg.get_id() == flag.get_id() || arg.get_long() == flag.get_long());
            if taken { inner } else { inner.arg(flag.global(false)) }
        })
    })
}
