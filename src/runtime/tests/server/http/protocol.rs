//! The MCP protocol over HTTP, in revisions with and without a handshake.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_runtime::server::{HttpOptions, ServeOptions};

use super::Server;
use toolwright_testing::http_client::{event, message};

#[test]
fn a_handshake_revision_is_served_without_a_session() {
    let server = Server::new();
    let mut web = server.connect();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "web", "version": "1"}});
    let response = web.post(&[], &message(1, "initialize", hello).to_string());
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("mcp-session-id"), None);
    let result = &response.json()["result"];
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"]["name"], "test");
    // Nobody could be told: there is no session to subscribe in.
    assert_eq!(result["capabilities"]["resources"]["subscribe"], Value::Null);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(web.post(&[], &ready).status, 202);

    // Any replica answers: this connection has seen no handshake.
    let mut web = server.connect();
    let tools = web.legacy(&[], "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 10);
    let call = json!({"name": "test.echo", "arguments": {"a": [1, "é"]}});
    let answer = web.legacy(&[], "tools/call", call);
    let body = &answer["result"]["structuredContent"];
    assert_eq!(body["got"], json!({"a": [1, "é"]}));
    assert_eq!(body["protocol"], "2025-11-25");
    assert_eq!(answer["result"].get("resultType"), None);
}

#[test]
fn the_newest_revision_is_served() {
    let server = Server::new();
    let mut web = server.connect();
    let found = web.modern(&[], "server/discover", json!({}));
    assert!(found["result"].to_string().contains("2026-07-28"), "{found}");
    let tools = web.modern(&[], "tools/list", json!({}));
    assert_eq!(tools["result"]["resultType"], "complete");
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 10);
    let answer = web.modern(&[], "tools/call", json!({"name": "test_echo", "arguments": {"a": 1}}));
    let body = &answer["result"]["structuredContent"];
    assert_eq!(body["got"], json!({"a": 1}));
    assert_eq!(body["client"], "web");
    assert_eq!(body["protocol"], "2026-07-28");
}

#[test]
fn headers_must_agree_with_the_body() {
    let server = Server::new();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let call = json!({"name": "test.echo", "arguments": {}, "_meta": meta});
    let call = message(1, "tools/call", call).to_string();
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "tools/call");
    for headers in [
        vec![method, ("Mcp-Name", "test.echo")],
        vec![version, ("Mcp-Name", "test.echo")],
        vec![version, method],
        vec![version, ("Mcp-Method", "tools/list"), ("Mcp-Name", "test.echo")],
        vec![version, method, ("Mcp-Name", "test.fail")],
    ] {
        let response = server.connect().post(&headers, &call);
        assert_eq!(response.status, 400, "{headers:?}: {response:?}");
        assert_eq!(response.json()["error"]["code"], -32020, "{response:?}");
    }
    let unknown = server.connect().post(&[("MCP-Protocol-Version", "1999-01-01")], &call);
    assert_eq!(unknown.status, 400, "{unknown:?}");
}

