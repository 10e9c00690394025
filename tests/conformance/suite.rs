//! Runs the suite at every revision that is served, and knows which of its demands are not met.
//!
//! The suite itself compares with `expected-failures.yml`: what fails and is not listed fails here,
//! and so does what is listed and passes. Warnings count as failures.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use toolwright_runtime::server::{HttpOptions, OfferedTools, ServeOptions};

use crate::fixtures::Fixtures;
use crate::generated::Surface;
use toolwright_testing::provided::provided;
use toolwright_testing::thread_server::serve;

/// A folder where npm installed the suite and the Node that it needs.
const SUITE: &str = "TOOLWRIGHT_TEST_CONFORMANCE";
const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];
const EXPECTED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/expected-failures.yml");

/// The entries of the list, each with its reason behind it.
fn expected() -> BTreeSet<String> {
    let text = std::fs::read_to_string(EXPECTED).expect("a list");
    let entries = text.lines().filter_map(|line| line.strip_prefix("  - "));
    entries
        .map(|entry| match entry.split_once(" # ") {
            Some((entry, reason)) if !reason.trim().is_empty() => entry.trim().to_owned(),
            _ => panic!("`{entry}` has no reason"),
        })
        .collect()
}

#[test]
fn nothing_fails_but_what_is_listed_and_all_that_is_listed_fails() {
    let Some(suite) = provided(SUITE) else { return };
    let programs = Path::new(&suite).join("node_modules/.bin");
    let tools = OfferedTools::default();
    let options = ServeOptions { tools: tools.clone(), ..ServeOptions::default() };
    let surface = Arc::new(Surface::new(Fixtures { tools }));
    let address = serve(surface, HttpOptions::default(), options);
    let home = tempfile::tempdir().expect("a folder");
    let mut failed = BTreeSet::new();
    for revision in REVISIONS {
        let output = Command::new(programs.join("node"))
            .arg(programs.join("conformance"))
            .args(["server", "--url", &format!("http://{address}/mcp"), "--suite", "all"])
            .args(["--spec-version", revision, "--expected-failures", EXPECTED])
            .current_dir(home.path())
            .env("HOME", home.path())
            .output()
            .expect("node runs");
        let talk = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{revision}: {talk}\n{stderr}");
        let total = talk.lines().find(|line| line.starts_with("Total: ")).expect("a summary");
        eprintln!("{revision}: {total}");
        failed.extend(talk.lines().filter_map(|line| line.strip_prefix("  ~ ")).map(str::to_owned));
    }
    // An entry that no revision knows is as stale as one that passes.
    assert_eq!(failed, expected());
}
