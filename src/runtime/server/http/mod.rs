//! The HTTP transport: MCP's streamable HTTP, without sessions.
//!
//! Requests are independent of each other, so any replica can serve them: tool calls here ([`calls`]),
//! every other method by the SDK. Clients on protocol revisions before 2026-07-28 cannot be prompted
//! over HTTP, because that needs a session, so tools that must ask the user refuse.
//!
//! The [`router`] checks `Host`, `Origin` and the bearer token (which a surface may verify itself),
//! limits rate, size and time, and bounds the number of running and queued calls. Besides `/mcp` it
//! serves `/healthz`, `/readyz`, `/metrics`, a web page ([`page`]) and the pages of the surface
//! ([`surface_pages`]). TLS is left to a reverse proxy.
//!
//! A call is cancelled when its connection breaks. On shutdown the server accepts no more requests and
//! lets running calls finish within the grace period.

mod accept;
mod activity;
mod auth_throttle;
mod authorizer;
mod body;
mod call_slots;
mod caller_key;
mod calls;
mod connection;
mod descriptors;
mod host_origin;
mod keyed_semaphores;
mod metered_surface;
mod metrics;
mod options;
mod page;
mod places;
mod proxies;
mod rate_limit;
mod request_head;
mod response;
mod router;
mod shares;
mod surface_pages;
mod tokens;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use self::options::{Bearer, HttpOptions, MetricsEndpoint, OptionsError};
pub use self::proxies::{ForwardedHeader, Network, TrustedProxies};
pub use self::rate_limit::Rate;
pub(super) use self::request_head::agent;
pub use self::tokens::Tokens;

use self::accept::{Scope, accept};
use self::authorizer::Authorizer;
use self::call_slots::CallSlots;
use self::metered_surface::MeteredSurface;
use self::metrics::Metrics;
use self::page::Page;
use self::router::HttpRouter;
use self::shares::Shares;
use super::host::Host;
use super::{ServeError, ServeOptions, run, stop_on_signals};
use crate::call::Services;
use crate::dispatch::Dispatch;

/// Builds a runtime, serves over HTTP until SIGTERM or SIGINT, and returns the exit status.
pub fn run_http(
    surface: Arc<dyn Dispatch>,
    services: Services,
    options: ServeOptions,
    http: HttpOptions,
) -> u8 {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    run(runtime, serve_http(surface, services, options, http))
}

/// Serves over HTTP until SIGTERM or SIGINT.
///
/// # Errors
/// When the options are invalid, or the server cannot listen on the address.
pub async fn serve_http(
    surface: Arc<dyn Dispatch>,
    services: Services,
    options: ServeOptions,
    http: HttpOptions,
) -> Result<(), ServeError> {
    let http = http.for_surface(&*surface).map_err(ServeError::Options)?;
    let listener = TcpListener::bind(http.address).await;
    let listener = listener.map_err(|error| ServeError::Listen(http.address, error))?;
    let watching = stop_on_signals(options.stop.clone())?;
    let served = serve_listener(surface, services, options, http, listener).await;
    watching.abort();
    served
}

/// Serves on a bound listener until `stop` of the options is cancelled. The caller handles signals.
///
/// # Errors
/// When the options are invalid, or the ready file cannot be written.
pub async fn serve_listener(
    surface: Arc<dyn Dispatch>,
    services: Services,
    options: ServeOptions,
    http: HttpOptions,
    listener: TcpListener,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(|error| ServeError::Listen(http.address, error))?;
    let http = HttpOptions { address, ..http };
    let http = http.for_surface(&*surface).map_err(ServeError::Options)?;
    let ready_file = http.ready_file.clone();
    let metrics = metrics_listener(http.metrics).await?;
    let router = router(surface, services, &options, http)?;
    if let Some(pages) = router.surface.pages().filter(|_| router.page.is_some())
        && !address.ip().is_unspecified()
    {
        pages.listening(&format!("http://{address}"));
    }
    let url = format!("http://{address}/mcp");
    if let Some(file) = &ready_file {
        write_ready_file(file, &url).map_err(ServeError::Ready)?;
    }
    tracing::info!(event = "http.listening", %url, "listening");
    let serving_metrics = async {
        match metrics {
            Some(listener) => accept(&router, listener, Scope::Metrics, &options.stop).await,
            None => JoinSet::new(),
        }
    };
    let serving = accept(&router, listener, Scope::Everything, &options.stop);
    let (connections, _metrics) = tokio::join!(serving, serving_metrics);
    router.stopping.cancel();
    finish(&router, connections, options.grace).await;
    if let Some(file) = &ready_file {
        // It may be gone, or belong to another server by now; errors do not matter.
        let _ = std::fs::remove_file(file);
    }
    Ok(())
}

/// Listens for requests of the metrics, where they have an address of their own.
async fn metrics_listener(metrics: MetricsEndpoint) -> Result<Option<TcpListener>, ServeError> {
    let MetricsEndpoint::Own(address) = metrics else { return Ok(None) };
    let failed = |error| ServeError::Listen(address, error);
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    tracing::info!(event = "http.metrics", url = %format!("http://{address}/metrics"), "listening");
    Ok(Some(listener))
}

fn router(
    surface: Arc<dyn Dispatch>,
    services: Services,
    options: &ServeOptions,
    http: HttpOptions,
) -> Result<Arc<HttpRouter>, ServeError> {
    let metrics = Arc::new(Metrics::new(surface.info()));
    let metered = Arc::new(MeteredSurface { inner: surface.clone(), metrics: metrics.clone() });
    let stopping = CancellationToken::new();
    let version = options.server_version.clone().unwrap_or_else(|| services.version.to_owned());
    let clock = services.clock.clone();
    let host = Arc::new(Host::new(metered, services, options));
    Ok(Arc::new(HttpRouter {
        authorizer: Authorizer::new(&http, clock, surface.clone(), metrics.clone()),
        page: http.page.then(|| Page::new(surface.info(), version)),
        mcp: router::mcp(host.clone(), stopping.clone(), http.stream_timeout),
        host,
        host_origin: http.host_origin().map_err(ServeError::Options)?,
        slots: CallSlots::new(
            calls(options),
            http.max_calls_per_caller,
            http.max_waiting,
            http.queue_timeout,
            metrics.waiting.clone(),
        ),
        streams: Shares::new(http.max_streams_per_caller),
        proxied: Shares::new(http.max_connections_per_address),
        abandoned: CancellationToken::new(),
        options: http,
        metrics,
        surface,
        stopping,
    }))
}

/// Maximum number of concurrent calls.
fn calls(options: &ServeOptions) -> u32 {
    u32::try_from(options.max_calls).unwrap_or(u32::MAX).clamp(1, 1 << 20)
}

/// Lets running calls finish; those that do not finish in time are cancelled, then abandoned.
async fn finish(router: &HttpRouter, mut connections: JoinSet<()>, grace: Duration) {
    for grace in [grace, grace / 4] {
        let quiet = async {
            while connections.join_next().await.is_some() {}
            // A call may still be writing after its client has disconnected.
            router.slots.all_free().await;
        };
        if tokio::time::timeout(grace, quiet).await.is_ok() {
            return;
        }
        router.abandoned.cancel();
    }
    tracing::warn!("abandoned calls that did not finish in time");
}

/// Writes the URL atomically, so that a process that waits for the file never reads a part of it.
fn write_ready_file(file: &Path, url: &str) -> io::Result<()> {
    let mut temporary = file.as_os_str().to_owned();
    temporary.push(".new");
    std::fs::write(&temporary, format!("{url}\n"))?;
    std::fs::rename(&temporary, file)
}
