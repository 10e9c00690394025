//! Progress notifications: each report becomes one notification, serialised once.
//!
//! Reports may come from any thread and never block the handler. The protocol requires them to be
//! strictly increasing. None follows the answer, because a call has ended before its answer is
//! written.

use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    ProgressNotification, ProgressNotificationParam, ProgressToken, ServerJsonRpcMessage,
    ServerNotification,
};

use crate::call::ProgressSink;

/// The reports of one call.
pub(super) struct Progress<S> {
    token: ProgressToken,
    last: Mutex<Option<f64>>,
    /// Sends the JSON text of a notification, or drops it if the client is too slow.
    send: S,
}

impl<S: Fn(String) + Send + Sync> Progress<S> {
    pub(super) fn new(token: ProgressToken, send: S) -> Self {
        Self { token, last: Mutex::default(), send }
    }
}

impl<S: Fn(String) + Send + Sync> ProgressSink for Progress<S> {
    fn report(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        // Held while sending, so that reports of two threads keep their order.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !done.is_finite() || last.is_some_and(|last| done <= last) {
            return;
        }
        *last = Some(done);
        let mut params = ProgressNotificationParam::new(self.token.clone(), done);
        params.total = total.filter(|total| total.is_finite());
        params.message = message.map(str::to_owned);
        let progress = ServerNotification::ProgressNotification(ProgressNotification::new(params));
        match serde_json::to_string(&ServerJsonRpcMessage::notification(progress)) {
            Ok(text) => (self.send)(text),
            Err(error) => tracing::error!(%error, "cannot serialise progress"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn only_increasing_finite_reports_pass() {
        let sent = Mutex::new(Vec::new());
        let token = ProgressToken(NumberOrString::String("t".into()));
        let progress = Progress::new(token, |text| sent.lock().unwrap().push(text));
        for done in [0.0, 1.0, 1.0, f64::NAN, 0.5, 2.0] {
            progress.report(done, Some(f64::INFINITY), None);
        }
        progress.report(3.0, Some(4.0), Some("nearly"));
        let sent: Vec<Value> = sent
            .lock()
            .unwrap()
            .iter()
            .map(|text| serde_json::from_str::<Value>(text).unwrap()["params"].take())
            .collect();
        assert_eq!(
            sent,
            [
                json!({"progressToken": "t", "progress": 0.0}),
                json!({"progressToken": "t", "progress": 1.0}),
                json!({"progressToken": "t", "progress": 2.0}),
                json!({"progressToken": "t", "progress": 3.0, "total": 4.0, "message": "nearly"}),
            ]
        );
    }
}
