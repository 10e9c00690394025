//! worldforge: story worlds with canon, continuity and prompt packs.
//!
//! `model` is what all rooms talk about. `story` knows the graph and the world along every path,
//! `continuity` finds what contradicts itself, `compose` makes shot prompts, `export` makes
//! documents of worlds, `picture` draws them. `store` keeps everything, in SQLite or MongoDB.
//! `engine` joins them; handlers in `tools`, people's commands in `people`.
//!
//! What holds here:
//! - nothing is shared between tenants: what is somebody else's looks like what is not there;
//! - a server acts only for the users that it was set up for, or whose token a call brings;
//! - a write is checked and written as one, on the revision that its writer has seen;
//! - what was published stays readable, word for word;
//! - the same world gives the same findings and the same prompts.
//!
//! The engine blocks; handlers run it on threads that may.

pub mod canonical;
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
pub mod picture;
mod setup;
pub mod store;
pub mod story;
mod tools;

use std::sync::{Arc, OnceLock};

use toolwright_runtime::dispatch::{ReadyFuture, with_authentication, with_readiness};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Dispatch, ErrorKind as _, Subject};

use crate::generated::{Error, Result, SURFACE};
use activity_log::Journal;
use engine::Engine;
use identity::Door;
pub use identity::Identity;
use toolwright_commands::SurfaceEntry;
use toolwright_platform::blocking::blocking;

/// The surface's handlers, for one call.
pub struct Worldforge {
    engine: Arc<Engine>,
    identity: Arc<Identity>,
    read_only: bool,
    /// The user whose token came with the request, where one did.
    authenticated: Option<Arc<str>>,
    /// Who the call says it is of, once the guard has read that.
    subject: OnceLock<Subject>,
}

/// What the registry of surfaces needs to know.
pub fn entry() -> SurfaceEntry {
    SurfaceEntry {
        extras: admin::COMMANDS,
        bearer: Bearer::Surface { required: true },
        complete: Some(complete::values),
        doctor_checks: Some(doctor_checks::run),
        ..SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION"))
    }
}

fn open(
    loaded: &Loaded,
    _: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    let settings = loaded.typed()?;
    let engine = Arc::new(Engine::new(setup::from_settings(&settings)?));
    let identity = setup::identity(&settings);
    Ok(surface(engine, identity, settings.read_only))
}

/// The surface over this studio, for these users.
pub fn surface(engine: Arc<Engine>, identity: Identity, read_only: bool) -> Arc<dyn Dispatch> {
    let journal = Journal {
        engine: Arc::clone(&engine),
        identity: Arc::new(identity),
        read_only,
        authenticated: None,
    };
    let ready = move || -> ReadyFuture<'static> {
        let engine = Arc::clone(&engine);
        Box::pin(async move {
            let pinged = blocking(move || engine.store().ping()).await;
            pinged.and_then(|pinged| pinged.map_err(|fault| fault.to_string()))
        })
    };
    let surface = with_readiness(Arc::new(journal.clone()), ready);
    with_authentication(surface, Arc::new(Door(journal)))
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
            Ok(done) => done.map_err(|trouble| tools::failure(trouble, language)),
            Err(broken) => {
                let message =
                    language.pick("The operation broke off.", "A operação foi interrompida.");
                Err(Error::InternalError.because(message).internal(broken))
            }
        }
    }
}
