//! The requests of a connection that are not answered yet: which ids are taken, and what they hold.
//!
//! Every request that is not answered in place is counted, whoever serves it, so that no method is a way
//! around the bound on memory. This module does not know how requests run.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Maximum size of the requests in flight; a single larger one is still served.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of requests besides calls that are served at a time.
const MAX_PASSED_ON: usize = 64;
/// Maximum number of open `subscriptions/listen`.
pub(super) const MAX_LISTENING: usize = 64;

/// Shared by the transport and its running calls.
#[derive(Default)]
pub(super) struct InFlight {
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Default)]
struct State {
    requests: HashMap<RequestId, Request>,
    bytes: usize,
    passed_on: usize,
    listening: usize,
}

struct Request {
    bytes: usize,
    kind: Kind,
}

/// Who serves a request.
pub(super) enum Kind {
    /// A call of the transport, queued or running.
    Call(CancellationToken),
    /// The SDK, at once; or the surface, which looks up what its caller may list.
    PassedOn,
    /// The SDK, until it is cancelled: its place must not keep others from being read.
    Listening,
}

impl State {
    fn count(&mut self, kind: &Kind) -> Option<&mut usize> {
        match kind {
            Kind::Call(_) => None,
            Kind::PassedOn => Some(&mut self.passed_on),
            Kind::Listening => Some(&mut self.listening),
        }
    }

    fn remove(&mut self, id: &RequestId) -> Option<Kind> {
        let Request { bytes, kind } = self.requests.remove(id)?;
        self.bytes -= bytes;
        if let Some(count) = self.count(&kind) {
            *count -= 1;
        }
        Some(kind)
    }

    fn is_full(&self) -> bool {
        let counted = self.requests.len() - self.listening;
        self.passed_on >= MAX_PASSED_ON || (self.bytes > MAX_BYTES && counted > 0)
    }
}

impl InFlight {
    /// Whether the id, as JSON text, is taken.
    pub(super) fn has(&self, id: &str) -> bool {
        let state = self.state();
        !state.requests.is_empty()
            && serde_json::from_str(id).is_ok_and(|id: RequestId| state.requests.contains_key(&id))
    }

    /// Adds a request of so many bytes; false if its id is taken.
    pub(super) fn add(&self, id: RequestId, bytes: usize, kind: Kind) -> bool {
        let mut state = self.state();
        if state.requests.contains_key(&id) {
            return false;
        }
        if let Some(count) = state.count(&kind) {
            *count += 1;
        }
        state.bytes += bytes;
        state.requests.insert(id, Request { bytes, kind });
        true
    }

    /// Removes a request that is answered or will never be.
    pub(super) fn end(&self, id: &RequestId) {
        self.state().remove(id);
        self.ended.notify_waiters();
    }

    /// The client no longer wants the answer. A running call is told and stays until it ends; the SDK
    /// answers no request that was cancelled.
    pub(super) fn cancel(&self, id: &RequestId) {
        let mut state = self.state();
        match state.requests.get(id) {
            Some(Request { kind: Kind::Call(cancel), .. }) => cancel.cancel(),
            Some(_) => drop(state.remove(id)),
            None => {}
        }
    }

    /// Cancels all calls.
    pub(super) fn cancel_calls(&self) {
        for request in self.state().requests.values() {
            if let Kind::Call(cancel) = &request.kind {
                cancel.cancel();
            }
        }
    }

    /// Number of open `subscriptions/listen`.
    pub(super) fn listening(&self) -> usize {
        self.state().listening
    }

    /// Nothing more may be read.
    pub(super) fn is_full(&self) -> bool {
        self.state().is_full()
    }

    /// Resolves when more may be read.
    pub(super) async fn has_room(&self) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            ended.as_mut().enable();
            if !self.is_full() {
                return;
            }
            ended.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn an_id_is_taken_until_its_request_ends() {
        let in_flight = InFlight::default();
        assert!(in_flight.add(id(1), 10, Kind::PassedOn));
        assert!(in_flight.has("1") && !in_flight.has(r#""1""#) && !in_flight.has("2"));
        assert!(!in_flight.add(id(1), 10, Kind::Call(CancellationToken::new())));
        in_flight.end(&id(1));
        assert!(!in_flight.has("1"));
    }

    #[test]
    fn a_cancelled_call_keeps_its_id_until_it_ends() {
        let (in_flight, cancel) = (InFlight::default(), CancellationToken::new());
        in_flight.add(id(1), 10, Kind::Call(cancel.clone()));
        in_flight.cancel(&id(1));
        assert!(cancel.is_cancelled() && in_flight.has("1"));
        in_flight.add(id(2), 10, Kind::Listening);
        in_flight.cancel(&id(2));
        assert!(!in_flight.has("2"));
        assert_eq!(in_flight.listening(), 0);
    }

    #[test]
    fn requests_of_every_kind_count() {
        let in_flight = InFlight::default();
        for number in 0..MAX_PASSED_ON as i64 {
            assert!(!in_flight.is_full());
            in_flight.add(id(number), 10, Kind::PassedOn);
        }
        assert!(in_flight.is_full());
        in_flight.end(&id(0));
        assert!(!in_flight.is_full());
        in_flight.add(id(-1), MAX_BYTES, Kind::Call(CancellationToken::new()));
        assert!(in_flight.is_full());
        in_flight.end(&id(-1));
        assert!(!in_flight.is_full());
    }
}
