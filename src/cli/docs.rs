//! `toolwright docs`: the tables of Markdown files, between their markers, from the contracts.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::docs;
use toolwright_codegen::model::Contract;

use super::{USAGE, specs_argument, terminal};

/// The verb.
pub(super) fn command() -> Command {
    Command::new("docs")
        .about("Refresh the tables between markers in Markdown files")
        .arg(specs_argument())
        .arg(Arg::new("file").long("file").action(ArgAction::Append).help(
            "Markdown file with markers such as <!-- tools:wink --> … <!-- /tools:wink --> \
                 [default: README.md and src/<surface>/README.md]",
        ))
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Change nothing; exit with 1 when a table is not up to date"),
        )
}

/// Refreshes or checks.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let specs = arguments.get_one::<String>("specs").cloned().unwrap_or_default();
    let loaded = toolwright_codegen::load(Path::new(&specs));
    if loaded.report.has_errors() {
        terminal::talk(&loaded.report.render(Colour::Never));
        return ExitCode::FAILURE;
    }
    let files: Vec<PathBuf> = match arguments.get_many::<String>("file") {
        Some(files) => files.map(PathBuf::from).collect(),
        None => default_files(&loaded.contracts),
    };
    let check = arguments.get_flag("check");
    let mut worst = 0;
    for file in files {
        if let Err((exit, problem)) = refresh(&file, &loaded.contracts, check) {
            terminal::talk(&format!("error: `{}` {problem}", file.display()));
            worst = worst.max(exit);
        }
    }
    ExitCode::from(worst)
}

/// The README, and the page of each surface that has one.
fn default_files(contracts: &[Contract]) -> Vec<PathBuf> {
    let pages = contracts.iter().map(|contract| format!("src/{}/README.md", contract.name));
    let pages = pages.map(PathBuf::from).filter(|page| page.exists());
    std::iter::once(PathBuf::from("README.md")).chain(pages).collect()
}

fn refresh(file: &Path, contracts: &[Contract], check: bool) -> Result<(), (u8, String)> {
    let old = std::fs::read_to_string(file).map_err(|error| (USAGE, error.to_string()))?;
    let new = docs::refresh(&old, contracts).map_err(|problem| (USAGE, problem))?;
    if new == old {
        return Ok(());
    }
    if check {
        return Err((1, "is stale; run `cargo run -- docs`".to_owned()));
    }
    std::fs::write(file, new).map_err(|error| (USAGE, error.to_string()))
}
