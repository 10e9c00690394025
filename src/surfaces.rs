//! The surfaces that this build contains, one cargo feature each.

use std::sync::Arc;

use serde_json::Value;
use toolwright_runtime::Dispatch;
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};
use toolwright_runtime::settings::{Loaded, SettingsError};

/// A surface: its contract, how to open it, and what else its binary can do.
pub struct SurfaceEntry {
    /// The contract.
    pub info: &'static SurfaceInfo,
    /// Connects the handlers to their store.
    pub open: fn(&Loaded) -> Result<Arc<dyn Dispatch>, SettingsError>,
    /// Commands beside the tools' twins.
    pub extras: &'static [Extra],
    /// Says an answer in words, for a person at a terminal.
    pub human: Option<Human>,
    /// The client's folders matter: ask for them.
    pub client_roots: bool,
}

/// Says a tool's answer in words; `true` allows colours. `None` leaves it as JSON.
pub type Human = fn(&'static ToolInfo, &Value, bool) -> Option<String>;

/// A command of a surface's binary that prints a text.
pub struct Extra {
    /// Word on the command line.
    pub name: &'static str,
    /// For `--help`.
    pub about: &'static str,
    /// Makes the text.
    pub text: fn() -> String,
}

/// All surfaces, sorted by name.
pub fn all() -> Vec<SurfaceEntry> {
    vec![
        #[cfg(feature = "agentpack")]
        crate::agentpack::entry(),
        #[cfg(feature = "wink")]
        crate::wink::entry(),
    ]
}

/// One surface by name.
pub fn find(name: &str) -> Option<SurfaceEntry> {
    all().into_iter().find(|surface| surface.info.name == name)
}
