//! A surface served over HTTP by a thread of the test itself. Knows no surface by name.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use toolwright_runtime::clock::{Clock, SystemClock, SystemIds};
use toolwright_runtime::server::{HttpOptions, ServeOptions, serve_listener};
use toolwright_runtime::{Dispatch, Services};

/// Serves a surface on a thread that ends with the tests.
pub fn serve(surface: Arc<dyn Dispatch>, http: HttpOptions, options: ServeOptions) -> SocketAddr {
    serve_by(Arc::new(SystemClock::default()), surface, http, options)
}

/// The same with another clock.
pub fn serve_by(
    clock: Arc<dyn Clock>,
    surface: Arc<dyn Dispatch>,
    http: HttpOptions,
    options: ServeOptions,
) -> SocketAddr {
    let listener = TcpListener::bind(http.address).expect("a free port");
    listener.set_nonblocking(true).expect("a mode");
    let address = listener.local_addr().expect("an address");
    let services = Services { clock, ids: Arc::new(SystemIds), version: "1.2.3" };
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            serve_listener(surface, services, options, http, listener).await
        })
    });
    address
}
