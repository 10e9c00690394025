//! Streamable HTTP over real sockets.

mod authorization;
mod health;
mod host_origin;
mod limits;
mod many_clients;
mod one_address;
mod protocol;
mod proxies;
mod request_heads;
mod shutdown;
mod surface_pages;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolwright_runtime::server::{HttpOptions, Notifier, ServeError, ServeOptions, serve_listener};
use toolwright_runtime::{Dispatch, Services};

use crate::surface::{Surface, test_services};
use toolwright_testing::http_client::Web;

/// A server on a thread of its own, with a port of its own.
pub(crate) struct Server {
    address: SocketAddr,
    surface: Arc<Surface>,
    notifier: Notifier,
    stop: CancellationToken,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::with(HttpOptions::default())
    }

    fn with(http: HttpOptions) -> Self {
        Self::start(http, ServeOptions::default())
    }

    pub(crate) fn start(http: HttpOptions, options: ServeOptions) -> Self {
        let surface = Arc::new(Surface::default());
        Self::serve(surface.clone(), surface, http, options)
    }

    fn serve(
        surface: Arc<Surface>,
        served: Arc<dyn Dispatch>,
        http: HttpOptions,
        options: ServeOptions,
    ) -> Self {
        Self::serve_in(test_services(), surface, served, http, options)
    }

    fn serve_in(
        test_services: Services,
        surface: Arc<Surface>,
        served: Arc<dyn Dispatch>,
        http: HttpOptions,
        options: ServeOptions,
    ) -> Self {
        let listener = TcpListener::bind(http.address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, notifier) = (options.stop.clone(), options.notifier.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                serve_listener(served, test_services, options, http, listener).await
            })
        });
        Self { address, surface, notifier, stop, thread: Some(thread) }
    }

    pub(crate) fn connect(&self) -> Web {
        Web::connect(self.address)
    }

    /// Connects as another machine would.
    fn connect_from(&self, from: Ipv4Addr) -> Web {
        Web::connect_from(from, self.address)
    }

    /// The value of one line of the metrics.
    fn metric(&self, line: &str) -> Option<f64> {
        let page = self.connect().get("/metrics").body;
        let found = page.lines().find_map(|known| known.strip_prefix(line)?.strip_prefix(' '));
        found.map(|value| value.parse().unwrap())
    }

    fn rejected(&self, reason: &str) -> f64 {
        let line =
            format!("toolwright_http_rejected_total{{surface=\"test\",reason=\"{reason}\"}}");
        self.metric(&line).unwrap()
    }

    /// Stops the server and waits for its end.
    fn end(&mut self) -> Result<(), ServeError> {
        self.stop.cancel();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits until something holds that will hold soon.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Surface {
    /// Waits until as many slow calls are under way.
    fn await_running(&self, calls: usize) {
        eventually("calls under way", || self.running.load(Ordering::SeqCst) == calls);
    }

    fn await_cancelled(&self, calls: usize) {
        eventually("calls cancelled", || self.cancelled.load(Ordering::SeqCst) == calls);
    }
}

fn slow(arguments: Value) -> Value {
    json!({"name": "test.slow", "arguments": arguments})
}
