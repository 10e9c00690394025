//! The command line of a server: `mcp`, `settings`, a tool command for every tool, and built-in commands
//! such as `install` and `doctor`.
//!
//! Everything is derived from the contract's tables and the server's [`SurfaceEntry`]; a third-party
//! server gets the same command line by calling [`run`]. Data goes to standard output, messages go to
//! standard error. Exit status: 0 success, 1 a finding or a failed call, 2 bad input, or the status
//! of the error's registry entry.

pub mod args;
mod arguments;
mod audit;
mod builtin_commands;
pub mod call;
mod consent;
pub mod doctor;
mod entry;
mod exposure;
pub mod http;
mod http_settings;
mod human_output;
pub mod install;
pub mod mock;
mod reload;
pub mod serve;
pub mod shell;
pub mod surface;
pub mod table;
pub mod terminal;
pub mod tool_choice;
mod tool_command;

pub use entry::{
    Candidate, CommandAction, Complete, DoctorChecks, ExtraCommand, HumanOutput, OpenSurface,
    PrivateFiles, RequiredSetting, SurfaceEntry,
};
pub use exposure::{Private, database};

/// Bad input or usage.
pub const USAGE: u8 = 2;

/// Entry point of the binary of one surface, so that no other surface is linked into it.
pub fn run(entry: &SurfaceEntry) -> std::process::ExitCode {
    surface::run(entry)
}
