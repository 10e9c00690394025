//! yarnnn: governed memory with basket inference.
//!
//! Deterministic components without any language model: `extract` extracts blocks from a transcript and
//! links them, `inference` selects the basket of a session, `conflict` compares a new idea with
//! memory, `governance` decides what needs review, `auth` checks credentials. Optionally a model
//! extracts (`llm`). `embed` makes the vectors that sessions are compared by, unless the host sends
//! them. `engine` combines them over the `records`, which `sql` stores in SQLite or
//! PostgreSQL.
//!
//! Invariants:
//! - a write is one transaction, and a repeated write is stored once;
//! - raw dumps never change; everything extracted from them points at their bytes;
//! - proposals become memory only once they are approved, by the rules or by a reviewer;
//! - an unsure basket is confirmed or picked, never guessed; meanwhile the capture is stored;
//! - workspaces are isolated: tokens, records, index and cache are all bound to one;
//! - no vector appears in an answer or a log.
//!
//! The engine blocks; handlers run it on threads for blocking work.

pub mod auth;
mod complete;
pub mod conflict;
mod doctor_checks;
pub mod embed;
pub mod extract;
#[path = "../../generated/yarnnn.rs"]
#[rustfmt::skip]
pub mod generated;
mod activity_log;
mod admin;
pub mod engine;
pub mod governance;
mod index;
pub mod inference;
pub mod llm;
pub mod model;
pub mod records;
mod review_page;
mod setup;
pub mod sql;
mod text;
mod tls_roots;
mod tools;

use std::sync::Arc;

use toolwright_runtime::dispatch::{
    Authenticate, AuthenticateFuture, Rejected, with_authentication, with_pages, with_readiness,
};
use toolwright_runtime::server::{Bearer, Notifier};
use toolwright_runtime::settings::{Loaded, SettingsError};
use toolwright_runtime::{Dispatch, ErrorKind as _};

use crate::generated::{Error, Result, SURFACE, Settings};
use activity_log::{ActivityLog, CallDetails};
use engine::{AuthenticatedUser, Engine, Error as EngineError};
use review_page::{ReviewLinks, ReviewPage};
use toolwright_commands::{RequiredSetting, SurfaceEntry};
use toolwright_platform::blocking::blocking;

/// The surface's handlers, for one call.
pub struct Yarnnn {
    engine: Arc<Engine>,
    connection: Arc<Connection>,
    links: Arc<ReviewLinks>,
    details: CallDetails,
}

/// The identity of calls that carry no token of their own.
enum Connection {
    /// The token of the connection, if any; verified with each call.
    Unverified(Option<String>),
    /// The user who was authenticated with the HTTP request.
    Verified(AuthenticatedUser),
}

/// The surface, for the registry.
pub fn entry() -> SurfaceEntry {
    SurfaceEntry {
        extras: admin::COMMANDS,
        bearer: Bearer::Surface { required: true },
        complete: Some(complete::values),
        doctor_checks: Some(doctor_checks::run),
        private: Some(doctor_checks::private),
        required: &[RequiredSetting {
            key: "token",
            how: "Create one with `yarnnn token create USER --workspace NAME`.",
        }],
        ..SurfaceEntry::new(&SURFACE, open, env!("CARGO_PKG_VERSION"))
    }
}

fn open(
    loaded: &Loaded,
    _: Option<Notifier>,
) -> std::result::Result<Arc<dyn Dispatch>, SettingsError> {
    let settings: Settings = loaded.typed()?;
    let engine = Arc::new(Engine::new(setup::from_settings(&settings)?));
    Ok(surface_at(engine, settings.token, ReviewLinks::new(settings.review_url)))
}

/// The surface over this engine. `token` is the default for calls that carry none and come over a
/// transport without tokens; over HTTP every request carries its own.
pub fn surface(engine: Arc<Engine>, token: Option<String>) -> Arc<dyn Dispatch> {
    surface_at(engine, token, ReviewLinks::default())
}

fn surface_at(engine: Arc<Engine>, token: Option<String>, links: ReviewLinks) -> Arc<dyn Dispatch> {
    let links = Arc::new(links);
    let surface = Arc::new(ActivityLog::new(Arc::clone(&engine), token, Arc::clone(&links)));
    let checked = Arc::clone(&engine);
    let ready = move || -> toolwright_runtime::dispatch::ReadyFuture<'static> {
        let engine = Arc::clone(&checked);
        Box::pin(async move {
            blocking(move || engine.ready().map_err(|error| error.to_string()))
                .await
                .unwrap_or_else(Err)
        })
    };
    let pages = Arc::new(ReviewPage::new(Arc::clone(&engine), Arc::clone(&links)));
    let surface = with_pages(with_readiness(surface, ready), pages);
    with_authentication(surface, Arc::new(TokenAuthenticator { engine, links }))
}

/// Authenticates HTTP requests by their token and binds their calls to the user.
struct TokenAuthenticator {
    engine: Arc<Engine>,
    links: Arc<ReviewLinks>,
}

impl Authenticate for TokenAuthenticator {
    fn authenticate<'a>(&'a self, token: Option<&'a str>) -> AuthenticateFuture<'a> {
        let (engine, links) = (Arc::clone(&self.engine), Arc::clone(&self.links));
        let token = token.map(str::to_owned);
        Box::pin(async move {
            let looked_up = Arc::clone(&engine);
            let user = blocking(move || looked_up.authenticate(token.as_deref())).await;
            match user {
                Ok(Ok(user)) => {
                    Ok(Arc::new(ActivityLog::for_user(engine, user, links)) as Arc<dyn Dispatch>)
                }
                Ok(Err(EngineError::Unauthenticated(error))) => {
                    Err(Rejected::Refused(error.to_string()))
                }
                Ok(Err(error)) => Err(Rejected::Unavailable(error.to_string())),
                Err(broken) => Err(Rejected::Unavailable(broken)),
            }
        })
    }
}

impl Yarnnn {
    /// Runs `work` on a thread for blocking work: database and model may be slow.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> engine::Result<T> + Send + 'static,
    ) -> Result<T> {
        let engine = Arc::clone(&self.engine);
        match blocking(move || work(&engine)).await {
            Ok(done) => done.map_err(tools::failure),
            Err(broken) => {
                Err(Error::Internal.because("The operation was aborted.").internal(broken))
            }
        }
    }
}
