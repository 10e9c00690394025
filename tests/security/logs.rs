//! Log injection: whatever a client sends, a log line is one line, and its bytes move no terminal.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::served::Served;
use crate::server_homes::{empty_home, wink};
use crate::sizes::SURFACES;

/// Would be a line of its own, or colour the next ones.
const FORGED: &str = "x\r\n{\"level\":\"ERROR\",\"event\":\"forged\"}\u{1b}[31m\u{7}\u{8}\0";

/// What must not stand in a log: it ends a line early or speaks to the terminal.
fn speaks_to_terminals(line: &str) -> bool {
    line.chars().any(|letter| letter.is_ascii_control())
}

/// Everything of a session that a client chooses the words of.
fn provoke(client: &mut StdioSession) {
    let info = json!({"name": FORGED, "version": FORGED, "title": FORGED});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    client.exchange("initialize", hello);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let tools = client.tools();
    let named = tools.iter().filter_map(|tool| tool["name"].as_str());
    for name in named.chain([FORGED]) {
        let call = json!({"name": name, "arguments": {FORGED: FORGED, "to": FORGED, "code": FORGED},
            "_meta": {"progressToken": FORGED, FORGED: FORGED}});
        client.exchange("tools/call", call);
        let id = format!("{name}{FORGED}");
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": {}}});
        client.send(&call);
    }
    for (method, params) in [
        (FORGED, json!({})),
        ("resources/read", json!({"uri": FORGED})),
        ("prompts/get", json!({"name": FORGED})),
        ("logging/setLevel", json!({"level": FORGED})),
    ] {
        client.exchange(method, params);
    }
}

#[test]
fn every_log_line_of_every_surface_is_one_object() {
    for name in SURFACES {
        let home = empty_home(name);
        let mut command = home.command(&["mcp", "--log-level", "NOTSET"]);
        command.stderr(std::fs::File::create(home.path("log")).expect("writable"));
        let mut client = StdioSession::connect(command);
        provoke(&mut client);
        client.close();
        let text = home.read("log");
        assert!(text.lines().count() > 5, "{name} logs too little to tell: {text}");
        for line in text.lines() {
            let read: Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{name}: {error} in {line:?}"));
            assert!(read["level"].is_string() && read["event"] != "forged", "{name}: {line}");
            assert!(!speaks_to_terminals(line), "{name}: {line:?}");
        }
    }
}

#[test]
fn lines_for_people_are_lines_too() {
    let home = wink().env("WINK_JSON_LOGS", "false");
    let mut command = home.command(&["mcp", "--log-level", "NOTSET"]);
    command.stderr(std::fs::File::create(home.path("log")).expect("writable"));
    let mut client = StdioSession::connect(command);
    provoke(&mut client);
    client.close();
    let text = home.read("log");
    assert!(text.contains("wink.list_overrides"), "{text}");
    for line in text.lines() {
        assert!(line.starts_with("20"), "a line begins with its time: {line:?}");
        assert!(!speaks_to_terminals(line), "{line:?}");
    }
}

#[test]
fn over_http_nothing_of_a_request_is_logged_raw() {
    let server = Served::wink_with_tokens("right-token", &["--log-level", "NOTSET"]);
    let body = json!({"jsonrpc": "2.0", "id": FORGED, "method": FORGED}).to_string();
    for (headers, path) in [
        (vec![("Authorization", "Bearer told-wrongly")], "/mcp?secret=told-in-path"),
        (
            vec![("Authorization", "Bearer right-token"), ("User-Agent", "told-name\ttold-by")],
            "/mcp",
        ),
        (vec![("Host", "told-host.example")], "/"),
        (vec![("Origin", "https://told-origin.example")], "/mcp"),
    ] {
        server.connect().exchange("POST", path, &headers, &body);
    }
    let text = server.log();
    assert!(!text.contains("told-") && !text.contains("right-token"), "{text}");
    for line in text.lines() {
        serde_json::from_str::<Value>(line).expect("one object a line");
        assert!(!speaks_to_terminals(line), "{line:?}");
    }
}
