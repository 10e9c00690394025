//! `toolwright check`: every finding about a folder of contracts.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;

use super::{specs_argument, terminal};

/// The verb.
pub(super) fn command() -> Command {
    Command::new("check")
        .about("Report every finding about the contracts")
        .long_about(
            "Reports every finding about the contracts, with the place, the lines and a hint.\n\
             Exit status: 0 nothing to mend, 1 errors, 2 the folder cannot be read.",
        )
        .arg(specs_argument())
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(["text", "json"])
                .default_value("text")
                .help("Text for people, one JSON object for programs"),
        )
}

/// Checks and prints.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let specs = arguments.get_one::<String>("specs").map_or("specs", String::as_str);
    if !Path::new(specs).is_dir() {
        terminal::talk(&format!("error: `{specs}` is not a folder; say where the contracts are"));
        return ExitCode::from(super::USAGE);
    }
    let loaded = toolwright_codegen::load(Path::new(specs));
    let as_json = arguments.get_one::<String>("format").is_some_and(|format| format == "json");
    if as_json {
        terminal::line(&loaded.report.to_json().to_string());
    } else {
        let colour = if terminal::is_colourful() { Colour::Always } else { Colour::Never };
        terminal::data(&loaded.report.render(colour));
        if !loaded.report.has_errors() {
            let tools: usize = loaded.contracts.iter().map(|contract| contract.tools.len()).sum();
            terminal::line(&format!(
                "{} surfaces, {tools} tools: nothing to mend",
                loaded.contracts.len()
            ));
        }
    }
    if loaded.report.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
