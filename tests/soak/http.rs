//! One server over HTTP: connections come and go, some of them in the middle of a call.

use serde_json::json;

use crate::fixtures::{self, ToolCall};
use crate::process_usage::ProcessUsage;
use crate::traffic::{Event, Traffic};
use toolwright_testing::HttpServer;
use toolwright_testing::http_client::{MCP, Web, message, request};

/// Messages of one connection.
const KEPT_FOR: usize = 40;

fn call_text(call: &ToolCall) -> String {
    let params = json!({"name": call.tool, "arguments": call.arguments});
    message(1, "tools/call", params).to_string()
}

#[test]
fn a_server_with_many_connections_stays_as_it_is() {
    let fixture = fixtures::named("worldforge");
    let command = crate::with_few_arenas(fixture.server());
    let server = HttpServer::spawn(command);
    let calls = crate::calls(6_000);
    let warm_up = crate::warm_up(calls);
    let mut usage = ProcessUsage::new("worldforge over HTTP", server.process_id(), calls);
    let authorization = format!("Bearer {}", fixture.token.as_deref().expect("a token"));
    let headers =
        [("MCP-Protocol-Version", "2025-11-25"), ("Authorization", authorization.as_str())];
    let mut traffic = Traffic::new(&fixture);
    let mut web = Web::connect(server.address);
    for sent in 0..warm_up + calls {
        if sent % KEPT_FOR == 0 {
            web = Web::connect(server.address);
        }
        match traffic.next() {
            Event::Valid(call) => {
                let answer = web.post(&headers, &call_text(&call)).json();
                assert_eq!(answer["result"]["isError"], false, "{answer}");
            }
            Event::Invalid(call, code) => {
                let answer = web.post(&headers, &call_text(&call)).json();
                assert!(answer.to_string().contains(code), "no {code} in {answer}");
            }
            // Over HTTP a call is taken back by hanging up.
            Event::Cancelled(call) => {
                let mut gone = Web::connect(server.address);
                let headers = [&MCP, &headers[..]].concat();
                gone.send(&request("POST", "/mcp", &headers, &call_text(&call)));
            }
            Event::Method(method) => {
                let body = message(1, method, json!({})).to_string();
                let answer = web.post(&headers, &body).json();
                assert_eq!(answer["id"], 1, "{answer}");
            }
            Event::Garbage(text) => assert_eq!(web.post(&headers, text).status, 400),
        }
        usage.after(sent.saturating_sub(warm_up));
    }
    usage.is_flat();
}
