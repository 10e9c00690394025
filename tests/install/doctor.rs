//! `doctor`: what it reports, and that it changes nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::harness::{FILES, Machine, TOOLWRIGHT, wink};

/// The rows of wink's report.
#[track_caller]
fn rows(machine: &Machine, exit: i32, arguments: &[&str]) -> Vec<Value> {
    let done = machine.run(TOOLWRIGHT, &[&["doctor", "wink", "--json"], arguments].concat());
    assert_eq!(done.code, exit, "{}{}", done.stdout, done.stderr);
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(report["surfaces"][0]["surface"], "wink");
    report["surfaces"][0]["rows"].as_array().expect("rows").clone()
}

#[track_caller]
fn row<'a>(rows: &'a [Value], check: &str) -> &'a Value {
    let found = rows.iter().find(|row| row["check"] == check);
    found.unwrap_or_else(|| panic!("no {check} in {rows:#?}"))
}

/// A project with overrides and an entry in every client's file.
fn full() -> Machine {
    let machine = Machine::new();
    machine.write("project/.weakincentives/prompts/overrides/a/b/latest.json", "{}");
    fs::create_dir(machine.path("project/.git")).unwrap();
    for (client, scope, _) in FILES {
        machine.install(client, scope, &[]).ok();
    }
    machine
}

#[test]
fn everything_is_good_where_everything_is() {
    let machine = full();
    let rows = rows(&machine, 0, &[]);
    assert!(rows.iter().all(|row| row["verdict"] == "good"), "{rows:#?}");
    for check in ["launch.empty", "launch.desktop"] {
        let measured = row(&rows, check)["measured"].as_str().unwrap();
        assert!(measured.contains("mcp`: 7 tools"), "{measured}");
    }
    assert_eq!(
        row(&rows, "protocol")["measured"],
        "2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"
    );
    let digest = wink::generated::SURFACE.digest;
    assert!(row(&rows, "contract")["measured"].as_str().unwrap().contains(digest));
    for (client, scope, file) in FILES {
        let found = row(&rows, &format!("client.{client}.{scope}"));
        assert!(found["measured"].as_str().unwrap().contains(file), "{found}");
    }
}

