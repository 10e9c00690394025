//! Accounts from caut in both dialects, from any command, from a file.

use serde_json::{Value, json};

use crate::terminal::Backend;
use crate::workspace::Workspace;

const USAGE: &str = r#"{"schemaVersion": "caut.v1", "generatedAt": "2026-01-01T00:00:00Z", "command": "usage", "data": [
 {"provider": "codex", "account": "work", "source": "api", "usage": {"primary": {"usedPercent": 20, "windowMinutes": 300}, "secondary": {"usedPercent": 40, "windowMinutes": 10080}, "updatedAt": "2026-01-01T00:00:00Z"}},
 {"provider": "codex", "account": "home", "source": "api", "usage": {"primary": {"usedPercent": 100, "windowMinutes": 300, "resetsAt": "2030-01-01T00:00:00Z"}, "updatedAt": "2026-01-01T00:00:00Z"}},
 {"provider": "claude", "account": "mine", "source": "api", "usage": {"primary": {"usedPercent": 1}, "updatedAt": "2026-01-01T00:00:00Z"}}
], "errors": [], "meta": {}}"#;

const REFRESH: &str = r#"{"service": "openai", "refreshed_at": "2026-01-01T00:00:00Z", "accounts": [
 {"id": "work", "name": "Work", "percentRemaining": 60}, {"id": "home", "name": "Home", "percentRemaining": 0}
]}"#;

fn ids(data: &Value) -> Vec<(String, String)> {
    let all = data["accounts"].as_array().unwrap();
    all.iter()
        .map(|one| {
            (one["id"].as_str().unwrap().to_owned(), one["status"].as_str().unwrap().to_owned())
        })
        .collect()
}

fn check(workspace: &Workspace) {
    let mut session = workspace.session();
    let mut other = workspace.session();
    let none = session.data("wa.accounts", json!({}));
    assert_eq!((&none["accounts"], &none["last_refresh"]), (&json!([]), &Value::Null));
    let refreshed = session.data("wa.accounts_refresh", json!({"service": "openai"}));
    assert_eq!(refreshed["accounts_updated"], 2, "{refreshed}");
    let data = other.data("wa.accounts", json!({"service": "openai"}));
    let expected = [("home", "at_limit"), ("work", "available")];
    assert_eq!(
        ids(&data),
        expected.map(|(id, status)| (id.to_owned(), status.to_owned())),
        "{data}"
    );
    assert_eq!(data["selected_account"], "work");
    assert_eq!(data["accounts"][1]["usage"]["percent_remaining"].as_f64(), Some(60.0), "{data}");
    // The cooldown is everybody's.
    let soon = other.refused("wa.accounts_refresh", json!({"service": "openai"}), "WA-MCP-0006");
    assert_eq!(soon.reason(), "policy.refresh_cooldown");
}

#[test]
fn a_command_may_speak_either_dialect() {
    for (name, document) in [("usage", USAGE), ("refresh", REFRESH)] {
        let workspace = Workspace::new(Backend::Embedded);
        workspace.write(&format!("{name}.json"), document);
        let script = format!("exec cat {}", workspace.path(&format!("{name}.json")).display());
        let program = workspace.script("accounts", &script).display().to_string();
        check(&workspace.set("WA_ACCOUNTS_COMMAND", &program));
    }
}

#[test]
fn a_file_is_as_good_as_a_command() {
    let workspace = Workspace::new(Backend::Embedded);
    workspace.write("accounts.json", USAGE);
    check(&workspace.set("WA_ACCOUNTS_FILE", "accounts.json"));
}

#[test]
fn caut_itself_is_asked_in_the_dialect_that_it_speaks() {
    let workspace = Workspace::new(Backend::Embedded);
    workspace.write("usage.json", USAGE);
    // Published caut: no `refresh`.
    let script = format!(
        "case \"$1\" in usage) exec cat {};; --version) echo caut 0.9;; *) echo \"error: unrecognized subcommand '$1'\" >&2; exit 2;; esac",
        workspace.path("usage.json").display()
    );
    workspace.script("bin/caut", &script);
    let path = format!(
        "{}:{}",
        workspace.path("bin").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    check(&workspace.set("PATH", &path));
}

#[test]
fn a_missing_or_broken_command_is_reported() {
    let workspace =
        Workspace::new(Backend::Embedded).set("WA_ACCOUNTS_COMMAND", "/nonexistent/accounts");
    let refusal = workspace.session().refused("wa.accounts_refresh", json!({}), "WA-MCP-0003");
    assert!(refusal.error.contains("/nonexistent/accounts"), "{refusal:?}");
    let workspace = Workspace::new(Backend::Embedded);
    let program = workspace.script("accounts", "echo nonsense").display().to_string();
    let workspace = workspace.set("WA_ACCOUNTS_COMMAND", &program);
    let mut session = workspace.session();
    session.refused("wa.accounts_refresh", json!({}), "WA-MCP-0003");
    session.data("wa.accounts", json!({}));
}
