//! The command line: one file per verb.
//!
//! `toolwright` works on contracts (`check`, `diff`, `docs`, `budget`, `explain`), creates servers and
//! tools (`new`, `add-tool`), and serves, calls, installs and diagnoses any surface. Each surface also
//! has a binary of its own. Results go to standard output, messages to standard error. Exit status:
//! 0 done, 1 a finding or a failed call, 2 bad input.

mod add_tool;
mod budget;
mod check;
mod diff;
mod docs;
mod doctor;
mod explain;
mod install;
mod new;
mod serve;
mod tour;
mod watch;

use std::process::ExitCode;

use clap::{Arg, Command};
use toolwright_commands::install::Verb;
use toolwright_commands::{USAGE, call, shell};

use crate::surfaces;

/// Entry point of the binary `toolwright`.
pub fn toolwright() -> ExitCode {
    if let Some(answered) = shell::answer(command) {
        return answered;
    }
    if let Some(folder) = serve::specs_folder(std::env::args_os()) {
        return serve::run_from_specs(&folder);
    }
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("check", arguments)) => check::run(arguments),
        Some(("budget", arguments)) => budget::run(arguments),
        Some(("diff", arguments)) => diff::run(arguments),
        Some(("explain", arguments)) => explain::run(arguments),
        Some(("docs", arguments)) => docs::run(arguments),
        Some(("doctor", arguments)) => doctor::run(arguments),
        Some(("install", arguments)) => install::run(Verb::Install, arguments),
        Some(("uninstall", arguments)) => install::run(Verb::Uninstall, arguments),
        Some(("new", arguments)) => new::run(arguments),
        Some(("add-tool", arguments)) => add_tool::run(arguments),
        Some(("tour", _)) => tour::run(),
        Some((wa::PANE_HOST, arguments)) => ExitCode::from(wa::run_pane_host(arguments)),
        Some(("serve", arguments)) => serve::run(arguments),
        Some(("call", arguments)) => call::run(&surfaces::all(), arguments),
        Some((name, arguments)) => {
            shell::run(name, arguments, command).unwrap_or(ExitCode::from(USAGE))
        }
        None => ExitCode::from(USAGE),
    }
}

/// The whole command line of `toolwright`, for help and completions.
pub fn command() -> Command {
    let root = Command::new("toolwright");
    // Embedded panes are owned by whatever program serves them.
    let root = root.subcommand(wa::pane_host(Command::new(wa::PANE_HOST)));
    let root = root
        .about("Contract-first MCP servers: check contracts, serve surfaces")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check::command())
        .subcommand(budget::command())
        .subcommand(diff::command())
        .subcommand(explain::command())
        .subcommand(docs::command())
        .subcommand(new::command())
        .subcommand(add_tool::command())
        .subcommand(serve::command())
        .subcommand(call::command(&surfaces::all()))
        .subcommands(install::commands())
        .subcommand(doctor::command())
        .subcommand(Command::new("tour").about("Demonstrate every surface in a temporary folder"));
    shell::with_shell_commands(root)
}

/// `specs` or another folder of contracts.
fn specs_argument() -> Arg {
    Arg::new("specs").value_name("FOLDER").default_value("specs").help("Folder of contracts")
}
