//! Security, row by row: what `SECURITY.md` promises, tried on the real binaries and stores.
//!
//! A promise that another suite tests in full is not tested twice: `security_table.rs` holds every row of
//! the table against the tests that it names.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod confusable_text;
mod dependencies;
mod duplicates;
mod exhaustion;
mod headers;
mod links;
mod logs;
mod paths;
mod rebinding;
mod secrets;
mod security_table;
mod served;
mod sizes;
mod tokens;

#[allow(dead_code)]
#[path = "../../src/wink/tests/project.rs"]
mod project;
#[allow(dead_code)]
#[path = "../../src/agentpack/tests/sandbox.rs"]
mod sandbox;
#[path = "../../src/wa/tests/schemas.rs"]
mod schemas;
#[path = "../shared/server_homes.rs"]
mod server_homes;
#[allow(dead_code)]
#[path = "../../src/wa/tests/session.rs"]
mod session;
#[allow(dead_code)]
#[path = "../../src/wa/tests/terminal.rs"]
mod terminal;
#[allow(dead_code, unused_imports, unused_macros)]
#[path = "../../src/wa/tests/workspace.rs"]
mod workspace;
