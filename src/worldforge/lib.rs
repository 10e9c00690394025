//! worldforge: story worlds with canon, continuity and prompt packs.
//!
//! `model` holds the data types that all modules share. `story` tracks the graph and the world state
//! along every path, `continuity` finds contradictions, `compose` composes shot prompts, `export`
//! writes and reads documents of worlds, `picture` draws them. `store` persists everything, in SQLite
//! or MongoDB. `engine` joins them; handlers are in `tools`, operator commands in `admin`.
//!
//! Invariants:
//! - nothing is shared between tenants: foreign objects look like missing ones;
//! - a server acts only for the users it is configured for, or whose token a call carries;
//! - a check and its write are atomic, at the revision that the writer has seen;
//! - published copies stay readable, word for word;
//! - the same world gives the same findings and the same prompts.
//!
//! The engine blocks; handlers run it on threads that may block.

mod canonical;
mod complete;
pub mod compose;
pub mod continuity;
pub mod demo;
mod doctor_checks;
pub mod export;
#[path = "../../generated/worldforge.rs"]
#[rustfmt::skip]
pub mod generated;
mod activity_log;
mod admin;
pub mod engine;
mod identity;
pub mod messages;
pub mod model;
mod picture;
mod setup;
pub mod store;
pub mod story;
mod tools;

use std::sync::{Arc, OnceLock};

use toolwright_runtime::dispatch::{ReadyFuture, with_readiness};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Dispatch, ErrorKind as _, Subject, acting_for};

use crate::generated::{Error, Result, SURFACE};
use activity_log::ActivityLog;
use engine::Engine;
use model::User;
use toolwright_commands::{RequiredSetting, SurfaceEntry};
use toolwright_platform::blocking::blocking;
pub use toolwright_runtime::Identity;

/// The surface's handlers, for one call.
pub struct Worldforge {
    engine: Arc<Engine>,
    read_only: bool,
    /// The tenant and user that the call names, once the guard has read them.
    subject: OnceLock<Subject>,
    /// That user, once the guard has found that the call may act for them.
    user: OnceLock<User>,
}

/// What the registry of surfaces needs to know.
pub fn entry() -> SurfaceEntry {
    SurfaceEntry {
        extras: admin::COMMANDS,
        bearer: Bearer::Surface { required: true },
        complete: Some(complete::values),
        doctor_checks: Some(doctor_checks::run),
        private: Some(doctor_checks::private),
        required: &[
            RequiredSetting {
                key: "identity.tenant",
                how: "`worldforge tenant list` shows the tenants, `worldforge tenant create` makes one.",
            },
            RequiredSetting {
                key: "identity.users",
                how: "`worldforge user list` shows the users of a tenant, `worldforge user add` makes one.",
            },
        ],
        ..SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION"))
    }
}

fn open(
    loaded: &Loaded,
    _: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    let settings = loaded.typed()?;
    let engine = Arc::new(Engine::new(setup::from_settings(&settings)?));
    Ok(ready_surface(engine, settings.read_only))
}

/// The surface over this studio, for these users.
pub fn surface(engine: Arc<Engine>, identity: Identity, read_only: bool) -> Arc<dyn Dispatch> {
    acting_for(ready_surface(engine, read_only), identity)
}

fn ready_surface(engine: Arc<Engine>, read_only: bool) -> Arc<dyn Dispatch> {
    let activity_log = ActivityLog { engine: Arc::clone(&engine), read_only };
    let ready = move || -> ReadyFuture<'static> {
        let engine = Arc::clone(&engine);
        Box::pin(async move {
            let pinged = blocking(move || engine.store().ping()).await;
            pinged.and_then(|pinged| pinged.map_err(|error| error.to_string()))
        })
    };
    with_readiness(Arc::new(activity_log), ready)
}

impl Worldforge {
    /// Runs on a thread of its own: stores may take their time.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> engine::Result<T> + Send + 'static,
    ) -> Result<T> {
        let engine = Arc::clone(&self.engine);
        let language = engine.language();
        match blocking(move || work(&engine)).await {
            Ok(done) => done.map_err(|error| tools::failure(error, language)),
            Err(broken) => {
                let message =
                    language.pick("The operation was interrupted.", "A operação foi interrompida.");
                Err(Error::InternalError.because(message).internal(broken))
            }
        }
    }
}
