//! Accepts connections and gives each its place.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::activity::Activity;
use super::connection::{reject_connection, serve};
use super::descriptors;
use super::metrics::Reason;
use super::places::Places;
use super::router::HttpRouter;

/// Pause after a failed accept, most likely because of a lack of descriptors: connections end
/// meanwhile, and those that wait to be accepted are not lost.
const PAUSE: Duration = Duration::from_millis(100);
/// The same warning is logged at most so often.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// What a listener serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Everything,
    /// Metrics and health checks.
    Metrics,
    /// Health checks: there is no place for anything else.
    Probes,
}

/// Connections of a listener for metrics, and how many of them one address may have.
const METRICS_CONNECTIONS: (usize, usize) = (64, 16);

/// Accepts connections until `stop` is cancelled.
pub(super) async fn accept(
    router: &Arc<HttpRouter>,
    listener: TcpListener,
    scope: Scope,
    stop: &CancellationToken,
) -> JoinSet<()> {
    let options = &router.options;
    let (most, most_of_address) = match scope {
        Scope::Metrics => METRICS_CONNECTIONS,
        _ => (
            descriptors::for_connections(options.max_connections),
            options.max_connections_per_address,
        ),
    };
    let places = Places::new(most, most_of_address, options.proxies.clone());
    let mut connections = JoinSet::new();
    let mut failed = Warning::default();
    let mut crowded = Warning::default();
    loop {
        tokio::select! {
            () = stop.cancelled() => return connections,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let activity = Activity::new();
                    if let Some(place) = places.take(peer.ip(), &activity) {
                        let scope = if place.only_probes { Scope::Probes } else { scope };
                        connections.spawn(serve(router.clone(), stream, activity, place, scope));
                        continue;
                    }
                    reject_connection(&stream);
                    router.metrics.rejected(Reason::Crowded);
                    if crowded.is_due() {
                        let client = peer.ip();
                        tracing::warn!(event = "http.crowded", %client, "turned away a connection");
                    }
                }
                Err(error) => {
                    if failed.is_due() {
                        tracing::warn!(event = "http.accept", %error, "cannot accept a connection");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            },
            _ = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

/// Keeps a warning from filling the log.
#[derive(Default)]
struct Warning {
    last: Option<Instant>,
}

impl Warning {
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now - last >= WARNING_INTERVAL);
        if due {
            self.last = Some(now);
        }
        due
    }
}
