//! The address of a client behind trusted proxies, over real connections.

use std::net::Ipv4Addr;

use serde_json::json;
use toolwright_runtime::server::{ForwardedHeader, HttpOptions, TrustedProxies};

use super::{Server, slow};

const PROXY: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);

fn trusting(header: ForwardedHeader) -> HttpOptions {
    let networks = vec!["127.0.0.1".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
    HttpOptions { proxies: TrustedProxies { networks, header }, ..HttpOptions::default() }
}

/// The address that a handler sees.
fn seen(server: &Server, from: Ipv4Addr, headers: &[(&str, &str)]) -> String {
    let echo = json!({"name": "test.echo", "arguments": {"sender": true}});
    let answer = server.connect_from(from).modern(headers, "tools/call", echo);
    answer["result"]["structuredContent"]["address"].as_str().unwrap().to_owned()
}

#[test]
fn only_a_trusted_proxy_says_who_its_client_is() {
    let server = Server::with(trusting(ForwardedHeader::XForwardedFor));
    let forwarded = |value: &'static str| [("X-Forwarded-For", value)];
    assert_eq!(seen(&server, PROXY, &forwarded("198.51.100.7")), "198.51.100.7");
    assert_eq!(seen(&server, PROXY, &forwarded("198.51.100.7, 10.0.0.3")), "198.51.100.7");
    assert_eq!(seen(&server, PROXY, &[]), "127.0.0.1");
    // What the client wrote itself stands before what the proxy added.
    assert_eq!(seen(&server, PROXY, &forwarded("192.0.2.1, 198.51.100.7")), "198.51.100.7");
    let two = [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "198.51.100.7")];
    assert_eq!(seen(&server, PROXY, &two), "198.51.100.7");
    // Another header, and another peer, say nothing.
    assert_eq!(seen(&server, PROXY, &[("Forwarded", "for=198.51.100.7")]), "127.0.0.1");
    assert_eq!(seen(&server, PROXY, &[("X-Real-IP", "198.51.100.7")]), "127.0.0.1");
    assert_eq!(seen(&server, OTHER, &forwarded("198.51.100.7")), "127.0.0.9");

    let server = Server::with(trusting(ForwardedHeader::Forwarded));
    let both = [("Forwarded", "for=198.51.100.7;proto=https"), ("X-Forwarded-For", "192.0.2.1")];
    assert_eq!(seen(&server, PROXY, &both), "198.51.100.7");

    let server = Server::new();
    assert_eq!(seen(&server, PROXY, &forwarded("198.51.100.7")), "127.0.0.1", "none is trusted");
}

#[test]
fn a_client_cannot_leave_its_limit_by_naming_others() {
    let http = trusting(ForwardedHeader::XForwardedFor);
    let server = Server::with(HttpOptions { max_connections_per_address: 2, ..http });
    let running: Vec<_> = (0..2)
        .map(|number| {
            let mut web = server.connect();
            let spoofed = format!("192.0.2.{number}, 198.51.100.7");
            let headers = [("X-Forwarded-For", &*spoofed)];
            web.start_modern(&headers, "tools/call", slow(json!({"forever": true})));
            web
        })
        .collect();
    server.surface.await_running(2);
    let from = |forwarded: &str| {
        let mut web = server.connect();
        let echo = json!({"name": "test.echo", "arguments": {}});
        web.start_modern(&[("X-Forwarded-For", forwarded)], "tools/call", echo);
        web.receive().status
    };
    assert_eq!(from("192.0.2.77, 198.51.100.7"), 429);
    assert_eq!(from("198.51.100.8"), 200);
    assert_eq!(server.connect().get("/healthz").status, 200);
    drop(running);
}
