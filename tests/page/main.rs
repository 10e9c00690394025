//! The page at `/`: what is served, to whom, and how it works in a real browser.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod browser;
mod demo;
#[path = "../../src/agentpack/tests/sandbox.rs"]
#[allow(dead_code, reason = "shared with the tests of agentpack, which need more of it")]
mod sandbox;
mod served;
mod server;
#[path = "../shared/wink_project.rs"]
mod wink_project;
