//! Security, row by row: what `SECURITY.md` promises, tried on the real binaries and stores.
//!
//! A promise that another suite tests in full is not tested twice: `promises.rs` holds every row of
//! the table against the tests that it names.

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

#[allow(dead_code, unused_imports, unused_macros)]
#[path = "../../src/wa/tests/harness.rs"]
mod harness;
#[allow(dead_code)]
#[path = "../../src/wink/tests/project.rs"]
mod project;
#[allow(dead_code)]
#[path = "../../src/agentpack/tests/sandbox.rs"]
mod sandbox;
#[path = "../../src/wa/tests/schemas.rs"]
mod schemas;
#[allow(dead_code, reason = "the suite of the wire uses all of it")]
#[path = "../shared/servers.rs"]
mod server;
#[allow(dead_code)]
#[path = "../../src/wa/tests/session.rs"]
mod session;
#[allow(dead_code)]
#[path = "../../src/wa/tests/terminal.rs"]
mod terminal;
