//! wa over real standard streams and on real terminals: the scenarios of the contract on every
//! backend, hostile input, sudden death, codes, resources, the command line, secrets.
//!
//! Every answer of every call is checked against the schemas in `schemas/`, which are written from the
//! contract and know nothing of `specs/wa`.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod accounts;
mod agents;
mod bad_input;
mod cleaning;
mod codes;
mod command_line;
mod contract;
mod durability;
mod pane_ids;
mod protocol;
mod resources;
mod scenarios;
mod schemas;
mod secrets;
mod session;
mod stored;
mod terminal;
mod workspace;

toolwright_testing::contract_tests!(crate::contract::States, snapshots: "../../../snapshots");
