//! Secrets do not leave the pane: events, audit, text, search, logs; and files are private.

use serde_json::json;

use crate::session::text;
use crate::workspace::{Workspace, mode, on_every_backend};

on_every_backend!(secrets_are_replaced_wherever_they_are_told);

const SECRETS: [&str; 4] = [
    "sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefABCDEF1234",
];

fn secrets_are_replaced_wherever_they_are_told(workspace: Workspace) {
    let lines: String =
        SECRETS.iter().map(|secret| format!("token {secret} ends here\n")).collect();
    workspace.write("secrets.txt", &lines);
    // A secret in the middle of what a rule extracts, and broken by the edge of the screen.
    let limit =
        format!("You've hit your usage limit. Please try again at {} o'clock.\n", SECRETS[0]);
    workspace.write("limit.txt", &limit);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "cat secrets.txt limit.txt");
    let page =
        session.until("an event", "wa.events", json!({"event_type": "usage.reached"}), |page| {
            page["events"][0].is_object()
        });
    assert!(page.to_string().contains("[REDACTED]"), "{page}");
    let search = session.until(
        "it is recorded",
        "wa.search",
        json!({"query": "token", "snippets": true}),
        |data| data["total_matches"] != 0,
    );
    session.wait_for_prompt(pane);
    let all = session.data("wa.get_text", json!({"pane_id": pane, "tail": 0}));
    assert!(text(&all["text"]).contains("token [REDACTED] ends here"), "{all}");
    let tested = session.data("wa.rules_test", json!({"text": limit}));
    let waited = session
        .data("wa.wait_for", json!({"pane_id": pane, "pattern": "codex.usage.reached", "tail": 0}));

    let export = format!("export API_KEY={}", SECRETS[1]);
    session.data("wa.send", json!({"pane_id": pane, "text": export}));
    session.wait_for_prompt(pane);
    let held = format!("rm -rf build # {}", SECRETS[2]);
    let refusal = session.refused("wa.send", json!({"pane_id": pane, "text": held}), "WA-MCP-0006");
    let listed = workspace.run(&["approve"]);
    let status = workspace.run(&["status"]);

    let database = workspace.database();
    let mut kept = String::new();
    for table in ["policy_audit", "approvals", "events"] {
        let mut query =
            database.prepare(&format!("SELECT * FROM {table}")).expect("the table is there");
        let columns = query.column_count();
        let mut rows = query.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            for column in 0..columns {
                kept.push_str(&format!("{:?} ", row.get_ref(column).expect("a value")));
                if let Ok(value) = row.get::<_, String>(column) {
                    kept.push_str(&value);
                }
            }
        }
    }
    assert!(kept.contains("export API_KEY=[REDACTED]"), "the audit tells what was sent: {kept}");
    let log = workspace.log();
    let places = [
        ("events", page.to_string()),
        ("search", search.to_string()),
        ("text", all.to_string()),
        ("rules_test", tested.to_string()),
        ("wait_for", waited.to_string()),
        ("refusal", format!("{refusal:?}")),
        ("wa approve", listed.stdout),
        ("wa status", status.stdout),
        ("audit, approvals, events", kept),
        ("log", log),
    ];
    for (place, told) in &places {
        for secret in SECRETS {
            // Not even a part of it.
            let part = &secret[secret.len() - 12..];
            assert!(!told.contains(part), "{place} tells {secret}: {told}");
        }
    }

    // By setting, live text tells everything; what is stored never does.
    let mut open = workspace.session_with(&[("WA_REDACT_TEXT", "false")]);
    let all = open.data("wa.get_text", json!({"pane_id": pane, "tail": 0}));
    assert!(text(&all["text"]).contains(SECRETS[1]), "{all}");
    let page = open.data("wa.events", json!({}));
    assert!(!page.to_string().contains(SECRETS[0]), "{page}");

    assert_eq!(mode(&workspace.path(".wa")), 0o700);
    for entry in std::fs::read_dir(workspace.path(".wa")).expect("a folder").flatten() {
        let expected = if entry.path().is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&entry.path()), expected, "{}", entry.path().display());
    }
}
