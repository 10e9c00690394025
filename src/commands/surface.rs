//! The command line of one surface: `mcp`, `settings`, its extra commands, and the tool commands.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde_json::{Map, Value};
use toolwright_runtime::contract::SurfaceInfo;

use super::entry::{CommandAction, ExtraCommand, SurfaceEntry};
use super::{
    USAGE, arguments, builtin_commands, http, mock, serve, shell, terminal, tool_choice,
    tool_command,
};

/// Parses the command line and runs the command.
pub fn run(entry: &SurfaceEntry) -> ExitCode {
    if let Some(answered) = shell::answer(|| command(entry)) {
        return answered;
    }
    // Hosts start servers often, so build only the part of the command line that `mcp` needs.
    let mut words = std::env::args_os().skip(1);
    let serves = words.next().is_some_and(|word| word == "mcp");
    if serves && words.next().is_none() {
        return serve::run(entry, None);
    }
    let command = if serves { mcp_command(entry) } else { command(entry) };
    let matches = command.get_matches();
    match matches.subcommand() {
        Some(("mcp", arguments)) => serve::run(entry, Some(arguments)),
        Some(("settings", arguments)) => serve::report_settings(entry, arguments),
        Some((name, rest)) if builtin_commands::is_builtin(entry, name) => {
            builtin_commands::run(entry, name, rest)
        }
        Some((name, rest)) => match entry.extras.iter().find(|extra| extra.name == name) {
            Some(extra) => run_extra(entry, extra, rest),
            None => {
                run_tool_command(entry, arguments::shared_values(entry.info, &matches), name, rest)
            }
        },
        None => ExitCode::from(USAGE),
    }
}

/// The whole command line of the surface.
pub fn command(entry: &SurfaceEntry) -> Command {
    let info = entry.info;
    let root = root(entry).subcommand(
        Command::new("settings")
            .about("Print every setting with its value and source")
            .display_order(1),
    );
    let root = entry.extras.iter().fold(root, |root, extra| {
        let command = Command::new(extra.name).about(extra.about).display_order(2);
        root.subcommand(match extra.action {
            CommandAction::Print(_) => command,
            CommandAction::Run { arguments, .. } => arguments(command),
        })
    });
    let root = tool_command::all(info)
        .iter()
        .fold(root, |root, tool| tool_command::add(root, tool.words(), tool.command(entry)));
    let root = arguments::shared(info)
        .iter()
        .fold(root, |root, name| root.arg(arguments::shared_flag(name)));
    let whole = shell::with_shell_commands(builtin_commands::add(root, entry));
    tool_choice::hide_elsewhere(with_settings(whole, info), info)
}

/// The part of the command line that `mcp` needs.
fn mcp_command(entry: &SurfaceEntry) -> Command {
    tool_choice::hide_elsewhere(with_settings(root(entry), entry.info), entry.info)
}

fn root(entry: &SurfaceEntry) -> Command {
    Command::new(entry.info.name)
        .about(entry.info.title)
        .version(version(entry))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            http::with_flags(Command::new("mcp"))
                .about("Serve over stdio, or over HTTP with --http")
                .args(mock::flags())
                // Alias for hosts that are configured with `<surface> mcp serve`.
                .arg(Arg::new("serve").value_parser(["serve"]).hide(true))
                .display_order(0),
        )
}

/// Adds the flags of the surface's settings.
pub fn with_settings(command: Command, info: &'static SurfaceInfo) -> Command {
    let config = info.config.iter().map(|config| {
        Arg::new(serve::CONFIG)
            .long(config.flag.trim_start_matches('-'))
            .global(true)
            .value_name("FILE")
            .help_heading("Settings")
            .help(format!("Settings file [default: {}]", config.default))
    });
    let flags: Vec<Arg> =
        config.chain(info.all_settings().flat_map(arguments::setting_flags)).collect();
    resolve_flag_conflicts(flags.iter().fold(command, with_setting), &flags)
}

/// Settings are global flags; if a subcommand uses the same flag, the setting's flag is renamed there.
fn resolve_flag_conflicts(command: Command, flags: &[Arg]) -> Command {
    command.mut_subcommands(|inner| {
        let taken: Vec<&Arg> = flags.iter().filter(|flag| has_flag(&inner, flag)).collect();
        resolve_flag_conflicts(taken.into_iter().fold(inner, with_setting), flags)
    })
}

/// Adds the flag of a setting. If the command has an argument of the same id, that one is used; if it
/// has another flag of the same name, the setting's flag gets the prefix `setting-`.
fn with_setting(command: Command, flag: &Arg) -> Command {
    if command.get_arguments().any(|other| other.get_id() == flag.get_id()) {
        return command;
    }
    let mut flag = flag.clone();
    while has_flag(&command, &flag) {
        let long = format!("setting-{}", flag.get_long().unwrap_or_default());
        flag = flag.long(long);
    }
    command.arg(flag)
}

fn has_flag(command: &Command, flag: &Arg) -> bool {
    command.get_arguments().any(|other| other.get_long() == flag.get_long())
}

/// Version of the product and identity of the contract.
fn version(entry: &SurfaceEntry) -> String {
    let info = entry.info;
    let digest = info.digest.get(..12).unwrap_or(info.digest);
    format!("{} (contract {} {digest})", entry.version, info.contract)
}

fn run_extra(entry: &SurfaceEntry, extra: &ExtraCommand, matches: &ArgMatches) -> ExitCode {
    match extra.action {
        CommandAction::Print(text) => {
            terminal::data(&text());
            ExitCode::SUCCESS
        }
        CommandAction::Run { run, .. } => match serve::load(entry, Some(matches)) {
            Ok(loaded) => ExitCode::from(run(&loaded, matches)),
            Err(error) => serve::settings_error(&error),
        },
    }
}

fn run_tool_command(
    entry: &SurfaceEntry,
    shared: Map<String, Value>,
    first: &str,
    matches: &ArgMatches,
) -> ExitCode {
    let mut words = vec![first];
    let mut matches = matches;
    while let Some((word, deeper)) = matches.subcommand() {
        words.push(word);
        matches = deeper;
    }
    match tool_command::all(entry.info).iter().find(|tool| tool.words() == words) {
        Some(tool) => tool.run(entry, shared, matches),
        None => {
            let verb = shell::run(first, matches, || command(entry));
            verb.unwrap_or(ExitCode::from(USAGE))
        }
    }
}
