//! Commands for the user: watching, approving, embedded panes, status.
//!
//! The user on the command line is trusted: what they approve is approved. MCP clients cannot reach
//! these commands.

mod approve;
pub(super) mod doctor;
mod panes;
mod status;
mod watch;

use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_runtime::settings::Loaded;

use super::engine::Engine;
use super::error::{Kind, Result};
use super::model::ActorKind;
use super::setup;
use toolwright_commands::terminal;
use toolwright_commands::{CommandAction, ExtraCommand};

/// The commands, in the order of `--help`.
pub(super) const COMMANDS: &[ExtraCommand] = &[
    ExtraCommand {
        name: "status",
        about: "Panes, held actions, reservations, executions and the watcher at a glance",
        action: CommandAction::Run {
            arguments: |command| command,
            run: |loaded, _| run_with_engine(loaded, status::run),
        },
    },
    ExtraCommand {
        name: "watch",
        about: "Record panes and detect events until interrupted",
        action: CommandAction::Run {
            arguments: |command| command,
            run: |loaded, _| run_with_engine(loaded, watch::run),
        },
    },
    ExtraCommand {
        name: "approve",
        about: "Approve a held action by its code; without a code, list what is held",
        action: CommandAction::Run {
            arguments: approve_arguments,
            run: |loaded, matches| run_with_engine(loaded, |engine| approve::run(engine, matches)),
        },
    },
    ExtraCommand {
        name: "spawn",
        about: "Start a program in an embedded pane and print the pane's id",
        action: CommandAction::Run {
            arguments: spawn_arguments,
            run: |loaded, matches| run_with_engine(loaded, |engine| panes::spawn(engine, matches)),
        },
    },
    ExtraCommand {
        name: "attach",
        about: "Show an embedded pane in this terminal; Ctrl-] detaches",
        action: CommandAction::Run {
            arguments: pane_argument,
            run: |loaded, matches| run_with_engine(loaded, |engine| panes::attach(engine, matches)),
        },
    },
    ExtraCommand {
        name: "close",
        about: "Close an embedded pane",
        action: CommandAction::Run {
            arguments: pane_argument,
            run: |loaded, matches| run_with_engine(loaded, |engine| panes::close(engine, matches)),
        },
    },
    ExtraCommand {
        name: "doctor",
        about: "Check backends, database, rules, policy and workflows; exit 1 when something is wrong",
        action: CommandAction::Run {
            arguments: doctor_arguments,
            run: |loaded, matches| run_with_engine(loaded, |engine| doctor::run(engine, matches)),
        },
    },
    ExtraCommand {
        name: PANE_HOST,
        about: "The process that owns the embedded panes; started on demand",
        action: CommandAction::Run {
            arguments: pane_host,
            run: |_, matches| run_pane_host(matches),
        },
    },
];

/// The hidden command that runs the pane host.
pub const PANE_HOST: &str = "pane-host";

/// Its arguments.
pub fn pane_host(command: Command) -> Command {
    command.hide(true).arg(Arg::new("folder").required(true))
}

/// Runs the pane host until no pane is left.
pub fn run_pane_host(matches: &ArgMatches) -> u8 {
    exit_status(panes::host(matches))
}

fn approve_arguments(command: Command) -> Command {
    command
        .arg(Arg::new("code").value_name("CODE").help("The approval code from the hint"))
        .arg(Arg::new("check").long("check").action(ArgAction::SetTrue).help("Only check the code"))
}

fn spawn_arguments(command: Command) -> Command {
    command
        .arg(Arg::new("cwd").long("cwd").value_name("FOLDER").help("Working directory"))
        .arg(Arg::new("title").long("title").value_name("TEXT").help("Title"))
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("COLSxROWS")
                .help("Size of the screen [default: 80x24]"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help("Program and arguments [default: your shell]"),
        )
}

fn pane_argument(command: Command) -> Command {
    command.arg(
        Arg::new("pane")
            .value_name("PANE")
            .required(true)
            .value_parser(clap::value_parser!(u64))
            .help("Id of the pane"),
    )
}

fn doctor_arguments(command: Command) -> Command {
    command.arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON"))
}

/// Runs a command in the engine of the user; returns the exit status.
fn run_with_engine(loaded: &Loaded, work: impl FnOnce(&Arc<Engine>) -> Result<u8>) -> u8 {
    let settings = match loaded.typed() {
        Ok(settings) => settings,
        Err(error) => {
            terminal::message(&format!("error: {error}"));
            return 2;
        }
    };
    exit_status(work(&Arc::new(Engine::new(setup::from_settings(&settings, ActorKind::Human)))))
}

fn exit_status(done: Result<u8>) -> u8 {
    match done {
        Ok(status) => status,
        Err(error) => {
            terminal::message(&format!("error: {error}"));
            if let Some(hint) = &error.hint {
                terminal::message(&format!("  {hint}"));
            }
            if error.kind == Kind::InvalidArguments { 2 } else { 1 }
        }
    }
}

/// The pane of the command line.
fn pane(matches: &ArgMatches) -> Result<u64> {
    matches
        .get_one::<u64>("pane")
        .copied()
        .ok_or_else(|| Kind::InvalidArguments.because("No pane was given."))
}
