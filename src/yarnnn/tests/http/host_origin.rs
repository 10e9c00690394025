//! Refusals as `curl` gets them, with status, headers and text, before the body is read.

use std::process::Command;

use serde_json::{Value, json};
use toolwright_testing::provided::skipped;
use toolwright_testing::{HttpServer, run};

use crate::instance::Instance;

const CONNECT: &str = "https://yarnnn.com/connect";

/// An answer as curl shows it.
#[derive(Debug)]
struct Seen {
    status: u16,
    head: String,
    body: String,
}

impl Seen {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let found = |line: &'_ str| line.to_ascii_lowercase().starts_with(&format!("{name}:"));
        let line = self.head.lines().find(|line| found(line))?;
        line.split_once(':').map(|(_, value)| value.trim())
    }

    /// A refusal of credentials: how to get some, as a JSON-RPC error.
    fn asks_to_connect(&self, challenge: &str) {
        assert_eq!(self.status, 401, "{self:?}");
        assert_eq!(self.header("www-authenticate"), Some(challenge), "{self:?}");
        let error = &self.json()["error"];
        assert_eq!(error["code"], -32600, "{self:?}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(CONNECT)), "{self:?}");
    }
}

fn curl(arguments: &[&str]) -> Seen {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--include"]).args(arguments);
    let shown = run(command).ok().stdout;
    // What comes before the last head is an announcement, such as `100 Continue`.
    let mut rest = shown.as_str();
    loop {
        let (head, body) = rest.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status: u16 = status.expect("a status");
        if status >= 200 {
            return Seen { status, head: head.to_owned(), body: body.to_owned() };
        }
        rest = body;
    }
}

/// A message posted by curl, with headers besides those that MCP wants.
fn post(server: &HttpServer, headers: &[&str], body: &str) -> Seen {
    let url = server.url();
    let mut arguments = vec![url.as_str(), "--data-binary", body];
    let typed = headers.iter().any(|header| header.starts_with("Content-Type:"));
    let usual = ["Content-Type: application/json", "Accept: application/json, text/event-stream"];
    for header in usual.iter().skip(usize::from(typed)).chain(headers) {
        arguments.extend(["--header", header]);
    }
    curl(&arguments)
}

fn list() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string()
}

fn is_here() -> bool {
    let here = Command::new("curl").arg("--version").output().is_ok();
    here || skipped::<()>("`curl` is not installed").is_some()
}

#[test]
fn curl_without_an_accepted_token_gets_the_way_to_one() {
    if !is_here() {
        return;
    }
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let ask = |headers: &[&str]| post(&server, headers, &list());
    let invalid = r#"Bearer error="invalid_token""#;
    // The owner's token is a setting of this process (YARNNN_TOKEN); it lets nobody else in.
    ask(&[]).asks_to_connect("Bearer");
    let stranger = format!("Authorization: Bearer yit_{}", "A".repeat(43));
    for bad in [
        stranger.as_str(),
        "Authorization: Bearer yit_short",
        "Authorization: Bearer not-a-token-of-ours",
        "Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJvbGdhIn0.",
    ] {
        ask(&[bad]).asks_to_connect(invalid);
    }
    for broken in ["Authorization: Basic b2xnYTpvbGdh", "Authorization: Bearer two words"] {
        let refused = ask(&[broken]);
        assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some(invalid)));
    }
    let mine = format!("Authorization: Bearer {}", instance.tenant.token);
    assert_eq!(ask(&[&mine, &stranger]).status, 401, "which of two is meant?");
    let seen = ask(&[&mine]);
    assert_eq!(seen.status, 200, "{seen:?}");
    assert_eq!(seen.json()["result"]["tools"].as_array().map(Vec::len), Some(5));

    let listed = instance.run(&["token", "list", "--json"]).ok().json();
    let id = listed[0]["id"].as_str().expect("an id").to_owned();
    instance.run(&["token", "revoke", &id]).ok();
    ask(&[&mine]).asks_to_connect(invalid);

    let log = server.log();
    assert!(!log.contains(&instance.tenant.token) && !log.contains("not-a-token"), "{log}");
}

