//! `toolwright docs`: the tables of a Markdown file, between their markers, from the contracts.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::docs;

use super::{USAGE, specs_argument, terminal};

/// The verb.
pub(super) fn command() -> Command {
    Command::new("docs")
        .about("Refresh the tables between markers in a Markdown file")
        .arg(specs_argument())
        .arg(
            Arg::new("file").long("file").default_value("README.md").help(
                "Markdown file with markers such as <!-- tools:wink --> … <!-- /tools:wink -->",
            ),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Change nothing; exit with 1 when a table is not up to date"),
        )
}

/// Refreshes or checks.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let text = |name: &str| arguments.get_one::<String>(name).cloned().unwrap_or_default();
    let (specs, file) = (text("specs"), text("file"));
    let loaded = toolwright_codegen::load(Path::new(&specs));
    if loaded.report.has_errors() {
        terminal::talk(&loaded.report.render(Colour::Never));
        return ExitCode::FAILURE;
    }
    let refreshed = std::fs::read_to_string(&file)
        .map_err(|error| error.to_string())
        .and_then(|old| docs::refresh(&old, &loaded.contracts).map(|new| (new == old, new)));
    match refreshed {
        Ok((true, _)) => ExitCode::SUCCESS,
        Ok((false, _)) if arguments.get_flag("check") => {
            terminal::talk(&format!("error: `{file}` is stale; run `cargo run -- docs`"));
            ExitCode::FAILURE
        }
        Ok((false, new)) => match std::fs::write(&file, new) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => refuse(&file, &error.to_string()),
        },
        Err(problem) => refuse(&file, &problem),
    }
}

fn refuse(file: &str, problem: &str) -> ExitCode {
    terminal::talk(&format!("error: `{file}`: {problem}"));
    ExitCode::from(USAGE)
}
