//! The surfaces that this build contains, one cargo feature each.

use std::sync::Arc;

use clap::{ArgMatches, Command};
use serde_json::Value;
use toolwright_runtime::Dispatch;
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};

/// A surface: its contract, how to open it, and what else its binary can do.
pub struct SurfaceEntry {
    /// The contract.
    pub info: &'static SurfaceInfo,
    /// Connects the handlers to their store.
    pub open: Open,
    /// Commands beside the tools' twins.
    pub extras: &'static [Extra],
    /// Says an answer in words, for a person at a terminal.
    pub human: Option<Human>,
    /// The client's folders matter: ask for them.
    pub client_roots: bool,
    /// Who verifies bearer tokens, where the transport carries them.
    pub bearer: Bearer,
}

/// Connects the handlers to their store. The notifier is that of the server they are opened for;
/// there is none for a single call on the command line.
pub type Open = fn(&Loaded, Option<Notifier>) -> Result<Arc<dyn Dispatch>, SettingsError>;

/// Says a tool's answer in words; `true` allows colours. `None` leaves it as JSON.
pub type Human = fn(&'static ToolInfo, &Value, bool) -> Option<String>;

/// A command of a surface's binary beside the tools' twins.
pub struct Extra {
    /// Word on the command line.
    pub name: &'static str,
    /// For `--help`.
    pub about: &'static str,
    /// What it does.
    pub does: Does,
}

/// What an [`Extra`] does.
pub enum Does {
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

/// All surfaces, sorted by name.
pub fn all() -> Vec<SurfaceEntry> {
    vec![
        #[cfg(feature = "agentpack")]
        crate::agentpack::entry(),
        #[cfg(feature = "wa")]
        crate::wa::entry(),
        #[cfg(feature = "wink")]
        crate::wink::entry(),
        #[cfg(feature = "worldforge")]
        crate::worldforge::entry(),
        #[cfg(feature = "yarnnn")]
        crate::yarnnn::entry(),
    ]
}

/// One surface by name.
pub fn find(name: &str) -> Option<SurfaceEntry> {
    all().into_iter().find(|surface| surface.info.name == name)
}
