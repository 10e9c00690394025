//! The binaries over HTTP: every surface, both protocol eras, replicas, refusals to start.

use std::process::Command;

use serde_json::{Value, json};

use toolwright_testing::http_client::message;
use toolwright_testing::{Finished, HttpServer, ServerHome, run};

use crate::server_homes::{empty_home, wink};

const TOKEN: (&str, &str) = ("Authorization", "Bearer wire-token-one");

/// The tokens of every server here.
const TOKENS: &str = "# for tests\nwire-token-one\nwire-token-two\n";

/// Starts a server that wants one of the tokens, and logs into `server.log`.
fn start(mut command: Command, home: &ServerHome) -> HttpServer {
    command.arg("--http-token-file").arg(home.write("tokens", TOKENS));
    let log = std::fs::File::create(home.path("server.log")).expect("writable");
    HttpServer::spawn_logging(command, log)
}

/// `toolwright serve` with the settings of a home.
fn served(home: &ServerHome, arguments: &[&str]) -> Command {
    let mut command = home.command_of(env!("CARGO_BIN_EXE_toolwright"), &["serve"]);
    command.args(arguments).env("HOME", home.folder());
    command
}

/// Handshake, list and one call, in both eras.
fn speaks_both_eras(server: &HttpServer, name: &str, tools: usize, call: &Value) -> Value {
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
    let home = wink();
    let list = json!({"name": "wink.list_overrides", "arguments": {}});
    let rollback = json!({"name": "rollback", "arguments": {"to": "1"}});
    for command in [home.server(), served(&home, &["wink"])] {
        let server = start(command, &home);
        let body = speaks_both_eras(&server, "wink", 7, &list);
        assert!(body.get("total").is_some() || body.get("code").is_some(), "{body}");
    }
    let home = empty_home("agentpack");
    for command in [home.server(), served(&home, &["agentpack"])] {
        let server = start(command, &home);
        let body = speaks_both_eras(&server, "agentpack", 11, &rollback);
        assert!(body.to_string().contains("E_CONFIRM_REQUIRED"), "{body}");
    }
}

#[test]
fn the_answer_is_the_same_as_over_stdio() {
    let home = wink();
    let server = start(home.server(), &home);
    let mut stdio = home.session();
    for arguments in [json!({}), json!({"limit": 0, "nonsense": [1.0, "\u{1f600}"]})] {
        let call = json!({"name": "wink.list_overrides", "arguments": arguments});
        let over_http = server.connect().legacy(&[TOKEN], "tools/call", call.clone());
        let over_stdio = stdio.request("tools/call", call);
        assert_eq!(over_http["result"], over_stdio);
    }
}

#[test]
fn a_mock_is_served_as_the_surface_is() {
    let home = wink();
    let server = start(served(&home, &["wink", "--mock"]), &home);
    assert_eq!(server.connect().get("/readyz").status, 200);
    let list = json!({"name": "wink.list_overrides", "arguments": {}});
    let body = speaks_both_eras(&server, "wink", 7, &list);
    assert_eq!(body["total"], 1, "{body}");
}

/// A file that the server can list and delete from.
fn write_override(home: &ServerHome) {
    let hash = "0".repeat(64);
    let body = json!({"version": 1, "ns": "demo/app", "prompt_key": "review", "tag": "latest",
        "sections": {"system": {"expected_hash": hash, "body": "text"}}, "tools": {}});
    home.write("overrides/demo/app/review/latest.json", body.to_string());
}

#[test]
fn two_replicas_serve_one_user() {
    let home = wink();
    write_override(&home);
    let replica = || {
        let mut command = home.server();
        command.args(["--ask", "never"]);
        start(command, &home)
    };
    let (one, two) = (replica(), replica());
    let list = json!({"name": "wink.list_overrides", "arguments": {}});
    let before = one.connect().modern(&[TOKEN], "tools/call", list.clone());
    assert_eq!(before["result"]["structuredContent"]["total"], 1, "{before}");
    let delete = json!({"name": "wink.delete_section_override", "arguments":
        {"ns": "demo/app", "prompt": "review", "section_path": "system"}});
    let deleted = one.connect().modern(&[TOKEN], "tools/call", delete);
    assert_eq!(deleted["result"]["isError"], false, "{deleted}");
    let counted = |server: &HttpServer| {
        let answer = server.connect().modern(&[TOKEN], "tools/call", list.clone());
        answer["result"]["structuredContent"].to_string()
    };
    let after = counted(&two);
    assert!(!after.contains("\"system\""), "{after}");
    assert_eq!(after, counted(&one));
}

#[test]
fn unauthorized_callers_are_refused_and_tokens_are_not_logged() {
    let home = wink();
    let mut server = start(home.server(), &home);
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
    assert!(server.ready_file().exists());
    assert_eq!(server.stop(), Some(0));
    assert!(!server.ready_file().exists(), "the file goes with the server");

    let log = home.read("server.log");
    assert!(!log.contains("wire-token") && !log.contains("top-secret"), "{log}");
    let calls = log.lines().filter(|line| line.contains("\"tool.call\"")).count();
    assert_eq!(calls, 1, "one line a call: {log}");
    assert!(log.contains("\"reason\":\"bad_token\""), "{log}");
}

/// A server that must not start.
fn refused(home: &ServerHome, arguments: &[&str], tokens: &str) -> Finished {
    let mut command = home.server();
    command.args(arguments).env("TOOLWRIGHT_HTTP_TOKENS", tokens);
    run(command).exits_with(2)
}

#[test]
fn what_would_be_open_to_everybody_does_not_start() {
    let home = wink();
    let empty = home.write("empty", "# nothing yet\n");
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
        let log = refused(&home, &arguments, tokens).fails(2, &[word]).stderr;
        assert!(!log.contains("two words"), "{log}");
    }
}
