//! Servers under test: real processes for the surfaces, a thread for the one that exists for the page.

use std::net::SocketAddr;
use std::sync::Arc;

use toolwright_runtime::server::{HttpOptions, ServeOptions};

use crate::demo::Demo;
use crate::wink_project::project;
pub(crate) use toolwright_testing::thread_server::serve;
use toolwright_testing::{HttpServer, ServerHome};

/// A project of `wink` with descriptors and an override file, and a server in it.
pub(crate) struct Wink {
    pub(crate) home: ServerHome,
    pub(crate) process: HttpServer,
}

impl Wink {
    pub(crate) fn start() -> Self {
        let home = project();
        Self { process: home.http(), home }
    }

    /// A server that wants one of the given tokens.
    pub(crate) fn with_tokens(tokens: &str) -> Self {
        let home = project();
        let file = home.write("tokens", tokens).display().to_string();
        let process = HttpServer::spawn(home.command(&["mcp", "--http-token-file", &file]));
        Self { home, process }
    }
}

/// Serves the surface made for the page.
pub(crate) fn demo(http: HttpOptions, options: ServeOptions) -> SocketAddr {
    serve(Arc::new(Demo), http, options)
}
