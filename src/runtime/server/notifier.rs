//! Tells subscribers that a resource has changed.
//!
//! Surfaces hold a [`Notifier`] and call [`Notifier::updated`] from any thread; connections listen
//! and pass the news on to clients that subscribed. Nothing here knows the protocol.

use std::sync::Arc;

use tokio::sync::broadcast;

/// News kept for a connection that is slow to listen. A connection that misses some is told so
/// and reports every resource it is subscribed to.
const CAPACITY: usize = 256;

/// Handle through which a surface says that a resource has changed. Clones share subscribers.
#[derive(Debug, Clone)]
pub struct Notifier {
    changes: broadcast::Sender<Arc<str>>,
}

impl Default for Notifier {
    fn default() -> Self {
        Self { changes: broadcast::Sender::new(CAPACITY) }
    }
}

impl Notifier {
    /// Says that the resource `uri` has changed. A query is ignored: `wa://events` reaches
    /// subscribers of `wa://events?pane=3` too. Never waits.
    pub fn updated(&self, uri: &str) {
        // An error only says that nobody listens.
        let _ = self.changes.send(Arc::from(base(uri)));
    }

    pub(super) fn listen(&self) -> Changes {
        Changes { changes: self.changes.subscribe() }
    }
}

/// A connection's end of the notifier.
pub(super) struct Changes {
    changes: broadcast::Receiver<Arc<str>>,
}

/// What has changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// This resource, without query.
    One(Arc<str>),
    /// News was missed: assume that everything has.
    Everything,
}

impl Change {
    /// Whether a subscription to `uri` wants to hear of it.
    pub(super) fn concerns(&self, uri: &str) -> bool {
        match self {
            Self::One(changed) => base(uri) == &**changed,
            Self::Everything => true,
        }
    }
}

impl Changes {
    /// The next change; `None` when no more can come.
    pub(super) async fn next(&mut self) -> Option<Change> {
        match self.changes.recv().await {
            Ok(uri) => Some(Change::One(uri)),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Change::Everything),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// A uri without its query.
pub(super) fn base(uri: &str) -> &str {
    uri.split_once('?').map_or(uri, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_listener_hears_that_it_missed_something() {
        let notifier = Notifier::default();
        let mut changes = notifier.listen();
        for _ in 0..=CAPACITY {
            notifier.updated("a://b?c=d");
        }
        assert_eq!(changes.next().await, Some(Change::Everything));
        assert_eq!(changes.next().await, Some(Change::One("a://b".into())));
    }

    #[test]
    fn a_change_concerns_subscriptions_with_a_query() {
        let changed = Change::One("a://b".into());
        assert!(changed.concerns("a://b?limit=3"));
        assert!(!changed.concerns("a://bc"));
    }
}
