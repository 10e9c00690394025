//! wa: watches and drives terminal panes under a policy.
//!
//! Panes live in WezTerm, tmux or embedded pseudo-terminals (`backend`, `embedded`). Their output is
//! captured and searchable (`watch`, `history`), rules detect events in it (`patterns`), workflows
//! handle them (`workflow`), and the policy decides first about everything that types into a pane
//! (`policy`, `drive`). All state is in one SQLite file in the workspace's `.wa` folder, shared by
//! every server and command of the workspace.
//!
//! Invariants:
//! - nothing is typed, reserved, started or approved without a policy decision, and every decision is
//!   recorded;
//! - what is unknown about a pane is reported as unknown, never guessed;
//! - dry runs and read tools change nothing;
//! - sequence numbers of captured output only grow, and missing output is an explicit gap;
//! - what a killed process leaves behind, the next one finishes or fails.
//!
//! The engine blocks; handlers run it on blocking threads. It is a guard rail, not a sandbox: a program
//! in a pane can do what its user can.

pub mod accounts;
mod agents;
pub mod backend;
mod cleaning;
mod complete;
mod doctor_checks;
mod drive;
pub mod embedded;
pub mod engine;
pub mod error;

#[path = "../../generated/wa.rs"]
#[rustfmt::skip]
pub mod generated;
mod admin;
pub mod history;
mod human;
pub mod model;
pub mod mux;
pub mod patterns;
pub mod policy;
pub mod redact;

mod service;
pub mod setup;
pub mod store;
mod tools;
pub mod watch;
pub mod why;
pub mod workflow;

use std::sync::Arc;

use toolwright_runtime::server::Notifier;
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Call, Dispatch, ErrorKind, Failure};

use crate::generated::{Error, Result, SURFACE, Surface};
pub use admin::{PANE_HOST, pane_host, run_pane_host};
use engine::{Engine, Setup};
use error::{Error as EngineError, Kind};
use model::{ActorKind, Millis};
use toolwright_commands::SurfaceEntry;

/// The surface's handlers.
pub struct Wa {
    engine: Arc<Engine>,
    /// Ends with the handlers.
    _service: Option<service::Service>,
}

/// The surface's entry in the registry.
pub fn entry() -> SurfaceEntry {
    SurfaceEntry {
        extras: admin::COMMANDS,
        human: Some(human::render),
        complete: Some(complete::values),
        doctor_checks: Some(doctor_checks::run),
        private: Some(doctor_checks::private),
        ..SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION"))
    }
}

fn open(
    loaded: &Loaded,
    notifier: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    let settings = loaded.typed()?;
    let actor = if notifier.is_some() { ActorKind::Mcp } else { ActorKind::Robot };
    let setup = setup::from_settings(&settings, actor);
    let watch = settings.watch_enabled;
    Ok(Arc::new(surface(setup, notifier.map(|notifier| (notifier, watch)))))
}

/// The surface with this engine. A server also notifies of changed resources, and records panes if
/// `watch` is set.
pub fn surface(setup: Setup, serving: Option<(Notifier, bool)>) -> Surface<Wa> {
    let engine = Arc::new(Engine::new(setup));
    let service = serving
        .map(|(notifier, watch)| service::Service::start(Arc::clone(&engine), notifier, watch));
    Surface::new(Wa { engine, _service: service })
}

impl Wa {
    /// Runs on a blocking thread: terminals and the database may be slow.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> error::Result<T> + Send + 'static,
    ) -> Result<T> {
        let engine = Arc::clone(&self.engine);
        match toolwright_runtime::spawn_blocking(move || work(&engine)).await {
            Ok(done) => done.map_err(failure),
            Err(error) => Err(Error::NotImplemented
                .because("The operation failed unexpectedly.")
                .internal(error)),
        }
    }
}

/// The client's own name.
fn client_name(call: &Call) -> Option<String> {
    call.client().name.clone()
}

/// Converts an error of the engine to one of the contract.
fn failure(error: EngineError) -> Failure<Error> {
    let kind = match error.kind {
        Kind::InvalidArguments => Error::InvalidArguments,
        Kind::Config => Error::ConfigError,
        Kind::Backend => Error::WeztermError,
        Kind::Storage => Error::StorageError,
        Kind::PolicyDenied => Error::PolicyDenied,
        Kind::PaneNotFound => Error::PaneNotFound,
        Kind::Workflow => Error::WorkflowError,
        Kind::Timeout => Error::Timeout,
        Kind::NotImplemented => Error::NotImplemented,
        Kind::Approval => Error::ApprovalError,
        Kind::ExecutionNotFound => Error::ExecutionNotFound,
    };
    let mut failure = kind.because(error.to_string());
    if let Some(hint) = error.hint {
        failure = failure.hint(hint);
    }
    match error.internal {
        Some(cause) => failure.internal(cause),
        None => failure,
    }
}

/// A time or count of the engine, as the contract writes it: never negative.
fn unsigned(number: Millis) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
