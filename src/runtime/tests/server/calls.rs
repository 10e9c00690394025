//! Calls: concurrent, cancelled, with progress, failing.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use toolwright_runtime::server::ServeOptions;

use crate::client::{Client, serve};
use crate::surface::Surface;

fn call_line(id: usize, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

#[test]
fn five_thousand_pipelined_calls_get_one_answer_each() {
    let mut client = Client::legacy();
    let tools = ["test.echo", "test.slow", "test.lazy", "test.fail"];
    let lines: String =
        (0..5_000).map(|id| call_line(id, tools[id % 4], &json!({"n": id}))).collect();
    let mut writer = client.to_server.as_ref().unwrap().try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        std::io::Write::write_all(&mut writer, lines.as_bytes()).unwrap();
    });
    let mut answered = BTreeSet::new();
    for _ in 0..5_000 {
        let answer = client.receive();
        let id = answer["id"].as_u64().unwrap();
        assert!(answered.insert(id), "{id} twice");
        if id % 4 < 2 {
            assert_eq!(answer["result"]["structuredContent"]["got"]["n"], id);
        }
    }
    writing.join().unwrap();
    assert_eq!(client.exchange("ping", json!({}))["result"], json!({}));
    client.close().unwrap();
}

#[test]
fn calls_over_the_limit_are_queued() {
    let options = ServeOptions { max_calls: 3, ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    // In one piece and long enough to meet, or they might come and go one by one.
    let lines: String =
        (100..120).map(|id| call_line(id, "test.slow", &json!({"ms": 50}))).collect();
    client.send_bytes(lines.as_bytes());
    let answered: BTreeSet<_> = (0..20).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    assert_eq!(answered.len(), 20);
    assert_eq!(client.surface.most.load(Ordering::SeqCst), 3);
    client.close().unwrap();
}

#[test]
fn requests_behind_queued_calls_are_still_served() {
    let options = ServeOptions { max_calls: 1, ..ServeOptions::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    client.send_bytes(call_line(100, "test.slow", &json!({"forever": 1})).as_bytes());
    client.send_bytes(call_line(101, "test.slow", &json!({"forever": 1})).as_bytes());
    client.send_bytes(call_line(102, "test.slow", &json!({})).as_bytes());
    assert_eq!(client.exchange("ping", json!({}))["result"], json!({}));
    assert_eq!(client.call("test.echo", json!({}))["isError"], false);
    // The second never started: it is forgotten. The first is told.
    for id in [101, 100] {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                            "params": {"requestId": id}}));
    }
    assert_eq!(client.receive()["id"], 102);
    assert_eq!(client.surface.cancelled.load(Ordering::SeqCst), 1);
    client.close().unwrap();
}

#[test]
fn a_cancelled_call_is_notified_and_not_answered() {
    let mut client = Client::legacy();
    for tool in ["test.slow", "test.lazy"] {
        client.surface.cancelled.store(0, Ordering::SeqCst);
        let id = client.start("tools/call", json!({"name": tool, "arguments": {"forever": 1}}));
        // Answered after the call has started, because it was read after it.
        client.call("test.slow", json!({}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                            "params": {"requestId": id, "reason": "enough"}}));
        while client.surface.cancelled.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        // The next line is the answer to the next request, not to the cancelled one.
        assert_eq!(client.exchange("ping", json!({}))["result"], json!({}));
    }
    client.close().unwrap();
}

#[test]
fn progress_rises_and_ends_before_the_answer() {
    let mut client = Client::legacy();
    let id = client.start(
        "tools/call",
        json!({"name": "test.slow", "arguments": {"steps": 5}, "_meta": {"progressToken": "t"}}),
    );
    let mut seen = Vec::new();
    let answer = loop {
        let message = client.receive();
        if message.get("id").is_some() {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "t");
        assert_eq!(message["params"]["total"], 10.0);
        seen.push(message["params"]["progress"].as_f64().unwrap());
    };
    assert_eq!(answer["id"], id);
    assert_eq!(seen, [0.0, 1.0, 2.0, 3.0, 4.0]);
    // Nobody asked, nobody is told.
    assert_eq!(client.call("test.slow", json!({"steps": 5}))["isError"], false);
    client.close().unwrap();
}

#[test]
fn a_panic_is_answered_and_survived() {
    let mut client = Client::legacy();
    for meta in [json!({}), json!({"progressToken": 1})] {
        let params = json!({"name": "test.panic", "arguments": {}, "_meta": meta});
        let answer = client.exchange("tools/call", params);
        assert_eq!(answer["error"]["code"], -32603);
        assert!(!answer.to_string().contains("on purpose"), "the cause is for the log");
    }
    assert_eq!(client.call("test.echo", json!({}))["isError"], false);
    client.close().unwrap();
}

#[test]
fn declared_errors_keep_their_form() {
    let mut client = Client::legacy();
    let failed = client.call("test.fail", json!({}));
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["structuredContent"], json!({"code": "nope"}));
    let protocol = client.exchange("tools/call", json!({"name": "test.protocol"}));
    assert_eq!(
        protocol["error"],
        json!({"code": -31999, "message": "as declared", "data": {"why": "declared"}})
    );
    client.close().unwrap();
}

#[test]
fn an_unknown_tool_is_named_with_the_nearest_one() {
    let mut client = Client::legacy();
    let answer = client.exchange("tools/call", json!({"name": "test.ecko", "arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("test.ecko") && message.contains("`test.echo`?"), "{message}");
    client.close().unwrap();
}

#[test]
fn a_surface_may_have_its_own_code_for_unknown_tools() {
    let (input, to_server) = std::io::pipe().unwrap();
    let (from_server, output) = std::io::pipe().unwrap();
    let mut client =
        Client::over(OwnedFd::from(to_server).into(), OwnedFd::from(from_server).into(), |_| {
            let surface = Arc::new(Surface { strict: true, ..Surface::default() });
            serve(surface, ServeOptions::default(), input.into(), output.into())
        });
    client.initialize("2025-11-25", "tests");
    let answer = client.call("test.nothing", json!({}));
    assert_eq!(answer["isError"], true);
    assert_eq!(answer["structuredContent"], json!({"code": "unknown_tool"}));
    client.close().unwrap();
}

#[test]
fn a_call_that_waits_against_its_contract_is_still_answered() {
    let mut client = Client::legacy();
    // In one piece: the lazy one must not have ended before the other is read.
    let [lazy, echo] = [100, 101];
    let both = [(lazy, "test.lazy"), (echo, "test.echo")];
    let lines: String = both.iter().map(|(id, tool)| call_line(*id, tool, &json!({}))).collect();
    client.send_bytes(lines.as_bytes());
    assert_eq!(client.receive()["id"], echo);
    assert_eq!(client.receive()["id"], lazy);
    client.close().unwrap();
}
