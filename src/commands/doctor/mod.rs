//! `doctor`: checks a server's setup on this machine. Read-only.
//!
//! Each check returns a row: measured value, expected value, remedy. Servers are started with an empty
//! temporary folder as their home, so that nothing is created in the user's home. Exit status: 0 all
//! good or doubtful, 1 something is bad, 2 bad input.

mod clients;
mod launch;
mod registered;
mod report;
mod settings;
mod start;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use toolwright_platform::health::{Row, Verdict};

use super::entry::SurfaceEntry;
use super::install::environment::Environment;
use super::install::server::{Program, Server};
use super::{exposure, http, serve, terminal};
use report::Report;

const JSON: &str = "doctor json";

/// Adds the flags of the command.
pub fn with_flags(command: Command) -> Command {
    let json = Arg::new(JSON).long("json").action(ArgAction::SetTrue).global(true);
    command
        .long_about(
            "Checks the setup on this machine: whether servers start as clients start them, their \
             settings, their stores, and the client configurations that name them. Changes nothing.\n\
             Exit status: 0 all good or doubtful, 1 something is bad, 2 bad input.",
        )
        .arg(json.help("Print one JSON object"))
        .args(http::secret_flags())
}

/// Checks these surfaces, each with its flags, and prints the rows.
pub fn run(
    surfaces: &[(&SurfaceEntry, Option<&ArgMatches>)],
    program: Program,
    matches: &ArgMatches,
) -> ExitCode {
    let environment = match Environment::from_process() {
        Ok(environment) => environment,
        Err(error) => {
            terminal::message(&format!("error: cannot determine the environment: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let secrets = http::secret_files(matches);
    let reports: Vec<Report> = surfaces
        .iter()
        .map(|(entry, flags)| Report {
            surface: entry.info.name,
            version: entry.version,
            rows: run_checks(entry, *flags, program, &environment, &secrets),
        })
        .collect();
    terminal::data(&if matches.get_flag(JSON) {
        report::json(&reports)
    } else {
        report::text(&reports)
    });
    let is_bad = reports.iter().any(|report| report.verdict() == Verdict::Bad);
    if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_checks(
    entry: &SurfaceEntry,
    flags: Option<&ArgMatches>,
    program: Program,
    environment: &Environment,
    secrets: &[PathBuf],
) -> Vec<Row> {
    let info = entry.info;
    let server = Server::of(info, program, environment);
    let mut rows = vec![Row::good(
        "contract",
        format!(
            "{} with {} tools, digest {}",
            info.contract,
            info.listed_tools().count(),
            info.digest
        ),
    )];
    rows.extend(launch::rows(info, &server));
    let loaded = serve::load(entry, flags);
    rows.extend(settings::rows(&loaded));
    if let (Ok(loaded), Some(doctor_checks)) = (&loaded, entry.doctor_checks) {
        rows.extend(doctor_checks(loaded));
    }
    if let Ok(loaded) = &loaded {
        rows.extend(exposure::rows(entry, loaded, secrets));
    }
    rows.extend(clients::Checked { info, server: &server, environment }.rows());
    rows
}
