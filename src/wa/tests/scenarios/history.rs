//! 8. Output is found again: after the pane's death, after a restart, never mixed up.

use serde_json::json;

use crate::session::text;
use crate::terminal::Backend;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    output_is_found_after_death_and_restart,
    a_reborn_pane_number_has_a_history_of_its_own,
);

fn output_is_found_after_death_and_restart(workspace: Workspace) {
    workspace.write(
        "log.txt",
        "build: error: cannot open C++ unit foo-bar.cpp (E0123)\nall else is well\n",
    );
    let mut session = workspace.session();
    let keeper = workspace.shell(&mut session);
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "cat log.txt");
    session.until("it is recorded", "wa.search", json!({"query": "cannot"}), |data| {
        data["total_matches"] != 0
    });
    workspace.terminal.close(pane);
    session.until("it is gone", "wa.state", json!({}), |panes| {
        panes.as_array().is_some_and(|all| all.iter().all(|one| one["pane_id"] != pane))
    });
    session.close();

    let mut session = workspace.session();
    for query in [
        "cannot",
        "\"cannot open\"",
        "cann*",
        "cannot AND unit",
        "error: cannot",
        "C++",
        "foo-bar",
        "foo-bar.cpp (E0123)",
        "\"unit cannot",
        "NEAR(error unit, 5)",
        "errors",
    ] {
        let found = session.data("wa.search", json!({"query": query, "pane": pane}));
        assert!(found["total_matches"].as_u64() >= Some(1), "{query:?}: {found}");
        assert_eq!(found["results"][0]["pane_id"], pane);
        assert_eq!(found["pane_filter"], pane);
    }
    let plain = session.data("wa.search", json!({"query": "cannot"}));
    assert!(text(&plain["results"][0]["snippet"]).contains("cannot open"), "{plain}");
    assert!(!text(&plain["results"][0]["snippet"]).contains(">>"), "{plain}");
    assert_eq!(plain["limit"], 20);
    let marked = session.data("wa.search", json!({"query": "cannot", "snippets": true}));
    assert!(text(&marked["results"][0]["snippet"]).contains(">>cannot<<"), "{marked}");
    let captured = plain["results"][0]["captured_at"].as_i64().unwrap();
    let at_once = session.data("wa.search", json!({"query": "cannot", "since": captured}));
    assert!(at_once["total_matches"].as_u64() >= Some(1), "since is inclusive");
    let later =
        session.data("wa.search", json!({"query": "cannot", "since": captured + 3_600_000}));
    assert_eq!(later["total_matches"], 0);
    assert_eq!(
        session.data("wa.search", json!({"query": "cannot", "pane": keeper}))["total_matches"],
        0
    );
    assert_eq!(session.data("wa.search", json!({"query": "zebra"}))["total_matches"], 0);
    session.refused("wa.search", json!({"query": "   "}), "WA-MCP-0001");

    // The true count, not the page's.
    for round in 1..=3 {
        // One by one: what is printed together may be recorded as one piece.
        workspace.terminal.type_line(keeper, &format!("echo many-{round} repeat''edly"));
        let many = session.until(
            "it is recorded",
            "wa.search",
            json!({"query": "repeatedly", "limit": 1}),
            |data| data["total_matches"].as_u64() >= Some(round),
        );
        assert_eq!(many["results"].as_array().map(Vec::len), Some(1));
    }
}

fn a_reborn_pane_number_has_a_history_of_its_own(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "echo former''life");
    session.until("it is recorded", "wa.search", json!({"query": "formerlife"}), |data| {
        data["total_matches"] == 1
    });
    let known = |session: &mut crate::session::Session, pane: u64| {
        let panes = session.until("it is known", "wa.state", json!({"pane_id": pane}), |panes| {
            panes[0]["pane_uuid"].is_string()
        });
        text(&panes[0]["pane_uuid"]).to_owned()
    };
    let before = known(&mut session, pane);
    let last: i64 =
        workspace.count(&format!("SELECT max(seq) FROM segments WHERE pane_id = {pane}"));

    workspace.terminal.kill();
    workspace.terminal.restart();
    let reborn = workspace.shell(&mut session);
    if workspace.backend == Backend::Tmux {
        assert_eq!(reborn, pane, "a new tmux server counts from 0 again");
    }
    let after = known(&mut session, reborn);
    assert_ne!(before, after, "another pane is another pane");
    workspace.terminal.type_line(reborn, "echo latter''life");
    session.until(
        "it is recorded",
        "wa.search",
        json!({"query": "latterlife", "pane": reborn}),
        |data| data["total_matches"] == 1,
    );
    if reborn == pane {
        let mixed = session.data("wa.search", json!({"query": "formerlife", "pane": pane}));
        assert_eq!(mixed["total_matches"], 0, "the pane's number is not the pane: {mixed}");
        let first = workspace.count(&format!(
            "SELECT min(seq) FROM segments WHERE pane_id = {pane} AND pane = (SELECT max(key) FROM panes)"
        ));
        assert!(first > last, "numbers go on: {first} after {last}");
    }
    assert_eq!(session.data("wa.search", json!({"query": "formerlife"}))["total_matches"], 1);
}
