//! What the command line knows of a surface: its contract, how to open it, and what else its binary
//! can do.

use std::sync::Arc;

use clap::{ArgMatches, Command};
use serde_json::Value;

use toolwright_platform::health::Row;
use toolwright_runtime::Dispatch;
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};

/// A surface: its contract, how to open it, and what else its binary can do.
pub struct SurfaceEntry {
    /// The contract.
    pub info: &'static SurfaceInfo,
    /// Connects the handlers to their store.
    pub open: OpenSurface,
    /// Version of the product.
    pub version: &'static str,
    /// Commands beside the tools' twins.
    pub extras: &'static [ExtraCommand],
    /// Says an answer in words, for a person at a terminal.
    pub human: Option<HumanOutput>,
    /// Values that an argument could take now, for shells that complete words.
    pub complete: Option<Complete>,
    /// Looks at what the surface works on, without changing anything.
    pub doctor_checks: Option<DoctorChecks>,
    /// The client's folders matter: ask for them.
    pub client_roots: bool,
    /// Who verifies bearer tokens, where the transport carries them.
    pub bearer: Bearer,
}

impl SurfaceEntry {
    /// A surface with nothing but its contract and its handlers.
    pub const fn new(info: &'static SurfaceInfo, open: OpenSurface, version: &'static str) -> Self {
        Self {
            info,
            open,
            version,
            extras: &[],
            human: None,
            complete: None,
            doctor_checks: None,
            client_roots: false,
            bearer: Bearer::Transport,
        }
    }
}

/// Connects the handlers to their store. The notifier is that of the server they are opened for;
/// there is none for a single call on the command line.
pub type OpenSurface = fn(&Loaded, Option<Notifier>) -> Result<Arc<dyn Dispatch>, SettingsError>;

/// Says a tool's answer in words; `true` allows colours. `None` leaves it as JSON.
pub type HumanOutput = fn(&'static ToolInfo, &Value, bool) -> Option<String>;

/// The values that the named argument of a tool could take now. It may be asked at every key that a
/// person presses: it is quick, changes nothing, and answers with nothing where it cannot know.
pub type Complete = fn(&Loaded, &'static ToolInfo, &str) -> Vec<Candidate>;

/// A value that an argument could take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The value as it is typed.
    pub value: String,
    /// What it is, in a few words; may be empty.
    pub help: String,
}

/// Looks at stores, files and locks without changing anything, one row each.
pub type DoctorChecks = fn(&Loaded) -> Vec<Row>;

/// A command of a surface's binary beside the tools' twins.
pub struct ExtraCommand {
    /// Word on the command line.
    pub name: &'static str,
    /// For `--help`.
    pub about: &'static str,
    /// What it does.
    pub action: CommandAction,
}

/// What an [`ExtraCommand`] does.
pub enum CommandAction {
    /// Prints a text.
    Print(fn() -> String),
    /// Runs with the surface's settings and its own arguments; gives the exit status.
    Run {
        /// Adds the arguments.
        arguments: fn(Command) -> Command,
        /// Does it.
        run: fn(&Loaded, &ArgMatches) -> u8,
    },
}
