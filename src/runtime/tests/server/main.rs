//! The server as a client sees it: raw lines over real descriptors, raw requests over real sockets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests are tests too"
)]

mod call_path;
mod calls;
mod child;
mod client;
mod elicitation;
mod handshake;
mod hosts;
mod http;
mod ids;
mod list_changes;
mod malformed_input;
mod prompts;
mod resources;
mod shutdown;
mod surface;
