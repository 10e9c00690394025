//! DNS rebinding: a web page whose name resolves to this machine gets nothing, however it spells
//! `Host` and `Origin`.

use serde_json::json;

use crate::served::Served;
use toolwright_testing::http_client::{message, request};

const PATHS: [&str; 4] = ["/", "/mcp", "/metrics", "/page/main.js"];

fn ping() -> String {
    message(1, "ping", json!({})).to_string()
}

#[test]
fn only_names_that_cannot_be_rebound_are_hosts() {
    let server = Served::wink(&["--http-host", "mcp.example.com"]);
    let port = server.port();
    let own = |host: &str| format!("{host}:{port}");
    for host in [
        own("localhost"),
        own("LocalHost"),
        own("127.0.0.1"),
        own("[::1]"),
        own("[::ffff:127.0.0.1]"),
        "127.0.0.1".to_owned(),
        "MCP.example.com".to_owned(),
    ] {
        let answer = server.connect().post(&[("Host", &host)], &ping());
        assert_eq!(answer.status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "localhost.",
        "127.0.0.1.",
        "127.0.0.1.nip.io",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0.0.0.0",
        "[::]",
        "192.168.1.1",
        "mcp.example.com.",
        "mcp.example.com.evil.example",
        "evil.mcp.example.com",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost:80@evil.example",
        "localhost/evil.example",
        "localhost#evil.example",
        "localhost?evil.example",
        "localhost evil.example",
        "localhost, evil.example",
        "localhost:80:80",
        "localhost:99999",
        "[::1",
        "[localhost]",
        "xn--lcalhost-h1a",
        "",
    ] {
        for path in PATHS {
            let answer = server.connect().exchange("GET", path, &[("Host", host)], "");
            assert!(matches!(answer.status, 400 | 403), "{host:?} {path}: {answer:?}");
        }
        let answer = server.connect().post(&[("Host", host)], &ping());
        assert!(matches!(answer.status, 400 | 403), "{host:?}: {answer:?}");
    }
}

#[test]
fn two_hosts_and_a_host_in_the_target_do_not_help() {
    let server = Served::wink(&[]);
    let post = |target: &str, headers: &[(&str, &str)]| {
        let mut web = server.connect();
        web.send(&request("POST", target, headers, &ping()));
        web.receive().status
    };
    let twice = [("Host", "localhost"), ("Host", "evil.example")];
    assert!(matches!(post("/mcp", &twice), 400 | 403));
    let twice = [("Host", "localhost"), ("Host", "localhost")];
    assert!(matches!(post("/mcp", &twice), 400 | 403));
    for target in ["http://evil.example/mcp", "//evil.example/mcp", "http://localhost@evil/mcp"] {
        let status = post(target, &[("Host", "localhost")]);
        assert!(matches!(status, 400 | 403 | 404), "{target}: {status}");
    }
}

#[test]
fn only_its_own_page_and_listed_ones_are_origins() {
    let server = Served::wink(&["--http-origin", "https://app.example.com"]);
    let port = server.port();
    let host = format!("localhost:{port}");
    let status = |origin: &str| {
        let headers = [("Host", host.as_str()), ("Origin", origin)];
        let answer = server.connect().post(&headers, &ping());
        let readable = answer.header("access-control-allow-origin").map(str::to_owned);
        assert_eq!(readable.is_some(), answer.status == 200, "{origin}: {answer:?}");
        assert!(readable.is_none_or(|allowed| allowed == origin), "never a star: {answer:?}");
        answer.status
    };
    for origin in [
        format!("http://localhost:{port}"),
        "https://app.example.com".to_owned(),
        "HTTPS://APP.example.com".to_owned(),
    ] {
        assert_eq!(status(&origin), 200, "{origin}");
    }
    for origin in [
        "null".to_owned(),
        "*".to_owned(),
        "http://localhost".to_owned(),
        format!("http://localhost.:{port}"),
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}.evil.example"),
        format!("http://localhost:{port}@evil.example"),
        format!("http://evil.example@localhost:{port}"),
        format!("http://localhost:{port}/"),
        format!("http://localhost:{port}#"),
        format!("file://localhost:{port}"),
        format!("http://localhost:{}", port ^ 1),
        format!("http://localhost:{port} http://evil.example"),
        "http://app.example.com".to_owned(),
        "https://app.example.com.evil.example".to_owned(),
        "https://evil.example/https://app.example.com".to_owned(),
        "chrome-extension://abc".to_owned(),
        String::new(),
    ] {
        assert_eq!(status(&origin), 403, "{origin:?}");
    }
    // A page may not even ask what it might send.
    let asked = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")];
    let answer = server.connect().exchange("OPTIONS", "/mcp", &asked, "");
    assert_eq!(answer.status, 403);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}
