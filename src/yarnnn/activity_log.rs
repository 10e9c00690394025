//! Puts every call into the activity log: those that were refused, too, and those of nobody.
//!
//! Every call has handlers of its own, with [`Notes`] that the guard and the handler fill.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::dispatch::OutcomeFuture;
use toolwright_runtime::{Call, Dispatch, Outcome};

use super::engine::{Admitted, Caller, Engine, host_of};
use super::inference::digest;
use super::model::Fingerprint;
use super::records::activity::Entry;
use super::{Connection, Yarnnn};
use crate::generated::{SURFACE, Surface};

/// What the log wants to know about one call beside its outcome.
#[derive(Debug, Default)]
pub(super) struct Notes {
    caller: OnceLock<Caller>,
    session: OnceLock<Session>,
    waits: AtomicBool,
}

/// What the log keeps of a session.
#[derive(Debug)]
struct Session {
    /// In words.
    summary: Option<String>,
    /// SHA-256 of its vector.
    hash: String,
}

impl Notes {
    /// Somebody was let in.
    pub(super) fn caller(&self, caller: &Caller) {
        self.caller.get_or_init(|| caller.clone());
    }

    /// What the session is about.
    pub(super) fn session(&self, fingerprint: &Fingerprint) {
        self.session.get_or_init(|| Session {
            summary: fingerprint.summary.clone(),
            hash: digest(&fingerprint.embedding),
        });
    }

    /// What was written, now or before, waits for somebody.
    pub(super) fn waits(&self) {
        self.waits.store(true, Ordering::Relaxed);
    }
}

/// The surface, with a journal of its calls.
pub(super) struct Journal {
    engine: Arc<Engine>,
    connection: Arc<Connection>,
}

impl Journal {
    /// For calls of whoever the token belongs to.
    pub(super) fn new(engine: Arc<Engine>, token: Option<String>) -> Self {
        Self { engine, connection: Arc::new(Connection::Unverified(token)) }
    }

    /// For calls of somebody who was let in.
    pub(super) fn of(engine: Arc<Engine>, admitted: Admitted) -> Self {
        Self { engine, connection: Arc::new(Connection::Verified(admitted)) }
    }
}

impl Dispatch for Journal {
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
                notes: Notes::default(),
            });
            let outcome = surface.dispatch(tool, call, arguments).await;
            let notes = &surface.handlers().notes;
            if notes.caller.get().is_none_or(|caller| !caller.is_noted()) {
                self.note(call, notes, &outcome, started);
            }
            outcome
        })
    }
}

impl Journal {
    fn note(&self, call: &Call, notes: &Notes, outcome: &Outcome, started: u64) {
        let failed = match outcome {
            Outcome::Answer(answer) => answer.kind,
            Outcome::Protocol(error) => Some(error.kind),
            // The call comes again with the answer.
            Outcome::NeedsInput(_) => return,
        };
        let waits = notes.waits.load(Ordering::Relaxed);
        let failed = failed.filter(|_| !waits);
        let code = failed.map(|kind| self.info().error(kind).map_or(kind, |error| error.code));
        let (known, session) = (notes.caller.get(), notes.session.get());
        let elapsed = self.engine.ticks().saturating_sub(started) / 1_000_000;
        self.engine.note(Entry {
            workspace_id: known.map(|caller| caller.workspace.id.clone()),
            user_id: known.map(|caller| caller.source.user_id.clone()),
            tool: call.tool().name.to_owned(),
            host: known.map_or_else(
                || host_of(call.client().name.as_deref()),
                |caller| caller.source.host.clone(),
            ),
            result: match code {
                Some(_) => "error",
                None if waits => "queued",
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
            fingerprint_hash: session.map(|session| session.hash.clone()),
            at: self.engine.now(),
        });
    }
}
