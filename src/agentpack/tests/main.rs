//! agentpack over real standard streams: the contract it came from, file formats that are shared
//! with upstream, concurrency, killed servers, hostile input, the command line.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod bad_input;
mod command_line;
mod concurrency;
mod consent;
mod contract;
mod durability;
mod formats;
mod regressions;
mod resources;
mod roots;
mod sandbox;
mod scenarios;
mod schemas;

toolwright_testing::contract_tests!(crate::contract::States, snapshots: "../../../snapshots");
