//! wink against the Python library, with several processes, and with killed servers.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod chosen_tools;
mod concurrency;
mod consent;
mod contract;
mod durability;
mod interop;
mod names;
mod project;

toolwright_testing::contract_tests!(crate::contract::States, snapshots: "../../../snapshots");
