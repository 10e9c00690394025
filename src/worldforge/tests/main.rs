//! worldforge as a whole: every tool through the real pipeline, on SQLite and on a real MongoDB.
//!
//! Most tests call the surface in this process; those of death, doors and several servers speak to
//! the program over its standard streams and sockets.

#![cfg(feature = "worldforge")]
// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod agreement;
mod bad_input;
mod beside;
mod bibles;
mod command_line;
mod concurrency;
mod following;
mod identity;
mod isolation;
mod killed;
mod languages;
mod logs;
mod mutations;
mod odd_input;
mod outage;
mod patches;
mod permissions;
mod program;
// Each suite uses a part of it.
#[allow(dead_code)]
#[path = "../shared/random.rs"]
mod random;
mod searching;
mod stage;
mod versions;
mod worlds;

#[allow(dead_code, reason = "the tests of the store use all of it")]
#[path = "../../src/worldforge/store/tests/server.rs"]
mod mongo;
#[path = "../../runtime/tests/server/web.rs"]
mod web;
