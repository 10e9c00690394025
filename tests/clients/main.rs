//! Clients that others wrote, against every surface: the official Python package, the official
//! TypeScript package and the official Inspector's command line. `tests/run` installs them.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

#[path = "../shared/fixtures/mod.rs"]
mod fixtures;
mod inspector;
mod packages;
