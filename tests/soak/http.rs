//! One server over HTTP: connections come and go, some of them in the middle of a call.

use serde_json::json;

use crate::gauge::Gauge;
use crate::homes::{self, Ask};
use crate::mix::{Event, Mix};
use toolwright_testing::http_client::{MCP, Web, message, request};
use toolwright_testing::http_server::Listening;

/// Messages of one connection.
const KEPT_FOR: usize = 40;

fn call(ask: &Ask) -> String {
    let params = json!({"name": ask.tool, "arguments": ask.arguments});
    message(1, "tools/call", params).to_string()
}

#[test]
fn a_server_with_many_connections_stays_as_it_is() {
    let home = homes::named("worldforge");
    let notes = tempfile::tempdir().expect("a temporary folder");
    let command = crate::with_few_arenas(home.server());
    let server = Listening::start(command, notes.path(), &[]);
    let calls = crate::calls(6_000);
    let warm_up = crate::warm_up(calls);
    let mut gauge = Gauge::new("worldforge over HTTP", server.process_id(), calls);
    let authorization = format!("Bearer {}", home.token.as_deref().expect("a token"));
    let headers =
        [("MCP-Protocol-Version", "2025-11-25"), ("Authorization", authorization.as_str())];
    let mut mix = Mix::new(&home);
    let mut web = Web::connect(server.address);
    for sent in 0..warm_up + calls {
        if sent % KEPT_FOR == 0 {
            web = Web::connect(server.address);
        }
        match mix.next() {
            Event::Good(ask) => {
                let answer = web.post(&headers, &call(&ask)).json();
                assert_eq!(answer["result"]["isError"], false, "{answer}");
            }
            Event::Bad(ask, code) => {
                let answer = web.post(&headers, &call(&ask)).json();
                assert!(answer.to_string().contains(code), "no {code} in {answer}");
            }
            // Over HTTP a call is taken back by hanging up.
            Event::Cancelled(ask) => {
                let mut gone = Web::connect(server.address);
                let headers = [&MCP, &headers[..]].concat();
                gone.send(&request("POST", "/mcp", &headers, &call(&ask)));
            }
            Event::Method(method) => {
                let body = message(1, method, json!({})).to_string();
                let answer = web.post(&headers, &body).json();
                assert_eq!(answer["id"], 1, "{answer}");
            }
            Event::Garbage(text) => assert_eq!(web.post(&headers, text).status, 400),
        }
        gauge.after(sent.saturating_sub(warm_up));
    }
    gauge.is_flat();
}
