//! yarnnn: governed memory with basket inference.
//!
//! The engines, each deterministic and free of any model: `extract` reads blocks out of a
//! transcript and links them, `inference` finds the basket that a session belongs to, `conflict`
//! compares a new idea with what is known, `governance` decides what needs a person, `auth` who is
//! asking. A model may read instead (`llm`), for those who ask for it. `engine` joins them over
//! the `records`, which `sql` keeps in SQLite or PostgreSQL.
//!
//! What holds here:
//! - a write is one transaction, and a repeated write is written once;
//! - raw dumps never change; what was made of them points at their bytes;
//! - what is proposed counts only once it is approved, by the rules or by a person;
//! - a basket that is not sure is confirmed or picked, never guessed; nothing is lost meanwhile;
//! - no workspace ever meets another: tokens, records, index and cache are all bound to one;
//! - no vector leaves in an answer or a log.
//!
//! The engine blocks; handlers run it on threads that may.

pub mod auth;
mod complete;
pub mod conflict;
mod doctor_checks;
pub mod extract;
#[path = "../../generated/yarnnn.rs"]
#[rustfmt::skip]
pub mod generated;
mod activity_log;
mod admin;
pub mod engine;
pub mod governance;
pub mod index;
pub mod inference;
pub mod llm;
pub mod model;
pub mod records;
mod roots;
mod setup;
pub mod sql;
mod text;
mod tools;

use std::sync::Arc;

use toolwright_runtime::dispatch::{
    Authenticate, AuthenticateFuture, Rejected, with_authentication, with_readiness,
};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Dispatch, ErrorKind as _};

use crate::generated::{Error, Result, SURFACE};
use activity_log::{Journal, Notes};
use engine::{Admitted, Engine, Fault};
use toolwright_commands::SurfaceEntry;
use toolwright_platform::blocking::blocking;

/// The surface's handlers, for one call.
pub struct Yarnnn {
    engine: Arc<Engine>,
    connection: Arc<Connection>,
    notes: Notes,
}

/// Whose the calls are that bring no token of their own.
enum Connection {
    /// The owner's of this token, at which nobody has looked yet; without one, nobody's.
    Unverified(Option<String>),
    /// Somebody's who was let in with the request.
    Verified(Admitted),
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
    Ok(surface(engine, settings.token))
}

/// The surface over this memory. `token` stands in where a call brings none and the transport
/// carries none: over HTTP everybody brings their own.
pub fn surface(engine: Arc<Engine>, token: Option<String>) -> Arc<dyn Dispatch> {
    let surface = Arc::new(Journal::new(Arc::clone(&engine), token));
    let checked = Arc::clone(&engine);
    let ready = move || -> toolwright_runtime::dispatch::ReadyFuture<'static> {
        let engine = Arc::clone(&checked);
        Box::pin(async move {
            blocking(move || engine.ready().map_err(|fault| fault.to_string()))
                .await
                .unwrap_or_else(Err)
        })
    };
    with_authentication(with_readiness(surface, ready), Arc::new(Door(engine)))
}

/// Lets nobody in over HTTP who has no token of ours, and remembers who came in.
struct Door(Arc<Engine>);

impl Authenticate for Door {
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a> {
        let engine = Arc::clone(&self.0);
        let token = token.map(str::to_owned);
        Box::pin(async move {
            let looked_up = Arc::clone(&engine);
            let admitted = blocking(move || looked_up.admit(token.as_deref())).await;
            match admitted {
                Ok(Ok(admitted)) => {
                    Ok(Arc::new(Journal::of(engine, admitted)) as Arc<dyn Dispatch>)
                }
                Ok(Err(Fault::Unauthenticated(error))) => Err(Rejected::Refused(error.to_string())),
                Ok(Err(fault)) => Err(Rejected::Unavailable(fault.to_string())),
                Err(broken) => Err(Rejected::Unavailable(broken)),
            }
        })
    }
}

impl Yarnnn {
    /// Runs on a thread of its own: the database and a model may take their time.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> engine::Result<T> + Send + 'static,
    ) -> Result<T> {
        let engine = Arc::clone(&self.engine);
        match blocking(move || work(&engine)).await {
            Ok(done) => done.map_err(tools::failure),
            Err(broken) => {
                Err(Error::Internal.because("The operation broke off.").internal(broken))
            }
        }
    }
}
