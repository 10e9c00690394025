//! Limits of size, time and number.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use toolwright_runtime::server::{HttpOptions, ServeOptions};

use super::{Server, eventually, slow};
use toolwright_testing::http_client::{message, request};

#[test]
fn a_large_body_is_rejected_however_it_is_sent() {
    let http = HttpOptions { max_body_bytes: 10_000, ..HttpOptions::default() };
    let server = Server::with(http);
    let fits = message(1, "ping", json!({"x": "y".repeat(9_000)})).to_string();
    assert_eq!(server.connect().post(&[], &fits).status, 200);
    let large = "x".repeat(3_000_000);
    assert_eq!(server.connect().post(&[], &large).status, 413);

    let mut web = server.connect();
    let head = request("POST", "/mcp", &[("Transfer-Encoding", "chunked")], "");
    web.send(&head.replace("Content-Length: 0\r\n", ""));
    for _ in 0..300 {
        web.send(&format!("2710\r\n{}\r\n", "x".repeat(10_000)));
    }
    web.send("0\r\n\r\n");
    assert_eq!(web.receive().status, 413);

    // A client that asks first is told before it sends anything.
    let mut web = server.connect();
    let head = request("POST", "/mcp", &[("Expect", "100-continue")], &large);
    web.send(head.strip_suffix(&large).unwrap());
    assert_eq!(web.receive().status, 413);
    assert_eq!(server.rejected("too_large"), 3.0);
}

#[test]
fn a_large_head_is_rejected() {
    let server = Server::new();
    let mut web = server.connect();
    web.try_send(&request("GET", "/healthz", &[("X", &"x".repeat(200_000))], ""));
    let rest = web.rest();
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 431"), "{rest}");
    assert_eq!(server.connect().get("/healthz").status, 200);
}

#[test]
fn a_slow_head_is_cut_off() {
    // Long enough for the heads of our own questions below, also on a busy machine.
    let http = HttpOptions { head_timeout: Duration::from_secs(6), ..HttpOptions::default() };
    let server = Server::with(http);
    let mut web = server.connect();
    web.send("POST /mcp HTTP/1.1\r\nHost: local");
    // It ends although the client neither sends more nor closes.
    let rest = web.rest();
    assert!(!rest.starts_with("HTTP/1.1 2"), "{rest}");
    eventually("no connection left", || {
        server.metric("toolwright_http_connections{surface=\"test\"}") == Some(1.0)
    });
}

#[test]
fn an_idle_connection_is_closed() {
    let http = HttpOptions { idle_timeout: Duration::from_millis(100), ..HttpOptions::default() };
    let server = Server::with(http);
    let mut web = server.connect();
    assert_eq!(web.get("/healthz").status, 200);
    assert_eq!(web.rest(), "");
    assert_eq!(server.rejected("slow_head"), 0.0);
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let http = HttpOptions { write_timeout: Duration::from_millis(100), ..HttpOptions::default() };
    let server = Server::with(http);
    // The answer repeats it twice, which is more than the buffers between the two take.
    let large = json!({"name": "test.echo", "arguments": {"x": "y".repeat(4_000_000)}});
    let mut clients: Vec<_> = (0..3).map(|_| server.connect()).collect();
    for web in &mut clients {
        web.start_modern(&[], "tools/call", large.clone());
    }
    eventually("they are cut off", || server.rejected("slow_read") == 3.0);
}

#[test]
fn a_stream_ends_after_its_time() {
    let http = HttpOptions { stream_timeout: Duration::from_millis(100), ..HttpOptions::default() };
    let server = Server::with(http);
    let mut web = server.connect();
    let filter = json!({"notifications": {"resourceSubscriptions": ["test://events"]}});
    web.start_modern(&[], "subscriptions/listen", filter);
    let events = web.receive().events();
    assert_eq!(events.last().unwrap()["id"], 1, "it ends with the response: {events:?}");
    // The connection is as good as before.
    assert_eq!(web.get("/healthz").status, 200);
}

#[test]
fn a_slow_body_is_cut_off() {
    let http = HttpOptions { body_timeout: Duration::from_millis(100), ..HttpOptions::default() };
    let server = Server::with(http);
    let mut web = server.connect();
    let whole = request("POST", "/mcp", &[], "0123456789");
    web.send(whole.strip_suffix("789").unwrap());
    assert_eq!(web.receive().status, 408);
    assert_eq!(web.rest(), "");
    assert_eq!(server.rejected("slow_body"), 1.0);
}

