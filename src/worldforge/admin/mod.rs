//! Operator commands: tenants, users, projects, import and export, history, graphs, demo world.
//!
//! Whoever can reach the store from the command line is trusted like an ADMIN of its tenants.
//! Clients of the server cannot reach these commands.

mod demo;
mod files;
mod graph;
mod history;
mod tenants;

use clap::{Arg, ArgMatches, Command};
use toolwright_runtime::settings::Loaded;

use super::engine::{Actor, Engine, EngineError, Result};
use super::model::{Tenant, User};
use super::setup;
use super::store::{Kind, Scope};
use toolwright_commands::args::{json_flag, needed, option, text};
use toolwright_commands::terminal;
use toolwright_commands::{CommandAction, ExtraCommand};

/// How a command ends: with an exit status or an error.
type Done = Result<u8>;

/// The commands, in the order of `--help`.
pub(super) const COMMANDS: &[ExtraCommand] = &[
    ExtraCommand {
        name: "tenant",
        about: "Create and list tenants",
        action: CommandAction::Run {
            arguments: tenants::tenant,
            run: |l, m| exit_status(l, m, tenants::run_tenant),
        },
    },
    ExtraCommand {
        name: "user",
        about: "Add and list the users of a tenant",
        action: CommandAction::Run {
            arguments: tenants::user,
            run: |l, m| exit_status(l, m, tenants::run_user),
        },
    },
    ExtraCommand {
        name: "project",
        about: "List the projects of a tenant",
        action: CommandAction::Run {
            arguments: tenants::project,
            run: |l, m| exit_status(l, m, tenants::run_project),
        },
    },
    ExtraCommand {
        name: "export",
        about: "Print a project as a story bible, or its shot prompts",
        action: CommandAction::Run {
            arguments: files::export_arguments,
            run: |l, m| exit_status(l, m, files::export),
        },
    },
    ExtraCommand {
        name: "import",
        about: "Create a project from a story bible",
        action: CommandAction::Run {
            arguments: files::import_arguments,
            run: |l, m| exit_status(l, m, files::import),
        },
    },
    ExtraCommand {
        name: "history",
        about: "List the published versions of an object, or the activity of a project",
        action: CommandAction::Run {
            arguments: history::arguments,
            run: |l, m| exit_status(l, m, history::run),
        },
    },
    ExtraCommand {
        name: "graph",
        about: "Draw the story graph with the findings of continuity.check",
        action: CommandAction::Run {
            arguments: graph::arguments,
            run: |l, m| exit_status(l, m, graph::run),
        },
    },
    ExtraCommand {
        name: "demo",
        about: "Create a sample world with its tenant and users, and print how to register it",
        action: CommandAction::Run {
            arguments: demo::arguments,
            run: |l, m| exit_status(l, m, demo::run),
        },
    },
];

/// The tenant that is meant, and who acts.
fn common(command: Command) -> Command {
    command
        .arg(
            Arg::new("in")
                .long("in")
                .value_name("TENANT")
                .help("Name or id of the tenant [default: the only one]"),
        )
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("USER")
                .help("Id or e-mail of the acting user [default: the tenant's first]"),
        )
}

/// The tenant that is meant.
fn tenant(engine: &Engine, matches: &ArgMatches) -> Result<Tenant> {
    match option(matches, "in") {
        Some(name) => engine.tenant(name)?.ok_or_else(|| EngineError::missing("tenant")),
        None => match <[Tenant; 1]>::try_from(engine.tenants()?) {
            Ok([only]) => Ok(only),
            Err(all) if all.is_empty() => Err(EngineError::invalid(
                "--in",
                "there is no tenant yet; create one with `tenant create`",
            )),
            Err(_) => Err(EngineError::invalid("--in", "there are several tenants; name one")),
        },
    }
}

/// The user who acts.
fn actor(engine: &Engine, tenant: &Tenant, matches: &ArgMatches, action: &str) -> Result<Actor> {
    let user: Option<User> = match option(matches, "as") {
        Some(name) => engine.user(&tenant.id, name)?,
        None => engine.users(&tenant.id)?.into_iter().next(),
    };
    let user = user.ok_or_else(|| EngineError::missing("user"))?;
    Ok(Actor { tenant: tenant.id.clone(), user: user.id, action: action.to_owned() })
}

/// The project that is meant, by id or title.
fn scope(engine: &Engine, tenant: &Tenant, matches: &ArgMatches) -> Result<Scope> {
    let named = text(matches, "project");
    let projects = engine.projects(&tenant.id)?;
    let found = projects
        .iter()
        .find(|project| project.id == named)
        .or_else(|| projects.iter().find(|project| project.title == named));
    let project = found.ok_or_else(|| EngineError::missing("project"))?;
    Ok(Scope::new(&tenant.id, &project.id))
}

/// Runs a command on the engine; returns the exit status.
fn exit_status(
    loaded: &Loaded,
    matches: &ArgMatches,
    work: fn(&Engine, &ArgMatches) -> Done,
) -> u8 {
    let setup = loaded.typed().and_then(|settings| setup::from_settings(&settings));
    let engine = match setup {
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
            if let EngineError::Store(error) = &error
                && error.kind != Kind::Conflict
                && let Some(cause) = &error.internal
            {
                terminal::message(&format!("  {cause}"));
            }
            if matches!(error, EngineError::Invalid(_)) { 2 } else { 1 }
        }
    }
}
