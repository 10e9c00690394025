//! `wa.wait_for`

use std::time::Duration;

use toolwright_runtime::{Call, Handle};

use super::convert;
use super::progress::with_progress;
use super::send::milliseconds;
use crate::drive::{self, Condition, Waiter};
use crate::engine::Engine;
use crate::error::{self, Kind};
use crate::generated::{
    Result, WaitDetection, WaitFor, WaitForRequest, WaitForResponse, WaitReport,
};
use crate::{Wa, unsigned};

impl Handle<WaitFor> for Wa {
    async fn handle(&self, call: &Call, request: WaitForRequest) -> Result<WaitForResponse> {
        let stop = call.cancellation();
        let timeout = Duration::from_secs(request.timeout_secs).min(self.engine.setup.wait_max);
        with_progress(call, timeout, |mut told| {
            self.run(move |engine| {
                wait(engine, &request, timeout, &|| stop.is_cancelled(), &mut *told)
            })
        })
        .await
    }
}

fn wait(
    engine: &Engine,
    request: &WaitForRequest,
    timeout: Duration,
    cancelled: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(Duration),
) -> error::Result<WaitReport> {
    let condition =
        drive::condition("pattern", &request.pattern, request.regex, engine.patterns())?;
    let found = engine.find(request.pane_id)?;
    let waiter = Waiter {
        mux: &*found.mux,
        pane: &found.row,
        patterns: engine.patterns(),
        tail: usize::try_from(request.tail).unwrap_or(usize::MAX),
        timeout,
        baseline: None,
        cancelled,
        alive: &|| engine.find(request.pane_id).map(drop),
        progress,
    };
    let waited = drive::wait(waiter, &condition)?;
    if !waited.matched {
        return Err(Kind::Timeout.because(format!(
            "Pane {} did not show `{}` within {} ms.",
            request.pane_id,
            request.pattern,
            timeout.as_millis(),
        )));
    }
    Ok(WaitReport {
        pane_id: request.pane_id,
        rule_id: match condition {
            Condition::Rule(id) => id,
            Condition::Text(_) | Condition::Regex(_) | Condition::Quiet(_) => {
                request.pattern.clone()
            }
        },
        matched: true,
        timeout_ms: Some(milliseconds(timeout)),
        waited_ms: milliseconds(waited.waited),
        timed_out: None,
        detection: waited.detection.map(|detection| {
            let detection = detection.redacted();
            WaitDetection {
                rule_id: detection.rule_id,
                event_type: detection.event_type,
                severity: Some(convert::severity(detection.severity)),
                confidence: Some(detection.confidence),
                extracted: detection.extracted,
                detected_at: unsigned(engine.now()),
            }
        }),
    })
}
