//! `wa.send`

use std::time::Duration;

use toolwright_runtime::{Call, Handle};

use super::policy::Pass;
use super::words;
use crate::generated::wa::{Result, Send, SendRequest, SendResponse, SendResult, WaitResult};
use crate::wa::drive::{self, Condition, Settle, Waiter};
use crate::wa::rooms::Rooms;
use crate::wa::{Wa, fault};

impl Handle<Send> for Wa {
    async fn handle(&self, call: &Call, request: SendRequest) -> Result<SendResponse> {
        let pass = Pass::take(call)?;
        let stop = call.cancellation();
        self.run(move |rooms| {
            let done = send(rooms, &request, &pass, &|| stop.is_cancelled());
            pass.settled(rooms, done)
        })
        .await
    }
}

fn send(
    rooms: &Rooms,
    request: &SendRequest,
    pass: &Pass,
    cancelled: &dyn Fn() -> bool,
) -> fault::Result<SendResult> {
    // Before anything is typed: a condition that cannot be waited for must not leave half the work.
    let condition = match &request.wait_for {
        Some(pattern) => {
            Some(drive::condition("wait_for", pattern, request.wait_for_regex, &rooms.patterns)?)
        }
        None => None,
    };
    let mut result = SendResult {
        pane_id: request.pane_id,
        sent: false,
        text_length: Some(request.text.chars().count() as u64),
        policy_decision: words::decision(pass.decision),
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
        let timeout = Duration::from_secs(request.timeout_secs).min(rooms.setup.wait_max);
        let waited = wait(rooms, pass, &condition, timeout, sent.baseline, cancelled)?;
        result.wait_for_result = Some(WaitResult {
            condition: pattern.clone(),
            matched: waited.matched,
            timeout_ms: Some(milliseconds(timeout)),
            waited_ms: Some(milliseconds(waited.waited)),
        });
    }
    Ok(result)
}

fn wait(
    rooms: &Rooms,
    pass: &Pass,
    condition: &Condition,
    timeout: Duration,
    baseline: drive::Baseline,
    cancelled: &dyn Fn() -> bool,
) -> fault::Result<drive::Waited> {
    let Some(seen) = &pass.seen else { return Ok(drive::Waited::default()) };
    let found = &seen.found;
    let pane_id = found.row.pane_id;
    let waiter = Waiter {
        mux: &*found.mux,
        pane: &found.row,
        patterns: &rooms.patterns,
        tail: 0,
        timeout,
        baseline: Some(baseline),
        cancelled,
        alive: &|| rooms.find(pane_id).map(drop),
        progress: &mut |_| {},
    };
    drive::wait(waiter, condition)
}

/// A duration as the contract writes it.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
