//! Puts every call into the activity log: those that were refused, too, and those of nobody.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::dispatch::OutcomeFuture;
use toolwright_runtime::{Call, Dispatch, Outcome};

use super::memory::{Caller, Memory, host_of};
use super::records::activity::Entry;

/// What a handler leaves in the call about the inference that it made.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    /// Where it looked or wrote.
    pub(super) basket_id: Option<String>,
    /// `auto`, `confirm` or `pick`.
    pub(super) decision: Option<String>,
    /// Of the best basket.
    pub(super) score: Option<f64>,
    /// The session in words.
    pub(super) summary: Option<String>,
    /// SHA-256 of its vector.
    pub(super) hash: Option<String>,
}

/// What the guard leaves in the call beside the caller that the handler takes.
pub(super) struct Known(pub(super) Caller);

struct Journal {
    surface: Arc<dyn Dispatch>,
    memory: Arc<Memory>,
}

/// The surface, with a journal of its calls.
pub(super) fn kept(surface: Arc<dyn Dispatch>, memory: Arc<Memory>) -> Arc<dyn Dispatch> {
    Arc::new(Journal { surface, memory })
}

impl Dispatch for Journal {
    fn info(&self) -> &'static SurfaceInfo {
        self.surface.info()
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(async move {
            let started = self.memory.ticks();
            let outcome = self.surface.dispatch(tool, call, arguments).await;
            let known = call.take::<Known>().map(|Known(caller)| caller);
            if known.as_ref().is_none_or(|caller| !caller.is_noted()) {
                self.note(call, known.as_ref(), &outcome, started);
            }
            outcome
        })
    }
}

impl Journal {
    fn note(&self, call: &Call, known: Option<&Caller>, outcome: &Outcome, started: u64) {
        let failed = match outcome {
            Outcome::Answer(answer) => answer.kind,
            Outcome::Protocol(error) => Some(error.kind),
            // The call comes again with the answer.
            Outcome::NeedsInput(_) => return,
        };
        let code = failed.map(|kind| self.info().error(kind).map_or(kind, |error| error.code));
        let trace = call.take::<Trace>().unwrap_or_default();
        let elapsed = self.memory.ticks().saturating_sub(started) / 1_000_000;
        self.memory.note(Entry {
            workspace_id: known.map(|caller| caller.workspace.id.clone()),
            user_id: known.map(|caller| caller.source.user_id.clone()),
            tool: call.tool().name.to_owned(),
            host: known.map_or_else(
                || host_of(call.client().name.as_deref()),
                |caller| caller.source.host.clone(),
            ),
            result: if code.is_some() { "error" } else { "success" }.to_owned(),
            latency_ms: i64::try_from(elapsed).unwrap_or(i64::MAX),
            basket_id: trace.basket_id,
            decision: trace.decision,
            score: trace.score,
            error_code: code.map(str::to_owned),
            session: known.and_then(|caller| caller.source.session.clone()),
            fingerprint_summary: trace.summary,
            fingerprint_hash: trace.hash,
            at: self.memory.now(),
        });
    }
}
