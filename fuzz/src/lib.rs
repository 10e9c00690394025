//! Fuzz targets: everything that reads what others wrote.
//!
//! One module for each target, with a `run` that takes any bytes and panics where a promise is
//! broken, not only where the code under test panics by itself. No engine is known here, so that
//! `tests/replay.rs` runs the checked-in inputs as ordinary tests; `fuzz_targets/` hands the same
//! functions to libFuzzer.

pub mod arguments;
pub mod client_files;
pub mod json_rpc;
pub mod manifests;
pub mod override_files;
pub mod shell_commands;
pub mod spec_yaml;
pub mod terminal_output;
pub mod transcripts;
