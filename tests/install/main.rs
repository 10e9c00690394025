//! Registering servers in clients' files, and looking at how everything stands.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod doctor;
mod edited_between;
mod harness;
mod originals;
mod refusals;
mod round_trips;
mod several_servers;
mod stores;
mod written;
