//! Records every call in the activity log, including refused and unauthenticated ones.
//!
//! Every call has its own handlers with [`CallDetails`], which the guard and the handler fill in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::dispatch::{ConsentFuture, OutcomeFuture};
use toolwright_runtime::{Call, Dispatch, Outcome, spawn_blocking};

use super::engine::{AuthenticatedUser, Caller, Engine, host_of};
use super::inference::digest;
use super::model::Fingerprint;
use super::records::activity::Entry;
use super::review_page::ReviewLinks;
use super::{Connection, Yarnnn};
use crate::generated::{SURFACE, Surface};

/// What the log records about one call besides its outcome.
#[derive(Debug, Default)]
pub(super) struct CallDetails {
    caller: OnceLock<Caller>,
    session: OnceLock<Session>,
    queued: AtomicBool,
}

/// What the log stores about a session.
#[derive(Debug)]
struct Session {
    /// As text.
    summary: Option<String>,
    /// SHA-256 of its vector, if it came with one.
    hash: Option<String>,
}

impl CallDetails {
    /// Sets the authenticated caller.
    pub(super) fn caller(&self, caller: &Caller) {
        self.caller.get_or_init(|| caller.clone());
    }

    /// Sets the session's fingerprint.
    pub(super) fn session(&self, fingerprint: &Fingerprint) {
        self.session.get_or_init(|| Session {
            summary: fingerprint.summary.clone(),
            hash: (!fingerprint.embedding.is_empty()).then(|| digest(&fingerprint.embedding)),
        });
    }

    /// The capture, new or repeated, is pending.
    pub(super) fn set_queued(&self) {
        self.queued.store(true, Ordering::Relaxed);
    }
}

/// The surface, with every call recorded.
pub(super) struct ActivityLog {
    engine: Arc<Engine>,
    connection: Arc<Connection>,
    links: Arc<ReviewLinks>,
}

impl ActivityLog {
    /// For calls of the token's owner.
    pub(super) fn new(engine: Arc<Engine>, token: Option<String>, links: Arc<ReviewLinks>) -> Self {
        Self { engine, connection: Arc::new(Connection::Unverified(token)), links }
    }

    /// For calls of an authenticated user.
    pub(super) fn for_user(
        engine: Arc<Engine>,
        user: AuthenticatedUser,
        links: Arc<ReviewLinks>,
    ) -> Self {
        Self { engine, connection: Arc::new(Connection::Verified(user)), links }
    }
}

impl Dispatch for ActivityLog {
    fn info(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(async move {
            let started = self.engine.ticks();
            let surface = Surface::new(Yarnnn {
                engine: Arc::clone(&self.engine),
                connection: Arc::clone(&self.connection),
                links: Arc::clone(&self.links),
                details: CallDetails::default(),
            });
            let outcome = surface.dispatch(tool, call, arguments).await;
            let details = &surface.handlers().details;
            if details.caller.get().is_none_or(|caller| !caller.is_logged()) {
                self.record(call, details, &outcome, started);
            }
            outcome
        })
    }

    fn spend_consent<'a>(&'a self, consent: &'a str, expires: u64) -> ConsentFuture<'a> {
        let (engine, consent) = (Arc::clone(&self.engine), consent.to_owned());
        let expires = i64::try_from(expires).unwrap_or(i64::MAX);
        Box::pin(async move {
            let spent = spawn_blocking(move || engine.spend_consent(&consent, expires)).await;
            spent.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
        })
    }
}

impl ActivityLog {
    fn record(&self, call: &Call, details: &CallDetails, outcome: &Outcome, started: u64) {
        let failed = match outcome {
            Outcome::Answer(answer) => answer.kind,
            Outcome::Protocol(error) => Some(error.kind),
            // The client repeats the call with the answer.
            Outcome::NeedsInput(_) => return,
        };
        let queued = details.queued.load(Ordering::Relaxed);
        let failed = failed.filter(|_| !queued);
        let code = failed.map(|kind| self.info().error(kind).map_or(kind, |error| error.code));
        let (known, session) = (details.caller.get(), details.session.get());
        let elapsed = self.engine.ticks().saturating_sub(started) / 1_000_000;
        self.engine.log_call(Entry {
            workspace_id: known.map(|caller| caller.workspace.id.clone()),
            user_id: known.map(|caller| caller.source.user_id.clone()),
            tool: call.tool().name.to_owned(),
            host: known.map_or_else(
                || host_of(call.client().name.as_deref()),
                |caller| caller.source.host.clone(),
            ),
            result: match code {
                Some(_) => "error",
                None if queued => "queued",
                None => "success",
            }
            .to_owned(),
            latency_ms: i64::try_from(elapsed).unwrap_or(i64::MAX),
            basket_id: None,
            decision: None,
            score: None,
            error_code: code.map(str::to_owned),
            session: known.and_then(|caller| caller.source.session.clone()),
            fingerprint_summary: session.and_then(|session| session.summary.clone()),
            fingerprint_hash: session.and_then(|session| session.hash.clone()),
            at: self.engine.now(),
        });
    }
}
