//! The command-line twin of a tool: flags in, the same answer out that a client would get.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::{Call, Outcome};

use super::{USAGE, arguments, serve, terminal};
use crate::surfaces::SurfaceEntry;

const JSON: &str = "json arguments";

/// The flags of the twin.
pub(super) fn command(tool: &'static ToolInfo) -> Command {
    Command::new("twin")
        .about(tool.title)
        .long_about(tool.description)
        .args(arguments::tool_flags(tool))
        .arg(
            Arg::new(JSON)
                .long("json")
                .value_name("ARGUMENTS")
                .help("All arguments as one JSON object; single flags win over it. @FILE and @- read them from there"),
        )
}

/// Hangs `twin` into `root` at the given words.
pub(super) fn add(root: Command, words: &'static [&'static str], twin: Command) -> Command {
    match words {
        [] => root,
        [last] => root.subcommand(twin.name(*last)),
        [first, rest @ ..] => {
            let existing = root.find_subcommand(first).is_some();
            let root = if existing {
                root
            } else {
                root.subcommand(
                    Command::new(*first).subcommand_required(true).arg_required_else_help(true),
                )
            };
            root.mut_subcommand(first, |inner| add(inner, rest, twin))
        }
    }
}

/// Calls the tool and prints its answer.
pub(super) fn run(entry: &SurfaceEntry, tool: usize, matches: &ArgMatches) -> ExitCode {
    let Some(info) = entry.info.tools.get(tool).copied() else { return ExitCode::from(USAGE) };
    let arguments = match collect(info, matches) {
        Ok(arguments) => arguments,
        Err(problem) => {
            terminal::talk(&format!("error: {problem}"));
            return ExitCode::from(USAGE);
        }
    };
    let surface = match serve::open(entry, matches) {
        Ok(surface) => surface,
        Err(exit) => return exit,
    };
    let call = Call::new(info, "cli", serve::world());
    let outcome = serve::block_on(surface.dispatch(tool, &call, &arguments));
    match outcome {
        Some(outcome) => ExitCode::from(print(outcome)),
        None => ExitCode::FAILURE,
    }
}

fn collect(tool: &'static ToolInfo, matches: &ArgMatches) -> Result<Box<RawValue>, String> {
    let mut all = match matches.get_one::<String>(JSON) {
        Some(text) => arguments::json_object(text)?,
        None => serde_json::Map::new(),
    };
    all.append(&mut arguments::tool_arguments(tool, matches).map_err(|error| error.to_string())?);
    serde_json::value::to_raw_value(&all).map_err(|error| error.to_string())
}

/// Prints the answer as data, also a failed one, and a failure in words for the person.
fn print(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Answer(answer) => {
            terminal::line(&for_reader(&answer.body));
            if !answer.is_error { 0 } else { answer.exit.max(1) }
        }
        Outcome::Protocol(error) => {
            terminal::talk(&format!("error: {}", error.message));
            error.exit.max(1)
        }
        Outcome::NeedsInput(question) => {
            terminal::talk(&format!("error: this needs an answer first: {}", question.message));
            1
        }
    }
}

/// Indented for a person, one line for a program.
fn for_reader(body: &str) -> String {
    if !terminal::is_terminal() {
        return body.to_owned();
    }
    serde_json::from_str::<Value>(body)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| body.to_owned())
}
