//! `toolwright docs`: refreshes the generated tables of Markdown files and the reference of the spec
//! language, or writes the catalogue of the contracts as Markdown or as a static site.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::docs::{self, File, Format};
use toolwright_codegen::model::Contract;

use toolwright_commands::{USAGE, terminal};

use super::specs_argument;

/// The reference of the spec language, which is generated as a whole.
const REFERENCE: &str = "docs/spec-language.md";

/// An exit status and its message.
type Problem = (u8, String);

/// The command.
pub(super) fn command() -> Command {
    Command::new("docs")
        .about("Refresh generated tables and the language reference, or write the catalogue")
        .long_about(
            "Without --format: refreshes the tables between markers in Markdown files, and the reference \
             of the spec language, docs/spec-language.md, where it exists.\n\
             With --format: writes the catalogue of the contracts, an index and a page for each surface, \
             to the folder --out; without --out, one page to standard output.\n\
             Exit status: 0 done, 1 findings or stale files, 2 a folder or file cannot be used.",
        )
        .arg(specs_argument())
        .arg(Arg::new("file").long("file").action(ArgAction::Append).conflicts_with("format").help(
            "Markdown file with markers such as <!-- tools:wink --> … <!-- /tools:wink --> \
                 [default: README.md, src/<surface>/README.md, docs/spec-language.md]",
        ))
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(["md", "html"])
                .help("Write the catalogue as Markdown or as a static site"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .requires("format")
                .help("Folder of the catalogue; other files in it are never touched"),
        )
        .arg(
            Arg::new("surface")
                .long("surface")
                .value_name("NAME")
                .action(ArgAction::Append)
                .requires("format")
                .help("Only this surface; can be repeated"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Change nothing; exit with 1 if a table or page is stale"),
        )
}

/// Refreshes, writes or checks.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let specs = arguments.get_one::<String>("specs").cloned().unwrap_or_default();
    let loaded = toolwright_codegen::load(Path::new(&specs));
    if loaded.report.has_errors() {
        terminal::message(&loaded.report.render(Colour::Never));
        return ExitCode::FAILURE;
    }
    let done = match arguments.get_one::<String>("format").map(String::as_str) {
        None => refresh_all(arguments, &loaded.contracts),
        Some("md") => catalogue(arguments, &specs, loaded.contracts, Format::Markdown),
        Some(_) => catalogue(arguments, &specs, loaded.contracts, Format::Html),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            problems
                .iter()
                .for_each(|(_, problem)| terminal::message(&format!("error: {problem}")));
            ExitCode::from(problems.iter().map(|(exit, _)| *exit).max().unwrap_or(USAGE))
        }
    }
}

fn refresh_all(arguments: &ArgMatches, contracts: &[Contract]) -> Result<(), Vec<Problem>> {
    let files: Vec<PathBuf> = match arguments.get_many::<String>("file") {
        Some(files) => files.map(PathBuf::from).collect(),
        None => default_files(contracts),
    };
    let check = arguments.get_flag("check");
    let refreshed = files.iter().map(|file| {
        refresh(file, contracts, check)
            .map_err(|(exit, problem)| (exit, format!("`{}` {problem}", file.display())))
    });
    all(refreshed)
}

/// The README, the README of each surface and the language reference, as far as they exist.
fn default_files(contracts: &[Contract]) -> Vec<PathBuf> {
    let pages = contracts.iter().map(|contract| format!("src/{}/README.md", contract.name));
    let pages = pages.chain([REFERENCE.to_owned()]).map(PathBuf::from);
    let pages = pages.filter(|page| page.exists());
    std::iter::once(PathBuf::from("README.md")).chain(pages).collect()
}

fn refresh(file: &Path, contracts: &[Contract], check: bool) -> Result<(), Problem> {
    let old = std::fs::read_to_string(file).map_err(|error| (USAGE, error.to_string()))?;
    let new = if docs::is_reference(&old) {
        docs::reference()
    } else {
        docs::refresh(&old, contracts).map_err(|problem| (USAGE, problem))?
    };
    if new == old {
        return Ok(());
    }
    if check {
        return Err((1, "is stale; run `cargo run -- docs`".to_owned()));
    }
    std::fs::write(file, new).map_err(|error| (USAGE, error.to_string()))
}

