//! worldforge as a whole: every tool through the real pipeline, on SQLite and on a real MongoDB.
//!
//! Most tests call the surface in this process; those of death, doors and several servers speak to
//! the program over its standard streams and sockets.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod agreement;
mod bad_input;
mod bibles;
mod command_line;
mod concurrency;
mod contract;
mod extreme_values;
mod foreign_documents;
mod harness;
mod identity;
mod isolation;
mod killed;
mod languages;
mod logs;
mod mutations;
mod outage;
mod patches;
mod permissions;
mod program;
mod searching;
mod story_cache;
mod versions;
mod worlds;

#[allow(dead_code, reason = "the tests of the store use all of it")]
#[path = "../store/tests/server.rs"]
mod mongo;

toolwright_testing::contract_tests!(crate::contract::States, snapshots: "../../../snapshots");
