//! 1. Pane state: the same on every backend, read from it and never guessed.

use serde_json::{Value, json};

use super::LIMIT_TEXT;
use crate::session::text;
use crate::terminal::Backend;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    panes_are_listed_with_their_actual_state,
    a_full_screen_program_is_seen,
    reservations_and_waiting_events_show,
    text_reaches_the_scrollback_and_says_what_it_left_out,
);

fn one(panes: &Value, pane: u64) -> Value {
    let all = panes.as_array().expect("an array of panes");
    let found: Vec<&Value> = all.iter().filter(|one| one["pane_id"] == pane).collect();
    assert_eq!(found.len(), 1, "pane {pane} in {panes:#}");
    found[0].clone()
}

fn panes_are_listed_with_their_actual_state(workspace: Workspace) {
    let mut session = workspace.session();
    let idle = workspace.shell(&mut session);
    let busy = workspace.shell(&mut session);
    workspace.terminal.type_line(busy, "sleep 600");
    session.wait_for_state(busy, "command_running", true);

    let panes = session.data("wa.state", json!({}));
    let ids: Vec<u64> =
        panes.as_array().unwrap().iter().filter_map(|p| p["pane_id"].as_u64()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let idle_pane = one(&panes, idle);
    assert_eq!(idle_pane["dimensions"], json!({"cols": 80, "rows": 24}));
    assert_eq!(idle_pane["cursor"], json!({"row": 0, "col": 2}), "after the prompt `$ `");
    assert_eq!(idle_pane["pane_state"]["prompt_active"], true);
    assert_eq!(idle_pane["pane_state"]["command_running"], false);
    assert_eq!(idle_pane["pane_state"]["alt_screen"], false);
    assert_eq!(idle_pane["observed"], true);
    assert_eq!(
        text(&idle_pane["cwd"]).trim_end_matches('/'),
        workspace.path("").display().to_string().trim_end_matches('/')
    );
    let domain = text(&idle_pane["domain"]).to_owned();
    let expected = match workspace.backend {
        Backend::Tmux => "tmux",
        Backend::Embedded => "embedded",
        Backend::Wezterm => "local",
    };
    assert!(domain == expected || domain.starts_with(&format!("{expected}:")), "{domain}");

    let busy_pane = one(&panes, busy);
    assert_eq!(busy_pane["pane_state"]["prompt_active"], false);
    assert_eq!(busy_pane["pane_state"]["command_running"], true);

    let only = session.data("wa.state", json!({"pane_id": busy}));
    assert_eq!(only.as_array().map(Vec::len), Some(1));
    let same = session.data("wa.state", json!({"domain": domain}));
    assert!(same.as_array().is_some_and(|panes| panes.len() >= 2), "{same}");
    assert_eq!(session.data("wa.state", json!({"domain": "ssh:nowhere"})), json!([]));
    assert_eq!(
        session.data("wa.state", json!({"agent": "codex"})),
        json!([]),
        "no agent runs here"
    );
}

fn a_full_screen_program_is_seen(workspace: Workspace) {
    workspace.write("long.txt", "a line\n".repeat(300));
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "less long.txt");
    if workspace.backend == Backend::Wezterm {
        // WezTerm does not tell; what is unknown may be left out but not be wrong.
        let panes = session.wait_for_state(pane, "command_running", true);
        assert_ne!(panes[0]["pane_state"]["alt_screen"], false, "{panes}");
    } else {
        session.wait_for_state(pane, "alt_screen", true);
    }
    workspace.terminal.press(pane, "q");
    session.wait_for_state(pane, "alt_screen", false);
}

fn reservations_and_waiting_events_show(workspace: Workspace) {
    workspace.write("limit.txt", LIMIT_TEXT);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let reserved =
        session.data("wa.reserve", json!({"pane_id": pane, "owner": "me", "ttl_secs": 60}));
    let panes = session.data("wa.state", json!({"pane_id": pane}));
    let holder = &panes[0]["reservation"];
    assert_eq!(holder["owner_id"], "me");
    assert_eq!(holder["owner_kind"], "mcp");
    assert_eq!(holder["expires_at"], reserved["expires_at"]);

    workspace.terminal.type_line(pane, "cat limit.txt");
    let panes = session.until("an event waits", "wa.state", json!({"pane_id": pane}), |panes| {
        panes[0]["unhandled_event_count"].as_u64().is_some_and(|count| count >= 1)
    });
    let uuid = text(&panes[0]["pane_uuid"]);
    assert!(uuid.len() == 32 && uuid.bytes().all(|b| b.is_ascii_hexdigit()), "{uuid:?}");
    assert!(panes[0]["last_activity"].as_u64().is_some_and(|at| at > 1_700_000_000_000));

    session.data("wa.release", json!({"reservation_id": reserved["reservation_id"]}));
    let panes = session.data("wa.state", json!({"pane_id": pane}));
    assert_eq!(panes[0].get("reservation"), None);
}

fn text_reaches_the_scrollback_and_says_what_it_left_out(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "seq 1001 1200; echo end-of-list");
    session.wait_for_text(pane, |text| text.lines().any(|line| line == "end-of-list"));
    session.wait_for_prompt(pane);

    let all = session.data("wa.get_text", json!({"pane_id": pane, "tail": 0}));
    let lines: Vec<&str> = text(&all["text"]).lines().collect();
    for number in [1001, 1100, 1200] {
        assert!(
            lines.contains(&&*number.to_string()),
            "{number} is missing: beyond the screen of 24"
        );
    }
    assert_eq!(all.get("truncated"), None);

    let cut = session.data("wa.get_text", json!({"pane_id": pane, "tail": 3}));
    let text_of_cut = text(&cut["text"]);
    assert_eq!(text_of_cut.lines().collect::<Vec<_>>(), ["1200", "end-of-list", "$"], "{cut}");
    assert_eq!(cut["tail_lines"], 3);
    assert_eq!(cut["truncated"], true);
    assert_eq!(cut["truncation_info"]["returned_lines"], 3);
    assert_eq!(cut["truncation_info"]["returned_bytes"], text_of_cut.len());
    assert!(cut["truncation_info"]["original_lines"].as_u64() > Some(200), "{cut}");

    let usual = session.data("wa.get_text", json!({"pane_id": pane}));
    assert_eq!(usual["tail_lines"], 50);
    assert_eq!(text(&usual["text"]).lines().count(), 50);

    workspace.terminal.type_line(pane, "clear; printf '\\033[31mre%s\\033[0m\\n' d");
    session.wait_for_text(pane, |text| text.lines().any(|line| line == "red"));
    let coloured = session.data("wa.get_text", json!({"pane_id": pane, "escapes": true}));
    assert_eq!(coloured["escapes_included"], true);
    assert!(text(&coloured["text"]).contains('\u{1b}'), "{coloured}");
    let plain = session.data("wa.get_text", json!({"pane_id": pane}));
    assert!(!text(&plain["text"]).contains('\u{1b}'), "{plain}");
}
