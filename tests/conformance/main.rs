//! The official conformance suite against a server of ours, over HTTP.
//!
//! `specs/` is a contract with the fixtures that the suite calls by name, as far as a contract can
//! say them; `generated/` is what the compiler makes of it, and the handlers are in `fixtures`.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod fixtures;
#[path = "generated/conformance.rs"]
#[rustfmt::skip]
mod generated;
mod suite;
