//! What a client sees: the binaries over real standard streams and sockets.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod audit;
mod chosen_tools;
mod command_line;
mod definitions;
mod docs;
mod documented_commands;
mod documents;
mod exposure;
#[path = "../shared/fixtures/mod.rs"]
mod fixtures;
mod http;
mod mock;
mod new_tool;
#[path = "../shared/package.rs"]
mod package;
mod prompts;
mod protocol;
mod revisions;
#[path = "../shared/server_homes.rs"]
mod server_homes;
mod session;
mod shells;
mod start_and_stop;
