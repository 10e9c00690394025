//! Operator commands: workspaces, tokens, baskets, proposals, pending captures, and logs.
//!
//! An operator who can reach the database is trusted like the owner of its
//! workspaces. Clients of the server cannot reach any of this.

mod baskets;
mod fingerprint;
mod logs;
mod proposals;
mod reembed;
mod unassigned;
mod workspaces;

use clap::{Arg, ArgMatches, Command};
use toolwright_runtime::settings::Loaded;

use super::engine::{Caller, Engine, Error};
use super::setup;
use toolwright_commands::args::{json_flag, needed, option, text};
use toolwright_commands::terminal;
use toolwright_commands::{CommandAction, ExtraCommand};

/// A command's exit status, or why it failed.
type CommandResult = Result<u8, Error>;

/// The commands, in the order of `--help`.
pub(super) const COMMANDS: &[ExtraCommand] = &[
    ExtraCommand {
        name: "workspace",
        about: "Create and list workspaces and their members",
        action: CommandAction::Run {
            arguments: workspaces::workspace,
            run: |l, m| run_command(l, m, workspaces::run),
        },
    },
    ExtraCommand {
        name: "token",
        about: "Create, list and revoke integration tokens",
        action: CommandAction::Run {
            arguments: workspaces::token,
            run: |l, m| run_command(l, m, workspaces::run_token),
        },
    },
    ExtraCommand {
        name: "basket",
        about: "List, rename, archive and restore baskets",
        action: CommandAction::Run {
            arguments: baskets::arguments,
            run: |l, m| run_command(l, m, baskets::run),
        },
    },
    ExtraCommand {
        name: "proposal",
        about: "List, show, approve and reject proposals",
        action: CommandAction::Run {
            arguments: proposals::arguments,
            run: |l, m| run_command(l, m, proposals::run),
        },
    },
    ExtraCommand {
        name: "unassigned",
        about: "List, assign and dismiss captures that wait for a basket",
        action: CommandAction::Run {
            arguments: unassigned::arguments,
            run: |l, m| run_command(l, m, unassigned::run),
        },
    },
    ExtraCommand {
        name: "misrouted",
        about: "Move a dump out of the wrong basket, into another or back into the queue",
        action: CommandAction::Run {
            arguments: unassigned::misrouted_arguments,
            run: |l, m| run_command(l, m, unassigned::misrouted),
        },
    },
    ExtraCommand {
        name: "forget",
        about: "Delete a dump and everything derived from it; a tombstone stays",
        action: CommandAction::Run {
            arguments: unassigned::forget_arguments,
            run: |l, m| run_command(l, m, unassigned::forget),
        },
    },
    ExtraCommand {
        name: "activity",
        about: "Show recent activity by host, or the newest calls with --calls",
        action: CommandAction::Run {
            arguments: logs::activity_arguments,
            run: |l, m| run_command(l, m, logs::activity),
        },
    },
    ExtraCommand {
        name: "timeline",
        about: "Show the newest events of a workspace",
        action: CommandAction::Run {
            arguments: logs::timeline_arguments,
            run: |l, m| run_command(l, m, logs::timeline),
        },
    },
    ExtraCommand {
        name: "reembed",
        about: "Move all vectors to the configured embedding model",
        action: CommandAction::Run {
            arguments: reembed::arguments,
            run: |l, m| run_command(l, m, reembed::run),
        },
    },
    ExtraCommand {
        name: "fingerprint",
        about: "Compute the fingerprint of a text: its vector, summary and words",
        action: CommandAction::Run {
            arguments: fingerprint::arguments,
            run: |l, m| run_command(l, m, fingerprint::run),
        },
    },
];

/// Arguments of every command about a workspace.
fn common(command: Command) -> Command {
    command
        .arg(
            Arg::new("workspace")
                .long("workspace")
                .short('w')
                .value_name("NAME")
                .help("Name or id of the workspace [default: the only one]"),
        )
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("USER")
                .help("User to act as [default: the user of this machine]"),
        )
}

/// The operator, in the given workspace.
fn operator(engine: &Engine, matches: &ArgMatches) -> Result<Caller, Error> {
    let workspace = engine.workspace(option(matches, "workspace"))?;
    let user = option(matches, "as").map(str::to_owned);
    let user = user.or_else(|| std::env::var("USER").ok()).filter(|user| !user.is_empty());
    Ok(engine.operator(workspace, user.as_deref().unwrap_or("operator")))
}

/// Runs a command on the engine; returns the exit status.
fn run_command(
    loaded: &Loaded,
    matches: &ArgMatches,
    work: fn(&Engine, &ArgMatches) -> CommandResult,
) -> u8 {
    let engine = loaded.typed().and_then(|settings| setup::from_settings(&settings));
    let engine = match engine {
        Ok(setup) => Engine::new(setup),
        Err(error) => {
            terminal::message(&format!("error: {error}"));
            return 2;
        }
    };
    match work(&engine, matches) {
        Ok(status) => status,
        Err(error) => {
            terminal::message(&format!("error: {error}"));
            if let Error::Store(error) = &error
                && let Some(cause) = &error.internal
            {
                terminal::message(&format!("  {cause}"));
            }
            1
        }
    }
}
