//! Every served tool is a snapshot, so that a change of the contract shows up in review.

use crate::server_homes::{empty_home, wink};
use serde_json::Value;
use toolwright_codegen::profile::{self, Profile};
use toolwright_testing::StdioSession;

fn snapshot(name: &str, value: &Value) {
    insta::with_settings!({snapshot_path => "../../snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_json_snapshot!(name.to_owned(), value);
    });
}

#[test]
fn every_served_tool_is_a_snapshot() {
    for (surface, tool) in served() {
        let name = tool["name"].as_str().expect("a name").to_owned();
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} has no {hint}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        // Canonical names begin with the surface's own, other than those of agentpack.
        let name = name.strip_prefix(&format!("{surface}.")).unwrap_or(&name);
        snapshot(&format!("{surface}.{name}"), &tool);
    }
}

#[test]
fn the_list_is_sorted_and_the_same_bytes_every_time() {
    let (first, second) = (served(), served());
    let text = |tools: &[(&str, Value)]| format!("{tools:?}");
    assert_eq!(text(&first), text(&second));
    let names: Vec<_> =
        first.iter().map(|(surface, tool)| (*surface, tool["name"].to_string())).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn both_spellings_are_accepted_whatever_is_listed() {
    let home = wink();
    for (policy, listed) in
        [("canonical", "wink.list_overrides"), ("portable", "wink_list_overrides")]
    {
        let command = home.command(&["mcp", "--tool-names", policy]);
        let mut client = StdioSession::start(command, "wire-test");
        let tools = client.tools();
        assert!(tools.iter().any(|tool| tool["name"] == listed), "{policy}");
        for spelling in ["wink.list_overrides", "wink_list_overrides"] {
            let answer = client.call(spelling, serde_json::json!({}));
            assert!(!answer.is_error, "{policy} {spelling}: {}", answer.body);
        }
    }
}

#[test]
fn auto_gives_the_contracts_names_except_to_a_client_that_hides_servers_with_dots() {
    let home = wink();
    for name in ["mcp", "nobody knows me"] {
        let mut client = StdioSession::start(home.server(), name);
        assert_eq!(client.tools()[0]["name"], "wink.delete_section_override", "{name}");
    }
    let mut client = StdioSession::start(home.server(), "claude-ai");
    let tools = client.tools();
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        assert!(!name.contains('.') && name.len() <= 64, "{name}");
    }
    assert_eq!(home.session().tools().len(), tools.len());
}

#[test]
fn a_profile_is_served_as_the_compiler_projects_it() {
    let specs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    let contracts = toolwright_codegen::load(&specs).contracts;
    for surface in ["agentpack", "wink"] {
        let home = empty_home(surface);
        let contract = contracts.iter().find(|one| one.name == surface).expect("a contract");
        for chosen in Profile::ALL {
            let command = home.command(&["mcp", "--client-profile", chosen.name()]);
            let mut client = StdioSession::start(command, "wire-test");
            for tool in client.tools() {
                let source = contract.tools.iter().find(|one| one.title == tool["title"]);
                let source = source.expect("a tool of the contract");
                let projected = profile::definition(contract, source, chosen);
                for part in ["name", "description", "inputSchema", "outputSchema"] {
                    assert_eq!(tool[part], projected[part], "{surface} {} {part}", chosen.name());
                }
            }
        }
    }
}

#[test]
fn auto_serves_a_gemini_client_what_it_takes() {
    let home = wink();
    let mut client = StdioSession::start(home.server(), "gemini-cli-mcp-client");
    let text = Value::from(client.tools())
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| tool["inputSchema"].to_string())
        .collect::<String>();
    assert!(text.contains("properties") && !text.contains("additionalProperties"), "{text}");
}

/// Starts a server that lists canonical names.
const CANONICAL: [&str; 3] = ["mcp", "--tool-names", "canonical"];

/// Every tool of every surface, under its canonical name.
fn served() -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for surface in ["agentpack", "wa", "wink", "worldforge", "yarnnn"] {
        // The names of agentpack have no dots, so it has no such setting.
        let arguments = if surface == "agentpack" { &["mcp"][..] } else { &CANONICAL };
        let home = empty_home(surface);
        let command = home.command(arguments);
        let mut client = StdioSession::start(command, "wire-test");
        let tools = client.tools();
        all.extend(tools.into_iter().map(|tool| (surface, tool)));
    }
    all
}
