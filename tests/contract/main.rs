//! What holds for the contracts of all surfaces together: the tables made at run time, and the mock.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod from_specs;
mod mock;
