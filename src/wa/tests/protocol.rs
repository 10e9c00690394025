//! What the server reports about itself: names, parameters, hints.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::session::text;
use crate::terminal::Backend;
use crate::workspace::Workspace;

/// Every tool of the contract with its parameters; `!` is required, `=` a default.
const CONTRACT: [(&str, &[&str]); 21] = [
    ("wa.accounts", &["service"]),
    ("wa.accounts_refresh", &["service"]),
    ("wa.approve", &["code!", "pane_id", "fingerprint", "dry_run=false"]),
    (
        "wa.events",
        &[
            "limit=20",
            "pane",
            "rule_id",
            "event_type",
            "unhandled=false",
            "since",
            "would_handle=false",
            "dry_run=false",
        ],
    ),
    ("wa.get_text", &["pane_id!", "tail=50", "escapes=false"]),
    ("wa.release", &["reservation_id!"]),
    ("wa.reservations", &["pane_id"]),
    ("wa.reserve", &["pane_id!", "owner", "ttl_secs"]),
    ("wa.rules_lint", &["pack", "fixtures=false", "strict=false"]),
    ("wa.rules_list", &["pack"]),
    ("wa.rules_show", &["rule_id!"]),
    ("wa.rules_test", &["text!", "agent"]),
    ("wa.search", &["query!", "limit=20", "pane", "since", "snippets=false"]),
    (
        "wa.send",
        &[
            "pane_id!",
            "text!",
            "dry_run=false",
            "wait_for",
            "timeout_secs=30",
            "wait_for_regex=false",
        ],
    ),
    ("wa.state", &["domain", "agent", "pane_id"]),
    ("wa.wait_for", &["pane_id!", "pattern!", "timeout_secs=30", "tail=200", "regex=false"]),
    ("wa.why", &["code!"]),
    ("wa.workflow_abort", &["execution_id!", "reason", "force=false"]),
    ("wa.workflow_list", &[]),
    ("wa.workflow_run", &["name!", "pane_id!", "force=false", "dry_run=false"]),
    ("wa.workflow_status", &["execution_id", "pane_id", "active=false", "verbose=false"]),
];

/// Tools with side effects.
const ACTING: [&str; 7] = [
    "wa.accounts_refresh",
    "wa.approve",
    "wa.release",
    "wa.reserve",
    "wa.send",
    "wa.workflow_abort",
    "wa.workflow_run",
];

fn tools(workspace: &Workspace, client: &str, names: &str) -> Vec<Value> {
    let mut session = workspace.session_named(client, &[("WA_TOOL_NAMES", names)]);
    let mut tools = session.request("tools/list", json!({}))["tools"].as_array().unwrap().clone();
    tools.sort_by_key(|tool| text(&tool["name"]).to_owned());
    tools
}

#[test]
fn twenty_one_tools_have_the_parameters_of_the_contract() {
    let workspace = Workspace::new(Backend::Embedded);
    let tools = tools(&workspace, "live-test", "canonical");
    let names: Vec<&str> = tools.iter().map(|tool| text(&tool["name"])).collect();
    assert_eq!(names, CONTRACT.map(|(name, _)| name));
    for (tool, (name, parameters)) in tools.iter().zip(CONTRACT) {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["additionalProperties"], false, "{name}: unknown parameters are refused");
        let given = schema["properties"].as_object().cloned().unwrap_or_default();
        assert_eq!(given.len(), parameters.len(), "{name}: {schema}");
        for parameter in parameters {
            let (bare, default) = match parameter.split_once('=') {
                Some((bare, default)) => (bare, serde_json::from_str(default).unwrap()),
                None => (parameter.trim_end_matches('!'), Value::Null),
            };
            assert_eq!(given[bare]["default"], default, "{name}.{bare}");
            let required =
                schema["required"].as_array().is_some_and(|all| all.contains(&json!(bare)));
            assert_eq!(required, parameter.ends_with('!'), "{name}.{bare}");
        }
        assert_eq!(tool["annotations"]["readOnlyHint"], !ACTING.contains(&name), "{name}");
        assert!(tool["outputSchema"].is_object(), "{name}");
        assert!(text(&tool["description"]).len() < 500, "{name}");
    }
}

#[test]
fn names_have_dots_or_underscores_and_both_are_understood() {
    let workspace = Workspace::new(Backend::Embedded);
    for (client, setting, dotted) in [
        ("claude-code", "auto", true),
        ("claude-ai", "auto", false),
        ("claude-ai", "canonical", true),
        ("claude-code", "portable", false),
    ] {
        let tools = tools(&workspace, client, setting);
        assert_eq!(tools.len(), 21);
        for tool in &tools {
            let name = text(&tool["name"]);
            let prefix = if dotted { "wa." } else { "wa_" };
            assert!(name.starts_with(prefix), "{client} with {setting}: {name}");
        }
    }
    let mut session = workspace.session();
    for name in ["wa.why", "wa_why"] {
        assert_eq!(session.data(name, json!({"code": "WA-MCP-0001"}))["code"], "WA-MCP-0001");
    }
}

#[test]
fn hints_and_descriptions_name_tools_as_the_client_knows_them() {
    let workspace = Workspace::new(Backend::Embedded);
    for (client, mine, others) in [("a new one", "wa.", "wa_"), ("claude-ai", "wa_", "wa.")] {
        let mut session = workspace.session_named(client, &[]);
        let refused = session.refused("wa.get_text", json!({"pane_id": 4_000_000}), "WA-MCP-0007");
        assert!(refused.hint.contains(&format!("{mine}state")), "{client}: {refused:?}");
        let resources = session.request("resources/list", json!({}))["resources"].take();
        let described = resources.to_string();
        assert!(described.contains(&format!("returned by {mine}state")), "{client}: {described}");
        let listed = session.request("tools/list", json!({}))["tools"].to_string();
        assert!(listed.contains(&format!("Name from {mine}workflow_list")), "{client}: {listed}");
        for text in [refused.hint, described] {
            let words = text
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '.');
            let other: Vec<&str> = words.filter(|word| word.starts_with(others)).collect();
            assert!(other.is_empty(), "{client}: {other:?}");
        }
    }
}

#[test]
fn the_server_introduces_itself_and_shuts_down() {
    let workspace = Workspace::new(Backend::Embedded);
    let mut session = workspace.session();
    let templates = session.exchange("resources/templates/list", json!({}));
    assert!(templates["result"].is_object() || templates["error"].is_object());
    let mut fresh = StdioSession::connect(workspace.command(&["mcp"]));
    let hello = fresh.request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    assert_eq!(hello["serverInfo"]["name"], "wa");
    assert!(hello["capabilities"]["resources"]["subscribe"] == true, "{hello}");
    assert!(text(&hello["instructions"]).contains("wa.why"), "{hello}");
    fresh.close();
    session.close();
}
