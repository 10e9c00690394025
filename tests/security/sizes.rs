//! Oversized and deeply nested input: no line stops a server, and every answer is one line of JSON.
//!
//! Limits of HTTP have tests beside the transport.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::server_homes::empty_home;

/// Starts a binary in a folder.
pub(crate) const SURFACES: [&str; 5] = ["agentpack", "wa", "wink", "worldforge", "yarnnn"];

fn call(arguments: &str) -> String {
    let head =
        r#"{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{"name":"x","arguments":"#;
    format!("{head}{arguments}}}}}")
}

fn members(count: usize) -> String {
    let members: Vec<String> = (0..count).map(|number| format!("\"m{number}\":{number}")).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn no_line_ends_a_server() {
    let deep = 200_000;
    let lines = [
        call(&format!("{{\"a\":\"{}\"}}", "x".repeat(17 << 20))),
        call(&("[".repeat(deep) + &"]".repeat(deep))),
        call(&("{\"a\":".repeat(deep) + "1" + &"}".repeat(deep))),
        "[".repeat(1 << 20),
        call(&members(100_000)),
        call(&format!("{{\"n\":{}}}", "9".repeat(100_000))),
        call("{\"n\":1e999999999}"),
        call(r#"{"a":"\ud800"}"#),
        call("{\"a\":\"\u{0}\"}"),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "m".repeat(1 << 20)),
        format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "i".repeat(1 << 20)),
        call("{}").replace("\"x\"", &format!("\"{}\"", "t".repeat(1 << 20))),
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/list"}"#.to_owned(),
    ];
    for name in SURFACES {
        let home = empty_home(name);
        let mut client = StdioSession::start(home.server(), "sizes");
        for line in &lines {
            client.send_line(line);
        }
        client.send(&json!({"jsonrpc": "2.0", "id": "last", "method": "ping"}));
        loop {
            let line = client.receive_line();
            assert!(line.len() < 4 << 20, "{name} answers with {} bytes", line.len());
            let answer: Value = serde_json::from_str(&line).expect("one message a line");
            if answer["id"] == "last" {
                break;
            }
        }
        client.close();
    }
}

#[test]
fn arguments_as_deep_as_can_be_read_are_answered_by_every_tool() {
    // Beyond 127 levels JSON is no longer read; what is below that reaches the schemas.
    let deep: Value = (0..100).fold(json!(1), |inner, _| json!([inner]));
    for name in SURFACES {
        let home = empty_home(name);
        let mut client = StdioSession::start(home.server(), "sizes");
        for tool in client.tools() {
            let properties = tool["inputSchema"]["properties"].as_object().cloned();
            let arguments = properties.unwrap_or_default().into_iter();
            let arguments: Value = arguments.map(|(name, _)| (name, deep.clone())).collect();
            let call = json!({"name": tool["name"], "arguments": arguments});
            let answer = client.exchange("tools/call", call);
            let failed = answer["result"]["isError"] == true || answer.get("error").is_some();
            assert!(failed || arguments == json!({}), "{name} {}: {answer}", tool["name"]);
        }
    }
}
