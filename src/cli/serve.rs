//! `toolwright serve`: any surface of this build, or a mock of any contract in a folder of specs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use toolwright_codegen::diagnostics::Colour;
use toolwright_commands::{SurfaceEntry, USAGE, http, mock, serve, surface, terminal};
use toolwright_runtime::settings::{SettingProblem, SettingsError};

use crate::{from_specs, surfaces};

const NAME: &str = "serve";
const SPECS: &str = "specs";

/// The command, for the surfaces of this build.
pub(super) fn command() -> Command {
    command_for(&surfaces::all())
}

/// Each surface is a subcommand, because each has its own settings.
fn command_for(entries: &[SurfaceEntry]) -> Command {
    let serve = Command::new(NAME)
        .about("Serve a surface over stdio, or over HTTP with --http")
        .subcommand_required(true)
        .arg_required_else_help(true)
        // A surface that is not there is answered with those that are.
        .allow_external_subcommands(true)
        .args(mock::flags().map(|flag| flag.global(true)))
        .arg(
            Arg::new(SPECS)
                .long(SPECS)
                .value_name("FOLDER")
                .help_heading("Mock")
                .help(
                    "With --mock: serve a contract of this folder, even without an implementation",
                )
                .global(true),
        );
    entries.iter().fold(serve, |command, entry| {
        let serve = http::with_flags(Command::new(entry.info.name).about(entry.info.title));
        command.subcommand(surface::with_settings(serve, entry.info))
    })
}

/// Serves a surface of this build.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    serve_one(&surfaces::all(), arguments, "in this build")
}

fn serve_one(entries: &[SurfaceEntry], arguments: &ArgMatches, place: &str) -> ExitCode {
    let Some((name, arguments)) = arguments.subcommand() else { return ExitCode::from(USAGE) };
    match entries.iter().find(|entry| entry.info.name == name) {
        Some(entry) => serve::run(entry, Some(arguments)),
        None => {
            let names: Vec<&str> = entries.iter().map(|entry| entry.info.name).collect();
            usage_error(&format!(
                "there is no surface `{name}` {place}; available: {}",
                names.join(", ")
            ))
        }
    }
}

/// The folder of `serve … --specs FOLDER`. It is read first, because its contracts define the flags.
pub(super) fn specs_folder(arguments: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != NAME {
        return None;
    }
    while let Some(argument) = arguments.next() {
        match argument.to_str().and_then(|text| text.strip_prefix("--specs")) {
            Some("") => return arguments.next().map(PathBuf::from),
            Some(value) if value.starts_with('=') => return Some(PathBuf::from(&value[1..])),
            _ => {}
        }
    }
    None
}

/// Serves a mock of a contract in the folder.
pub(super) fn run_from_specs(folder: &Path) -> ExitCode {
    if !folder.is_dir() {
        return usage_error(&format!(
            "`{}` is not a folder; name the folder of contracts",
            folder.display()
        ));
    }
    let contracts = match toolwright_codegen::load(folder).into_result() {
        Ok((contracts, _)) => contracts,
        Err(report) => {
            terminal::message(report.render(Colour::Never).trim_end());
            return ExitCode::from(USAGE);
        }
    };
    let tables = contracts.iter().filter_map(from_specs::surface_info);
    let entries: Vec<SurfaceEntry> =
        tables.map(|info| SurfaceEntry::new(info, no_code, env!("CARGO_PKG_VERSION"))).collect();
    let root = Command::new("toolwright").subcommand(command_for(&entries));
    let matches = root.get_matches();
    let Some((_, arguments)) = matches.subcommand() else { return ExitCode::from(USAGE) };
    if !mock::is_asked_for(arguments) {
        return usage_error(
            "contracts of a folder have no implementation; add --mock to serve a mock",
        );
    }
    serve_one(&entries, arguments, &format!("in `{}`", folder.display()))
}

/// Opens a surface without handlers; not called, because it is only served as a mock.
fn no_code(
    _: &toolwright_runtime::settings::Loaded,
    _: Option<toolwright_runtime::server::Notifier>,
) -> Result<std::sync::Arc<dyn toolwright_runtime::Dispatch>, SettingsError> {
    let message = "the contract has no handlers; add --mock".to_owned();
    let problem = SettingProblem { key: SPECS.to_owned(), source: None, message };
    Err(SettingsError { problems: vec![problem], warnings: Vec::new() })
}

fn usage_error(error: &str) -> ExitCode {
    terminal::message(&format!("error: {error}"));
    ExitCode::from(USAGE)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::specs_folder;

    #[test]
    fn the_folder_is_found_wherever_it_stands() {
        let folder = |line: &str| specs_folder(line.split(' ').map(OsString::from));
        assert_eq!(folder("tw serve --mock a --specs x").as_deref(), Some(Path::new("x")));
        assert_eq!(folder("tw serve --specs=x a --mock").as_deref(), Some(Path::new("x")));
        assert_eq!(folder("tw serve a --specsy x"), None);
        assert_eq!(folder("tw check --specs x"), None);
        assert_eq!(folder("tw"), None);
    }
}
