//! Starting and growing a contract with `toolwright`: new packages, new tools, findings as one
//! types, and many faults at once.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod add_tool;
mod command_line;
mod new;
#[path = "../shared/package.rs"]
mod package;
mod ten_faults;
mod watch;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `toolwright` in a folder.
fn toolwright(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("toolwright runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
