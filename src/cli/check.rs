//! `toolwright check`: every finding about a folder of contracts.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;
use toolwright_codegen::Loaded;
use toolwright_codegen::diagnostics::Colour;

use toolwright_commands::terminal;

use super::{specs_argument, watch};

/// The command.
pub(super) fn command() -> Command {
    Command::new("check")
        .about("Report every finding about the contracts")
        .long_about(
            "Reports every finding about the contracts, with the place, the lines and a hint.\n\
             Exit status: 0 no errors, 1 errors, 2 the folder cannot be read.\n\
             With --watch, checks again after every change until it is interrupted.",
        )
        .arg(specs_argument())
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(["text", "json"])
                .default_value("text")
                .help("Text for users, one JSON object for programs"),
        )
        .arg(
            Arg::new("watch")
                .long("watch")
                .action(ArgAction::SetTrue)
                .help("Check again whenever a file changes"),
        )
}

/// Checks and prints.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let specs = arguments.get_one::<String>("specs").map_or("specs", String::as_str);
    if !Path::new(specs).is_dir() {
        terminal::message(&format!(
            "error: `{specs}` is not a folder; name the folder of contracts"
        ));
        return ExitCode::from(toolwright_commands::USAGE);
    }
    let as_json = arguments.get_one::<String>("format").is_some_and(|format| format == "json");
    if arguments.get_flag("watch") {
        return watch::run(Path::new(specs), as_json);
    }
    let loaded = toolwright_codegen::load(Path::new(specs));
    if as_json {
        terminal::line(&json(&loaded).to_string());
    } else {
        terminal::data(&findings(&loaded));
        if !loaded.report.has_errors() {
            terminal::line(&summary(&loaded));
        }
    }
    if loaded.report.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// All findings with carets; empty where there are none.
pub(super) fn findings(loaded: &Loaded) -> String {
    let colour = if terminal::is_colourful() { Colour::Always } else { Colour::Never };
    loaded.report.render(colour)
}

/// All findings for programs.
pub(super) fn json(loaded: &Loaded) -> Value {
    loaded.report.to_json()
}

/// Summary of contracts without errors.
pub(super) fn summary(loaded: &Loaded) -> String {
    let tools: usize = loaded.contracts.iter().map(|contract| contract.tools.len()).sum();
    let surfaces = loaded.contracts.len();
    let [surface_s, tool_s] = [surfaces, tools].map(|count| if count == 1 { "" } else { "s" });
    format!("{surfaces} surface{surface_s}, {tools} tool{tool_s}: no errors")
}
