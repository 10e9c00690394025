//! Many honest clients at the default limits.

use std::net::Ipv4Addr;

use serde_json::{Value, json};
use toolwright_runtime::server::{HttpOptions, Tokens, TrustedProxies};

use super::{Server, eventually, slow};
use toolwright_testing::http_client::Web;

const CLIENTS: usize = 512;

/// Slow calls of all clients at once, which end when all have come.
fn call_at_once(server: &Server, headers: impl Fn(usize) -> Vec<(&'static str, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let call = slow(json!({"until": go}));
    let mut clients: Vec<Web> = (0..CLIENTS)
        .map(|number| {
            let mut web = server.connect();
            let headers = headers(number);
            let headers: Vec<_> = headers.iter().map(|(name, text)| (*name, &**text)).collect();
            web.start_modern(&headers, "tools/call", call.clone());
            web
        })
        .collect();
    eventually("all calls have come", || {
        let gauge =
            |name| server.metric(&format!("toolwright_calls_{name}{{surface=\"test\"}}")).unwrap();
        gauge("in_flight") + gauge("waiting") == CLIENTS as f64
    });
    std::fs::write(&go, "").unwrap();
    for (number, web) in clients.iter_mut().enumerate() {
        let response = web.receive();
        assert_eq!(response.status, 200, "{number}: {response:?}");
    }
}

#[test]
fn five_hundred_clients_of_one_address_are_all_answered() {
    let server = Server::new();
    call_at_once(&server, |_| Vec::new());
    assert_eq!(server.rejected("busy") + server.rejected("crowded"), 0.0);
}

fn behind_a_proxy() -> HttpOptions {
    let networks = vec!["127.0.0.1".parse().unwrap()];
    let proxies = TrustedProxies { networks, ..TrustedProxies::default() };
    // Fewer than there are clients: they are not counted as one.
    HttpOptions {
        proxies,
        max_connections_per_address: 4,
        max_streams_per_caller: 1,
        max_calls_per_caller: Some(1),
        ..HttpOptions::default()
    }
}

fn client(number: usize) -> String {
    let [high, low] = u16::try_from(number).unwrap().to_be_bytes();
    Ipv4Addr::new(198, 51, high, low).to_string()
}

fn listen(web: &mut Web, headers: &[(&str, &str)]) {
    let filter: Value = json!({"notifications": {"resourceSubscriptions": ["test://events"]}});
    web.start_modern(headers, "subscriptions/listen", filter);
}

#[test]
fn five_hundred_clients_behind_one_proxy_are_all_served() {
    let server = Server::with(behind_a_proxy());
    call_at_once(&server, |number| vec![("X-Forwarded-For", client(number))]);
    let streams: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let mut web = server.connect();
            listen(&mut web, &[("X-Forwarded-For", &client(number))]);
            assert_eq!(web.head().status, 200, "{number}");
            web
        })
        .collect();
    let mut second = server.connect();
    listen(&mut second, &[("X-Forwarded-For", &client(7))]);
    assert_eq!(second.receive().status, 429, "each has its own limit");
    drop(streams);
}

#[test]
fn authenticated_callers_behind_one_proxy_are_counted_by_caller() {
    let token = |number: usize| format!("token-{number}");
    let tokens: Vec<String> = (0..CLIENTS).map(token).collect();
    let tokens = Tokens::parse(&tokens.join("\n")).unwrap();
    let server = Server::with(HttpOptions {
        tokens,
        max_streams_per_caller: 1,
        max_calls_per_caller: Some(1),
        ..HttpOptions::default()
    });
    let authorization = |number| vec![("Authorization", format!("Bearer {}", token(number)))];
    call_at_once(&server, authorization);
    let open = |number: usize| {
        let mut web = server.connect();
        listen(&mut web, &[("Authorization", &format!("Bearer {}", token(number)))]);
        web
    };
    let mut first = open(1);
    assert_eq!(first.head().status, 200);
    assert_eq!(open(1).receive().status, 429);
    assert_eq!(open(2).head().status, 200);
}
