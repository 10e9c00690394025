//! The binaries over HTTP: every surface, both protocol eras, replicas, refusals to start.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{agentpack, folder, wink};
use toolwright_testing::http_client::{Web, message};

const TOKEN: (&str, &str) = ("Authorization", "Bearer wire-token-one");

/// A server process; stopped when dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(mut command: Command, folder: &Path, name: &str) -> Self {
        let tokens = folder.join("tokens");
        std::fs::write(&tokens, "# for tests\nwire-token-one\nwire-token-two\n").expect("writable");
        let ready = folder.join(name);
        let log = std::fs::File::create(folder.join(format!("{name}.log"))).expect("writable");
        let child = command
            .args(["--http", "127.0.0.1:0", "--http-token-file"])
            .arg(&tokens)
            .arg("--http-ready-file")
            .arg(&ready)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let start = Instant::now();
        while !ready.exists() {
            assert!(start.elapsed() < Duration::from_secs(60), "the server does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        let url = std::fs::read_to_string(&ready).expect("readable");
        let address = url.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp"));
        let address = address.and_then(|address| address.parse().ok()).expect("an address");
        Self { child, address }
    }

    fn connect(&self) -> Web {
        Web::connect(self.address)
    }

    /// Told to stop; how it ended.
    fn stop(mut self) -> Option<i32> {
        let told = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(told.expect("kill runs").success());
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same through `toolwright serve`.
fn served(surface: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
    command.args(["serve", surface]).current_dir(folder).env_clear().env("HOME", folder);
    command
}

/// Handshake, list and one call, in both eras.
fn speaks_both_eras(server: &Server, name: &str, tools: usize, call: &Value) -> Value {
    let mut web = server.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let opened = web.post(&[TOKEN], &message(1, "initialize", hello).to_string());
    assert_eq!(opened.status, 200, "{opened:?}");
    assert_eq!(opened.json()["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(opened.json()["result"]["serverInfo"]["name"], name);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(web.post(&[TOKEN], &ready).status, 202);
    let list = web.legacy(&[TOKEN], "tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(tools));
    let legacy = web.legacy(&[TOKEN], "tools/call", call.clone());

    let found = web.modern(&[TOKEN], "server/discover", json!({}));
    assert!(found["result"].to_string().contains(name), "{found}");
    let list = web.modern(&[TOKEN], "tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(tools));
    let modern = web.modern(&[TOKEN], "tools/call", call.clone());
    assert_eq!(modern["result"]["resultType"], "complete");
    assert_eq!(modern["result"]["isError"], legacy["result"]["isError"]);
    modern["result"]["structuredContent"].clone()
}

#[test]
fn every_surface_speaks_both_eras() {
    let folder = folder();
    let list = json!({"name": "wink.list_overrides", "arguments": {}});
    let rollback = json!({"name": "rollback", "arguments": {"to": "1"}});
    let commands = [wink(folder.path()), served("wink", folder.path())];
    for (index, command) in commands.into_iter().enumerate() {
        let server = Server::start(command, folder.path(), &format!("wink-{index}"));
        let body = speaks_both_eras(&server, "wink", 7, &list);
        assert!(body.get("total").is_some() || body.get("code").is_some(), "{body}");
    }
    let commands = [agentpack(folder.path()), served("agentpack", folder.path())];
    for (index, command) in commands.into_iter().enumerate() {
        let server = Server::start(command, folder.path(), &format!("agentpack-{index}"));
        let body = speaks_both_eras(&server, "agentpack", 11, &rollback);
        assert!(body.to_string().contains("E_CONFIRM_REQUIRED"), "{body}");
    }
}

#[test]
fn the_answer_is_the_same_as_over_stdio() {
    let folder = folder();
    let server = Server::start(wink(folder.path()), folder.path(), "ready");
    let mut stdio = crate::server::session(&folder);
    for arguments in [json!({}), json!({"limit": 0, "nonsense": [1.0, "\u{1f600}"]})] {
        let call = json!({"name": "wink.list_overrides", "arguments": arguments});
        let over_http = server.connect().legacy(&[TOKEN], "tools/call", call.clone());
        let over_stdio = stdio.request("tools/call", call).expect("an answer");
        assert_eq!(over_http["result"], over_stdio);
    }
}

#[test]
fn a_mock_is_served_as_the_surface_is() {
    let folder = folder();
    let mut command = served("wink", folder.path());
    command.arg("--mock");
    let server = Server::start(command, folder.path(), "mock");
    assert_eq!(server.connect().get("/readyz").status, 200);
    let list = json!({"name": "wink.list_overrides", "arguments": {}});
    let body = speaks_both_eras(&server, "wink", 7, &list);
    assert_eq!(body["total"], 1, "{body}");
}

/// A file that the server can list and delete from.
fn overridden(folder: &Path) {
    let file = folder.join("overrides/demo/app/review/latest.json");
    std::fs::create_dir_all(file.parent().expect("a parent")).expect("writable");
    let hash = "0".repeat(64);
    let body = json!({"version": 1, "ns": "demo/app", "prompt_key": "review", "tag": "latest",
        "sections": {"system": {"expected_hash": hash, "body": "text"}}, "tools": {}});
    std::fs::write(file, body.to_string()).expect("writable");
}

#[test]
fn two_replicas_serve_one_user() {
    let folder = folder();
    overridden(folder.path());
    let one = Server::start(wink(folder.path()), folder.path(), "one");
    let two = Server::start(wink(folder.path()), folder.path(), "two");
    let list = json!({"name": "wink.list_overrides", "arguments": {}});
    let before = one.connect().modern(&[TOKEN], "tools/call", list.clone());
    assert_eq!(before["result"]["structuredContent"]["total"], 1, "{before}");
    let delete = json!({"name": "wink.delete_section_override", "arguments":
        {"ns": "demo/app", "prompt": "review", "section_path": "system"}});
    let deleted = one.connect().modern(&[TOKEN], "tools/call", delete);
    assert_eq!(deleted["result"]["isError"], false, "{deleted}");
    let counted = |server: &Server| {
        let answer = server.connect().modern(&[TOKEN], "tools/call", list.clone());
        answer["result"]["structuredContent"].to_string()
    };
    let after = counted(&two);
    assert!(!after.contains("\"system\""), "{after}");
    assert_eq!(after, counted(&one));
}

#[test]
fn strangers_are_refused_and_tokens_are_not_logged() {
    let folder = folder();
    let server = Server::start(wink(folder.path()), folder.path(), "ready");
    let ping = message(1, "ping", json!({})).to_string();
    let status = |headers: &[(&str, &str)]| server.connect().post(headers, &ping).status;
    assert_eq!(status(&[]), 401);
    assert_eq!(status(&[("Authorization", "Bearer wire-token-three")]), 401);
    assert_eq!(status(&[TOKEN, ("Origin", "https://evil.example")]), 403);
    assert_eq!(status(&[TOKEN, ("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Authorization", "Bearer wire-token-two")]), 200);
    let large = "x".repeat(5 * 1024 * 1024);
    assert_eq!(server.connect().post(&[TOKEN], &large).status, 413);
    let call = json!({"name": "wink.list_overrides", "arguments": {"ns": "top-secret"}});
    server.connect().legacy(&[TOKEN], "tools/call", call);
    assert_eq!(server.stop(), Some(0));
    assert!(!folder.path().join("ready").exists(), "the file goes with the server");

    let log = std::fs::read_to_string(folder.path().join("ready.log")).expect("readable");
    assert!(!log.contains("wire-token") && !log.contains("top-secret"), "{log}");
    let calls = log.lines().filter(|line| line.contains("\"tool.call\"")).count();
    assert_eq!(calls, 1, "one line a call: {log}");
    assert!(log.contains("\"reason\":\"bad_token\""), "{log}");
}

/// A server that must not start.
fn refused(arguments: &[&str], tokens: &str, folder: &Path) -> Output {
    let mut command = wink(folder);
    command.args(arguments).env("TOOLWRIGHT_HTTP_TOKENS", tokens).stdin(Stdio::null());
    command.stderr(Stdio::piped()).output().expect("the program runs")
}

#[test]
fn what_would_be_open_to_everybody_does_not_start() {
    let folder = folder();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "# nothing yet\n").expect("writable");
    let empty = empty.to_str().expect("text");
    let local = ["--http", "127.0.0.1:0"];
    for (arguments, tokens, word) in [
        (vec!["--http", "0.0.0.0:0"], "", "loopback"),
        ([&local, &["--http-token-file", empty][..]].concat(), "", "no token"),
        ([&local, &["--http-token-file", "no-such-file"][..]].concat(), "", "no-such-file"),
        (local.to_vec(), "two words", "line 1"),
        ([&local, &["--http-origin", "example.com"][..]].concat(), "", "example.com"),
        ([&local, &["--http-key-file", empty][..]].concat(), "", "32 bytes"),
        (vec!["--http", "8080"], "", "127.0.0.1:8080"),
        (vec!["--http-token-file", empty], "", "--http"),
    ] {
        let output = refused(&arguments, tokens, folder.path());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(talk.contains(word), "no {word} in {talk}");
        assert!(!talk.contains("two words"), "{talk}");
    }
}
