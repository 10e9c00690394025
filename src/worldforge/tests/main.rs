//! worldforge as a whole: every tool through the real pipeline, on SQLite and on a real MongoDB.
//!
//! Most tests call the surface in this process; those about crashes, HTTP and several servers run the
//! program.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod bad_input;
mod command_line;
mod concurrency;
mod consent;
mod consistency;
mod contract;
mod extreme_values;
mod foreign_documents;
mod identity;
mod instance;
mod isolation;
mod killed;
mod languages;
mod listing;
mod logs;
mod mutations;
mod outage;
mod patches;
mod permissions;
mod random_worlds;
mod resources;
mod searching;
mod session;
mod story_bibles;
mod story_cache;
mod user;
mod versions;

#[allow(dead_code, reason = "the tests of the store use all of it")]
#[path = "../store/tests/server.rs"]
mod mongo;

toolwright_testing::contract_tests!(crate::contract::States, snapshots: "../../../snapshots");
