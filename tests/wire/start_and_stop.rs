//! Starting and stopping in the barest environment that clients are known to give.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwright_testing::run;

/// Every binary that serves, with a call that its barest environment answers by this code.
const SERVERS: &[(&str, &str, &str)] = &[
    ("agentpack", "rollback", "E_CONFIRM_REQUIRED"),
    ("wa", "wa.state", "WA-MCP-0005"),
    (WINK, "wink.list_overrides", "overrides_root_unknown"),
    ("worldforge", "project.get", "VALIDATION_ERROR"),
    ("yarnnn", "config_settings", "UNAUTHENTICATED"),
];
const WINK: &str = "wink";

fn bare(program: &str) -> Command {
    let mut command = Command::new(toolwright_testing::program(program));
    command
        .arg("mcp")
        // Nothing can be written here, whoever runs the tests.
        .current_dir("/proc")
        .env_clear()
        // Nothing may be created in the tester's home; no database listens here.
        .env("WORLDFORGE_DATABASE_URL", "mongodb://127.0.0.1:1/none")
        .env("YARNNN_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn initialize() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "bare", "version": "1"}}})
    .to_string()
}

#[test]
fn starts_with_no_path_and_no_home_and_prints_nothing_but_protocol() {
    for (program, tool, code) in SERVERS {
        prints_nothing_but_protocol(program, tool, code);
    }
}

fn prints_nothing_but_protocol(program: &str, tool: &str, code: &str) {
    let mut child = bare(program).spawn().expect("the server starts");
    let mut input = child.stdin.take().expect("a pipe");
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let arguments = if tool == "rollback" { json!({"to": "1"}) } else { json!({}) };
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    write!(input, "{}\n{ready}\n{list}\n{call}\n", initialize()).expect("the server reads");

    // The input stays open until all three answers are there: closing it is the goodbye.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut ids = Vec::new();
    for _ in 0..3 {
        let line = lines.next().expect("an answer").expect("text");
        let message: Value = serde_json::from_str(&line).expect("every line of stdout is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if message["id"] == 3 {
            // A refused caller is a JSON-RPC error where the contract says so.
            let answers = [&message["result"]["structuredContent"], &message["error"]["data"]];
            assert!(answers.iter().any(|answer| answer.to_string().contains(code)), "{line}");
        }
        ids.push(message["id"].as_u64());
    }
    ids.sort_unstable();
    assert_eq!(ids, [Some(1), Some(2), Some(3)]);
    drop(input);
    assert!(lines.next().is_none(), "nothing follows the last answer");
    assert!(child.wait().expect("it ends").success());

    let mut log = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("text");
    for line in log.lines() {
        let record: Value = serde_json::from_str(line).expect("every log line is JSON");
        assert!(record["timestamp"].is_string() && record["level"].is_string(), "{line}");
    }
    assert!(log.lines().count() > 0, "the start is logged");
}

#[test]
fn ends_with_0_when_stdin_closes_at_once() {
    for (program, ..) in SERVERS {
        let status = bare(program).stdin(Stdio::null()).status().expect("the server starts");
        assert!(status.success(), "{program}: {status}");
    }
}

#[test]
fn ends_with_0_on_sigterm() {
    let mut child = bare(WINK).spawn().expect("the server starts");
    let mut input = child.stdin.take().expect("a pipe");
    writeln!(input, "{}", initialize()).expect("the server reads");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    lines.next().expect("an answer").expect("text");
    let status = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    assert!(status.success());
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_missing_explicit_settings_file_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = bare(WINK);
    command.arg("--config").arg(folder.path().join("no-such.toml"));
    let finished = run(command).fails(2, &["no-such.toml"]);
    assert_eq!(finished.stdout, "");
}

#[test]
fn every_bad_setting_is_reported_at_once_with_its_source() {
    let mut command = bare(WINK);
    command.args(["--tool-names", "dotty"]).env("WINK_LOCK_TIMEOUT_MS", "soon");
    run(command).fails(2, &["--tool-names", "dotty", "WINK_LOCK_TIMEOUT_MS", "soon"]);
}
