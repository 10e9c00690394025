//! The Python and the TypeScript package, each in one process that visits all surfaces.
//!
//! Both validate what they receive: an answer that does not fit its tool's output schema raises an
//! exception there. They report what they saw as JSON, which is checked here.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::fixtures::{self, SurfaceFixture, ToolCall};
use toolwright_testing::HttpServer;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A client in one mode that visits one server.
struct Visit<'a> {
    fixture: &'a SurfaceFixture,
    /// Absent where the client starts the server itself.
    server: Option<&'a HttpServer>,
    mode: &'static str,
}

impl Visit<'_> {
    fn protocol(&self) -> &'static str {
        if self.mode == "legacy" { LEGACY } else { MODERN }
    }

    /// How to reach the server, and what to call.
    fn plan(&self) -> Value {
        let fixture = self.fixture;
        let call = |call: &ToolCall| json!({"tool": call.tool, "arguments": call.arguments});
        json!({
            "surface": fixture.name(), "mode": self.mode, "url": self.server.map(HttpServer::url),
            "token": fixture.token, "command": fixture.program(), "args": ["mcp"],
            "env": fixture.environment(), "cwd": fixture.folder(),
            "templates": !fixture.info.resources.is_empty(),
            "reads": fixture.resource.iter().collect::<Vec<_>>(),
            "asks": [call(&fixture.read), call(&fixture.invalid), call(&fixture.refused.0)],
        })
    }

    /// Compares what the client saw with the contract.
    fn check(&self, seen: &Value) {
        let fixture = self.fixture;
        let name = fixture.name();
        assert_eq!(seen["protocol"], self.protocol(), "{name}: {seen}");
        let mut tools: Vec<&str> = fixture.info.listed_tools().map(|tool| tool.canonical).collect();
        tools.sort_unstable();
        assert_eq!(seen["tools"], json!(tools), "{name}");
        let resources = fixture.info.resources.iter();
        for template in resources.filter(|resource| !resource.variables.is_empty()) {
            let listed = seen["templates"].as_array().expect("a list").iter();
            let named = |it: &Value| it.as_str().is_some_and(|it| it.starts_with(template.uri));
            assert!(listed.filter(|it| named(it)).count() == 1, "{name}: {seen}");
        }
        for (uri, read) in fixture.resource.iter().zip(seen["read"].as_array().expect("a list")) {
            assert_eq!(
                (&read["uri"], &read["mimeType"]),
                (&json!(uri), &json!("application/json"))
            );
            let text = read["text"].as_str().expect("a text");
            assert!(serde_json::from_str::<Value>(text).is_ok_and(|it| it.is_object()), "{name}");
        }
        let invalid = fixture.info.builtin.invalid_arguments.code;
        for (answer, code) in [(0, None), (1, Some(invalid)), (2, Some(fixture.refused.1))] {
            let answer = &seen["answers"][answer];
            assert_eq!(answer["is_error"], code.is_some(), "{name}: {answer}");
            assert!(answer["body"].is_object(), "{name}: {answer}");
            if let Some(code) = code {
                assert!(answer["body"].to_string().contains(code), "{name}: no {code} in {answer}");
            }
        }
    }
}

/// Lets a client visit every surface in each of these modes, over standard streams and HTTP.
fn visit_all(client: Command, modes: &[&'static str]) {
    let fixtures = fixtures::all();
    let servers: Vec<HttpServer> = fixtures.iter().map(|fixture| fixture.http()).collect();
    let mut visits = Vec::new();
    for (fixture, listening) in fixtures.iter().zip(&servers) {
        for mode in modes.iter().copied() {
            let to = [None, Some(listening)];
            visits.extend(to.map(|server| Visit { fixture, server, mode }));
        }
    }
    let plans: Vec<Value> = visits.iter().map(Visit::plan).collect();
    for (visit, seen) in visits.iter().zip(visited(client, &plans)) {
        visit.check(&seen);
    }
}

/// Lets the client make its visits, in one process; what it saw on each.
fn visited(mut client: Command, plans: &[Value]) -> Vec<Value> {
    let mut child = client
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the client runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(json!(plans).to_string().as_bytes()).expect("the client reads");
    drop(input);
    let output = child.wait_with_output().expect("the client ends");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{talk}");
    let seen: Vec<Value> =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {talk}"));
    assert_eq!(seen.len(), plans.len(), "{talk}");
    seen
}

fn script(name: &str) -> String {
    format!("{}/tests/clients/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_python_client_lists_and_calls_tools_of_every_surface() {
    let Some(python) = toolwright_testing::provided::provided("TOOLWRIGHT_TEST_MCP_PYTHON") else {
        return;
    };
    let mut client = Command::new(python);
    client.arg(script("python.py"));
    visit_all(client, &["auto", "legacy", MODERN]);
}

#[test]
fn the_typescript_client_lists_and_calls_tools_of_every_surface() {
    let Some(package) = toolwright_testing::provided::provided("TOOLWRIGHT_TEST_MCP_NODE") else {
        return;
    };
    let mut client = Command::new("node");
    client.arg(script("typescript.mjs")).env("PACKAGE", package);
    visit_all(client, &["legacy"]);
}
