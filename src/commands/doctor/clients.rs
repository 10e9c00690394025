//! Rows about client configurations on this machine: which of them start this surface, and how. What was
//! registered is started; what may be another's program is only named.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::registered::Registration;
use crate::install::client::{Client, Scope};
use crate::install::environment::Environment;
use crate::install::receipt::Receipts;
use crate::install::server::{Entry, Server, is_executable};
use crate::install::{is_ours, text};
use toolwright_platform::health::Row;
use toolwright_runtime::contract::SurfaceInfo;

const AGAIN: &str = "Run `install` again with --force.";

/// What the rows are about.
pub(super) struct Checked<'a> {
    pub(super) info: &'static SurfaceInfo,
    pub(super) server: &'a Server,
    pub(super) environment: &'a Environment,
}

impl Checked<'_> {
    /// Rows for each entry of this surface, and for each file that cannot be read.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut seen = Vec::new();
        for client in Client::ALL {
            for scope in client.scopes() {
                let file = client.file(*scope, self.environment).filter(|file| file.exists());
                // In the home folder the project's file may be the user's.
                if let Some(file) = file.filter(|file| !seen.contains(file)) {
                    rows.extend(self.file_rows(client, *scope, &file));
                    seen.push(file);
                }
            }
        }
        if rows.is_empty() {
            let measured = format!("no entry in the {} client configurations found", seen.len());
            rows.push(
                Row::good("clients", measured).remedy("Run `install --client …` to add one."),
            );
        }
        rows
    }

    fn file_rows(&self, client: Client, scope: Scope, file: &Path) -> Vec<Row> {
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
                    .remedy(format!(
                        "Fix the file; until then {} finds no servers.",
                        client.title()
                    ));
                return vec![row];
            }
        };
        let place = EntryLocation {
            check,
            file: file.canonicalize().unwrap_or_else(|_| file.to_owned()),
            scope,
        };
        let entries = servers.as_object().into_iter().flatten();
        entries.filter_map(|(name, entry)| self.entry_row(&place, name, entry)).collect()
    }

    fn entry_row(&self, place: &EntryLocation, name: &str, entry: &Value) -> Option<Row> {
        let receipt = Receipts::of(self.environment).find(&place.file, name);
        let ours = is_ours(entry, receipt.as_ref(), self.info, self.server);
        let known = receipt.is_some_and(|receipt| receipt.is_for(self.info.name));
        let started = Entry::read(entry);
        let looks_like_it =
            name == self.info.name || started.as_ref().is_some_and(|it| it.is_like(self.info));
        if !ours && !known && !looks_like_it {
            return None;
        }
        let location = format!("`{name}` in `{}`", place.file.display());
        let check = place.check.as_str();
        let Some(started) = started else {
            // For a server over the network there is nothing to start.
            let remote = entry.get("url").is_some();
            let row = Row::doubtful(check, format!("{location} starts nothing")).remedy(AGAIN);
            return (known || !remote).then(|| row.expected(self.expected()));
        };
        let measured = format!("{location} runs `{}`", started.command.display());
        if let Some(row) = self.unusable(check, &measured, &started) {
            return Some(row);
        }
        if ours {
            let registration = Registration { place, entry, started: &started, checked: self };
            return Some(registration.row(&measured));
        }
        let cause = "it is not the binary that was checked, so it was not started";
        let row = match known {
            true => {
                Row::bad(check, measured).cause(format!("{cause}; it was changed since `install`"))
            }
            false => Row::doubtful(check, measured).cause(cause),
        };
        Some(row.expected(self.expected()).remedy(AGAIN))
    }

    /// A command that no client can run.
    fn unusable(&self, check: &str, measured: &str, started: &Entry) -> Option<Row> {
        let row = if !started.command.is_absolute() {
            Row::doubtful(check, measured).cause(
                "the command is not an absolute path; clients with another PATH will not find it",
            )
        } else if !is_executable(&started.command) {
            let there = started.command.exists();
            let cause = if there { "it is not executable" } else { "the file does not exist" };
            Row::bad(check, measured).cause(cause)
        } else {
            return None;
        };
        Some(row.expected(self.expected()).remedy(AGAIN))
    }

    pub(super) fn expected(&self) -> String {
        format!("`{}`", self.server.command.display())
    }
}

/// Where an entry is.
pub(super) struct EntryLocation {
    pub(super) check: String,
    /// Links resolved.
    pub(super) file: PathBuf,
    pub(super) scope: Scope,
}
