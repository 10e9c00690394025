//! `toolwright diff`: changes between two versions of the contracts, and whom they affect.
//!
//! Reads folders and git revisions; writes only the changelog it is asked to refresh.

mod changelog;
mod git;
mod side;

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::diff::{Accepted, Diff};
use toolwright_runtime::clock::{Clock, SystemClock};

use side::Side;
use toolwright_commands::{USAGE, terminal};

/// Why there is no diff, and what to do.
pub(super) enum Problem {
    /// Bad input.
    Said(String),
    /// The requested history is not in this clone.
    NoHistory(String),
}

impl Problem {
    fn text(&self) -> &str {
        match self {
            Self::Said(text) | Self::NoHistory(text) => text,
        }
    }
}

/// The command.
pub(super) fn command() -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("diff")
        .about("Report what changes between two versions of the contracts")
        .long_about(
            "Reports what changes between two versions of the contracts, one finding per change:\n\
             `wire` (calls fail or mean something else), `result` (what callers read vanishes or\n\
             changes), `policy` (guards, roles, hints, budgets, settings) and `prose`.\n\
             A version is a folder of specs, a git revision, or REVISION:FOLDER.\n\
             Exit status: 0 nothing breaks, 1 something breaks, 2 a version cannot be read.",
        )
        .arg(
            Arg::new("old")
                .value_name("OLD")
                .required_unless_present("refresh")
                .help("Version to compare with"),
        )
        .arg(Arg::new("new").value_name("NEW").help("New version [default: --specs]"))
        .arg(
            Arg::new("specs")
                .long("specs")
                .value_name("FOLDER")
                .default_value("specs")
                .help("Folder of contracts, also within revisions"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(["text", "json", "github"])
                .default_value("text")
                .help("Text for users, JSON for programs, workflow commands for reviews"),
        )
        .arg(
            Arg::new("accepted")
                .long("accepted")
                .value_name("FILE")
                .help("File of accepted breaks [default: accepted-breaks.yaml of NEW]"),
        )
        .arg(flag("changelog").help("Print a Markdown section instead"))
        .arg(
            Arg::new("refresh")
                .long("refresh")
                .value_name("FILE")
                .conflicts_with_all(["old", "new", "changelog"])
                .help(
                    "Rewrite the section between <!-- changes:since REVISION --> and \
                     <!-- /changes -->",
                ),
        )
        .arg(
            flag("check")
                .requires("refresh")
                .help("Change nothing; exit with 1 if the file is stale"),
        )
}

/// Compares and prints.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let text = |name: &str| arguments.get_one::<String>(name).map(String::as_str);
    let specs = text("specs").unwrap_or("specs");
    let done = match (text("refresh"), text("old")) {
        (Some(file), _) => {
            let accepted = text("accepted").map(Path::new);
            changelog::refresh(Path::new(file), specs, accepted, arguments.get_flag("check"))
        }
        (None, Some(old)) => compare(arguments, specs, old),
        (None, None) => return ExitCode::from(USAGE),
    };
    done.unwrap_or_else(|problem| {
        terminal::message(&format!("error: {}", problem.text()));
        ExitCode::from(USAGE)
    })
}

fn compare(arguments: &ArgMatches, specs: &str, old: &str) -> Result<ExitCode, Problem> {
    let text = |name: &str| arguments.get_one::<String>(name).map(String::as_str);
    let old = Side::read(old, specs)?;
    let new = Side::read(text("new").unwrap_or(specs), specs)?;
    let accepted = accepted(text("accepted").map(Path::new), &new)?;
    let mut diff = Diff::new(old.version(), new.version(), Some(&today()));
    diff.accept(&accepted);
    match text("format") {
        _ if arguments.get_flag("changelog") => {
            terminal::data(&changelog::section(&old, &new, &accepted));
        }
        Some("json") => terminal::line(&diff.to_json().to_string()),
        Some("github") => terminal::data(&diff.to_github()),
        _ => {
            let colour = if terminal::is_colourful() { Colour::Always } else { Colour::Never };
            terminal::data(&diff.to_text(colour));
        }
    }
    let breaks = diff.changes.iter().any(|change| change.is_open_break());
    Ok(if breaks { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The accepted breaks: of the named file, or of the new version.
fn accepted(file: Option<&Path>, new: &Side) -> Result<Accepted, Problem> {
    let (path, bytes) = match (file, &new.accepted) {
        (Some(file), _) => {
            let bytes = std::fs::read(file);
            (
                file.to_owned(),
                bytes.map_err(|e| Problem::Said(format!("`{}`: {e}", file.display())))?,
            )
        }
        (None, Some((path, bytes))) => (path.clone(), bytes.clone()),
        (None, None) => return Ok(Accepted::default()),
    };
    Accepted::read(&path, &bytes).map_err(|report| {
        let path = path.display();
        Problem::Said(format!("`{path}` cannot be used\n\n{}", report.render(Colour::Never)))
    })
}

fn today() -> String {
    SystemClock::default().now().strftime("%Y-%m-%d").to_string()
}
