//! The command line of a server: `mcp`, `settings`, a tool_command of every tool, and whatever else a
//! contract can answer by itself.
//!
//! Everything comes from the contract's tables and from the server's [`SurfaceEntry`]; a server
//! that somebody else writes gets the same command line by calling [`run`]. Standard output is
//! data, standard error is talk. Exit status: 0 done, 1 a finding or a failed call, 2 bad input, or
//! what the error's registry entry says.

pub mod args;
mod arguments;
mod builtin_commands;
pub mod call;
pub mod doctor;
mod entry;
pub mod http;
mod human_output;
pub mod install;
pub mod mock;
pub mod serve;
pub mod shell;
pub mod surface;
pub mod table;
pub mod terminal;
mod tool_command;

pub use entry::{
    Candidate, CommandAction, Complete, DoctorChecks, ExtraCommand, HumanOutput, OpenSurface,
    SurfaceEntry,
};

/// Bad input or usage.
pub const USAGE: u8 = 2;

/// Entry point of the binary of one surface. It names its surface itself, so that no other one is
/// linked into it.
pub fn run(entry: &SurfaceEntry) -> std::process::ExitCode {
    surface::run(entry)
}
