//! The command line: one file per verb.
//!
//! `toolwright` works on contracts (`check`, `explain`, `docs`) and serves any surface; each
//! surface has a binary of its own with `mcp`, `settings` and a twin of every tool. Standard output
//! is data, standard error is talk. Exit status: 0 done, 1 a finding or a failed call, 2 bad input,
//! or what the error's registry entry says.

mod arguments;
mod check;
mod docs;
mod explain;
#[cfg(any(feature = "worldforge", feature = "yarnnn"))]
pub(crate) mod given;
mod http;
mod serve;
mod surface;
#[cfg(any(feature = "worldforge", feature = "yarnnn"))]
pub(crate) mod table;
pub(crate) mod terminal;
mod tour;
mod twin;

use std::process::ExitCode;

use clap::{Arg, Command};

use crate::surfaces::{self, SurfaceEntry};

/// Bad input or usage.
const USAGE: u8 = 2;

/// Entry point of the binary `toolwright`.
pub fn toolwright() -> ExitCode {
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("check", arguments)) => check::run(arguments),
        Some(("explain", arguments)) => explain::run(arguments),
        Some(("docs", arguments)) => docs::run(arguments),
        Some(("tour", _)) => tour::run(),
        #[cfg(feature = "wa")]
        Some((crate::wa::PANE_HOST, arguments)) => {
            ExitCode::from(crate::wa::run_pane_host(arguments))
        }
        Some(("serve", arguments)) => serve_any(arguments),
        _ => ExitCode::from(USAGE),
    }
}

/// Entry point of the binary of one surface. It names its surface itself, so that no other one is
/// linked into it.
pub fn surface(entry: &SurfaceEntry) -> ExitCode {
    surface::run(entry)
}

/// The whole command line of `toolwright`, for help and completions.
pub fn command() -> Command {
    let serve = surfaces::all().iter().fold(
        Command::new("serve")
            .about("Serve a surface over stdio, or over HTTP with --http")
            .subcommand_required(true)
            .arg_required_else_help(true),
        |command, entry| {
            let serve = http::with_flags(Command::new(entry.info.name).about(entry.info.title));
            command.subcommand(surface::with_settings(serve, entry.info))
        },
    );
    let root = Command::new("toolwright");
    // Embedded panes are owned by whatever program serves them.
    #[cfg(feature = "wa")]
    let root = root.subcommand(crate::wa::pane_host(Command::new(crate::wa::PANE_HOST)));
    root.about("Contract-first MCP servers: check contracts, serve surfaces")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check::command())
        .subcommand(explain::command())
        .subcommand(docs::command())
        .subcommand(serve)
        .subcommand(
            Command::new("tour").about("Show the main job of every surface, in a temporary folder"),
        )
}

fn serve_any(arguments: &clap::ArgMatches) -> ExitCode {
    let Some((name, arguments)) = arguments.subcommand() else { return ExitCode::from(USAGE) };
    match surfaces::find(name) {
        Some(entry) => serve::run(&entry, arguments),
        None => ExitCode::from(USAGE),
    }
}

/// `specs` or another folder of contracts.
fn specs_argument() -> Arg {
    Arg::new("specs").value_name("FOLDER").default_value("specs").help("Folder of contracts")
}
