//! What holds for all surfaces together: the tables built at run time, the mock, and names in the code.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod from_specs;
mod hints;
mod mock;
mod retired_names;
