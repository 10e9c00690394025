//! The server. The contract is in `specs/`, the handlers are in `tools/`, the rest is generated.

#[path = "../generated/@name@.rs"]
#[rustfmt::skip]
mod generated;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use toolwright_commands::SurfaceEntry;
use toolwright_runtime::Dispatch;
use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};

use generated::{SURFACE, Surface};

/// State that the handlers share, such as a store.
pub struct Server;

fn main() -> ExitCode {
    toolwright_commands::run(&SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION")))
}

fn open(_: &Loaded, _: Option<Notifier>) -> Result<Arc<dyn Dispatch>, SettingsError> {
    Ok(Arc::new(Surface::new(Server)))
}
