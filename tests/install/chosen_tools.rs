//! A registration holds the choice of tools, and the server that a client starts by it offers these.

use std::process::Command;

use serde_json::Value;
use toolwright_testing::StdioSession;

use crate::harness::{Machine, servers, wink};

/// What the entry of a client's file starts.
fn entry(machine: &Machine, client: &str, file: &str) -> (Vec<String>, Command) {
    let server = servers(client, &machine.read(file))["wink"].take();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let args: Vec<String> = server["args"].as_array().expect("a list").iter().map(text).collect();
    let mut command = machine.command(&text(&server["command"]));
    command.args(&args);
    (args, command)
}

#[test]
fn the_registered_server_offers_what_was_chosen() {
    for (client, scope, file) in [
        ("cursor", "user", "home/.cursor/mcp.json"),
        ("codex", "project", "project/.codex/config.toml"),
    ] {
        let machine = Machine::new();
        let chosen = ["--read-only", "--exclude-tools", "list_overrides"];
        machine.install(client, scope, &chosen).ok();
        let (args, command) = entry(&machine, client, file);
        for given in ["--read-only=true", "--exclude-tools=list_overrides"] {
            assert!(args.iter().any(|arg| arg == given), "no {given} in {args:?}");
        }
        let mut session = StdioSession::start(command, "registered");
        let tools = session.tools();
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["wink_get_section_override", "wink_get_tool_override"], "{client}");
    }
}

#[test]
fn a_choice_that_the_server_would_refuse_is_not_registered() {
    let machine = Machine::new();
    let refused =
        machine.run(wink(), &["install", "--client", "cursor", "--tools", "list_override"]);
    refused.fails(2, &["tools", "did you mean `list_overrides`?"]);
    assert!(!machine.path("home/.cursor").exists());
}
