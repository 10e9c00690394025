//! Faults × surfaces: every write path of every surface meets every fault, with the real program over
//! its standard streams and on a real store. `TABLE.md` says how each ends.
//!
//! A fault is a file here and knows no surface; a surface is a file of `surfaces/` and knows no fault.
//! Between them stand the [`stream`] of writes and the [`machine`] that servers and stores stand on.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod clock_jumps;
mod database_restarts;
mod disk_is_full;
mod disk_is_read_only;
mod disk_is_slow;
mod killed;
mod log_is_unread;
mod machine;
mod permission_is_lost;
mod session;
mod stream;
mod surfaces;
mod table;

use table::Fault;

/// The rows of the table.
const FAULTS: [&Fault; 8] = [
    &killed::FAULT,
    &disk_is_full::FAULT,
    &disk_is_read_only::FAULT,
    &permission_is_lost::FAULT,
    &clock_jumps::FAULT,
    &database_restarts::FAULT,
    &disk_is_slow::FAULT,
    &log_is_unread::FAULT,
];
