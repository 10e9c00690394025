//! What a client sees: the binaries over real standard streams and sockets.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod boot;
mod command_line;
mod definitions;
mod docs;
mod documents;
mod growth;
#[path = "../shared/homes/mod.rs"]
mod homes;
mod http;
mod mock;
#[path = "../shared/package.rs"]
mod package;
mod protocol;
mod revisions;
#[path = "../shared/servers.rs"]
mod server;
mod session;
mod shells;
