//! The trail: who called what, over every transport, in a file that is rotated, and never an argument.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwright_testing::disk::Disk;
use toolwright_testing::{HttpServer, StdioSession};

use crate::fixtures::{self, SurfaceFixture};

/// The variable that names the audit file of a server.
fn variable(fixture: &SurfaceFixture, setting: &str) -> String {
    format!("{}_{setting}", fixture.name().to_uppercase())
}

/// The server, with its trail in this file of its home.
fn audited(fixture: &SurfaceFixture, file: &Path) -> Command {
    let mut server = fixture.server();
    server.env(variable(fixture, "AUDIT_FILE"), file);
    server
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("an audit file");
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

/// Every line of a file and of those that were rotated.
fn all_lines(folder: &Path) -> Vec<Value> {
    let files = folder.read_dir().expect("a folder").map(|file| file.expect("readable").path());
    files.flat_map(|file| lines(&file)).collect()
}

#[test]
fn a_line_says_who_called_what_and_nothing_else() {
    for name in ["worldforge", "yarnnn", "wink"] {
        let fixture = fixtures::named(name);
        let file = fixture.path("trail/audit.jsonl");
        let write = (fixture.write)(987_654_321_012);
        let mut session = StdioSession::start(audited(&fixture, &file), "editor");
        session.ok(fixture.read.tool, fixture.read.arguments.clone());
        let id = session.begin_call(write.tool, &write.arguments);
        session.reply(id).ok();
        session.call(fixture.invalid.tool, fixture.invalid.arguments.clone());
        session.call("no.such_tool", json!({"secret": "x"}));
        session.close();
        let trail = lines(&file);
        let seen: Vec<Value> = trail
            .iter()
            .map(|line| json!([line["event"], line["tool"], line["outcome"]]))
            .collect();
        let invalid = fixture.info.builtin.invalid_arguments.kind;
        let expected = [
            json!(["call", write.tool, "ok"]),
            json!(["refusal", fixture.invalid.tool, invalid]),
            json!(["refusal", "no.such_tool", "unknown_tool"]),
        ];
        assert_eq!(seen, expected, "{name}");
        let call = &trail[0];
        let fields = ["client", "client_version", "transport", "request_id", "contract", "effects"];
        let told = fields.map(|field| call[field].as_str().expect("text").to_owned());
        let id = id.to_string();
        let digest = fixture.info.digest;
        assert_eq!(told, ["editor", "1", "stdio", id.as_str(), digest, "write"], "{name}");
        assert_eq!(call.get("subject").is_some(), name != "wink", "{call}");
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        let text = std::fs::read_to_string(&file).expect("readable");
        for argument in ["987654321012", "secret", "Guest"] {
            assert!(!text.contains(argument), "{name}: {text}");
        }
    }
}

#[test]
fn over_http_a_line_has_token_and_address_and_a_rejection_has_one_too() {
    let fixture = fixtures::named("worldforge");
    let file = fixture.path("audit.jsonl");
    let server = HttpServer::spawn(audited(&fixture, &file));
    let write = (fixture.write)(1);
    let mut web = server.connect();
    web.call(fixture.token.as_deref(), write.tool, &write.arguments).ok();
    assert_eq!(web.send_call(Some("a-bad-token"), write.tool, &write.arguments).status, 401);
    let trail = lines(&file);
    let [call, rejection] = trail.as_slice() else { panic!("{trail:?}") };
    let digest =
        toolwright_runtime::digest::sha256_hex(fixture.token.as_deref().unwrap().as_bytes());
    assert_eq!(call["token"], digest[..12], "{call}");
    assert_eq!((&call["address"], &call["transport"]), (&json!("127.0.0.1"), &json!("http")));
    assert!(call["subject"].is_string(), "{call}");
    assert_eq!(rejection["event"], "rejection");
    assert_eq!(rejection["address"], "127.0.0.1");
    let text = std::fs::read_to_string(&file).expect("readable");
    assert!(!text.contains("a-bad-token") && !text.contains(fixture.token.as_deref().unwrap()));
}

#[test]
fn a_tool_command_with_effects_has_a_line() {
    let fixture = fixtures::named("wink");
    let file = fixture.path("audit.jsonl");
    let run = |words: &[&str]| {
        let mut command = fixture.command(words);
        command.env("WINK_AUDIT_FILE", &file);
        toolwright_testing::run(command)
    };
    run(&["list"]).ok();
    assert!(!file.exists(), "reading leaves no line");
    let arguments = (fixture.write)(987_654_321_012).arguments.to_string();
    run(&["write-section", "--json-args", &arguments]).ok();
    let trail = lines(&file);
    assert_eq!((&trail[0]["transport"], &trail[0]["outcome"]), (&json!("cli"), &json!("ok")));
    assert_eq!(trail.len(), 1);
    assert!(!trail[0].to_string().contains("987654321012"));
}

#[test]
fn rotation_under_concurrent_calls_loses_no_line() {
    const CALLS: usize = 60;
    let fixture = fixtures::named("worldforge");
    let folder = fixture.path("trail");
    let file = folder.join("audit.jsonl");
    let start = || {
        let mut server = audited(&fixture, &file);
        server.args(["--audit-max-bytes", "4096", "--audit-files", "100"]);
        StdioSession::start(server, "rotation")
    };
    let mut sessions = [start(), start()];
    let mut begun = Vec::new();
    for session in &mut sessions {
        for number in 0..CALLS as u64 {
            let write = (fixture.write)(number);
            begun.push(session.begin_call(write.tool, &write.arguments));
        }
    }
    for (index, session) in sessions.into_iter().enumerate() {
        let mut session = session;
        for id in &begun[index * CALLS..][..CALLS] {
            session.reply(*id);
        }
        session.close();
    }
    let trail = all_lines(&folder);
    let mut calls: Vec<String> =
        trail.iter().map(|line| format!("{} {}", line["process"], line["request_id"])).collect();
    calls.sort_unstable();
    calls.dedup();
    assert_eq!((calls.len(), trail.len()), (2 * CALLS, 2 * CALLS));
    assert!(folder.read_dir().expect("a folder").count() > 5, "it was rotated");
}

#[test]
fn while_the_disk_is_full_calls_are_answered_and_their_lines_are_in_the_log() {
    let fixture = fixtures::named("wink");
    let folder = fixture.path("trail");
    std::fs::create_dir(&folder).expect("a folder");
    let Some(disk) = Disk::over(&folder, "256k") else { return };
    let prefix = disk.prefix();
    let (program, words) = (fixture.program().display().to_string(), &prefix[1..]);
    let words: Vec<&str> = words.iter().map(String::as_str).chain([&*program, "mcp"]).collect();
    let log = fixture.path("log");
    let mut server = fixture.command_of(&prefix[0], &words);
    server.env("WINK_AUDIT_FILE", folder.join("audit.jsonl"));
    server.env("PATH", std::env::var("PATH").unwrap_or_default());
    server.stderr(std::fs::File::create(&log).expect("writable"));
    let mut session = StdioSession::start(server, "full");
    let mut write = |number| {
        let write = (fixture.write)(number);
        session.call(write.tool, write.arguments).ok();
    };
    write(0);
    disk.fill();
    // The page that the file has may still have room.
    for number in 1..40 {
        write(number);
    }
    disk.free();
    write(40);
    session.close();
    let in_file = lines(&disk.seen(&folder.join("audit.jsonl"))).len();
    let log = std::fs::read_to_string(log).expect("readable");
    let count = |event: &str| log.matches(&format!("\"event\":\"{event}\"")).count();
    assert_eq!((count("audit.unwritable"), count("audit.resumed")), (1, 1), "{log}");
    assert!(count("audit.call") > 0);
    assert_eq!(in_file + count("audit.call"), 41, "every line is in one of them");
}

#[test]
fn a_file_that_cannot_be_written_stops_the_start() {
    let fixture = fixtures::named("wink");
    for file in ["/proc/none/audit.jsonl", "/dev/null"] {
        let started = fixture.run(&["mcp", "--audit-file", file]);
        assert_eq!(started.code, 2, "{started:?}");
        assert!(started.stderr.contains("audit_file"), "{started:?}");
    }
}

#[test]
fn without_a_file_the_lines_are_in_the_log() {
    let fixture = fixtures::named("wink");
    let log = fixture.path("log");
    let mut server = fixture.server();
    server.stderr(std::fs::File::create(&log).expect("writable"));
    let mut session = StdioSession::start(server, "logged");
    let write = (fixture.write)(987_654_321_012);
    session.ok(write.tool, write.arguments);
    session.close();
    let log = std::fs::read_to_string(log).expect("readable");
    let line = log.lines().find(|line| line.contains("audit.call")).expect("an audit line");
    let line: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(line["context"]["client"], "logged", "{line}");
    assert!(!log.contains("987654321012"), "{log}");
}
