//! Security, row by row: what `SECURITY.md` promises, tried on the real binaries and stores.
//!
//! A promise that another suite tests in full is not tested twice: `promises.rs` holds every row of
//! the table against the tests that it names.

#![cfg(all(
    feature = "agentpack",
    feature = "wa",
    feature = "wink",
    feature = "worldforge",
    feature = "yarnnn"
))]
// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod dependencies;
mod headers;
mod links;
mod logs;
mod lookalikes;
mod paths;
mod promises;
mod rebinding;
mod secrets;
mod served;
mod sizes;
mod tokens;

// Helpers of other suites, which use all of them.
#[path = "../shared/listening.rs"]
mod listening;
#[allow(dead_code)]
#[path = "../shared/process.rs"]
mod process;
#[allow(dead_code)]
#[path = "../wink/project.rs"]
mod project;
#[allow(dead_code)]
#[path = "../agentpack/sandbox.rs"]
mod sandbox;
#[path = "../wa/schemas.rs"]
mod schemas;
#[allow(dead_code)]
#[path = "../wire/server.rs"]
mod server;
#[allow(dead_code)]
#[path = "../wa/session.rs"]
mod session;
#[allow(dead_code, unused_imports, unused_macros)]
#[path = "../wa/stage.rs"]
mod stage;
#[allow(dead_code)]
#[path = "../wa/terminal.rs"]
mod terminal;
#[path = "../../runtime/tests/server/web.rs"]
mod web;
