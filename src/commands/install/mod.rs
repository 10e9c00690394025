//! `install` and `uninstall`: add and remove a server's entry in a client's configuration file.
//!
//! The change is shown as a diff. Everything else in the file — comments, order, indentation, line
//! endings — is preserved byte for byte, and `uninstall` restores the file that `install` found. Exit
//! status: 0 success, 1 refused, 2 bad input.

mod add;
pub(crate) mod client;
mod client_file;
mod configure;
mod diff;
pub(crate) mod environment;
#[doc(hidden)]
pub mod fuzzing;
mod mask;
pub(crate) mod receipt;
mod remove;
mod required;
pub mod server;
mod server_name;
pub(crate) mod text;
mod user_settings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use client::{Client, Scope};
use environment::Environment;
use receipt::Receipt;
use server::{Entry, Program, Server};

use super::entry::SurfaceEntry;
use super::{USAGE, terminal};
use toolwright_runtime::contract::SurfaceInfo;

const CLIENT: &str = "install client";
const DRY_RUN: &str = "install dry run";
const ENV: &str = "install env";
const EXTRA: &str = "install extra";
const FORCE: &str = "install force";
const NAME: &str = "install name";
const SCOPE: &str = "install scope";

/// The operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Adds the entry.
    Install,
    /// Removes the entry.
    Uninstall,
}

/// Why nothing was done.
#[derive(Debug)]
struct Refusal {
    exit: u8,
    message: String,
}

impl Refusal {
    fn usage(message: impl Into<String>) -> Self {
        Self { exit: USAGE, message: message.into() }
    }

    fn failed(message: impl Into<String>) -> Self {
        Self { exit: 1, message: message.into() }
    }
}

/// The entry to change, and how.
struct EntryTarget {
    client: Client,
    scope: Scope,
    file: PathBuf,
    name: String,
    surface: &'static str,
    dry_run: bool,
    force: bool,
}

/// Adds the flags of a command for one surface.
pub fn with_flags(command: Command, verb: Verb, info: &'static SurfaceInfo) -> Command {
    let switch = |id: &'static str, long: &'static str, help: &'static str| {
        Arg::new(id).long(long).action(ArgAction::SetTrue).help(help)
    };
    let command = command
        .arg(
            Arg::new(CLIENT)
                .long("client")
                .required(true)
                .value_parser(PossibleValuesParser::new(Client::ALL.map(Client::name)))
                .help("The client to configure"),
        )
        .arg(
            Arg::new(SCOPE)
                .long("scope")
                .value_parser(PossibleValuesParser::new(Scope::ALL.map(Scope::name)))
                .help("For the user, or for the project in the current folder [default: user]"),
        )
        .arg(
            Arg::new(NAME)
                .long("name")
                .value_name("NAME")
                .help(format!("Name of the entry [default: {}]", info.name)),
        )
        .arg(switch(DRY_RUN, "dry-run", "Show the change without writing it"));
    if verb == Verb::Uninstall {
        return command.arg(switch(
            FORCE,
            "force",
            "Remove the entry even if it starts another server",
        ));
    }
    command
        .arg(
            Arg::new(ENV)
                .long("env")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("Environment variable for the server"),
        )
        .arg(switch(
            FORCE,
            "force",
            "Change an existing entry of the same name; its `env`, `disabled` and other keys stay",
        ))
        .arg(
            Arg::new(EXTRA)
                .value_name("ARGUMENTS")
                .num_args(0..)
                .last(true)
                .help("Arguments that the client passes to `mcp`"),
        )
}

/// Runs `install` or `uninstall`.
pub fn run(entry: &SurfaceEntry, verb: Verb, program: Program, matches: &ArgMatches) -> ExitCode {
    let done = Environment::from_process()
        .map_err(|error| Refusal::failed(format!("cannot determine the environment: {error}")))
        .and_then(|environment| act(entry, verb, program, matches, &environment));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            terminal::message(&format!("error: {}", refusal.message));
            ExitCode::from(refusal.exit)
        }
    }
}

fn act(
    entry: &SurfaceEntry,
    verb: Verb,
    program: Program,
    matches: &ArgMatches,
    environment: &Environment,
) -> Result<(), Refusal> {
    let target = entry_target(entry.info, matches, environment)?;
    let server = Server::of(entry.info, program, environment);
    match verb {
        Verb::Install => add::run(entry, server, &target, matches, environment),
        Verb::Uninstall => remove::run(&target, entry.info, &server, environment),
    }
}

fn entry_target(
    info: &SurfaceInfo,
    matches: &ArgMatches,
    environment: &Environment,
) -> Result<EntryTarget, Refusal> {
    let text = |id: &str| matches.get_one::<String>(id);
    let client =
        Client::ALL.into_iter().find(|client| text(CLIENT).is_some_and(|it| it == client.name()));
    let client = client.ok_or_else(|| Refusal::usage("missing --client"))?;
    let scope = match text(SCOPE) {
        Some(name) => client.scopes().iter().copied().find(|scope| scope.name() == name),
        None => client.scopes().first().copied(),
    };
    let scope = scope.ok_or_else(|| {
        let scopes: Vec<&str> = client.scopes().iter().map(|scope| scope.name()).collect();
        let scopes = scopes.join(" and ");
        Refusal::usage(format!("{} does not have this scope; it has {scopes}", client.title()))
    })?;
    let file = client.file(scope, environment).ok_or_else(|| {
        Refusal::usage(format!(
            "cannot find the configuration of {} without a home folder; set HOME",
            client.title()
        ))
    })?;
    let name = text(NAME).map_or(info.name, String::as_str).to_owned();
    server_name::check(&name, info).map_err(Refusal::usage)?;
    let (dry_run, force) = (matches.get_flag(DRY_RUN), matches.get_flag(FORCE));
    Ok(EntryTarget { client, scope, file, name, surface: info.name, dry_run, force })
}

fn bad_file(file: &Path, error: &text::EditError) -> Refusal {
    Refusal::failed(format!("`{}`, {error}; nothing was changed", file.display()))
}

/// Whether a variable may be shown: it is a setting of the server, and no secret.
fn is_open(info: &SurfaceInfo, variable: &str) -> bool {
    info.all_settings().any(|setting| setting.env == Some(variable) && !setting.secret)
}

/// Whether an entry was installed for this surface, or starts this binary as this surface. Everything
/// else is another's, whatever its name: `install` and `uninstall` change it only by force.
pub(crate) fn is_ours(
    entry: &Value,
    receipt: Option<&Receipt>,
    info: &SurfaceInfo,
    server: &Server,
) -> bool {
    receipt.is_some_and(|receipt| receipt.is_of(info.name, entry))
        || Entry::read(entry).is_some_and(|entry| server.is_started_by(&entry))
}
