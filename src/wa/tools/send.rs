//! `wa.send`

use std::time::Duration;

use toolwright_runtime::{Call, HandleGuarded};

use super::convert;
use super::policy::Pass;
use super::progress::with_progress;
use crate::Wa;
use crate::drive::{self, Condition, Settle, Waiter};
use crate::engine::Engine;
use crate::error::{self, Error, Kind};
use crate::generated::{Result, Send, SendRequest, SendResponse, SendResult, WaitResult};

impl HandleGuarded<Send, Pass> for Wa {
    async fn handle(&self, call: &Call, request: SendRequest, pass: Pass) -> Result<SendResponse> {
        let stop = call.cancellation();
        let timeout = Duration::from_secs(request.timeout_secs).min(self.engine.setup.wait_max);
        with_progress(call, timeout, |mut told| {
            self.run(move |engine| {
                let mut wait =
                    Wait { timeout, cancelled: &|| stop.is_cancelled(), progress: &mut *told };
                let done = send(engine, &request, &pass, &mut wait);
                pass.settled(engine, done)
            })
        })
        .await
    }
}

/// How to wait.
struct Wait<'a> {
    timeout: Duration,
    cancelled: &'a dyn Fn() -> bool,
    progress: &'a mut dyn FnMut(Duration),
}

fn send(
    engine: &Engine,
    request: &SendRequest,
    pass: &Pass,
    wait: &mut Wait<'_>,
) -> error::Result<SendResult> {
    // Before anything is typed: a condition that cannot be waited for must not leave half the work.
    let condition = match &request.wait_for {
        Some(pattern) => {
            Some(drive::condition("wait_for", pattern, request.wait_for_regex, engine.patterns())?)
        }
        None => None,
    };
    let mut result = SendResult {
        pane_id: request.pane_id,
        sent: false,
        text_length: Some(request.text.chars().count() as u64),
        policy_decision: convert::decision(pass.decision),
        policy_reason: pass.reason.clone(),
        dry_run: request.dry_run.then_some(true),
        wait_for_result: None,
    };
    if request.dry_run {
        return Ok(result);
    }
    let (Some(seen), Some(input)) = (&pass.seen, &pass.input) else { return Ok(result) };
    let found = &seen.found;
    let sent = drive::send(&*found.mux, &found.row, &seen.state, input, &Settle::default())?;
    result.sent = true;
    if let (Some(condition), Some(pattern)) = (condition, &request.wait_for) {
        let timeout_ms = Some(milliseconds(wait.timeout));
        let waited = match wait_for(engine, pass, &condition, sent.baseline, wait) {
            // The text may have ended its pane: it was sent, and nothing more can come.
            Err(error) if error.kind == Kind::PaneNotFound => drive::Waited::default(),
            Err(error) => return Err(after_sending(error)),
            Ok(waited) => waited,
        };
        result.wait_for_result = Some(WaitResult {
            condition: pattern.clone(),
            matched: waited.matched,
            timeout_ms,
            waited_ms: Some(milliseconds(waited.waited)),
        });
    }
    Ok(result)
}

/// The caller must not send again because the wait went wrong.
fn after_sending(error: Error) -> Error {
    let message =
        format!("The text was sent, but waiting for its output failed. {}", error.message);
    Error { message, ..error }
}

fn wait_for(
    engine: &Engine,
    pass: &Pass,
    condition: &Condition,
    baseline: drive::Baseline,
    wait: &mut Wait<'_>,
) -> error::Result<drive::Waited> {
    let Some(seen) = &pass.seen else { return Ok(drive::Waited::default()) };
    let found = &seen.found;
    let pane_id = found.row.pane_id;
    let waiter = Waiter {
        mux: &*found.mux,
        pane: &found.row,
        patterns: engine.patterns(),
        tail: 0,
        timeout: wait.timeout,
        baseline: Some(baseline),
        cancelled: wait.cancelled,
        alive: &|| engine.find(pane_id).map(drop),
        progress: &mut *wait.progress,
    };
    drive::wait(waiter, condition)
}

/// A duration as the contract writes it.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
