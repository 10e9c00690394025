//! `toolwright install` and `toolwright uninstall`: the entry of a surface in a client's settings.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use toolwright_commands::install::server::Program;
use toolwright_commands::install::{self, Verb};
use toolwright_commands::{USAGE, surface};

use crate::surfaces;

/// Both commands, with a subcommand per surface.
pub(super) fn commands() -> [Command; 2] {
    let install = Command::new("install").about("Register a server in the settings of a client");
    let uninstall =
        Command::new("uninstall").about("Remove a server from the settings of a client");
    [(install, Verb::Install), (uninstall, Verb::Uninstall)].map(|(command, verb)| {
        surfaces::all().iter().fold(
            command.subcommand_required(true).arg_required_else_help(true),
            |command, entry| {
                let one = Command::new(entry.info.name).about(entry.info.title);
                let one = install::with_flags(one, verb, entry.info);
                command.subcommand(surface::with_settings(one, entry.info))
            },
        )
    })
}

/// Runs the command.
pub(super) fn run(verb: Verb, arguments: &ArgMatches) -> ExitCode {
    let chosen = arguments.subcommand();
    match chosen.and_then(|(name, rest)| Some((surfaces::find(name)?, rest))) {
        Some((entry, rest)) => install::run(&entry, verb, Program::MultiSurface, rest),
        None => ExitCode::from(USAGE),
    }
}
