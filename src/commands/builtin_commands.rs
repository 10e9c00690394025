//! Commands that every server has: `install`, `uninstall`, `doctor`. A surface's own command of the
//! same name replaces the built-in one.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::entry::SurfaceEntry;
use super::install::server::Program;
use super::install::{self, Verb};
use super::{USAGE, doctor, tool_command};

const BUILTINS: &[(&str, &str)] = &[
    ("doctor", "Check this server's setup on this machine, without changing anything"),
    ("install", "Register this server in a client's configuration"),
    ("uninstall", "Remove this server from a client's configuration"),
];

/// Whether the word is a built-in command of this surface.
pub(super) fn is_builtin(entry: &SurfaceEntry, word: &str) -> bool {
    BUILTINS.iter().any(|(verb, _)| *verb == word)
        && !entry.extras.iter().any(|extra| extra.name == word)
        && !tool_command::all(entry.info).iter().any(|tool| tool.words().first() == Some(&word))
}

/// Adds the built-in commands.
pub(super) fn add(root: Command, entry: &SurfaceEntry) -> Command {
    let free = BUILTINS.iter().filter(|(verb, _)| is_builtin(entry, verb));
    free.fold(root, |root, (verb, about)| {
        let command = Command::new(*verb).about(*about).display_order(1);
        root.subcommand(match *verb {
            "doctor" => doctor::with_flags(command),
            "install" => install::with_flags(command, Verb::Install, entry.info),
            _ => install::with_flags(command, Verb::Uninstall, entry.info),
        })
    })
}

/// Runs a built-in command.
pub(super) fn run(entry: &SurfaceEntry, verb: &str, matches: &ArgMatches) -> ExitCode {
    match verb {
        "doctor" => doctor::run(&[(entry, Some(matches))], Program::SingleSurface, matches),
        "install" => install::run(entry, Verb::Install, Program::SingleSurface, matches),
        "uninstall" => install::run(entry, Verb::Uninstall, Program::SingleSurface, matches),
        _ => ExitCode::from(USAGE),
    }
}
