//! What a client sees: the binaries over real standard streams and sockets.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod boot;
mod command_line;
mod definitions;
mod growth;
mod http;
mod protocol;
mod server;
#[path = "../../runtime/tests/server/web.rs"]
mod web;
