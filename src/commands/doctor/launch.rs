//! Rows about starting the server: runs the command that `install` writes, in the minimal environments
//! that clients provide, with every revision of the protocol.
//!
//! The home of these runs is an empty temporary folder: a server that creates its store at startup
//! creates it there.

use std::path::Path;
use std::process::Command;

use super::start::{DESKTOP, NEWEST, start};
use crate::install::server::Server;
use toolwright_platform::health::Row;
use toolwright_runtime::contract::SurfaceInfo;

/// Revisions with a handshake, and the one without.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", NEWEST];

/// Rows about starts and revisions.
pub(super) fn rows(info: &SurfaceInfo, server: &Server) -> Vec<Row> {
    let home = match tempfile::tempdir() {
        Ok(home) => home,
        Err(error) => {
            return vec![
                Row::doubtful("launch", "not tried")
                    .cause(format!("cannot create a temporary folder: {error}")),
            ];
        }
    };
    let starts = [("launch.empty", &[][..]), ("launch.desktop", DESKTOP), ("", &[]), ("", &[])];
    let tried: Vec<Result<String, String>> = starts
        .iter()
        .zip(REVISIONS)
        .map(|((_, variables), revision)| probe(info, server, variables, revision, home.path()))
        .collect();
    let command = format!("`{} {}`", server.command.display(), server.args.join(" "));
    let mut rows: Vec<Row> = starts
        .iter()
        .zip(&tried)
        .filter(|((check, _), _)| !check.is_empty())
        .map(|((check, _), tried)| match tried {
            Ok(measured) => Row::good(*check, format!("{command}: {measured}")),
            Err(cause) => Row::bad(*check, format!("{command} does not serve"))
                .expected(format!(
                    "{} tools and the digest of this contract",
                    info.listed_tools().count()
                ))
                .cause(cause.clone())
                .remedy("Run it manually with `env -i` and read its output."),
        })
        .collect();
    rows.push(revisions(&tried));
    rows
}

fn revisions(tried: &[Result<String, String>]) -> Row {
    let answered = REVISIONS.iter().zip(tried).filter(|(_, tried)| tried.is_ok());
    let answered: Vec<&str> = answered.map(|(revision, _)| *revision).collect();
    let failed = REVISIONS
        .iter()
        .zip(tried)
        .find_map(|(revision, tried)| Some(format!("{revision}: {}", tried.as_ref().err()?)));
    match failed {
        None => Row::good("protocol", answered.join(", ")),
        Some(cause) => {
            Row::bad("protocol", answered.join(", ")).expected(REVISIONS.join(", ")).cause(cause)
        }
    }
}

/// Starts the server and lists its tools; returns the measured value or the error.
fn probe(
    info: &SurfaceInfo,
    server: &Server,
    variables: &[(&str, &str)],
    revision: &str,
    home: &Path,
) -> Result<String, String> {
    let mut command = Command::new(&server.command);
    command.args(&server.args).current_dir("/").env_clear().env("HOME", home);
    command.envs(variables.iter().copied());
    let seen = start(command, revision, &home.join(format!("stderr-{revision}")))?;
    if seen.tools.len() != info.listed_tools().count() {
        return Err(format!("it lists {} tools", seen.tools.len()));
    }
    if !seen.serves(info) {
        return Err("it serves another version of the contract".to_owned());
    }
    Ok(format!("{} tools, digest as expected", seen.tools.len()))
}
