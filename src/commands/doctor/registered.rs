//! Starts what a client would start, with the arguments and the environment of its entry.
//!
//! The server does not open its store: it reads its settings, answers the handshake and lists its tools.
//! So nothing is created, migrated or watched.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::clients::{Checked, EntryLocation};
use super::start::{DESKTOP, Seen, start};
use crate::install::client::Scope;
use crate::install::server::{self, Entry};
use crate::mock::HANDSHAKE_ONLY;
use toolwright_platform::health::Row;

/// The revision that most clients speak.
const REVISION: &str = "2025-11-25";

/// An entry that starts this surface.
pub(super) struct Registration<'a> {
    pub(super) place: &'a EntryLocation,
    pub(super) entry: &'a Value,
    pub(super) started: &'a Entry,
    pub(super) checked: &'a Checked<'a>,
}

impl Registration<'_> {
    /// What came of the start.
    pub(super) fn row(&self, measured: &str) -> Row {
        let check = self.place.check.as_str();
        let off = self.entry["disabled"] == true || self.entry["enabled"] == false;
        let off = if off { ", switched off in the client" } else { "" };
        let bad = |cause: String| {
            Row::bad(check, format!("{measured}{off}, which does not serve"))
                .expected("a server that answers the handshake and lists its tools")
                .cause(cause)
                .remedy("Correct the entry, or run `install` again with --force.")
        };
        if !self.started.is_server(self.checked.info) {
            return bad("its arguments do not start a server, so it was not started".to_owned());
        }
        let (command, secrets) = match self.command() {
            Ok(command) => command,
            Err(reference) => {
                return Row::doubtful(check, format!("{measured}{off}"))
                    .cause(format!("not started: only the client can fill in {reference}"));
            }
        };
        let seen = tempfile::tempdir()
            .map_err(|error| format!("cannot create a temporary folder: {error}"))
            .and_then(|folder| start(command, REVISION, &folder.path().join("stderr")));
        match seen {
            Ok(seen) => self.answered(&seen, &format!("{measured}{off}")),
            Err(cause) if cause.contains(HANDSHAKE_ONLY) => {
                Row::doubtful(check, format!("{measured}{off}"))
                    .expected(self.checked.expected())
                    .cause(
                        "another version, which cannot be started without its store, so it was not",
                    )
                    .remedy("Run `install` again with --force.")
            }
            Err(cause) => bad(without(&cause, &secrets)),
        }
    }

    fn answered(&self, seen: &Seen, measured: &str) -> Row {
        let check = self.place.check.as_str();
        let measured = format!("{measured}: {} tools", seen.tools.len());
        if seen.serves(self.checked.info) {
            return Row::good(check, measured);
        }
        Row::doubtful(check, measured)
            .expected(self.checked.expected())
            .cause("it serves another version of the contract")
            .remedy("Run `install` again with --force.")
    }

    /// The command as a client runs it, and the values that must not be shown. The error is a reference
    /// that cannot be resolved here.
    fn command(&self) -> Result<(Command, Vec<String>), String> {
        let environment = self.checked.environment;
        let mut command = Command::new(&self.started.command);
        command.args(&self.started.args).arg(format!("--{HANDSHAKE_ONLY}"));
        command.env_clear().envs(DESKTOP.iter().copied());
        command.envs(environment.home.iter().map(|home| ("HOME", home)));
        command.current_dir(self.folder());
        let mut secrets = Vec::new();
        for (name, value) in server::variables(self.entry) {
            let value = resolved(&value).ok_or_else(|| format!("the variable `{name}`"))?;
            command.env(&name, &value);
            let mut settings = self.checked.info.all_settings();
            if !settings.any(|setting| setting.env == Some(&name) && !setting.secret) {
                secrets.push(value);
            }
        }
        for name in self.entry["env_vars"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            command.envs(std::env::var_os(name).map(|value| (name.to_owned(), value)));
        }
        if let Some(argument) = self.started.args.iter().find(|it| it.contains("${input:")) {
            return Err(format!("`{argument}`"));
        }
        Ok((command, secrets))
    }

    fn folder(&self) -> PathBuf {
        let base = match self.place.scope {
            Scope::Project => self.checked.environment.cwd.as_path(),
            Scope::User => Path::new("/"),
        };
        let named = self.entry["cwd"].as_str().map(|cwd| base.join(cwd));
        named.filter(|folder| folder.is_dir()).unwrap_or_else(|| base.to_owned())
    }
}

/// A value in which the client would replace `${NAME}` or `${env:NAME}`.
fn resolved(value: &str) -> Option<String> {
    let Some((before, rest)) = value.split_once("${") else { return Some(value.to_owned()) };
    let (name, after) = rest.split_once('}')?;
    let found = std::env::var(name.strip_prefix("env:").unwrap_or(name)).ok()?;
    Some(format!("{before}{found}{}", resolved(after)?))
}

/// The text without the values.
fn without(text: &str, secrets: &[String]) -> String {
    let long = secrets.iter().filter(|secret| secret.len() > 3);
    long.fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}
