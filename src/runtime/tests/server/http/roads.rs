//! The short road over HTTP and the SDK's must give the same answers.

use serde_json::{Value, json};

use super::Server;
use crate::surface::modern_meta;
use toolwright_testing::http_client::{Response, Web, message};

/// Sends the same request twice: a header that comes twice leads to the ordinary road.
fn both_roads(web: &mut Web, headers: &[(&str, &str)], body: &str) -> [Response; 2] {
    let twice = ("Accept", "application/json, text/event-stream");
    [web.post(headers, body), web.post(&[headers, &[twice]].concat(), body)]
}

fn assert_alike(web: &mut Web, headers: &[(&str, &str)], body: &str) {
    let [short, ordinary] = both_roads(web, headers, body);
    assert_eq!(short.status, ordinary.status, "{headers:?} {body}: {short:?} {ordinary:?}");
    assert_eq!(short.header("content-type"), ordinary.header("content-type"), "{body}");
    assert_eq!(said(&short), said(&ordinary), "{headers:?} {body}");
}

/// As JSON where it is JSON: the order of members says nothing.
fn said(response: &Response) -> Value {
    serde_json::from_str(&response.body).unwrap_or_else(|_| Value::from(&*response.body))
}

fn calls() -> Vec<Value> {
    vec![
        json!({"name": "test.echo", "arguments": {"a": [1, 2.5, null], "b": "x\u{2028}\n"}}),
        json!({"name": "test_echo", "arguments": {"meta": {"k": 1}}}),
        json!({"name": "test.echo"}),
        json!({"name": "test.echo", "arguments": {}, "_meta": {"x/y": 7}}),
        json!({"name": "test.fail", "arguments": {}}),
        json!({"name": "test.protocol", "arguments": {}}),
        json!({"name": "test.panic", "arguments": {}}),
        json!({"name": "test.lazy", "arguments": {}}),
        json!({"name": "test.slow", "arguments": {"steps": 1}}),
        json!({"name": "test.ask", "arguments": {}}),
        json!({"name": "test.echoo", "arguments": {}}),
        json!({"name": "test.echo", "arguments": []}),
        json!({"arguments": {}}),
    ]
}

#[test]
fn give_equal_answers_to_clients_of_the_handshake_revisions() {
    let server = Server::new();
    let mut web = server.connect();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let headers = [("MCP-Protocol-Version", version), ("User-Agent", "claude-code/2.0")];
        for call in calls() {
            assert_alike(&mut web, &headers, &message(1, "tools/call", call).to_string());
        }
        for method in ["tools/list", "ping"] {
            assert_alike(&mut web, &headers, &message(1, method, json!({})).to_string());
        }
    }
    assert_alike(&mut web, &[], &message(1, "tools/list", json!({})).to_string());
    let strange = r#"{"jsonrpc":"2.0","id":"a\"b","method":"tools/list"}"#;
    assert_alike(&mut web, &[], strange);
}

#[test]
fn give_equal_answers_to_clients_of_the_newest_revision() {
    let server = Server::new();
    let mut web = server.connect();
    let asking = json!({"elicitation": {}});
    for (capabilities, named) in [(json!({}), true), (json!({}), false), (asking, true)] {
        for mut call in calls() {
            let mut meta = modern_meta();
            meta["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
            if !named {
                meta.remove("io.modelcontextprotocol/clientInfo");
            }
            if let Some(own) = call.get("_meta") {
                meta.extend(own.as_object().unwrap().clone());
            }
            call["_meta"] = meta.into();
            let name = call["name"].as_str().unwrap_or("").to_owned();
            let headers = [
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", &name),
                ("User-Agent", "somebody/1.0"),
            ];
            let body = message(1, "tools/call", call).to_string();
            let [mut short, mut ordinary] =
                both_roads(&mut web, &headers, &body).map(|response| response.json());
            for response in [&mut short, &mut ordinary] {
                // Sealed with the time of the question.
                response["result"]["requestState"].take();
            }
            assert_eq!(short, ordinary, "{body}");
        }
    }
}

#[test]
fn refuse_alike_what_contradicts_itself() {
    let server = Server::new();
    let mut web = server.connect();
    let call = json!({"name": "test.echo", "arguments": {}, "_meta": modern_meta()});
    let call = message(1, "tools/call", call).to_string();
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "tools/call");
    let name = ("Mcp-Name", "test.echo");
    for headers in [
        vec![version, method, name],
        vec![method, name],
        vec![version, name],
        vec![version, method],
        vec![version, method, name, name],
        vec![version, method, method, name],
        vec![version, version, method, name],
        vec![("MCP-Protocol-Version", "2025-11-25"), method, name],
        vec![version, ("Mcp-Method", "tools/list"), name],
        vec![version, method, ("Mcp-Name", "test_echo")],
    ] {
        assert_alike(&mut web, &headers, &call);
    }
    let legacy = message(1, "tools/call", json!({"name": "test.echo"})).to_string();
    assert_alike(&mut web, &[version], &legacy);
}
