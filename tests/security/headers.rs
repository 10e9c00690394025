//! Header injection and request smuggling: what is no clean request is refused, its connection
//! closed, and nothing behind it is taken for another request.

use serde_json::json;

use crate::served::Served;
use toolwright_testing::http_client::message;

/// What follows a request on its connection. Behind a bad one it must never be answered: somebody
/// else may take it for a part of that.
const NEXT: &str = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Sends raw text; the status lines that come back before the connection ends.
fn statuses(server: &Served, text: &str) -> Vec<String> {
    let mut web = server.connect();
    web.send(text);
    let rest = web.rest();
    rest.lines().filter(|line| line.starts_with("HTTP/1.")).map(str::to_owned).collect()
}

fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}\r\n{body}"
    )
}

#[test]
fn what_ends_a_header_early_is_no_header() {
    let server = Served::wink(&[]);
    let ping = message(1, "ping", json!({})).to_string();
    let length = format!("Content-Length: {}\r\n", ping.len());
    for bad in [
        "X-A: one\0two\r\n",
        "X-A: one\rX-B: two\r\n",
        "X A: one\r\n",
        "X-A : one\r\n",
        ": one\r\n",
        "X-A\r\n",
        " X-A: one\r\n",
        "Mcp-Session-Id: a\u{7f}b\r\n",
    ] {
        let found = statuses(&server, &(post(&format!("{bad}{length}"), &ping) + NEXT));
        assert!(found.iter().all(|status| status.contains(" 400 ")), "{bad:?}: {found:?}");
        assert!(found.len() <= 1, "{bad:?}: {found:?}");
    }
    assert!(server.lives());
}

#[test]
fn a_request_has_one_length_only() {
    let server = Served::wink(&[]);
    let ping = message(1, "ping", json!({})).to_string();
    let (length, chunk) = (ping.len(), format!("{:x}\r\n{ping}\r\n0\r\n\r\n", ping.len()));
    for (headers, body) in [
        (format!("Content-Length: {length}\r\nContent-Length: 0\r\n"), ping.clone()),
        (format!("Content-Length: 0\r\nContent-Length: {length}\r\n"), ping.clone()),
        (format!("Content-Length: {length}, 0\r\n"), ping.clone()),
        (format!("Content-Length: +{length}\r\n"), ping.clone()),
        (format!("Content-Length: -{length}\r\n"), ping.clone()),
        (format!("Content-Length: 0x{length:x}\r\n"), ping.clone()),
        ("Content-Length: 99999999999999999999\r\n".to_owned(), ping.clone()),
        ("Transfer-Encoding: identity\r\n".to_owned(), ping.clone()),
        ("Transfer-Encoding: chunked, identity\r\n".to_owned(), chunk.clone()),
        ("Transfer-Encoding: xchunked\r\n".to_owned(), chunk.clone()),
        ("Transfer-Encoding: chunked\r\n".to_owned(), "zz\r\nno number\r\n0\r\n\r\n".to_owned()),
    ] {
        let found = statuses(&server, &(post(&headers, &body) + NEXT));
        assert!(found.len() <= 1, "{headers:?} lets another request in: {found:?}");
        let refused = found.iter().all(|status| status.contains(" 400 "));
        assert!(refused, "{headers:?}: {found:?}");
    }
    // Chunks win over a length, as the standard has it, and the connection ends there.
    for headers in [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n".to_owned(),
    ] {
        let found = statuses(&server, &(post(&headers, &chunk) + NEXT));
        assert_eq!(found.len(), 1, "{headers:?} lets another request in: {found:?}");
    }
    // The honest spellings are taken, and so is what really is the next request.
    for (headers, body) in [
        (format!("Content-Length: {length}\r\n"), ping),
        ("Transfer-Encoding: chunked\r\n".to_owned(), chunk),
    ] {
        let found = statuses(&server, &(post(&headers, &body) + NEXT));
        assert_eq!(found.len(), 2, "{headers:?}: {found:?}");
        assert!(found.iter().all(|status| status.contains(" 200 ")), "{headers:?}: {found:?}");
    }
    assert!(server.lives());
}

#[test]
fn what_a_client_sends_in_headers_comes_back_in_none() {
    let server = Served::wink(&["--http-origin", "https://app.example.com"]);
    let marker = "injected-4711";
    let headers = [
        ("Origin", "https://app.example.com"),
        ("Mcp-Session-Id", marker),
        ("X-Request-Id", marker),
        ("Cookie", marker),
        ("Referer", marker),
        ("User-Agent", marker),
    ];
    let body = message(1, "ping", json!({})).to_string();
    let answer = server.connect().post(&headers, &body);
    assert_eq!(answer.status, 200);
    let told = format!("{answer:?}");
    assert!(!told.contains(marker), "{told}");
    assert!(!server.log().contains(marker));
}
