//! The server checks the headers of calls, the SDK those of every other request: the results must be
//! the same. Reading a resource that mirrors a tool is a call, reading a file is not.

use serde_json::{Value, json};

use super::Server;
use crate::surface::modern_meta;
use toolwright_testing::http_client::{MCP, Response, message};

const CALL: &str = "test://events";
const TEXT: &str = "ui://test/page.html";

/// What a head says, with `{}` for the resource.
type Head<'a> = Vec<(&'a str, &'a str)>;

fn read(server: &Server, head: &Head<'_>, meta: Option<&Value>, uri: &str) -> Response {
    let mut params = json!({ "uri": uri });
    if let Some(meta) = meta {
        params["_meta"] = meta.clone();
    }
    let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.replace("{}", uri))).collect();
    let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = message(1, "resources/read", params).to_string();
    server.connect().exchange("POST", "/mcp", &head, &body)
}

/// The status of both, which must be refused alike or not at all.
fn status(server: &Server, head: &Head<'_>, meta: Option<&Value>) -> u16 {
    let [call, text] = [CALL, TEXT].map(|uri| {
        let response = read(server, head, meta, uri);
        let error = match serde_json::from_str::<Value>(&response.body) {
            Ok(mut message) => message["error"].take().to_string(),
            Err(_) => response.body.clone(),
        };
        (response.status, error.replace(uri, "{}"))
    });
    assert_eq!(call, text, "{head:?} {meta:?}");
    call.0
}

fn mcp<'a>(more: &[(&'a str, &'a str)]) -> Head<'a> {
    [&MCP, more].concat()
}

#[test]
fn unsupported_media_types_are_rejected() {
    let server = Server::new();
    let [json, both] = MCP;
    for (head, expected) in [
        (vec![json, both], 200),
        (vec![json], 406),
        (vec![json, ("Accept", "application/json")], 406),
        (vec![json, ("Accept", "text/event-stream, application/json;q=0.5")], 200),
        (vec![json, both, ("Accept", "text/html")], 200),
        (vec![both], 415),
        (vec![both, ("Content-Type", "text/plain")], 415),
        (vec![both, ("Content-Type", "application/json; charset=utf-8")], 200),
    ] {
        assert_eq!(status(&server, &head, None), expected, "{head:?}");
    }
}

#[test]
fn a_revision_must_be_known() {
    let server = Server::new();
    for (version, expected) in [
        ("2024-11-05", 200),
        ("2025-03-26", 200),
        ("2025-11-25", 200),
        ("1999-01-01", 400),
        ("2026-07-28", 400),
        ("x", 400),
    ] {
        let head = mcp(&[("MCP-Protocol-Version", version)]);
        assert_eq!(status(&server, &head, None), expected, "{version}");
    }
}

#[test]
fn head_and_body_must_agree() {
    let server = Server::new();
    let meta: Value = modern_meta().into();
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "resources/read");
    let name = ("Mcp-Name", "{}");
    for (more, expected) in [
        (vec![version, method, name], 200),
        (vec![method, name], 400),
        (vec![version, name], 400),
        (vec![version, method], 400),
        (vec![version, method, name, name], 400),
        (vec![version, method, method, name], 400),
        (vec![version, version, method, name], 200),
        (vec![("MCP-Protocol-Version", "2025-11-25"), method, name], 400),
        (vec![version, ("Mcp-Method", "tools/list"), name], 400),
        (vec![version, method, ("Mcp-Name", "{}x")], 400),
        (vec![version, method, ("Mcp-Name", "=?base64?%%?=")], 400),
    ] {
        assert_eq!(status(&server, &mcp(&more), Some(&meta)), expected, "{more:?}");
    }
    // The name as Base64.
    let encoded = ("Mcp-Name", "=?base64?dGVzdDovL2V2ZW50cw==?=");
    let response = read(&server, &mcp(&[version, method, encoded]), Some(&meta), CALL);
    assert_eq!(response.status, 200, "{response:?}");
}

#[test]
fn the_newest_revision_requires_meta() {
    let server = Server::new();
    let head = mcp(&[
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", "{}"),
    ]);
    let mut without_capabilities = modern_meta();
    without_capabilities.remove("io.modelcontextprotocol/clientCapabilities");
    let mut without_version = modern_meta();
    without_version.remove("io.modelcontextprotocol/protocolVersion");
    for meta in [None, Some(without_capabilities.into()), Some(without_version.into())] {
        assert_eq!(status(&server, &head, meta.as_ref()), 400, "{meta:?}");
    }
}
