//! Accepted and rejected requests: host, origin, token, method.

use serde_json::json;
use toolwright_runtime::server::{HttpOptions, Tokens};

use super::Server;
use toolwright_testing::http_client::message;

fn ping() -> String {
    message(1, "ping", json!({})).to_string()
}

#[test]
fn an_unknown_host_is_rejected() {
    let hosts = vec!["api.example.com".to_owned()];
    let server = Server::with(HttpOptions { hosts, ..HttpOptions::default() });
    for (host, status) in [
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost:1", 200),
        ("api.example.com", 200),
    ] {
        let response = server.connect().post(&[("Host", host)], &ping());
        assert_eq!(response.status, status, "{host}: {response:?}");
        let status = if status == 200 { 200 } else { 403 };
        let page = server.connect().exchange("GET", "/metrics", &[("Host", host)], "");
        assert_eq!(page.status, status, "{host}");
    }
    assert_eq!(server.rejected("host"), 4.0);
    // Whoever probes does not know the server's name.
    let page = server.connect().exchange("GET", "/healthz", &[("Host", "10.1.2.3:80")], "");
    assert_eq!(page.status, 200);
}

#[test]
fn a_request_without_a_host_is_rejected() {
    let server = Server::new();
    let mut web = server.connect();
    web.send("GET /metrics HTTP/1.0\r\n\r\n");
    assert_eq!(web.receive().status, 403);
}

#[test]
fn an_unknown_origin_is_rejected_and_an_allowed_one_may_read() {
    let origins = vec!["https://app.example.com".to_owned()];
    let server = Server::with(HttpOptions { origins, ..HttpOptions::default() });
    for origin in ["https://evil.example", "null", "http://app.example.com"] {
        let response = server.connect().post(&[("Origin", origin)], &ping());
        assert_eq!(response.status, 403, "{origin}");
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
    let origin = ("Origin", "https://app.example.com");
    let response = server.connect().post(&[origin], &ping());
    assert_eq!(response.status, 200);
    assert_eq!(response.header("access-control-allow-origin"), Some("https://app.example.com"));

    let asked = [origin, ("Access-Control-Request-Headers", "authorization, mcp-method")];
    let response = server.connect().exchange("OPTIONS", "/mcp", &asked, "");
    assert_eq!(response.status, 204);
    assert_eq!(response.header("access-control-allow-methods"), Some("POST"));
    let headers = response.header("access-control-allow-headers");
    assert_eq!(headers, Some("authorization, mcp-method"));
    assert_eq!(server.rejected("origin"), 3.0);
}

#[test]
fn only_listed_tokens_are_accepted() {
    let tokens = Tokens::parse("first-token\nsecond-token").unwrap();
    let server = Server::with(HttpOptions { tokens, ..HttpOptions::default() });
    let none = server.connect().post(&[], &ping());
    assert_eq!((none.status, none.header("www-authenticate")), (401, Some("Bearer")));
    for wrong in ["Bearer third-token", "Bearer first-toke", "Basic first-token", "Bearer", ""] {
        let response = server.connect().post(&[("Authorization", wrong)], &ping());
        assert_eq!(response.status, 401, "{wrong}");
        let challenge = response.header("www-authenticate").unwrap();
        assert!(challenge.starts_with("Bearer"), "{challenge}");
    }
    let twice = [("Authorization", "Bearer first-token"); 2];
    assert_eq!(server.connect().post(&twice, &ping()).status, 401);
    for token in ["Bearer first-token", "bearer second-token"] {
        let response = server.connect().post(&[("Authorization", token)], &ping());
        assert_eq!(response.status, 200, "{token}");
    }
    assert_eq!(server.rejected("no_token"), 1.0);
    // Who only looks whether it lives needs no token.
    assert_eq!(server.connect().get("/healthz").status, 200);
}

#[test]
fn only_posts_to_the_endpoint_are_accepted() {
    let server = Server::new();
    let mut web = server.connect();
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let response = web.exchange(method, "/mcp", &[("Accept", "text/event-stream")], "");
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")), "{method}");
    }
    for path in ["/mcp/", "/mcp/x", "/MCP", "/favicon.ico"] {
        assert_eq!(web.get(path).status, 404, "{path}");
        assert_eq!(web.exchange("POST", path, &[], &ping()).status, 404, "{path}");
    }
    let response = web.exchange("POST", "/healthz", &[], "");
    assert_eq!((response.status, response.header("allow")), (405, Some("GET")));
}

#[test]
fn clients_must_send_and_accept_json() {
    let server = Server::new();
    let mut web = server.connect();
    let json = ("Content-Type", "application/json");
    let accept = ("Accept", "application/json, text/event-stream");
    let text = ("Content-Type", "text/plain");
    assert_eq!(web.exchange("POST", "/mcp", &[text, accept], &ping()).status, 415);
    assert_eq!(web.exchange("POST", "/mcp", &[json], &ping()).status, 406);
    assert_eq!(web.exchange("POST", "/mcp", &[json, accept], &ping()).status, 200);
}
