//! An hour of use pressed into a minute: every server gets reads, writes, errors, garbage and
//! cancellations as fast as it takes them, and afterwards is no bigger than in the middle. And every
//! server answers thousands of calls while nobody reads its log.
//!
//! `TOOLWRIGHT_SOAK_CALLS` says how many messages each server gets.

// Where the kernel tells how big a process is.
#![cfg(target_os = "linux")]
// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

#[path = "../shared/fixtures/mod.rs"]
mod fixtures;
mod http;
mod process_usage;
mod stdio;
mod traffic;
mod unread_answers;
mod unread_log;

use std::process::Command;

/// Messages of one run, warm-up aside.
fn calls(default: usize) -> usize {
    let given = std::env::var("TOOLWRIGHT_SOAK_CALLS").ok();
    given.map_or(default, |text| text.parse().expect("a number of calls"))
}

/// A server whose allocator makes as many arenas as on a machine with two cores: on one with many,
/// each thread would have its own, and some of them would reach their size late.
fn with_few_arenas(mut server: Command) -> Command {
    server.env("MALLOC_ARENA_MAX", "16");
    server
}

/// Messages before the first look. Until then code is paged in, a page cache fills and each of the
/// allocator's arenas, of which every thread uses some, reaches its size.
fn warm_up(calls: usize) -> usize {
    calls / 2
}
