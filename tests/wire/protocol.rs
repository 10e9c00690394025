//! The protocol as a binary speaks it: revisions, hostile input, order, text and structure.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::server_homes::wink;

#[test]
fn every_handshake_revision_is_agreed_on() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let home = wink();
        let mut client = StdioSession::connect(home.server());
        let result = client.request(
            "initialize",
            json!({"protocolVersion": revision, "capabilities": {},
                       "clientInfo": {"name": "t", "version": "1"}}),
        );
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["serverInfo"]["name"], "wink");
        assert!(result["instructions"].as_str().is_some_and(|text| text.contains("confirm")));
    }
}

#[test]
fn the_contract_digest_is_in_the_servers_metadata() {
    let home = wink();
    let mut client = StdioSession::connect(home.server());
    let result = client.request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {},
                   "clientInfo": {"name": "t", "version": "1"}}),
    );
    let digest = wink::generated::SURFACE.digest;
    assert_eq!(digest.len(), 64);
    assert!(result.to_string().contains(digest), "{result}");
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let home = wink();
    let mut client = StdioSession::connect(home.server());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let found = client.request("server/discover", json!({"_meta": meta}));
    assert!(found.to_string().contains("2026-07-28"), "{found}");
    let list = client.request("tools/list", json!({"_meta": meta}));
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(7));
    let answer = client.request(
        "tools/call",
        json!({"name": "wink.list_overrides", "arguments": {}, "_meta": meta}),
    );
    assert_eq!(answer["resultType"], "complete");
    assert_eq!(answer["structuredContent"]["total"], 0);
}

#[test]
fn text_and_structured_content_are_the_same_compact_json() {
    let home = wink();
    let mut client = home.session();
    for (id, arguments) in [(70, json!({})), (71, json!({"limit": 0}))] {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "wink.list_overrides", "arguments": arguments}});
        client.send(&call);
        let line = client.receive_line();
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let text = message["result"]["content"][0]["text"].as_str().expect("a text block");
        assert!(line.contains(&format!("\"structuredContent\":{text}")), "{line}");
        assert!(!text.contains('\n') && !text.contains("\": "), "{text}");
    }
}

#[test]
fn hostile_lines_are_survived() {
    let home = wink();
    let mut client = home.session();
    let huge = "x".repeat(20 * 1024 * 1024);
    for line in [
        "",
        "   ",
        "\r",
        "not json",
        "{",
        "[]",
        "[1,2]",
        "null",
        "42",
        "\"text\"",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":77,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/no_such"}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        &"[".repeat(100_000),
        &huge,
    ] {
        client.send_line(line);
    }
    let answer = client.call("wink.list_overrides", json!({}));
    assert!(!answer.is_error);
    client.close();
}

#[test]
fn protocol_errors_have_the_right_code() {
    let home = wink();
    let mut client = home.session();
    let mut code =
        |method: &str, params: Value| client.exchange(method, params)["error"]["code"].clone();
    assert_eq!(code("no/such/method", json!({})), -32601);
    assert_eq!(code("tools/call", json!({"name": "wink.no_such_tool", "arguments": {}})), -32602);
    assert_eq!(code("tools/call", json!({"arguments": {}})), -32602);
    assert_eq!(code("tools/call", json!({"name": 7})), -32602);
    assert!(code("resources/read", json!({"uri": "wink://nothing"})).as_i64().is_some());
}

#[test]
fn an_unknown_tool_is_answered_with_what_was_probably_meant() {
    let home = wink();
    let answer = home
        .session()
        .exchange("tools/call", json!({"name": "wink.list_override", "arguments": {}}));
    assert!(answer["error"].to_string().contains("list_overrides"), "{answer}");
}

#[test]
fn a_call_before_the_handshake_does_not_end_the_server() {
    let home = wink();
    let mut client = StdioSession::connect(home.server());
    let early =
        client.exchange("tools/call", json!({"name": "wink.list_overrides", "arguments": {}}));
    assert!(early.get("error").is_some(), "{early}");
    client.request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "t", "version": "1"}}),
    );
}

#[test]
fn a_thousand_pipelined_calls_are_each_answered_once() {
    let home = wink();
    let mut client = home.session();
    for id in 1000..2000 {
        let section = json!({"ns": "a", "prompt": "b", "section_path": "c"});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "wink.get_section_override", "arguments": section}});
        client.send(&call);
    }
    let mut ids: Vec<u64> =
        (0..1000).map(|_| client.receive()["id"].as_u64().expect("an id")).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1000..2000));
}