#[test]
fn a_long_call_is_cancelled_and_answered() {
    // The calls must have begun by then, and the second one its stream, also on a busy machine.
    let http = HttpOptions { call_timeout: Duration::from_secs(6), ..HttpOptions::default() };
    let server = Server::with(http);
    let mut web = server.connect();
    web.start_modern(&[], "tools/call", slow(json!({"forever": true})));
    let response = web.receive();
    assert_eq!(response.status, 504, "{response:?}");
    assert_eq!(response.json()["id"], 1);
    assert_eq!(response.json()["error"]["code"], -32603);
    server.surface.await_cancelled(1);

    // A stream has begun with 200 already; it ends with the error.
    let mut call = slow(json!({"forever": true, "steps": 2}));
    call["_meta"] = json!({"progressToken": 1});
    web.start_modern(&[], "tools/call", call);
    let events = web.receive().events();
    assert_eq!(events.last().unwrap()["error"]["code"], -32603, "{events:?}");
    server.surface.await_cancelled(2);
    assert_eq!(server.rejected("timeout"), 2.0);
}

#[test]
fn calls_over_the_limit_are_queued_and_rejected_when_the_queue_is_full() {
    // The one that waits must still do so when it is looked at.
    let queue_timeout = Duration::from_secs(60);
    let http = HttpOptions { max_waiting: 1, queue_timeout, ..HttpOptions::default() };
    let server = Server::start(http, ServeOptions { max_calls: 2, ..ServeOptions::default() });
    let mut running: Vec<_> = (0..2)
        .map(|_| {
            let mut web = server.connect();
            web.start_modern(&[], "tools/call", slow(json!({"forever": true})));
            web
        })
        .collect();
    server.surface.await_running(2);
    let mut waiting = server.connect();
    waiting.start_modern(&[], "tools/call", slow(json!({"ms": 1})));
    eventually("one call waits", || {
        server.metric("toolwright_calls_waiting{surface=\"test\"}") == Some(1.0)
    });
    let mut refused = server.connect();
    refused.start_modern(&[], "tools/call", slow(json!({"ms": 1})));
    let response = refused.receive();
    assert_eq!((response.status, response.header("retry-after")), (503, Some("1")));
    assert_eq!(response.json()["id"], 1);
    // What runs no tool needs no turn.
    let list = server.connect().legacy(&[], "tools/list", json!({}));
    assert!(list["result"]["tools"].is_array());
    // One goes away; the one that waits has its turn.
    drop(running.pop());
    let response = waiting.receive();
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(server.surface.most.load(Ordering::SeqCst), 2);
    assert_eq!(server.rejected("busy"), 1.0);
}

#[test]
fn a_call_does_not_wait_forever() {
    let http = HttpOptions { queue_timeout: Duration::from_millis(50), ..HttpOptions::default() };
    let server = Server::start(http, ServeOptions { max_calls: 1, ..ServeOptions::default() });
    let mut running = server.connect();
    running.start_modern(&[], "tools/call", slow(json!({"forever": true})));
    server.surface.await_running(1);
    let mut waiting = server.connect();
    waiting.start_modern(&[], "tools/call", slow(json!({"ms": 1})));
    assert_eq!(waiting.receive().status, 503);
}

#[test]
fn the_call_of_a_disconnected_client_is_cancelled() {
    let server = Server::new();
    let mut web = server.connect();
    web.start_modern(&[], "tools/call", slow(json!({"forever": true})));
    server.surface.await_running(1);
    drop(web);
    server.surface.await_cancelled(1);

    // The same in the middle of a stream.
    let mut web = server.connect();
    let mut call = slow(json!({"forever": true, "steps": 2}));
    call["_meta"] = json!({"progressToken": 1});
    web.start_modern(&[], "tools/call", call);
    assert_eq!(web.head().status, 200);
    drop(web);
    server.surface.await_cancelled(2);
    let cancelled =
        r#"toolwright_calls_total{surface="test",tool="test.slow",outcome="cancelled"}"#;
    eventually("both are counted", || server.metric(cancelled) == Some(2.0));
}

#[test]
fn sixty_four_clients_get_their_own_answers() {
    let server = Server::new();
    std::thread::scope(|scope| {
        for client in 0..64 {
            let mut web = server.connect();
            scope.spawn(move || {
                for round in 0..20 {
                    let text = format!("{client}/{round}");
                    let call = json!({"name": "test.echo", "arguments": {"text": text}});
                    let answer = if round % 2 == 0 {
                        web.modern(&[], "tools/call", call)
                    } else {
                        web.legacy(&[], "tools/call", call)
                    };
                    assert_eq!(answer["result"]["structuredContent"]["got"]["text"], text);
                }
            });
        }
    });
    let ok = r#"toolwright_calls_total{surface="test",tool="test.echo",outcome="ok"}"#;
    assert_eq!(server.metric(ok), Some(1280.0));
    assert_eq!(server.metric("toolwright_calls_in_flight{surface=\"test\"}"), Some(0.0));
}
