//! Wraps a surface and records metrics of its calls. Used only over HTTP, where `/metrics` is served.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::metrics::{GaugeGuard, Metrics};
use crate::call::Call;
use crate::contract::SurfaceInfo;
use crate::dispatch::{
    Authenticate, CallableFuture, ConsentFuture, Dispatch, Outcome, OutcomeFuture, ReadyFuture,
};
use crate::identity::Caller;

/// Records metrics of the inner surface.
pub(super) struct MeteredSurface {
    pub(super) inner: Arc<dyn Dispatch>,
    pub(super) metrics: Arc<Metrics>,
}

/// Records the call on drop, so that dropped calls are counted too.
struct CallTimer<'a> {
    metrics: &'a Metrics,
    tool: usize,
    call: &'a Call,
    started: u64,
    outcome: &'static str,
}

impl Drop for CallTimer<'_> {
    fn drop(&mut self) {
        let ticks = self.call.clock().ticks().saturating_sub(self.started);
        let outcome = if self.call.is_cancelled() { "cancelled" } else { self.outcome };
        self.metrics.finished(self.tool, outcome, ticks / 1_000);
    }
}

impl Dispatch for MeteredSurface {
    fn info(&self) -> &'static SurfaceInfo {
        self.inner.info()
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(async move {
            let _in_flight = GaugeGuard::new(&self.metrics.in_flight);
            let mut timer = CallTimer {
                metrics: &self.metrics,
                tool,
                call,
                started: call.clock().ticks(),
                outcome: "panicked",
            };
            let outcome = self.inner.dispatch(tool, call, arguments).await;
            timer.outcome = match &outcome {
                Outcome::Answer(answer) => answer.kind.unwrap_or("ok"),
                Outcome::Protocol(error) => error.kind,
                Outcome::NeedsInput(_) => "needs_input",
            };
            if call.has_invalid_answer() {
                self.metrics.invalid_answer(tool);
            }
            outcome
        })
    }

    fn spend_consent<'a>(&'a self, consent: &'a str, expires: u64) -> ConsentFuture<'a> {
        self.inner.spend_consent(consent, expires)
    }

    fn ready(&self) -> ReadyFuture<'_> {
        self.inner.ready()
    }

    fn callable<'a>(&'a self, caller: Option<&'a Caller>) -> CallableFuture<'a> {
        self.inner.callable(caller)
    }

    fn authenticator(&self) -> Option<&dyn Authenticate> {
        self.inner.authenticator()
    }
}
