//! `toolwright explain`: details of a compiler finding or of an error code of a surface.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use toolwright_runtime::contract::{ErrorInfo, SurfaceInfo};

use crate::surfaces;
use toolwright_commands::{USAGE, terminal};

/// The command.
pub(super) fn command() -> Command {
    Command::new("explain")
        .about("Explain a finding of `check` (TW001) or an error code of a surface")
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
    let surfaces = surfaces::all();
    let found: Vec<_> = surfaces
        .iter()
        .flat_map(|surface| surface.info.errors.iter().map(|error| (surface.info, *error)))
        .filter(|(_, error)| {
            error.code == code || error.kind == code || error.aliases.contains(&code)
        })
        .collect();
    if found.is_empty() {
        terminal::message(&format!(
            "error: `{code}` is neither a finding of `toolwright check` nor an error code of a surface"
        ));
        return ExitCode::from(USAGE);
    }
    for (surface, error) in found {
        terminal::line(&describe(surface, error));
    }
    ExitCode::SUCCESS
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
