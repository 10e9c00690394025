//! worldforge as a whole: every tool through the real pipeline, on SQLite and on a real MongoDB.
//!
//! Most tests call the surface in this process; those of death, doors and several servers speak to
//! the program over its standard streams and sockets.

#![cfg(feature = "worldforge")]
// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod program;
mod random;
mod stage;
mod worlds;

#[allow(dead_code, unreachable_pub, reason = "the tests of the store use all of it")]
#[path = "../../src/worldforge/store/tests/server.rs"]
mod mongo;
#[path = "../../runtime/tests/server/web.rs"]
mod web;

mod identity;
mod isolation;
mod permissions;
mod concurrency;
mod killed;
mod bibles;
mod patches;
mod versions;
mod bad_input;
mod searching;
