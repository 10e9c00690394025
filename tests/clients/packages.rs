//! The Python and the TypeScript package, each in one process that visits all surfaces.
//!
//! Both judge what they are given: an answer that does not fit its tool's output schema is an
//! exception there. What they saw comes back as JSON and is judged here.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::homes::{self, Ask, Home};
use toolwright_testing::http_server::Listening;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A client in one mode on its way to one server.
struct Visit<'a> {
    home: &'a Home,
    /// Absent where the client starts the server itself.
    server: Option<&'a Listening>,
    mode: &'static str,
}

impl Visit<'_> {
    fn protocol(&self) -> &'static str {
        if self.mode == "legacy" { LEGACY } else { MODERN }
    }

    /// How to get there, and what to ask.
    fn plan(&self) -> Value {
        let home = self.home;
        // Whether names are listed with dots depends on the client. It must call them as listed,
        // or it does not know which schema an answer must fit.
        let ask = |ask: &Ask| json!({"tool": portable(ask.tool), "arguments": ask.arguments});
        json!({
            "surface": home.name(), "mode": self.mode, "url": self.server.map(Listening::url),
            "token": home.token, "command": home.program, "args": ["mcp"],
            "env": home.environment, "cwd": home.folder,
            "asks": [ask(&home.read), ask(&home.invalid), ask(&home.refused.0)],
        })
    }

    /// What the client saw is what there is.
    fn went_well(&self, seen: &Value) {
        let home = self.home;
        let name = home.name();
        assert_eq!(seen["protocol"], self.protocol(), "{name}: {seen}");
        let mut tools: Vec<&str> = home.info.tools.iter().map(|tool| tool.portable).collect();
        tools.sort_unstable();
        assert_eq!(seen["tools"], json!(tools), "{name}");
        let invalid = home.info.builtin.invalid_arguments.code;
        for (answer, code) in [(0, None), (1, Some(invalid)), (2, Some(home.refused.1))] {
            let answer = &seen["answers"][answer];
            assert_eq!(answer["is_error"], code.is_some(), "{name}: {answer}");
            assert!(answer["body"].is_object(), "{name}: {answer}");
            if let Some(code) = code {
                assert!(answer["body"].to_string().contains(code), "{name}: no {code} in {answer}");
            }
        }
    }
}

/// A tool's name without dots.
fn portable(tool: &str) -> String {
    tool.replace('.', "_")
}

/// Lets a client visit every surface in each of these modes, over standard streams and HTTP.
fn visit_all(client: Command, modes: &[&'static str]) {
    let homes = homes::all();
    let servers: Vec<Listening> = homes.iter().map(Home::listen).collect();
    let mut visits = Vec::new();
    for (home, listening) in homes.iter().zip(&servers) {
        for mode in modes.iter().copied() {
            let to = [None, Some(listening)];
            visits.extend(to.map(|server| Visit { home, server, mode }));
        }
    }
    let plans: Vec<Value> = visits.iter().map(Visit::plan).collect();
    for (visit, seen) in visits.iter().zip(visited(client, &plans)) {
        visit.went_well(&seen);
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
