//! `install` and `uninstall`: a server's entry in a client's file, and nothing else in it.
//!
//! The change is shown as a diff. What was there before — comments, order, indentation, line ends —
//! stays byte for byte, and `uninstall` gives back the very file that `install` found. Exit status:
//! 0 done, 1 refused, 2 bad input.

mod add;
pub mod client;
mod client_file;
pub mod environment;
#[doc(hidden)]
pub mod fuzzing;
mod receipt;
mod remove;
pub mod server;
mod server_name;
pub(crate) mod text;
mod user_settings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use similar::TextDiff;

use client::{Client, Scope};
use environment::Environment;
use server::{Program, Server};

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

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Puts the entry in.
    Install,
    /// Takes it out.
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

/// Which entry of which file.
struct EntryTarget {
    client: Client,
    scope: Scope,
    file: PathBuf,
    name: String,
    surface: &'static str,
    dry_run: bool,
    force: bool,
}

/// Adds the flags of a verb for one surface.
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
                .help("The client whose file is changed"),
        )
        .arg(
            Arg::new(SCOPE)
                .long("scope")
                .value_parser(PossibleValuesParser::new(Scope::ALL.map(Scope::name)))
                .help("For you everywhere, or for everybody in this folder [default: user]"),
        )
        .arg(
            Arg::new(NAME)
                .long("name")
                .value_name("NAME")
                .help(format!("Name of the entry [default: {}]", info.name)),
        )
        .arg(switch(DRY_RUN, "dry-run", "Show the change and write nothing"));
    if verb == Verb::Uninstall {
        return command.arg(switch(FORCE, "force", "Also remove an entry of another server"));
    }
    command
        .arg(
            Arg::new(ENV)
                .long("env")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("A variable that the client gives to the server"),
        )
        .arg(switch(FORCE, "force", "Replace another entry of the same name"))
        .arg(
            Arg::new(EXTRA)
                .value_name("ARGUMENTS")
                .num_args(0..)
                .last(true)
                .help("Arguments of `mcp` that the client passes on"),
        )
}

/// Does what the person asked for.
pub fn run(entry: &SurfaceEntry, verb: Verb, program: Program, matches: &ArgMatches) -> ExitCode {
    let done = Environment::from_process()
        .map_err(|error| Refusal::failed(format!("this process knows too little: {error}")))
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
        Verb::Install => {
            let server = add::configure(entry, server, &target, matches, environment)?;
            add::run(&target, &server, environment)
        }
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
    let client = client.ok_or_else(|| Refusal::usage("say which client with --client"))?;
    let scope = match text(SCOPE) {
        Some(name) => client.scopes().iter().copied().find(|scope| scope.name() == name),
        None => client.scopes().first().copied(),
    };
    let scope = scope.ok_or_else(|| {
        let scopes: Vec<&str> = client.scopes().iter().map(|scope| scope.name()).collect();
        let scopes = scopes.join(" and ");
        Refusal::usage(format!("{} has no such scope; it has {scopes}", client.title()))
    })?;
    let file = client.file(scope, environment).ok_or_else(|| {
        Refusal::usage(format!(
            "no home folder is known, so the file of {} is not; set HOME",
            client.title()
        ))
    })?;
    let name = text(NAME).map_or(info.name, String::as_str).to_owned();
    server_name::check(&name, info).map_err(Refusal::usage)?;
    let (dry_run, force) = (matches.get_flag(DRY_RUN), matches.get_flag(FORCE));
    Ok(EntryTarget { client, scope, file, name, surface: info.name, dry_run, force })
}

/// Shows what changes. Few lines around it: a neighbour's secrets are nobody's business.
fn show(file: &Path, old: Option<&str>, new: Option<&str>) {
    let name = |text: Option<&str>| match text {
        Some(_) => file.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let diff = TextDiff::from_lines(old.unwrap_or_default(), new.unwrap_or_default());
    let mut unified = diff.unified_diff();
    unified.context_radius(1).header(&name(old), &name(new));
    terminal::data(&unified.to_string());
}

fn bad_file(file: &Path, error: &text::EditError) -> Refusal {
    Refusal::failed(format!("`{}`, {error}; nothing was changed", file.display()))
}