#[test]
fn invalid_messages_are_answered_with_errors() {
    let server = Server::new();
    let mut web = server.connect();
    for (body, code) in [
        ("{broken", -32700),
        ("", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("42", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
    ] {
        let response = web.post(&[], body);
        assert_eq!(response.status, 400, "{body}: {response:?}");
        assert_eq!(response.json()["error"]["code"], code, "{body}: {response:?}");
    }
    assert_eq!(web.legacy(&[], "ping", json!({}))["result"], json!({}));
    assert!(server.rejected("malformed") > 0.0);
}

#[test]
fn mistakes_within_a_message_have_their_codes() {
    let server = Server::new();
    let mut web = server.connect();
    let mut code =
        |method: &str, params: Value| web.legacy(&[], method, params)["error"]["code"].as_i64();
    assert_eq!(code("no/such/method", json!({})), Some(-32601));
    assert_eq!(code("tools/call", json!({"name": "no_such_tool"})), Some(-32602));
    assert_eq!(code("tools/call", json!({"arguments": {}})), Some(-32602));
    assert_eq!(code("tools/call", json!({"name": "test.echo", "arguments": 7})), Some(-32602));
    assert_eq!(code("resources/subscribe", json!({"uri": "test://events"})), Some(-32601));
    assert_eq!(code("tools/call", json!({"name": "test.panic"})), Some(-32603));
    assert_eq!(code("ping", json!({})), None);
}

#[test]
fn methods_removed_in_the_newest_revision_are_not_found() {
    let server = Server::new();
    let mut web = server.connect();
    let uri = json!({"uri": "test://events"});
    for (method, params) in [
        ("initialize", json!({})),
        ("logging/setLevel", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("ping", json!({})),
        ("resources/subscribe", json!({})),
        ("resources/subscribe", uri.clone()),
        ("resources/unsubscribe", json!({})),
        ("resources/unsubscribe", uri),
    ] {
        web.start_modern(&[], method, params);
        let response = web.receive();
        assert_eq!(response.status, 404, "{method}: {response:?}");
        assert_eq!(response.json()["error"]["code"], -32601, "{method}: {response:?}");
    }
}

#[test]
fn progress_comes_before_the_answer() {
    let server = Server::new();
    let mut web = server.connect();
    let call = json!({"name": "test.slow", "arguments": {"steps": 3},
        "_meta": {"progressToken": "t"}});
    web.start_modern(&[], "tools/call", call);
    let events = web.receive().events();
    let (last, progress) = events.split_last().unwrap();
    assert!(!progress.is_empty(), "{events:?}");
    assert!(progress.iter().all(|event| event["params"]["progressToken"] == "t"), "{events:?}");
    assert_eq!(last["result"]["structuredContent"]["got"], json!({"steps": 3}));
}

#[test]
fn a_question_of_one_replica_is_answered_at_another() {
    let options = |key| ServeOptions { seal_key: Some([key; 32]), ..ServeOptions::default() };
    let asking = Server::start(HttpOptions::default(), options(7));
    let replica = Server::start(HttpOptions::default(), options(7));
    let stranger = Server::start(HttpOptions::default(), options(8));
    let call = json!({"name": "test.ask", "arguments": {"x": 1}});
    let asked = asking.connect().modern(&[], "tools/call", call.clone());
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let mut repeated = call;
    repeated["requestState"] = asked["result"]["requestState"].clone();
    repeated["inputResponses"] =
        json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let done = replica.connect().modern(&[], "tools/call", repeated.clone());
    assert_eq!(done["result"]["structuredContent"], json!({"done": true}), "{done}");
    let asked = stranger.connect().modern(&[], "tools/call", repeated);
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
}

#[test]
fn a_client_without_a_session_cannot_be_asked() {
    let server = Server::new();
    let call = json!({"name": "test.ask", "arguments": {}});
    let answer = server.connect().legacy(&[], "tools/call", call);
    assert_eq!(answer["result"]["structuredContent"]["code"], "cannot_ask");
}

#[test]
fn changes_are_sent_to_subscribers() {
    let mut server = Server::new();
    let mut web = server.connect();
    let filter = json!({"notifications": {"resourceSubscriptions": ["test://events"]}});
    web.start_modern(&[], "subscriptions/listen", filter);
    assert_eq!(web.head().status, 200);
    let start = Instant::now();
    let mut next = || loop {
        // Lines that keep the connection alive would let a test that fails run for ever.
        assert!(start.elapsed() < Duration::from_secs(60), "no event");
        if let Some(event) = event(&web.line()) {
            return event;
        }
    };
    let accepted = next();
    assert!(accepted["method"].as_str().is_some(), "{accepted}");
    server.notifier.updated("test://events");
    let changed = next();
    assert_eq!(changed["method"], "notifications/resources/updated", "{changed}");
    assert_eq!(changed["params"]["uri"], "test://events");
    // Listening never ends by itself, but it must not keep the server from ending.
    server.end().unwrap();
}