#[test]
fn curl_from_a_foreign_page_or_by_a_foreign_name_is_refused_before_its_token_is_looked_at() {
    if !is_here() {
        return;
    }
    let instance = Instance::on_sqlite();
    let server = instance.serve(&["--http-origin", "https://app.example.com"]);
    let mine = format!("Authorization: Bearer {}", instance.tenant.token);
    let status = |header: &str| {
        let seen = post(&server, &[&mine, header], &list());
        if seen.status != 200 {
            assert_eq!(seen.json()["error"]["code"], -32600, "{seen:?}");
            assert!(seen.header("access-control-allow-origin").is_none(), "{seen:?}");
        }
        let without = post(&server, &[header], &list()).status;
        assert_eq!(without, if seen.status == 200 { 401 } else { seen.status }, "{header}");
        seen.status
    };
    for origin in
        ["https://evil.example", "null", "http://127.0.0.1:1", "https://app.example.com.evil"]
    {
        assert_eq!(status(&format!("Origin: {origin}")), 403, "{origin}");
    }
    for host in
        ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost@evil.example"]
    {
        assert_eq!(status(&format!("Host: {host}")), 403, "{host}");
    }
    assert_eq!(status("Origin: https://app.example.com"), 200);
    assert_eq!(status("Host: localhost"), 200);
}

#[test]
fn curl_with_an_oversized_or_wrong_body_is_refused() {
    if !is_here() {
        return;
    }
    let instance = Instance::on_sqlite();
    let server = instance.serve(&["--http-max-body", "100000"]);
    let mine = format!("Authorization: Bearer {}", instance.tenant.token);
    let large = instance.path("large");
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name":
        "add_to_substrate", "arguments": {"content": "x".repeat(200_000)}}});
    std::fs::write(&large, text.to_string()).expect("writable");
    let large = format!("@{}", large.display());

    let seen = post(&server, &[&mine], &large);
    assert_eq!(seen.status, 413, "{seen:?}");
    assert_eq!(seen.json()["error"]["code"], -32600, "{seen:?}");
    // Sent in pieces, its size is not known before.
    assert_eq!(post(&server, &[&mine, "Transfer-Encoding: chunked"], &large).status, 413);
    // Without a token its size does not matter.
    post(&server, &[], &large).asks_to_connect("Bearer");

    assert_eq!(post(&server, &[&mine, "Content-Type: text/plain"], &list()).status, 415);
    let seen = post(&server, &[&mine], "{\"jsonrpc\":");
    assert_eq!((seen.status, &seen.json()["error"]["code"]), (400, &json!(-32700)));
    let url = server.url();
    let seen = curl(&[&url, "--header", &mine]);
    assert_eq!((seen.status, seen.header("allow")), (405, Some("POST")));
    assert_eq!(curl(&[&format!("http://{}/admin", server.address)]).status, 404);
    assert_eq!(instance.count("raw_dumps"), 0);
}

#[test]
fn the_same_surface_is_served_by_toolwright() {
    if !is_here() {
        return;
    }
    let instance = Instance::on_sqlite();
    let toolwright = toolwright_testing::program("toolwright");
    let server = HttpServer::spawn(instance.command_of(toolwright, &["serve", "yarnnn"]));
    post(&server, &[], &list()).asks_to_connect("Bearer");
    let mine = format!("Authorization: Bearer {}", instance.tenant.token);
    let recalled = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_substrate", "arguments": {}}});
    let seen = post(&server, &[&mine], &recalled.to_string());
    assert_eq!(seen.status, 200, "{seen:?}");
    assert_eq!(seen.json()["result"]["structuredContent"]["total_count"], 0, "{seen:?}");
}
