//! Protocol revisions with and without a handshake, and requests before it.

use serde_json::{Value, json};
use toolwright_runtime::server::{ServeOptions, ToolNames};

use crate::client::Client;

#[test]
fn agrees_on_every_revision_with_a_handshake() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::raw(ServeOptions::default());
        let result = client.initialize(version, "tests");
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "test");
        assert_eq!(result["serverInfo"]["version"], "1.2.3");
        assert_eq!(result["instructions"], "For tests.");
        let contract = &result["_meta"]["toolwright/contract"];
        assert_eq!(contract, &json!({"version": "v1", "digest": "0123456789abcdef"}));
        assert_eq!(result["capabilities"]["resources"]["subscribe"], true);
        let echoed = client.call("test.echo", json!({}));
        assert_eq!(echoed["structuredContent"]["protocol"], version);
        assert!(echoed.get("resultType").is_none());
        client.close().unwrap();
    }
}

#[test]
fn answers_an_unknown_revision_with_the_newest_that_has_a_handshake() {
    for version in ["2026-07-28", "1999-01-01"] {
        let mut client = Client::raw(ServeOptions::default());
        assert_eq!(client.initialize(version, "tests")["protocolVersion"], "2025-11-25");
        client.close().unwrap();
    }
}

#[test]
fn a_second_handshake_replaces_the_first() {
    let mut client = Client::legacy_with("2025-06-18", "one", ServeOptions::default());
    assert_eq!(client.initialize("2025-11-25", "two")["protocolVersion"], "2025-11-25");
    let echoed = client.call("test.echo", json!({}));
    assert_eq!(echoed["structuredContent"]["client"], "two");
    client.close().unwrap();
}

#[test]
fn serves_without_a_handshake() {
    let mut client = Client::raw(ServeOptions::default());
    let discovered = client.modern("server/discover", json!({}))["result"].take();
    assert!(
        discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{discovered}"
    );
    assert_eq!(discovered["_meta"]["toolwright/contract"]["version"], "v1");
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "test");

    let list = client.modern("tools/list", json!({}))["result"].take();
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["cacheScope"], "private", "it depends on the client's name");

    let called = client.modern("tools/call", json!({"name": "test_echo", "arguments": {"a": 1}}));
    let result = &called["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"]["got"], json!({"a": 1}));
    assert_eq!(result["structuredContent"]["client"], "claude-code");
    assert_eq!(result["structuredContent"]["extra"], json!({}));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.2.3");

    let ping = client.modern("ping", json!({}));
    assert_eq!(ping["error"]["code"], -32601);
    client.close().unwrap();
}

#[test]
fn refuses_incomplete_or_unknown_metadata() {
    let mut client = Client::raw(ServeOptions::default());
    let version = "io.modelcontextprotocol/protocolVersion";
    let half = json!({"name": "test.echo", "_meta": {version: "2026-07-28"}});
    assert_eq!(client.exchange("tools/call", half)["error"]["code"], -32602);
    let unknown = json!({"name": "test.echo", "_meta": {
        version: "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let refused = client.exchange("tools/call", unknown);
    assert_eq!(refused["error"]["code"], -32022);
    assert!(refused["error"]["data"]["supported"].is_array());
    client.close().unwrap();
}

#[test]
fn a_call_before_the_handshake_is_refused_and_the_handshake_still_works() {
    let mut client = Client::raw(ServeOptions::default());
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let refused = client.exchange("tools/call", json!({"name": "test.echo", "arguments": {}}));
    assert_eq!(refused["error"]["code"], -32602);
    assert!(refused["error"]["message"].as_str().unwrap().contains("initialize"));
    assert_eq!(client.exchange("tools/list", json!({}))["error"]["code"], -32602);
    assert_eq!(client.exchange("ping", json!({}))["result"], json!({}));
    client.initialize("2025-11-25", "tests");
    assert_eq!(client.call("test.echo", json!({}))["isError"], false);
    client.close().unwrap();
}

#[test]
fn a_call_right_behind_the_handshake_is_served() {
    let mut client = Client::raw(ServeOptions::default());
    let hello = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}});
    let call = json!({"jsonrpc": "2.0", "id": "b", "method": "tools/call",
                      "params": {"name": "test.echo"}});
    client.send_bytes(format!("{hello}\n{call}\n").as_bytes());
    let mut answers = [client.receive(), client.receive()];
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answers[1]["result"]["structuredContent"]["id"], "b");
    client.close().unwrap();
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn listed(policy: ToolNames, client: &str) -> Vec<String> {
    let options = ServeOptions { tool_names: policy, ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", client, options);
    let list = client.request("tools/list", json!({}));
    client.close().unwrap();
    names(&list)
}

#[test]
fn the_naming_policy_decides_the_list_and_calls_take_both_spellings() {
    assert_eq!(listed(ToolNames::Canonical, "claude-ai")[0], "test.ask");
    assert_eq!(listed(ToolNames::Portable, "claude-code")[0], "test_ask");

    let options = ServeOptions { tool_names: ToolNames::Auto, ..ServeOptions::default() };
    let mut client = Client::raw(options);
    for name in ["test.echo", "test_echo"] {
        let answer = client.modern("tools/call", json!({"name": name}));
        assert_eq!(answer["result"]["isError"], false);
    }
    client.close().unwrap();
}

#[test]
fn definitions_are_sorted_and_complete() {
    let mut client = Client::legacy();
    let list = client.request("tools/list", json!({}));
    assert_eq!(list["_meta"]["toolwright/contract"]["digest"], "0123456789abcdef");
    let mut sorted = names(&list);
    sorted.sort();
    assert_eq!(names(&list), sorted);
    let tool = |name: &str| {
        let tools = list["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap().clone()
    };
    assert_eq!(
        tool("test.ask")["annotations"],
        json!({"title": "A tool", "readOnlyHint": false, "destructiveHint": true,
               "idempotentHint": false, "openWorldHint": false})
    );
    let old = tool("test.old");
    assert_eq!(
        old["annotations"],
        json!({"title": "A tool", "readOnlyHint": false, "destructiveHint": false,
               "idempotentHint": true, "openWorldHint": true})
    );
    assert_eq!(
        old["description"],
        "Deprecated since v1, use test.echo instead, will be removed on 2027-01-01. Does something."
    );
    assert_eq!(old["_meta"]["toolwright/deprecated"]["sunset"], "2027-01-01");
    assert_eq!(old["_meta"]["example.com/colour"], "red");
    assert_eq!(
        tool("test.events")["_meta"],
        json!({"example.com/deep": {"a": [1, null]}, "openai/outputTemplate": "ui://test/page.html"})
    );
    assert_eq!(
        tool("test.ask")["_meta"],
        json!({"toolwright/guards": [{"name": "ask", "strength": "client_attested"}]})
    );
    assert_eq!(tool("test.echo").get("_meta"), None);
    assert_eq!(tool("test.echo")["title"], "A tool");
    assert_eq!(tool("test.echo")["outputSchema"], json!({"type": "object"}));
    client.close().unwrap();
}
