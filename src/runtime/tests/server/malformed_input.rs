//! Invalid lines and invalid messages.

use serde_json::{Value, json};
use toolwright_runtime::server::ServeOptions;

use crate::client::Client;

fn is_alive(client: &mut Client) {
    assert_eq!(client.call("test.echo", json!({}))["isError"], false);
}

/// The error that a line gets.
fn error(client: &mut Client, line: &[u8]) -> Value {
    client.send_bytes(line);
    client.send_bytes(b"\n");
    let answer = client.receive();
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(answer["error"]["message"].is_string(), "{answer}");
    answer
}

#[test]
fn blank_lines_crlf_and_a_bom_are_harmless() {
    let mut client = Client::legacy();
    client.send_bytes(b"\n\r\n   \n\t\n");
    client.send_bytes("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n".as_bytes());
    assert_eq!(client.receive(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    client.send_bytes(b"  {\"jsonrpc\": \"2.0\", \"method\": \"tools\\/call\", \"id\": 2, \"params\": {\"name\": \"test.echo\"}}  \n");
    assert_eq!(client.receive()["id"], 2);
    is_alive(&mut client);
    client.close().unwrap();
}

#[test]
fn broken_json_is_a_parse_error() {
    let mut client = Client::legacy();
    for line in [b"{".as_slice(), b"hello", b"{\"jsonrpc\":}", b"\xff\xfe\x00", b"{\"a\":\"\xc3\"}"]
    {
        let answer = error(&mut client, line);
        assert_eq!(answer["error"]["code"], -32700, "{line:?}");
        assert!(answer.get("id").is_none(), "{answer}");
    }
    // Where the id can be made out, the sender hears of it.
    let cut = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na"#;
    assert_eq!(error(&mut client, cut)["id"], 7);
    is_alive(&mut client);
    client.close().unwrap();
}

#[test]
fn other_json_is_an_invalid_request() {
    let mut client = Client::legacy();
    for line in [
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        "null",
        "7",
        r#""text""#,
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    ] {
        let answer = error(&mut client, line.as_bytes());
        assert_eq!(answer["error"]["code"], -32600, "{line}");
        assert!(answer.get("id").is_none(), "{answer}");
    }
    for line in [
        r#"{"id":3,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":3,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":3}"#,
    ] {
        let answer = error(&mut client, line.as_bytes());
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(3)));
    }
    is_alive(&mut client);
    client.close().unwrap();
}

#[test]
fn notifications_and_invalid_responses_are_not_answered() {
    let mut client = Client::legacy();
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/unheard"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":[],"result":{}}"#,
    ] {
        client.send_bytes(line.as_bytes());
        client.send_bytes(b"\n");
    }
    is_alive(&mut client);
    client.close().unwrap();
}

#[test]
fn unknown_methods_and_malformed_parameters_are_distinguished() {
    let mut client = Client::legacy();
    let unknown = client.exchange("tools/lisst", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("tools/list"));
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 5})),
        ("tools/call", json!({"name": "test.echo", "arguments": 5})),
        ("tools/call", json!({"name": "test.echo", "_meta": 5})),
        ("tools/call", json!([])),
        ("tools/list", json!([])),
        ("ping", json!([])),
        ("tools/list", json!({"cursor": 5})),
        ("tools/list", json!({"cursor": "page-2"})),
        ("resources/read", json!({})),
        ("resources/subscribe", json!({"uri": 1})),
        ("initialize", json!({})),
    ] {
        let answer = client.exchange(method, params.clone());
        assert_eq!(answer["error"]["code"], -32602, "{method} {params} {answer}");
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}));
    assert_eq!(client.receive()["error"]["code"], -32602);
    is_alive(&mut client);
    client.close().unwrap();
}

#[test]
fn a_huge_line_is_rejected_and_skipped() {
    let options = ServeOptions { max_line_bytes: 100_000, ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    let text = "x".repeat(5_000_000);
    let call = |id: u64| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
               "params": {"name": "test.echo", "arguments": {"text": text, "id": 1}}})
    };
    let writer = client.to_server.as_ref().unwrap().try_clone().unwrap();
    // As most clients write it, and with the id at the end, as the TypeScript SDK does.
    let front = call(41).to_string();
    let back = format!(
        r#"{{"method":"tools/call","params":{},"jsonrpc":"2.0","id":"42"}}"#,
        call(0)["params"]
    );
    for (line, id) in [(front, json!(41)), (back, json!("42"))] {
        let mut writer = writer.try_clone().unwrap();
        let writing = std::thread::spawn(move || {
            std::io::Write::write_all(&mut writer, format!("{line}\n").as_bytes()).unwrap();
        });
        let answer = client.receive();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &id));
        writing.join().unwrap();
    }
    drop(writer);
    is_alive(&mut client);
    client.close().unwrap();
}

#[test]
fn deep_nesting_is_survived() {
    let mut client = Client::legacy();
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{deep}}}"#);
    assert_eq!(error(&mut client, line.as_bytes())["id"], 1);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{{"uri":{deep}}}}}"#
    );
    assert_eq!(error(&mut client, line.as_bytes())["id"], 2);
    is_alive(&mut client);
    client.close().unwrap();
}
