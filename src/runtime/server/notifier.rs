//! Notifies subscribers of resource changes.
//!
//! Surfaces hold a [`Notifier`] and call [`Notifier::updated`] from any thread; connections listen
//! and forward the changes to clients that subscribed. Independent of the protocol.

use std::sync::Arc;

use tokio::sync::broadcast;

/// Changes that are buffered for a slow connection. A connection that misses some reports every
/// resource it is subscribed to.
const CAPACITY: usize = 256;

/// Handle through which a surface reports that a resource has changed. Clones share subscribers.
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
    /// Reports that the resource `uri` has changed. The query is ignored: `wa://events` reaches
    /// subscribers of `wa://events?pane=3` too. Never blocks.
    pub fn updated(&self, uri: &str) {
        // An error only means that there are no subscribers.
        let _ = self.changes.send(Arc::from(base(uri)));
    }

    pub(super) fn listen(&self) -> Changes {
        Changes { changes: self.changes.subscribe() }
    }
}

/// A connection's receiver of changes.
pub(super) struct Changes {
    changes: broadcast::Receiver<Arc<str>>,
}

/// A resource change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// This resource, without query.
    One(Arc<str>),
    /// Changes were missed: assume that everything has changed.
    Everything,
}

impl Change {
    /// Whether it affects a subscription to `uri`.
    pub(super) fn concerns(&self, uri: &str) -> bool {
        match self {
            Self::One(changed) => base(uri) == &**changed,
            Self::Everything => true,
        }
    }
}

impl Changes {
    /// The next change; `None` at the end.
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
    async fn a_slow_subscriber_learns_that_it_missed_changes() {
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
