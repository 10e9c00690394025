//! Logging. A separate test binary, because calls without a subscriber on other threads can make
//! tracing treat a log line as disabled.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with the suite")]
#[path = "../suite/fixture.rs"]
mod fixture;
mod logs;
mod served;
mod spans;
