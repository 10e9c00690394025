//! Registering servers in clients' config files, and checking the set-up.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod chosen_tools;
mod config_fixtures;
mod doctor;
mod edited_between;
mod files_on_disk;
mod forced;
mod harness;
mod matrix;
mod multiple_servers;
mod refusals;
mod registered;
mod required;
mod round_trips;
mod secrets_in_diffs;
mod store_checks;
mod written_files;
