//! The protocol as a binary speaks it: revisions, hostile input, order, text and structure.

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use crate::server::{folder, session, wink};

#[test]
fn every_handshake_revision_is_agreed_on() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let folder = folder();
        let mut client = Client::connect(wink(folder.path())).expect("the server starts");
        let result = client
            .request(
                "initialize",
                json!({"protocolVersion": revision, "capabilities": {},
                       "clientInfo": {"name": "t", "version": "1"}}),
            )
            .expect("a handshake");
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["serverInfo"]["name"], "wink");
        assert!(result["instructions"].as_str().is_some_and(|text| text.contains("confirm")));
    }
}

#[test]
fn the_contract_digest_is_in_the_servers_metadata() {
    let folder = folder();
    let mut client = Client::connect(wink(folder.path())).expect("the server starts");
    let result = client
        .request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {},
                   "clientInfo": {"name": "t", "version": "1"}}),
        )
        .expect("a handshake");
    let digest = wink::generated::SURFACE.digest;
    assert_eq!(digest.len(), 64);
    assert!(result.to_string().contains(digest), "{result}");
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let folder = folder();
    let mut client = Client::connect(wink(folder.path())).expect("the server starts");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let found = client.request("server/discover", json!({"_meta": meta})).expect("a discovery");
    assert!(found.to_string().contains("2026-07-28"), "{found}");
    let list = client.request("tools/list", json!({"_meta": meta})).expect("a list");
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(7));
    let answer = client
        .request(
            "tools/call",
            json!({"name": "wink.list_overrides", "arguments": {}, "_meta": meta}),
        )
        .expect("an answer");
    assert_eq!(answer["resultType"], "complete");
    assert_eq!(answer["structuredContent"]["total"], 0);
}

#[test]
fn text_and_structured_content_are_the_same_compact_json() {
    let folder = folder();
    let mut client = session(&folder);
    for (id, arguments) in [(70, json!({})), (71, json!({"limit": 0}))] {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "wink.list_overrides", "arguments": arguments}});
        client.send(&call).expect("the server reads");
        let line = client.receive_line().expect("an answer");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let text = message["result"]["content"][0]["text"].as_str().expect("a text block");
        assert!(line.contains(&format!("\"structuredContent\":{text}")), "{line}");
        assert!(!text.contains('\n') && !text.contains("\": "), "{text}");
    }
}

#[test]
fn hostile_lines_are_survived() {
    let folder = folder();
    let mut client = session(&folder);
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
        client.send_line(line).expect("the server reads");
    }
    let answer = client.call("wink.list_overrides", json!({})).expect("still alive");
    assert!(!answer.is_error);
    assert!(client.close().expect("it ends").success());
}

#[test]
fn protocol_errors_have_the_right_code() {
    let folder = folder();
    let mut client = session(&folder);
    let mut code = |method: &str, params: Value| {
        client.exchange(method, params).expect("an answer")["error"]["code"].clone()
    };
    assert_eq!(code("no/such/method", json!({})), -32601);
    assert_eq!(code("tools/call", json!({"name": "wink.no_such_tool", "arguments": {}})), -32602);
    assert_eq!(code("tools/call", json!({"arguments": {}})), -32602);
    assert_eq!(code("tools/call", json!({"name": 7})), -32602);
    assert!(code("resources/read", json!({"uri": "wink://nothing"})).as_i64().is_some());
}

#[test]
fn an_unknown_tool_is_answered_with_what_was_probably_meant() {
    let folder = folder();
    let answer = session(&folder)
        .exchange("tools/call", json!({"name": "wink.list_override", "arguments": {}}))
        .expect("an answer");
    assert!(answer["error"].to_string().contains("list_overrides"), "{answer}");
}

#[test]
fn a_call_before_the_handshake_does_not_end_the_server() {
    let folder = folder();
    let mut client = Client::connect(wink(folder.path())).expect("the server starts");
    let early = client
        .exchange("tools/call", json!({"name": "wink.list_overrides", "arguments": {}}))
        .expect("an answer");
    assert!(early.get("error").is_some(), "{early}");
    let result = client.request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "t", "version": "1"}}),
    );
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn a_thousand_pipelined_calls_are_each_answered_once() {
    let folder = folder();
    let mut client = session(&folder);
    for id in 1000..2000 {
        let section = json!({"ns": "a", "prompt": "b", "section_path": "c"});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "wink.get_section_override", "arguments": section}});
        client.send(&call).expect("the server reads");
    }
    let mut ids: Vec<u64> = (0..1000)
        .map(|_| client.receive().expect("an answer")["id"].as_u64().expect("an id"))
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1000..2000));
}
