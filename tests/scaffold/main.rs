//! Starting and extending a contract with `toolwright`: new packages, new tools, findings while one
//! types, and many mistakes at once.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

mod add_tool;
mod command_line;
mod lies;
mod new;
#[path = "../shared/package.rs"]
mod package;
mod ten_mistakes;
mod watch;

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolwright_testing::{Finished, run};

/// Runs `toolwright` in a folder.
fn toolwright(folder: &Path, arguments: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
    command.args(arguments).current_dir(folder);
    run(command)
}

/// A new package with one tool.
fn new_package(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    toolwright(folder.path(), &["new", name, "--toolwright", package::ROOT]).ok();
    let package = folder.path().join(name);
    (folder, package)
}
