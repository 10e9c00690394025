//! The state of one connection.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

use super::caller::CallerDefaults;
use super::notifier::Changes;
use crate::tool_selection::ToolSelection;

/// Maximum size of the subscriptions of a connection: addresses may have parts that the client chooses.
const MAX_SUBSCRIBED_BYTES: usize = 256 * 1024;
/// What a subscription takes beside its address.
const SUBSCRIPTION_BYTES: usize = 64;

/// The subscriptions of a connection take too much memory.
#[derive(Debug)]
pub(super) struct TooManySubscriptions;

/// How much memory subscriptions to these addresses take is within the limit.
pub(super) fn may_be_subscribed<'u>(uris: impl IntoIterator<Item = &'u String>) -> bool {
    let sizes = uris.into_iter().map(|uri| uri.len() + SUBSCRIPTION_BYTES);
    sizes.sum::<usize>() <= MAX_SUBSCRIBED_BYTES
}

/// One connection; shared by its handler and its transport.
#[derive(Default)]
pub(super) struct Session {
    state: Mutex<State>,
    ending: CancellationToken,
    /// Set for a connection of a single request: how long its stream may last.
    one_request: Option<Duration>,
}

#[derive(Default)]
struct State {
    handshake: Option<Arc<Handshake>>,
    subscriptions: BTreeSet<String>,
    forwarding: bool,
    announcing: bool,
    queued_changes: VecDeque<(Changes, Arc<ToolSelection>)>,
    roots: Option<Vec<PathBuf>>,
}

/// The result of a handshake.
pub(super) struct Handshake {
    /// The client and the view it is served.
    pub(super) defaults: CallerDefaults,
    /// Sends requests to the client.
    pub(super) peer: Peer<RoleServer>,
    /// The tools that were chosen.
    pub(super) choice: Arc<ToolSelection>,
}

impl Session {
    /// A connection for a single request; ends at the latest when `ending` is cancelled. A stream that
    /// it opens lasts for `stream_timeout`.
    pub(super) fn for_one_request(ending: CancellationToken, stream_timeout: Duration) -> Self {
        Self { ending, one_request: Some(stream_timeout), ..Self::default() }
    }

    /// Resolves when a stream that begins now has lasted long enough.
    pub(super) async fn stream_expired(&self) {
        match self.one_request {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    }

    /// Whether there is no state beyond the current request.
    pub(super) fn is_for_one_request(&self) -> bool {
        self.one_request.is_some()
    }

    /// Remembers a handshake; a second one replaces the first.
    pub(super) fn open(&self, handshake: Handshake) {
        self.state().handshake = Some(Arc::new(handshake));
    }

    /// The handshake, if it has happened.
    pub(super) fn handshake(&self) -> Option<Arc<Handshake>> {
        self.state().handshake.clone()
    }

    /// Adds a subscription. Returns true if changes are not forwarded to this connection yet; the
    /// caller must then start to.
    pub(super) fn subscribe(&self, uri: String) -> Result<bool, TooManySubscriptions> {
        let mut state = self.state();
        let known = state.subscriptions.contains(&uri);
        if !known && !may_be_subscribed(state.subscriptions.iter().chain([&uri])) {
            return Err(TooManySubscriptions);
        }
        state.subscriptions.insert(uri);
        Ok(!std::mem::replace(&mut state.forwarding, true))
    }

    /// Removes a subscription.
    pub(super) fn unsubscribe(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    /// Current subscriptions.
    pub(super) fn subscriptions(&self) -> Vec<String> {
        self.state().subscriptions.iter().cloned().collect()
    }

    /// Begins to notify this connection of changed lists. False where that has begun before.
    pub(super) fn begin_list_changes(&self) -> bool {
        !std::mem::replace(&mut self.state().announcing, true)
    }

    /// Queues changes, and the choice of tools before them, for a subscription that is being
    /// acknowledged, so that none is missed after the acknowledgement.
    pub(super) fn queue_changes(&self, changes: Changes, choice: Arc<ToolSelection>) {
        self.state().queued_changes.push_back((changes, choice));
    }

    /// The changes queued for a subscription that was acknowledged.
    pub(super) fn take_changes(&self) -> Option<(Changes, Arc<ToolSelection>)> {
        self.state().queued_changes.pop_front()
    }

    /// The client's roots, once requested.
    pub(super) fn roots(&self) -> Option<Vec<PathBuf>> {
        self.state().roots.clone()
    }

    /// Stores the client's roots; `None` requests them again.
    pub(super) fn set_roots(&self, roots: Option<Vec<PathBuf>>) {
        self.state().roots = roots;
    }

    /// Signals that no more requests will come, so that tasks which only wait for the client end.
    pub(super) fn end(&self) {
        self.ending.cancel();
    }

    /// Cancelled when no more requests will come.
    pub(super) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Sends a notification or request to the client; false if it can no longer be sent. After the
    /// last request the SDK sends only answers, and anything else would wait forever.
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
