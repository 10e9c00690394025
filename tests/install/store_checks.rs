//! `doctor` over the stores of all surfaces in this build: sound ones, broken ones, servers that are
//! not there. Nothing is changed, and no secret is told.

use std::fs;

use serde_json::Value;

use crate::harness::{Machine, TOOLWRIGHT};
use toolwright_testing::{Finished, run};

/// The rows of one surface, and the exit status.
fn rows(done: &Finished, surface: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let all = report["surfaces"].as_array().unwrap();
    let found = all.iter().find(|found| found["surface"] == surface).expect("the surface");
    found["rows"].as_array().unwrap().clone()
}

#[track_caller]
fn row(rows: &[Value], check: &str) -> Value {
    let found = rows.iter().find(|row| row["check"] == check);
    found.unwrap_or_else(|| panic!("no {check} in {rows:#?}")).clone()
}

/// Surfaces with a database, a command of each that makes it, and where it is then.
const STORES: &[(&str, &[&str], &str)] = &[
    ("wa", &["status", "--backend", "embedded"], "project/.wa/wa.db"),
    ("worldforge", &["tenant", "list"], "home/.local/share/worldforge/worldforge.db"),
    ("yarnnn", &["workspace", "list"], "home/.local/share/yarnnn/yarnnn.db"),
];

/// A machine on which every surface has been used.
fn used() -> Machine {
    let machine = Machine::new();
    for (surface, arguments, _) in STORES {
        machine.run(toolwright_testing::program(surface), arguments).ok();
    }
    machine
}

#[test]
fn stores_that_are_used_are_sound_and_left_alone() {
    let machine = used();
    let before = machine.tree();
    let done = machine.run(TOOLWRIGHT, &["doctor", "--json"]).ok();
    assert_eq!(machine.tree(), before);
    for (surface, ..) in STORES {
        let found = row(&rows(&done, surface), "store.file");
        assert!(found["measured"].as_str().unwrap().ends_with("is sound"), "{found}");
    }
}
#[test]
fn a_store_of_this_folder_is_good() {
    let machine = Machine::new();
    let doctor = ["doctor", "--json", "--database-file", "y.db"];
    let done = machine.run(toolwright_testing::program("yarnnn"), &doctor).ok();
    let found = row(&rows(&done, "yarnnn"), "store.folder");
    let project = machine.path("project");
    assert!(found["measured"].as_str().unwrap().contains(project.to_str().unwrap()), "{found}");
    assert_eq!(found["verdict"], "good", "{found}");
}

#[test]
fn a_store_that_is_broken_is_bad_and_left_alone() {
    let machine = used();
    for (.., file) in STORES {
        let mut log = machine.path(file).into_os_string();
        log.push("-wal");
        let _ = fs::remove_file(log);
        machine.write(file, "SQLite format 3\0 and then something else".repeat(300));
    }
    let before = machine.tree();
    let done = machine.run(TOOLWRIGHT, &["doctor", "--json"]);
    assert_eq!(machine.tree(), before);
    assert_eq!(done.code, i32::from(!STORES.is_empty()), "{}", done.stdout);
    for (surface, ..) in STORES {
        let found = row(&rows(&done, surface), "store.file");
        assert_eq!(found["verdict"], "bad", "{found}");
    }
}

#[test]
fn a_server_that_is_not_there_is_bad_and_its_password_stays_secret() {
    let machine = Machine::new();
    let before = machine.tree();
    let mut command = machine.command(TOOLWRIGHT);
    command
        .env("YARNNN_DATABASE_URL", "postgres://me:hush-hush@127.0.0.1:1/none")
        .env("WORLDFORGE_DATABASE_URL", "mongodb://me:hush-hush@127.0.0.1:1/none")
        .args(["doctor", "--json"]);
    let done = run(command);
    assert_eq!(done.code, 1);
    assert!(!done.stdout.contains("hush") && !done.stderr.contains("hush"), "{}", done.stdout);
    for surface in ["worldforge", "yarnnn"] {
        let found = row(&rows(&done, surface), "store");
        assert_eq!(found["verdict"], "bad", "{found}");
    }
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_surfaces_own_word_wins_and_toolwright_has_the_verb_all_the_same() {
    let machine = Machine::new();
    for (program, surface) in [
        (toolwright_testing::program("agentpack"), "agentpack"),
        (toolwright_testing::program("wa"), "wa"),
    ] {
        let own: Value =
            serde_json::from_str(&machine.run(program, &["doctor", "--json"]).stdout).unwrap();
        assert!(own.get("schemaVersion").is_none(), "{own}");
        let ours = machine.run(TOOLWRIGHT, &["doctor", surface, "--json"]);
        assert!(row(&rows(&ours, surface), "launch.empty")["measured"].is_string());
        let help = machine.run(program, &["install", "--client", "codex", "--dry-run"]).ok();
        assert!(help.stdout.contains(&format!("[mcp_servers.{surface}]")), "{}", help.stdout);
    }
}
