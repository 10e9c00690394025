//! `toolwright doctor`: diagnoses one or all surfaces on this machine.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use toolwright_commands::install::server::Program;
use toolwright_commands::{USAGE, doctor, surface};

use crate::surfaces;

/// The command, with a subcommand for each surface.
pub(super) fn command() -> Command {
    let verb =
        Command::new("doctor").about("Diagnose servers on this machine, without changing anything");
    surfaces::all().iter().fold(doctor::with_flags(verb), |verb, entry| {
        let one = Command::new(entry.info.name).about(entry.info.title);
        verb.subcommand(surface::with_settings(one, entry.info))
    })
}

/// Diagnoses and prints.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let Some((name, flags)) = arguments.subcommand() else {
        let all = surfaces::all();
        let all: Vec<_> = all.iter().map(|entry| (entry, None)).collect();
        return doctor::run(&all, Program::MultiSurface, arguments);
    };
    match surfaces::find(name) {
        Some(entry) => doctor::run(&[(&entry, Some(flags))], Program::MultiSurface, flags),
        None => ExitCode::from(USAGE),
    }
}