#[test]
fn nothing_is_changed() {
    let machine = full();
    machine.write("home/.config/wink/config.toml", "log_level = 'DEBUG'\n");
    let before = machine.tree();
    for arguments in [&["doctor"][..], &["doctor", "--json"], &["doctor", "wink"]] {
        let done = machine.run(TOOLWRIGHT, arguments);
        assert!(done.code < 2, "{}", done.stderr);
    }
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_home_that_cannot_be_written_to_is_told_and_left_alone() {
    let machine = full();
    let folders: Vec<_> = machine.tree().into_keys().filter(|path| path.is_dir()).collect();
    let set = |mode| {
        for folder in &folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set(0o555);
    let before = machine.tree();
    let done = machine.run(TOOLWRIGHT, &["doctor", "wink", "--json"]);
    let after = machine.tree();
    set(0o755);
    assert_eq!(after, before);
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let rows = report["surfaces"][0]["rows"].as_array().unwrap();
    // Whoever may do everything may write here, too.
    if !rustix::process::geteuid().is_root() {
        assert_eq!((row(rows, "store")["verdict"].as_str(), done.code), (Some("bad"), 1));
    }
}

#[test]
fn the_table_is_for_people_and_says_the_same() {
    let machine = full();
    machine.write("project/.vscode/mcp.json", "{");
    let done = machine.run(wink(), &["doctor"]);
    assert_eq!(done.code, 1, "{}", done.stdout);
    assert!(done.stdout.starts_with("wink "), "{}", done.stdout);
    for line in ["  ✓ good      launch.empty ", "  ✗ bad       client.vscode.project "] {
        assert!(done.stdout.contains(line), "no {line:?} in {}", done.stdout);
    }
    let remedy = done.stdout.lines().find(|line| line.trim_start().starts_with("remedy: Fix"));
    assert!(remedy.is_some_and(|line| line.starts_with("          ")), "{}", done.stdout);
    assert!(done.stdout.ends_with(" good, 0 doubtful, 1 bad\n"), "{}", done.stdout);
}

#[test]
fn json_is_the_same_every_time_and_its_keys_are_in_order() {
    let machine = Machine::new();
    let run = || machine.run(wink(), &["doctor", "--json"]).ok().stdout;
    let first = run();
    assert_eq!(first, run());
    assert!(
        first.starts_with(
            "{\"schemaVersion\":1,\"verdict\":\"doubtful\",\"surfaces\":[{\"surface\""
        )
    );
    assert!(first.contains("{\"check\":\"launch.empty\",\"verdict\":\"good\",\"measured\":"));
    assert_eq!(first.lines().count(), 1);
}

#[test]
fn entries_that_would_not_start_are_found() {
    let machine = Machine::new();
    machine.program("old/wink", wink());
    let wink = fs::canonicalize(wink()).unwrap();
    machine.write("no/wink", "not a program");
    let (old, no) = (machine.path("old/wink"), machine.path("no/wink"));
    let cursor = json!({"mcpServers": {
        "gone": {"command": "/nowhere/wink", "args": ["mcp"]},
        "not_ours": {"command": "/nowhere/else"},
        "remote": {"url": "http://127.0.0.1:1"},
    }});
    machine.write("home/.cursor/mcp.json", cursor.to_string());
    let desktop = json!({"mcpServers": {"w": {"command": old}}}).to_string();
    machine.write("home/.config/Claude/claude_desktop_config.json", desktop);
    machine
        .write("project/.mcp.json", json!({"mcpServers": {"w": {"command": "wink"}}}).to_string());
    machine.write("home/.codex/config.toml", format!("[mcp_servers.x]\ncommand = {:?}\n", no));
    machine.write("project/.codex/config.toml", "[mcp_servers.x]\ncommand = \n");
    let rows = rows(&machine, 1, &[]);
    let said = |check: &str, verdict: &str, cause: &str| {
        let found = row(&rows, check);
        assert_eq!(found["verdict"], verdict, "{found}");
        assert!(found["cause"].as_str().unwrap().contains(cause), "{found}");
    };
    said("client.cursor.user", "bad", "does not exist");
    said("client.claude-desktop.user", "doubtful", "not the binary that was checked");
    said("client.claude-code.project", "doubtful", "not an absolute path");
    said("client.codex.user", "bad", "not executable");
    said("client.codex.project", "bad", "line 2, column 1");
    let found = row(&rows, "client.claude-desktop.user");
    assert_eq!(found["expected"], format!("`{}`", wink.display()));
    assert!(!rows.iter().any(|row| row.to_string().contains("/nowhere/else")));
}

#[test]
fn settings_are_told_with_their_source_and_every_problem_of_them() {
    let machine = Machine::new();
    machine.write("home/.config/wink/config.toml", "log_level = 'DEBUG'\nno_such = 1\n");
    let found = rows(&machine, 0, &["--overrides-dir", "o"]);
    assert_eq!(row(&found, "settings.overrides_dir")["measured"], "\"o\" (flag --overrides-dir)");
    let level = row(&found, "settings.log_level")["measured"].as_str().unwrap();
    assert!(level.contains("\"DEBUG\"") && level.contains("config.toml:1"), "{level}");
    assert_eq!(row(&found, "settings.warning")["verdict"], "doubtful");

    let mut command = machine.command(TOOLWRIGHT);
    command.env("WINK_LOCK_TIMEOUT_MS", "soon").args(["doctor", "wink", "--tool-names", "dotty"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    for words in ["settings.lock_timeout_ms", "not `soon`", "settings.tool_names", "not `dotty`"] {
        assert!(text.contains(words), "no {words} in {text}");
    }
}

#[test]
fn a_server_that_does_not_serve_is_told_with_its_last_words() {
    let machine = Machine::new();
    // Beside this copy of toolwright stands something that only claims to be wink.
    let toolwright = machine.path("bin/toolwright");
    machine.program("bin/toolwright", TOOLWRIGHT);
    for (script, cause) in [
        ("echo hello", "not a JSON-RPC message"),
        ("echo first >&2; echo 'the last words' >&2; exit 3", "the last words"),
        ("read line; echo '{\"id\":\"hello\",\"result\":{}}'", "does not support"),
    ] {
        machine.write("script", format!("#!/bin/sh\n{script}\n"));
        machine.program("bin/wink", machine.path("script"));
        let done = machine.run(toolwright.to_str().unwrap(), &["doctor", "wink", "--json"]);
        assert_eq!(done.code, 1, "{}", done.stdout);
        let report: Value = serde_json::from_str(&done.stdout).unwrap();
        let rows = report["surfaces"][0]["rows"].as_array().unwrap();
        let found = row(rows, "launch.empty");
        assert_eq!(found["verdict"], "bad");
        assert!(found["cause"].as_str().unwrap().contains(cause), "{found}");
        assert_eq!(row(rows, "protocol")["measured"], "");
    }
}

#[test]
fn usage_that_makes_no_sense_is_2() {
    let machine = Machine::new();
    machine.run(TOOLWRIGHT, &["doctor", "nobody"]).fails(2, &["nobody"]);
    machine.run(wink(), &["doctor", "--nothing"]).fails(2, &["--nothing"]);
}
