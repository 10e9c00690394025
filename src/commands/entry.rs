//! Describes a surface to the command line: its contract, how to open it, and its additional commands.

use std::sync::Arc;

use super::exposure::Private;
use clap::{ArgMatches, Command};
use serde_json::Value;

use toolwright_platform::health::Row;
use toolwright_runtime::Dispatch;
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};

/// A surface: its contract, how to open it, and its additional commands.
pub struct SurfaceEntry {
    /// The contract.
    pub info: &'static SurfaceInfo,
    /// Connects the handlers to their store.
    pub open: OpenSurface,
    /// Version of the product.
    pub version: &'static str,
    /// Commands besides the tool commands.
    pub extras: &'static [ExtraCommand],
    /// Renders an answer as text for the terminal.
    pub human: Option<HumanOutput>,
    /// Current candidates for an argument, for shell completion.
    pub complete: Option<Complete>,
    /// Read-only checks of the surface's stores and files, for `doctor`.
    pub doctor_checks: Option<DoctorChecks>,
    /// Settings without which calls over stdio would be for nobody; `install` asks for them.
    pub required: &'static [RequiredSetting],
    /// The files and folders that only the user should be able to open.
    pub private: Option<PrivateFiles>,
    /// Request the client's roots (workspace folders).
    pub client_roots: bool,
    /// Who verifies bearer tokens over HTTP.
    pub bearer: Bearer,
}

impl SurfaceEntry {
    /// A surface with only a contract and handlers.
    pub const fn new(info: &'static SurfaceInfo, open: OpenSurface, version: &'static str) -> Self {
        Self {
            info,
            open,
            version,
            extras: &[],
            human: None,
            complete: None,
            doctor_checks: None,
            required: &[],
            private: None,
            client_roots: false,
            bearer: Bearer::Transport,
        }
    }
}

/// A setting without which a server over stdio would serve nobody.
#[derive(Debug, Clone, Copy)]
pub struct RequiredSetting {
    /// Its key in the contract.
    pub key: &'static str,
    /// How to get a value, one sentence for the person who registers the server.
    pub how: &'static str,
}

/// Connects the handlers to their store. The notifier is that of the server; there is none for a
/// single call on the command line.
pub type OpenSurface = fn(&Loaded, Option<Notifier>) -> Result<Arc<dyn Dispatch>, SettingsError>;

/// Renders a tool's answer as text; `true` allows colours. `None` leaves it as JSON.
pub type HumanOutput = fn(&'static ToolInfo, &Value, bool) -> Option<String>;

/// Current candidates for an argument of a tool. May be called at every key press, so it must be fast
/// and change nothing. Returns an empty list if it has no candidates.
pub type Complete = fn(&Loaded, &'static ToolInfo, &str) -> Vec<Candidate>;

/// A candidate value of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The value as it is typed.
    pub value: String,
    /// A short description; may be empty.
    pub help: String,
}

/// Read-only checks of stores, files and locks; returns one row per check.
pub type DoctorChecks = fn(&Loaded) -> Vec<Row>;

/// The files and folders that only the user should be able to open; warns if others can.
pub type PrivateFiles = fn(&Loaded) -> Vec<Private>;

/// A command of a surface's binary besides the tool commands.
pub struct ExtraCommand {
    /// Name on the command line.
    pub name: &'static str,
    /// For `--help`.
    pub about: &'static str,
    /// The action.
    pub action: CommandAction,
}

/// The action of an [`ExtraCommand`].
pub enum CommandAction {
    /// Prints a text.
    Print(fn() -> String),
    /// Runs with the surface's settings and its own arguments; returns the exit status.
    Run {
        /// Adds the arguments.
        arguments: fn(Command) -> Command,
        /// Runs the command.
        run: fn(&Loaded, &ArgMatches) -> u8,
    },
}