fn catalogue(
    arguments: &ArgMatches,
    specs: &str,
    contracts: Vec<Contract>,
    format: Format,
) -> Result<(), Vec<Problem>> {
    let contracts = selected(arguments, specs, contracts).map_err(|problem| vec![problem])?;
    let Some(folder) = arguments.get_one::<String>("out").map(Path::new) else {
        let [contract] = contracts.as_slice() else {
            let problem = format!(
                "standard output takes one page; use `--surface NAME` ({}), or `--out DIR` for all",
                names(&contracts)
            );
            return Err(vec![(USAGE, problem)]);
        };
        terminal::data(&docs::page(contract, format));
        return Ok(());
    };
    let files = docs::catalogue(&contracts, format);
    // Nothing is written if any path is occupied.
    let states: Vec<State> = files.iter().map(|file| state(folder, file)).collect();
    all(states.iter().zip(&files).map(|(state, file)| match state {
        State::Occupied(problem) => {
            let path = folder.join(&file.name);
            Err((USAGE, format!("`{}` {problem}", path.display())))
        }
        State::Fresh | State::Stale => Ok(()),
    }))?;
    let stale = files.iter().zip(&states).filter(|(_, state)| matches!(state, State::Stale));
    let stale: Vec<&File> = stale.map(|(file, _)| file).collect();
    if arguments.get_flag("check") {
        return all(stale.iter().map(|file| {
            let path = folder.join(&file.name);
            Err((1, format!("`{}` is stale; run without --check", path.display())))
        }));
    }
    let unwritable = |error: std::io::Error| {
        let advice = "make it a writable folder, or name another one with `--out`";
        (USAGE, format!("`{}` cannot be written: {error}; {advice}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| vec![unwritable(error)])?;
    for file in &stale {
        let written = std::fs::write(folder.join(&file.name), &file.text);
        written.map_err(|error| vec![unwritable(error)])?;
    }
    let pages = files.len();
    terminal::message(&format!("{}: {pages} pages, {} written", folder.display(), stale.len()));
    Ok(())
}

/// The selected contracts; all by default.
fn selected(
    arguments: &ArgMatches,
    specs: &str,
    mut contracts: Vec<Contract>,
) -> Result<Vec<Contract>, Problem> {
    if contracts.is_empty() {
        return Err((
            USAGE,
            format!("`{specs}` has no contracts; name the folder that contains them"),
        ));
    }
    let Some(wanted) = arguments.get_many::<String>("surface") else { return Ok(contracts) };
    let wanted: Vec<&String> = wanted.collect();
    let is_there = |name: &str| contracts.iter().any(|contract| contract.name == name);
    if let Some(unknown) = wanted.iter().find(|name| !is_there(name)) {
        let known = names(&contracts);
        return Err((USAGE, format!("`{specs}` has no surface `{unknown}`; it has {known}")));
    }
    contracts.retain(|contract| wanted.contains(&&contract.name));
    Ok(contracts)
}

fn names(contracts: &[Contract]) -> String {
    let names: Vec<&str> = contracts.iter().map(|contract| contract.name.as_str()).collect();
    names.join(", ")
}

/// State of an output path.
enum State {
    /// The same bytes.
    Fresh,
    /// Missing, or an older generated page.
    Stale,
    /// Not generated, or not readable.
    Occupied(String),
}

fn state(folder: &Path, file: &File) -> State {
    match std::fs::read(folder.join(&file.name)) {
        Ok(old) if old == file.text.as_bytes() => State::Fresh,
        Ok(old) if docs::is_ours(&String::from_utf8_lossy(&old)) => State::Stale,
        Ok(_) => State::Occupied(
            "was not written by `toolwright docs` and is not overwritten; move it, or name another \
             folder with `--out`"
                .to_owned(),
        ),
        // Problems with the folder itself are reported when it is created.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            State::Stale
        }
        Err(error) => State::Occupied(format!("cannot be read: {error}; check its permissions")),
    }
}

/// Collects all problems.
fn all(results: impl Iterator<Item = Result<(), Problem>>) -> Result<(), Vec<Problem>> {
    let problems: Vec<Problem> = results.filter_map(Result::err).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
