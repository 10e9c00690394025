//! One address cannot starve the others, whatever it does with its connections.
//!
//! Its deadlines are far beyond the patience of a test: whoever had to wait for one of them would
//! never be answered.

use std::net::Ipv4Addr;
use std::time::Duration;

use serde_json::json;
use toolwright_runtime::server::{HttpOptions, ServeOptions};

use super::{Server, eventually, slow};
use toolwright_testing::http_client::{Web, message, request};

const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
const CONNECTIONS: usize = 1_100;
const NEVER: Duration = Duration::from_secs(100_000);

/// The default limits, with deadlines that never come.
fn patient() -> HttpOptions {
    HttpOptions {
        head_timeout: NEVER,
        body_timeout: NEVER,
        idle_timeout: NEVER,
        write_timeout: NEVER,
        call_timeout: NEVER,
        stream_timeout: NEVER,
        ..HttpOptions::default()
    }
}

fn listen(web: &mut Web) {
    let filter = json!({"notifications": {"resourceSubscriptions": ["test://events"]}});
    web.start_modern(&[], "subscriptions/listen", filter);
}

/// Everything works from another address.
fn assert_others_are_served(server: &Server) {
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.connect().get(path).status, 200, "{path}");
    }
    let echo = json!({"name": "test.echo", "arguments": {"n": 1}});
    let mut kept = server.connect();
    for _ in 0..20 {
        let answer = server.connect().modern(&[], "tools/call", echo.clone());
        assert_eq!(answer["result"]["structuredContent"]["got"]["n"], 1);
        let answer = kept.legacy(&[], "tools/call", echo.clone());
        assert_eq!(answer["result"]["structuredContent"]["got"]["n"], 1);
        let slow = server.connect().modern(&[], "tools/call", slow(json!({"ms": 1})));
        assert!(slow["result"]["structuredContent"].is_object(), "{slow}");
    }
    let mut stream = server.connect();
    listen(&mut stream);
    assert_eq!(stream.head().status, 200);
}

fn connections(server: &Server) -> f64 {
    server.metric("toolwright_http_connections{surface=\"test\"}").unwrap()
}

#[test]
fn half_open_requests_starve_nobody() {
    let server = Server::with(patient());
    let head = "POST /mcp HTTP/1.1\r\nHost: local";
    let whole = request("POST", "/mcp", &[], "0123456789");
    let body = whole.strip_suffix("789").unwrap();
    let attack: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let mut web = server.connect_from(ATTACKER);
            web.try_send(if number % 2 == 0 { head } else { body });
            web
        })
        .collect();
    eventually("the attack is under way", || connections(&server) >= 1_024.0);
    assert_others_are_served(&server);
    // Many are held, and all that the attacker got: a call of its own waits for none of them either.
    assert!(connections(&server) >= 1_024.0);
    let own = server.connect_from(ATTACKER).get("/healthz");
    assert_eq!(own.status, 200);
    drop(attack);
}

#[test]
fn streams_starve_nobody() {
    let server = Server::with(patient());
    let mut opened = 0;
    let mut attack: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let mut web = server.connect_from(ATTACKER);
            listen(&mut web);
            opened += usize::from(web.answers_with(200));
            web
        })
        .collect();
    assert_eq!(opened, 1_024, "as many as one address may have");
    assert_others_are_served(&server);
    // What is beyond the limit was told so, or closed.
    assert!(server.rejected("crowded") >= 1.0);
    assert!(!attack.pop().unwrap().rest().contains("event-stream"));
    assert!(connections(&server) >= 1_024.0);
}

#[test]
fn slow_calls_starve_nobody() {
    let http = HttpOptions { queue_timeout: NEVER, ..patient() };
    let server = Server::start(http, ServeOptions { max_calls: 8, ..ServeOptions::default() });
    let attack: Vec<_> = (0..100)
        .map(|_| {
            let mut web = server.connect_from(ATTACKER);
            web.start_modern(&[], "tools/call", slow(json!({"forever": true})));
            web
        })
        .collect();
    server.surface.await_running(6);
    eventually("the others wait", || {
        server.metric("toolwright_calls_waiting{surface=\"test\"}") == Some(94.0)
    });
    assert_others_are_served(&server);
    drop(attack);
}

#[test]
fn health_checks_find_a_place_when_all_others_are_taken() {
    let http = HttpOptions { max_connections: 8, ..patient() };
    let server = Server::with(http);
    let ping = || server.connect().post(&[], &message(1, "ping", json!({})).to_string());
    let mut attack = Vec::new();
    let full = std::cell::RefCell::new(&mut attack);
    eventually("every place is taken", || {
        let mut web = server.connect_from(ATTACKER);
        web.try_send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1");
        full.borrow_mut().push(web);
        ping().status == 429
    });
    for path in ["/healthz", "/readyz"] {
        let mut web = server.connect();
        let answer = web.get(path);
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")), "{path}");
        assert_eq!(web.rest(), "");
    }
    let refused = ping();
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    drop(attack);
    eventually("others are served again", || ping().status == 200);
}

#[test]
fn an_address_beyond_its_streams_is_refused_and_others_are_not() {
    let server = Server::with(HttpOptions { max_streams_per_caller: 2, ..patient() });
    let mut open: Vec<_> = (0..2)
        .map(|_| {
            let mut web = server.connect_from(ATTACKER);
            listen(&mut web);
            assert_eq!(web.head().status, 200);
            web
        })
        .collect();
    let mut web = server.connect_from(ATTACKER);
    listen(&mut web);
    let refused = web.receive();
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["id"], 1);
    assert_others_are_served(&server);
    open.pop();
    eventually("there is room again", || {
        let mut web = server.connect_from(ATTACKER);
        listen(&mut web);
        web.head().status == 200
    });
}
