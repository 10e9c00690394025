//! `toolwright call <tool>`: calls any tool of any surface by its MCP name.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::Map;

use super::entry::SurfaceEntry;
use super::tool_command::ToolCommand;
use super::{USAGE, surface};

/// The command, with a subcommand per tool.
pub fn command(entries: &[SurfaceEntry]) -> Command {
    let root = Command::new("call")
        .about("Call a tool and print its answer")
        .long_about(
            "Calls a tool by its MCP name, with or without dots, and prints its answer. Pass \
             arguments as flags, or as one JSON object in --json-args.\n\
             Exit status: 0 success, 2 bad arguments, or the status of the error's registry entry.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true);
    entries.iter().fold(root, |root, entry| {
        (0..entry.info.tools.len()).fold(root, |root, index| {
            let tool = entry.info.tools[index];
            let command = ToolCommand::of(index).command(entry).name(name(entries, entry, index));
            let command = if tool.portable == tool.canonical {
                command
            } else {
                command.alias(tool.portable)
            };
            root.subcommand(surface::with_settings(command, entry.info))
        })
    })
}

/// Calls the chosen tool.
pub fn run(entries: &[SurfaceEntry], matches: &ArgMatches) -> ExitCode {
    let Some((chosen, matches)) = matches.subcommand() else { return ExitCode::from(USAGE) };
    let found = entries.iter().find_map(|entry| {
        let mut indices = 0..entry.info.tools.len();
        indices.find(|index| name(entries, entry, *index) == chosen).map(|index| (entry, index))
    });
    match found {
        Some((entry, index)) => ToolCommand::of(index).run(entry, Map::new(), matches),
        None => ExitCode::from(USAGE),
    }
}

/// The canonical name, prefixed with the surface if two surfaces have it.
fn name(entries: &[SurfaceEntry], entry: &SurfaceEntry, index: usize) -> String {
    let canonical = entry.info.tools[index].canonical;
    let all = entries.iter().flat_map(|entry| entry.info.tools);
    match all.filter(|tool| tool.canonical == canonical).count() {
        0 | 1 => canonical.to_owned(),
        _ => format!("{}/{canonical}", entry.info.name),
    }
}
