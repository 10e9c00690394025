//! There is one call path: the same call gets the same bytes on every transport, in every revision.

use serde_json::{Value, json};
use toolwright_runtime::server::ServeOptions;

use crate::client::Client;
use crate::http::Server;
use crate::surface::modern_meta;
use toolwright_testing::http_client::{Response, Web, message};

/// Tools that answer at once, that wait although they should not, that wait, that report progress,
/// that fail in every way; and calls that make no sense.
fn calls() -> Vec<(&'static str, Value)> {
    let call = |params: Value| ("tools/call", params);
    vec![
        call(json!({"name": "test.echo", "arguments": {"a": [1, 2.5, null], "b": "x\u{2028}\n"}})),
        call(json!({"name": "test_echo", "arguments": {"meta": {"k": 1}}})),
        call(json!({"name": "test.echo"})),
        call(json!({"name": "test.echo", "arguments": {}, "_meta": {"x/y": 7}})),
        call(json!({"name": "test.fail", "arguments": {}})),
        call(json!({"name": "test.protocol", "arguments": {}})),
        call(json!({"name": "test.panic", "arguments": {}})),
        call(json!({"name": "test.lazy", "arguments": {}})),
        call(json!({"name": "test.slow", "arguments": {"steps": 3, "ms": 1}})),
        call(json!({"name": "test.ask", "arguments": {}})),
        call(json!({"name": "test.echoo", "arguments": {}})),
        call(json!({"name": "test.echo", "arguments": []})),
        call(json!({"name": "test.echo", "arguments": {}, "requestState": 5})),
        call(json!({"arguments": {}})),
        ("resources/read", json!({"uri": "test://events?limit=5&pane=a%20b"})),
        ("resources/read", json!({"uri": "test://events?limit=many"})),
    ]
}

/// A client that nobody can be asked through, as over HTTP.
fn legacy() -> Client {
    let mut client = Client::raw(ServeOptions::default());
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                       "clientInfo": {"name": "tests", "version": "1"}});
    client.request("initialize", hello);
    client
}

fn over_http(web: &mut Web, method: &str, params: &Value, modern: bool) -> Response {
    let body = message(7, method, params.clone()).to_string();
    if !modern {
        let headers = [("MCP-Protocol-Version", "2025-11-25"), ("User-Agent", "tests/1")];
        return web.post(&headers, &body);
    }
    let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    let name = params["name"].as_str().or(params["uri"].as_str());
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    web.post(&headers, &body)
}

fn over_stdio(client: &mut Client, method: &str, params: &Value) -> String {
    client.send(&message(7, method, params.clone()));
    client.receive_line()
}

fn with_meta(params: &Value, meta: Value) -> Value {
    let mut params = params.clone();
    for (key, value) in meta.as_object().unwrap() {
        params["_meta"][key] = value.clone();
    }
    params
}

#[test]
fn stdio_and_http_give_the_same_bytes() {
    let mut client = legacy();
    let server = Server::new();
    let mut web = server.connect();
    for (method, params) in calls() {
        for modern in [false, true] {
            let meta = if modern { modern_meta().into() } else { json!({}) };
            let params = with_meta(&params, meta);
            let response = over_http(&mut web, method, &params, modern);
            assert_eq!(response.status, 200, "{response:?}");
            assert_eq!(response.header("content-type"), Some("application/json"));
            let line = over_stdio(&mut client, method, &params);
            assert_eq!(line, response.body.trim_end(), "{params}");
        }
    }
    client.close().unwrap();
}

#[test]
fn progress_changes_nothing_in_the_answer() {
    let mut client = legacy();
    let server = Server::new();
    let mut web = server.connect();
    for (method, params) in calls() {
        let silent = over_stdio(&mut client, method, &params);
        let params = with_meta(&params, json!({"progressToken": "p"}));
        let mut lines = vec![over_stdio(&mut client, method, &params)];
        while lines.last().is_some_and(|line| line.contains("notifications/progress")) {
            lines.push(client.receive_line());
        }
        assert_eq!(lines.last(), Some(&silent), "{params}");

        let response = over_http(&mut web, method, &params, false);
        let told: Vec<&str> = match response.header("content-type") {
            Some("text/event-stream") => {
                response.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
            }
            _ => vec![response.body.trim_end()],
        };
        assert_eq!(told, lines, "{params}");
        let reports = if params["name"] == "test.slow" { 3 } else { 0 };
        assert_eq!(told.len(), reports + 1, "{told:?}");
    }
    client.close().unwrap();
}

