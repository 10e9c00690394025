//! The binary of one surface: `mcp`, `settings`, its extras, and a twin of every tool.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde_json::{Map, Value};
use toolwright_runtime::contract::SurfaceInfo;

use super::{USAGE, arguments, http, serve, terminal, twin};
use crate::surfaces::{Does, Extra, SurfaceEntry};

/// Parses the command line and does what it says.
pub(super) fn run(entry: &SurfaceEntry) -> ExitCode {
    let matches = command(entry).get_matches();
    match matches.subcommand() {
        Some(("mcp", arguments)) => serve::run(entry, arguments),
        Some(("settings", arguments)) => serve::report_settings(entry, arguments),
        Some((name, rest)) => match entry.extras.iter().find(|extra| extra.name == name) {
            Some(extra) => run_extra(entry, extra, rest),
            None => run_twin(entry, arguments::shared_given(entry.info, &matches), name, rest),
        },
        None => ExitCode::from(USAGE),
    }
}

/// The whole command line of the surface.
pub(super) fn command(entry: &SurfaceEntry) -> Command {
    let info = entry.info;
    let root = Command::new(info.name)
        .about(info.title)
        .version(version(info))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            http::with_flags(Command::new("mcp"))
                .about("Serve over stdio, or over HTTP with --http")
                // Some hosts are set up with `<surface> mcp serve`; it means the same.
                .arg(Arg::new("serve").value_parser(["serve"]).hide(true))
                .display_order(0),
        )
        .subcommand(
            Command::new("settings")
                .about("Print every setting, its value and where it comes from")
                .display_order(1),
        );
    let root = entry.extras.iter().fold(root, |root, extra| {
        let command = Command::new(extra.name).about(extra.about).display_order(2);
        root.subcommand(match extra.does {
            Does::Print(_) => command,
            Does::Run { arguments, .. } => arguments(command),
        })
    });
    let root = twin::all(info)
        .iter()
        .fold(root, |root, twin| twin::add(root, twin.words(), twin.command(info)));
    let root = arguments::shared(info)
        .iter()
        .fold(root, |root, name| root.arg(arguments::shared_flag(name)));
    with_settings(root, info)
}

/// Adds the flags of the surface's settings.
pub(super) fn with_settings(command: Command, info: &'static SurfaceInfo) -> Command {
    let command = match &info.config {
        Some(config) => command.arg(
            Arg::new(serve::CONFIG)
                .long(config.flag.trim_start_matches('-'))
                .global(true)
                .value_name("FILE")
                .help_heading("Settings")
                .help(format!("Settings file [default: {}]", config.default)),
        ),
        None => command,
    };
    info.settings
        .iter()
        .flat_map(arguments::setting_flags)
        .fold(command, |command, flag| command.arg(flag))
}

/// Version of the product and identity of the contract.
fn version(info: &SurfaceInfo) -> String {
    let digest = info.digest.get(..12).unwrap_or(info.digest);
    format!("{} (contract {} {digest})", env!("CARGO_PKG_VERSION"), info.contract)
}

fn run_extra(entry: &SurfaceEntry, extra: &Extra, matches: &ArgMatches) -> ExitCode {
    match extra.does {
        Does::Print(text) => {
            terminal::data(&text());
            ExitCode::SUCCESS
        }
        Does::Run { run, .. } => match serve::load(entry, matches) {
            Ok(loaded) => ExitCode::from(run(&loaded, matches)),
            Err(error) => serve::refuse(&error),
        },
    }
}

fn run_twin(
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
    match twin::all(entry.info).iter().find(|twin| twin.words() == words) {
        Some(twin) => twin.run(entry, shared, matches),
        None => ExitCode::from(USAGE),
    }
}
