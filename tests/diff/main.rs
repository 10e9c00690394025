//! `toolwright diff` as a person, a script or continuous integration runs it: over folders and over
//! real git repositories.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod changelog;
mod folders;
mod revisions;

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Copies a folder, over what is there.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("writable");
        }
    }
}

/// Puts one version of a pair of `tests/specs/diff` into a folder.
fn lay(kind: &str, side: &str, target: &Path) {
    let fixtures = Path::new(ROOT).join("tests/specs/diff");
    let _ = std::fs::remove_dir_all(target);
    copy(&fixtures.join("base"), target);
    // A version without files of its own is the base.
    let own = fixtures.join(kind).join(side);
    if own.is_dir() {
        copy(&own, target);
    }
}

/// A folder with `old/` and `new/`.
fn pair(kind: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for side in ["old", "new"] {
        lay(kind, side, &folder.path().join(side));
    }
    folder
}

fn diff(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .arg("diff")
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("GIT_CEILING_DIRECTORIES", std::env::temp_dir())
        .output()
        .expect("toolwright runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    git_with(folder, arguments, &[])
}

fn git_with(folder: &Path, arguments: &[&str], vars: &[(&str, &str)]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .envs(vars.iter().copied())
        .current_dir(folder)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", stderr(&output));
    stdout(&output).trim().to_owned()
}

fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", message]);
    git(folder, &["rev-parse", "HEAD"])
}

/// A repository whose `specs/` was `old` in its first commit and is `new` in its second.
fn repository(kind: &str) -> (TempDir, [String; 2]) {
    let folder = tempfile::tempdir().expect("a folder");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    let commits = ["old", "new"].map(|side| {
        lay(kind, side, &folder.path().join("specs"));
        commit(folder.path(), side)
    });
    (folder, commits)
}
