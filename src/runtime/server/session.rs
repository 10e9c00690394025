//! What is known about one connection.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

use super::caller::CallerDefaults;
use super::notifier::Changes;

/// One connection; shared by its handler and its transport.
#[derive(Default)]
pub(super) struct Session {
    state: Mutex<State>,
    ending: CancellationToken,
    one_request: bool,
}

#[derive(Default)]
struct State {
    handshake: Option<Arc<Handshake>>,
    subscriptions: BTreeSet<String>,
    forwarding: bool,
    queued_changes: VecDeque<Changes>,
    roots: Option<Vec<PathBuf>>,
}

/// What a handshake settled.
pub(super) struct Handshake {
    /// Who the client is and what it is shown.
    pub(super) defaults: CallerDefaults,
    /// Sends requests to the client.
    pub(super) peer: Peer<RoleServer>,
}

impl Session {
    /// A connection that ends with its first request, at the latest when `ending` is cancelled.
    pub(super) fn for_one_request(ending: CancellationToken) -> Self {
        Self { ending, one_request: true, ..Self::default() }
    }

    /// Nothing is remembered from one request to the next.
    pub(super) fn is_for_one_request(&self) -> bool {
        self.one_request
    }

    /// Remembers a handshake; a second one replaces the first.
    pub(super) fn open(&self, handshake: Handshake) {
        self.state().handshake = Some(Arc::new(handshake));
    }

    /// The handshake, once there was one.
    pub(super) fn handshake(&self) -> Option<Arc<Handshake>> {
        self.state().handshake.clone()
    }

    /// Adds a subscription; true when nobody passes changes on to this connection yet, which the
    /// caller must then do.
    pub(super) fn subscribe(&self, uri: String) -> bool {
        let mut state = self.state();
        state.subscriptions.insert(uri);
        !std::mem::replace(&mut state.forwarding, true)
    }

    /// Removes a subscription.
    pub(super) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    /// Current subscriptions.
    pub(super) fn subscriptions(&self) -> Vec<String> {
        self.state().subscriptions.iter().cloned().collect()
    }

    /// Keeps news for a subscription that is being acknowledged: nothing that happens after the
    /// client has heard of it may be missed.
    pub(super) fn queue_changes(&self, changes: Changes) {
        self.state().queued_changes.push_back(changes);
    }

    /// The news kept for a subscription that was acknowledged.
    pub(super) fn take_changes(&self) -> Option<Changes> {
        self.state().queued_changes.pop_front()
    }

    /// Folders of the client, once asked for.
    pub(super) fn roots(&self) -> Option<Vec<PathBuf>> {
        self.state().roots.clone()
    }

    /// Remembers the client's folders; none asks again.
    pub(super) fn set_roots(&self, roots: Option<Vec<PathBuf>>) {
        self.state().roots = roots;
    }

    /// Says that no more requests will come, so that whatever only waits for the client ends.
    pub(super) fn end(&self) {
        self.ending.cancel();
    }

    /// Cancelled when no more requests will come.
    pub(super) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Sends something unasked; false when the client no longer takes it. Once no more requests
    /// come the SDK sends answers only, and anything else would wait for ever.
    pub(super) async fn while_open<E>(&self, sending: impl Future<Output = Result<(), E>>) -> bool {
        tokio::select! {
            biased;
            () = self.ending.cancelled() => false,
            sent = sending => sent.is_ok(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
