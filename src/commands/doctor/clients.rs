//! Rows about client configurations on this machine: which of them start this surface, and how.

use std::fs;
use std::path::Path;

use crate::install::client::{Client, Scope};
use crate::install::environment::Environment;
use crate::install::server::{Entry, Server, is_executable};
use crate::install::text;
use toolwright_platform::health::Row;
use toolwright_runtime::contract::SurfaceInfo;

/// One row for each entry of this surface and for each file that cannot be read.
pub(super) fn rows(info: &SurfaceInfo, server: &Server, environment: &Environment) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut seen = Vec::new();
    for client in Client::ALL {
        for scope in client.scopes() {
            let file = client.file(*scope, environment).filter(|file| file.exists());
            // In the home folder the project's file may be the user's.
            if let Some(file) = file.filter(|file| !seen.contains(file)) {
                rows.extend(file_rows(client, *scope, &file, info, server));
                seen.push(file);
            }
        }
    }
    if rows.is_empty() {
        let measured = format!("no entry in the {} client configurations found", seen.len());
        rows.push(Row::good("clients", measured).remedy("Run `install --client …` to add one."));
    }
    rows
}

fn file_rows(
    client: Client,
    scope: Scope,
    file: &Path,
    info: &SurfaceInfo,
    server: &Server,
) -> Vec<Row> {
    let check = format!("client.{}.{}", client.name(), scope.name());
    let shown = file.display();
    let servers = fs::read_to_string(file)
        .map_err(|error| error.to_string())
        .and_then(|found| text::servers(&found, client.format()).map_err(|it| it.to_string()));
    let servers = match servers {
        Ok(servers) => servers,
        Err(cause) => {
            let row = Row::bad(check, format!("`{shown}` cannot be read"))
                .expected("a file that the client can read")
                .cause(cause)
                .remedy(format!("Fix the file; until then {} finds no servers.", client.title()));
            return vec![row];
        }
    };
    let entries = servers.as_object().into_iter().flatten();
    let ours = entries.filter_map(|(name, entry)| {
        let entry = Entry::read(entry).filter(|entry| entry.is_of(info, server))?;
        Some(entry_row(&check, &format!("`{name}` in `{shown}`"), &entry, server))
    });
    ours.collect()
}

fn entry_row(check: &str, location: &str, entry: &Entry, server: &Server) -> Row {
    let command = entry.command.display();
    let measured = format!("{location} runs `{command}`");
    let expected = format!("`{}`", server.command.display());
    let again = "Run `install` again with --force.";
    if !entry.command.is_absolute() {
        return Row::doubtful(check, measured)
            .expected(expected)
            .cause(
                "the command is not an absolute path; clients with another PATH will not find it",
            )
            .remedy(again);
    }
    if !is_executable(&entry.command) {
        let there = entry.command.exists();
        return Row::bad(check, measured)
            .expected(expected)
            .cause(if there { "it is not executable" } else { "the file does not exist" })
            .remedy(again);
    }
    if entry.command.canonicalize().is_ok_and(|command| command == server.command) {
        return Row::good(check, measured);
    }
    Row::doubtful(check, measured)
        .expected(expected)
        .cause("it is not the binary that was checked")
        .remedy(again)
}
