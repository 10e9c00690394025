//! Operator commands: workspaces, tokens, baskets, proposals, pending captures, and logs.
//!
//! Commands act for a member of the workspace: the one that `--as` names, else the owner of the
//! configured token, else the user of this machine. Owners and admins decide, plain members look.
//! Clients of the server cannot reach any of this.

mod baskets;
mod fingerprint;
mod logs;
pub(crate) mod proposals;
mod reembed;
mod trace;
mod unassigned;
mod workspaces;

use clap::{Arg, ArgMatches, Command};
use toolwright_runtime::settings::Loaded;

use super::engine::{Caller, Engine, Error};
use super::generated::Settings;
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
            run: |l, m| run_as_member(l, m, baskets::run),
        },
    },
    ExtraCommand {
        name: "proposal",
        about: "List, show, edit, approve and reject proposals, or parts of them",
        action: CommandAction::Run {
            arguments: proposals::arguments,
            run: |l, m| run_as_member(l, m, proposals::run),
        },
    },
    ExtraCommand {
        name: "unassigned",
        about: "List, assign and dismiss captures that wait for a basket",
        action: CommandAction::Run {
            arguments: unassigned::arguments,
            run: |l, m| run_as_member(l, m, unassigned::run),
        },
    },
    ExtraCommand {
        name: "misrouted",
        about: "Move a dump out of the wrong basket, into another or back into the queue",
        action: CommandAction::Run {
            arguments: unassigned::misrouted_arguments,
            run: |l, m| run_as_member(l, m, unassigned::misrouted),
        },
    },
    ExtraCommand {
        name: "trace",
        about: "Show where a block, name, dump, proposal or capture comes from, and who decided",
        action: CommandAction::Run {
            arguments: trace::arguments,
            run: |l, m| run_as_member(l, m, trace::run),
        },
    },
    ExtraCommand {
        name: "forget",
        about: "Erase a dump and everything derived from it; a tombstone stays",
        action: CommandAction::Run {
            arguments: unassigned::forget_arguments,
            run: |l, m| run_as_member(l, m, unassigned::forget),
        },
    },
    ExtraCommand {
        name: "activity",
        about: "Show recent activity by host, or the newest calls with --calls",
        action: CommandAction::Run {
            arguments: logs::activity_arguments,
            run: |l, m| run_as_member(l, m, logs::activity),
        },
    },
    ExtraCommand {
        name: "timeline",
        about: "Show the newest events of a workspace",
        action: CommandAction::Run {
            arguments: logs::timeline_arguments,
            run: |l, m| run_as_member(l, m, logs::timeline),
        },
    },
    ExtraCommand {
        name: "reembed",
        about: "Move all vectors to the configured embedding model",
        action: CommandAction::Run {
            arguments: reembed::arguments,
            run: |l, m| run_command(l, m, |machine, m| reembed::run(&machine.engine, m)),
        },
    },
    ExtraCommand {
        name: "fingerprint",
        about: "Compute the fingerprint of a text: its vector, summary and words",
        action: CommandAction::Run {
            arguments: fingerprint::arguments,
            run: |l, m| run_command(l, m, |machine, m| fingerprint::run(&machine.engine, m)),
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
            Arg::new("as").long("as").value_name("USER").help(
                "Member to act as [default: the token's owner, else the user of this machine]",
            ),
        )
}

/// The engine, and whom the settings name.
struct Machine {
    engine: Engine,
    /// The configured token.
    token: Option<String>,
}

impl Machine {
    /// The member that a command acts for, in the given workspace.
    fn member(&self, given: &ArgMatches) -> Result<Caller, Error> {
        let workspace = self.engine.workspace(option(given, "workspace"))?;
        if let Some(user) = option(given, "as") {
            return self.engine.operator(workspace, user);
        }
        let known = self.token.as_deref().and_then(|it| self.engine.authenticate(Some(it)).ok());
        let known = known.filter(|known| known.workspace.id == workspace.id);
        let user = known.map(|known| known.user_id).or_else(|| std::env::var("USER").ok());
        let user = user.filter(|user| !user.is_empty());
        self.engine.operator(workspace, user.as_deref().unwrap_or("operator"))
    }

    /// The same, who must be an owner or admin.
    fn reviewer(&self, given: &ArgMatches) -> Result<Caller, Error> {
        let member = self.member(given)?;
        member.must_review()?;
        Ok(member)
    }
}

/// Runs a command for a member of its workspace.
fn run_as_member(
    loaded: &Loaded,
    matches: &ArgMatches,
    work: fn(&Engine, &Caller, &ArgMatches) -> CommandResult,
) -> u8 {
    run_command(loaded, matches, |machine, matches| {
        let given = matches.subcommand().map_or(matches, |(_, given)| given);
        let member = machine.member(given)?;
        work(&machine.engine, &member, matches)
    })
}

/// Runs a command on the engine; returns the exit status.
fn run_command(
    loaded: &Loaded,
    matches: &ArgMatches,
    work: impl Fn(&Machine, &ArgMatches) -> CommandResult,
) -> u8 {
    let machine = loaded.typed::<Settings>().and_then(|settings| {
        let engine = Engine::new(setup::from_settings(&settings)?);
        Ok(Machine { engine, token: settings.token })
    });
    let machine = match machine {
        Ok(machine) => machine,
        Err(error) => {
            terminal::message(&format!("error: {error}"));
            return 2;
        }
    };
    match work(&machine, matches) {
        Ok(status) => status,
        Err(error) => {
            let code = error.code().map(|code| format!("{code}: ")).unwrap_or_default();
            terminal::message(&format!("error: {code}{error}"));
            if let Error::Store(error) | Error::Traces(error) = &error
                && let Some(cause) = &error.internal
            {
                terminal::message(&format!("  {cause}"));
            }
            1
        }
    }
}