#[test]
fn text_and_structured_content_say_the_same() {
    let mut client = Client::legacy();
    for tool in ["test.echo", "test.lazy", "test.slow", "test.fail"] {
        let result = client.call(tool, json!({"z": 1, "a": 2}));
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
    }
    client.close().unwrap();
}

#[test]
fn lists_are_the_same_bytes_too() {
    let mut client = legacy();
    let server = Server::new();
    let mut web = server.connect();
    for params in [json!({}), json!({"cursor": null}), json!({"cursor": "2"}), json!({"cursor": 5})]
    {
        for modern in [false, true] {
            let meta = if modern { modern_meta().into() } else { json!({}) };
            let params = with_meta(&params, meta);
            let response = over_http(&mut web, "tools/list", &params, modern);
            assert_eq!(response.status, 200, "{response:?}");
            let line = over_stdio(&mut client, "tools/list", &params);
            assert_eq!(line, response.body.trim_end(), "{params}");
            assert_eq!(line.contains("error"), params["cursor"] != Value::Null, "{line}");
        }
    }
    client.close().unwrap();
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let mut client = Client::legacy();
    let server = Server::new();
    for (members, key) in [
        (r#""id":1,"id":2,"method":"ping""#, "/id"),
        (r#""id":1,"method":"ping","method":"tools/list""#, "/method"),
        (r#""id":1,"m\u0065thod":"ping","method":"ping""#, "/method"),
        (r#""id":1,"method":"ping","x":1,"x":1"#, "/x"),
        (
            r#""id":1,"method":"tools/call","params":{"name":"test.echo","name":"x"}"#,
            "/params/name",
        ),
        (r#""id":1,"method":"tools/list","params":{"name":"x","name":"y"}"#, "/params/name"),
        (
            r#""id":1,"method":"tools/call","params":{"name":"x","_meta":{"a":{"b":1,"b":2}}}"#,
            "/params/_meta/a/b",
        ),
        (
            r#""id":1,"method":"resources/read","params":{"uri":"a://b","uri":"a://c"}"#,
            "/params/uri",
        ),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
        client.send_bytes(format!("{body}\n").as_bytes());
        let line = client.receive_line();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{line}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("duplicate key `{key}`")), "{line}");
        // Of two ids neither is the right one.
        let id = if key == "/id" { Value::Null } else { json!(1) };
        assert_eq!(answer["id"], id, "{line}");
        let response = server.connect().post(&[], &body);
        assert_eq!((response.status, &response.json()["error"]), (400, &answer["error"]));
    }
    client.close().unwrap();
}

#[test]
fn a_call_right_behind_the_handshake_knows_its_client() {
    let mut client = Client::raw(ServeOptions::default());
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                       "clientInfo": {"name": "hasty", "version": "1"}});
    let echo = message(2, "tools/call", json!({"name": "test.echo"}));
    let both = format!("{}\n{echo}\n", message(1, "initialize", hello));
    client.send_bytes(both.as_bytes());
    assert_eq!(client.receive()["id"], 1);
    let answer = client.receive();
    assert_eq!(answer["result"]["structuredContent"]["client"], "hasty", "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["protocol"], "2025-06-18");
    client.close().unwrap();
}

#[test]
fn a_revision_that_is_not_served_is_named_with_those_that_are() {
    let mut client = Client::legacy();
    let server = Server::new();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2099-01-01",
                      "io.modelcontextprotocol/clientCapabilities": {}});
    let ours = with_meta(&json!({"uri": "test://events"}), meta.clone());
    let sdks = with_meta(&json!({"uri": "ui://test/page.html"}), meta);
    let [answer, by_sdk] = [ours, sdks].map(|params| {
        let answer = client.exchange("resources/read", params.clone());
        let headers = [
            ("MCP-Protocol-Version", "2099-01-01"),
            ("Mcp-Method", "resources/read"),
            ("Mcp-Name", params["uri"].as_str().unwrap()),
        ];
        let body = message(1, "resources/read", params.clone()).to_string();
        let response = server.connect().post(&headers, &body);
        assert_eq!(response.status, 400, "{response:?}");
        assert_eq!(response.json()["error"], answer["error"]);
        answer["error"].clone()
    });
    assert_eq!(answer, by_sdk);
    assert!(answer["data"]["supported"].is_array(), "{answer}");
    client.close().unwrap();
}
