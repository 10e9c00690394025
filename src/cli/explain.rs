//! `toolwright explain`: details of a compiler finding, or of an error code: of the contracts in the
//! current folder, and of the surfaces of this build.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use toolwright_codegen::Loaded;
use toolwright_codegen::model::Contract;
use toolwright_runtime::contract::{ErrorInfo, SurfaceInfo};

use crate::{from_specs, surfaces};
use toolwright_commands::{USAGE, terminal};

/// Where the contracts of the current folder are.
const SPECS: &str = "specs";

/// The command.
pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain a finding of `check` (TW001) or an error code of a contract")
        .long_about(
            "Explains a finding of `check` (TW001) or an error code of a contract: those in `specs/` \
             of this folder, and those of the surfaces of this build.",
        )
        .arg(Arg::new("code").required(true).value_name("CODE"))
}

/// Prints the explanation.
pub(super) fn run(arguments: &ArgMatches) -> ExitCode {
    let code = arguments.get_one::<String>("code").map_or("", String::as_str);
    if let Some(finding) = toolwright_codegen::diagnostics::explain(code) {
        terminal::line(&format!(
            "{}: {}\n\n{}",
            finding.code,
            finding.title,
            finding.explain.trim()
        ));
        return ExitCode::SUCCESS;
    }
    let loaded = toolwright_codegen::load(Path::new(SPECS));
    let found: Vec<_> = all_surfaces(&loaded.contracts)
        .into_iter()
        .flat_map(|surface| surface.errors.iter().map(move |error| (surface, *error)))
        .filter(|(_, error)| {
            error.code == code || error.kind == code || error.aliases.contains(&code)
        })
        .collect();
    if found.is_empty() {
        terminal::message(&format!(
            "error: `{code}` is neither a finding of `toolwright check` nor an error code of a surface{}",
            unread(&loaded)
        ));
        return ExitCode::from(USAGE);
    }
    for (surface, error) in found {
        terminal::line(&describe(surface, error));
    }
    ExitCode::SUCCESS
}

/// The contracts of the current folder, then those surfaces of this build that are not among them.
fn all_surfaces(contracts: &[Contract]) -> Vec<&'static SurfaceInfo> {
    let mut all: Vec<_> = contracts.iter().filter_map(from_specs::surface_info).collect();
    for entry in surfaces::all() {
        if all.iter().all(|own| own.name != entry.info.name) {
            all.push(entry.info);
        }
    }
    all
}

/// Says that contracts of the current folder could not be read.
fn unread(loaded: &Loaded) -> &'static str {
    let is_there = Path::new(SPECS).is_dir();
    if is_there && loaded.report.has_errors() {
        "; `specs/` has errors, see `toolwright check`"
    } else {
        ""
    }
}

fn describe(surface: &SurfaceInfo, error: &ErrorInfo) -> String {
    let mut text = format!("{} ({})\n\nWhen: {}\n", error.code, surface.name, error.when);
    if let Some(next) = error.next {
        let _ = writeln!(text, "Next: {next}");
    }
    let _ = writeln!(text, "Retry: {}", if error.retryable { "may help" } else { "does not help" });
    if !error.aliases.is_empty() {
        let _ = writeln!(text, "Also called: {}", error.aliases.join(", "));
    }
    let tools: Vec<_> = surface
        .tools
        .iter()
        .filter(|tool| tool.errors.contains(&error.kind))
        .map(|tool| tool.canonical)
        .collect();
    let _ = write!(text, "From: {}", tools.join(", "));
    text
}
