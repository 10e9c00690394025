//! 9. The terminal goes away: every tool responds in time, and all works when it is back.

use serde_json::{Value, json};

use crate::terminal::Backend;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    a_dead_terminal_is_reported_and_its_return_is_noticed,
    a_pane_that_dies_ends_a_wait
);

/// Every tool with good arguments for this pane, and whether it needs the terminal.
fn calls(pane: u64) -> Vec<(&'static str, Value, bool)> {
    vec![
        ("wa.state", json!({"pane_id": pane}), true),
        ("wa.get_text", json!({"pane_id": pane}), true),
        ("wa.send", json!({"pane_id": pane, "text": "ls"}), true),
        ("wa.send", json!({"pane_id": pane, "text": "ls", "dry_run": true}), true),
        ("wa.wait_for", json!({"pane_id": pane, "pattern": "x", "timeout_secs": 20}), true),
        ("wa.reserve", json!({"pane_id": pane}), true),
        ("wa.workflow_run", json!({"name": "handle_session_end", "pane_id": pane}), true),
        ("wa.search", json!({"query": "remembered"}), false),
        ("wa.events", json!({}), false),
        ("wa.accounts", json!({}), false),
        ("wa.rules_list", json!({}), false),
        ("wa.rules_test", json!({"text": "x"}), false),
        ("wa.rules_show", json!({"rule_id": "core.codex:usage_reached"}), false),
        ("wa.rules_lint", json!({"fixtures": true}), false),
        ("wa.workflow_list", json!({}), false),
        ("wa.workflow_status", json!({"active": true}), false),
        ("wa.why", json!({"code": "WA-MCP-0004"}), false),
        ("wa.reservations", json!({}), false),
    ]
}

fn a_dead_terminal_is_reported_and_its_return_is_noticed(workspace: Workspace) {
    // Longer than a busy machine takes for what works.
    let workspace = workspace.set("WA_BACKEND_TIMEOUT_MS", "10000");
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "echo remember''ed");
    session.until("it is recorded", "wa.search", json!({"query": "remembered"}), |data| {
        data["total_matches"] == 1
    });

    workspace.terminal.kill();
    for (tool, arguments, needs_terminal) in calls(pane) {
        let envelope = session.call(tool, arguments);
        if needs_terminal {
            let code = &envelope["error_code"];
            assert!(*code == "WA-MCP-0004" || *code == "WA-MCP-0007", "{tool}: {envelope}");
            assert!(envelope["hint"].is_string(), "{tool}: {envelope}");
        } else {
            assert_eq!(envelope["ok"], true, "{tool} needs no terminal: {envelope}");
        }
    }
    let all = session.call("wa.state", json!({}));
    if workspace.backend == Backend::Embedded {
        assert_eq!(all["data"], json!([]), "our own panes are simply gone: {all}");
    } else {
        assert_eq!(all["error_code"], "WA-MCP-0004", "{all}");
    }

    workspace.terminal.restart();
    let pane = workspace.terminal.open(&crate::terminal::SHELL);
    // The backend may be left alone for a moment after so many failures.
    toolwright_testing::eventually("it is noticed", || {
        let state = session.call("wa.state", json!({"pane_id": pane}));
        (state["ok"] == true).then_some(())
    });
    session.wait_for_prompt(pane);
    let sent = json!({"pane_id": pane, "text": "echo back-''again", "wait_for": "back-again"});
    assert_eq!(session.data("wa.send", sent)["wait_for_result"]["matched"], true);
    session.until("recording goes on", "wa.search", json!({"query": "\"back again\""}), |data| {
        data["total_matches"] != 0
    });
}

fn a_pane_that_dies_ends_a_wait(workspace: Workspace) {
    let mut session = workspace.session();
    let keeper = workspace.shell(&mut session);
    let pane = workspace.shell(&mut session);
    let waiting = json!({"pane_id": pane, "pattern": "never printed", "timeout_secs": 600});
    let id = session.begin_call("wa.wait_for", &waiting);
    workspace.terminal.close(pane);
    let answer = session.answer("wa.wait_for", id);
    assert_eq!(answer["error_code"], "WA-MCP-0007", "{answer}");

    let mut waiting = waiting;
    waiting["pane_id"] = json!(keeper);
    let id = session.begin_call("wa.wait_for", &waiting);
    workspace.terminal.kill();
    let answer = session.answer("wa.wait_for", id);
    let code = &answer["error_code"];
    assert!(*code == "WA-MCP-0004" || *code == "WA-MCP-0007", "{answer}");
}
