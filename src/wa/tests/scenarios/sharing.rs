//! 5. Several servers in one workspace share reservations and rate limits.

use serde_json::json;

use crate::session::text;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    a_reserved_pane_is_its_holders_alone,
    reservations_end_by_time_and_with_their_pane,
    the_rate_limit_counts_everybody,
    only_one_server_records,
);

fn a_reserved_pane_is_its_holders_alone(workspace: Workspace) {
    let mut first = workspace.session();
    // The same client's name is not the same session.
    let mut second = workspace.session();
    let pane = workspace.shell(&mut first);
    let reserved = first.data("wa.reserve", json!({"pane_id": pane, "ttl_secs": 120}));
    assert_eq!(reserved["created"], true);
    assert_eq!(reserved["owner_id"], "live-test");
    assert_eq!(reserved["ttl_seconds"], 120);
    let id = reserved["reservation_id"].clone();

    let refusal = second.refused("wa.send", json!({"pane_id": pane, "text": "ls"}), "WA-MCP-0006");
    assert_eq!(refusal.reason(), "policy.pane_reserved");
    assert!(refusal.error.contains("live-test") && refusal.error.contains("until"), "{refusal:?}");
    let refusal = second.refused("wa.reserve", json!({"pane_id": pane}), "WA-MCP-0006");
    assert_eq!(refusal.reason(), "policy.pane_reserved");
    let refusal = second.refused("wa.release", json!({"reservation_id": id}), "WA-MCP-0006");
    assert_eq!(refusal.reason(), "policy.not_owner");
    let run = json!({"name": "handle_session_end", "pane_id": pane});
    let refusal = second.refused("wa.workflow_run", run, "WA-MCP-0006");
    assert_eq!(refusal.reason(), "policy.pane_reserved");

    let listed = second.data("wa.reservations", json!({"pane_id": pane}));
    assert_eq!(listed["reservations"][0]["reservation_id"], id);
    assert_eq!(listed["reservations"][0]["owner_kind"], "mcp");
    assert_eq!(listed["pane_filter"], pane);

    assert_eq!(first.data("wa.send", json!({"pane_id": pane, "text": "true"}))["sent"], true);
    let renewed = first.data("wa.reserve", json!({"pane_id": pane, "ttl_secs": 999_999 / 2}));
    assert_eq!(renewed["created"], false);
    assert_eq!(renewed["reservation_id"], id);
    assert_eq!(renewed["ttl_seconds"], 3600, "longer than allowed is cut");

    let released = first.data("wa.release", json!({"reservation_id": id}));
    assert_eq!(released["released"], true);
    assert_eq!(released["pane_id"], pane);
    let again = first.data("wa.release", json!({"reservation_id": id}));
    assert_eq!(again["released"], false);
    assert!(!text(&again["not_found_reason"]).is_empty());
    first.wait_for_prompt(pane);
    assert_eq!(second.data("wa.send", json!({"pane_id": pane, "text": "true"}))["sent"], true);
}

fn reservations_end_by_time_and_with_their_pane(workspace: Workspace) {
    let mut first = workspace.session();
    let mut second = workspace.session();
    let pane = workspace.shell(&mut first);
    let other = workspace.shell(&mut first);
    // Longer than a busy machine takes for the next call.
    first.data("wa.reserve", json!({"pane_id": pane, "ttl_secs": 5}));
    second.refused("wa.reserve", json!({"pane_id": pane}), "WA-MCP-0006");
    second.until("its time is over", "wa.reservations", json!({"pane_id": pane}), |data| {
        data["reservations"] == json!([])
    });
    assert_eq!(second.data("wa.reserve", json!({"pane_id": pane}))["created"], true);

    first.data("wa.reserve", json!({"pane_id": other}));
    workspace.terminal.close(other);
    second.until("it is free", "wa.reservations", json!({}), |data| {
        data["reservations"]
            .as_array()
            .is_some_and(|all| all.iter().all(|one| one["pane_id"] != other))
    });
}

fn the_rate_limit_counts_everybody(workspace: Workspace) {
    let workspace = workspace.set("WA_RATE_PER_PANE", "3");
    let mut first = workspace.session();
    let mut second = workspace.session();
    let pane = workspace.shell(&mut first);
    for session in [&mut first, &mut second] {
        assert_eq!(session.data("wa.send", json!({"pane_id": pane, "text": "true"}))["sent"], true);
        session.wait_for_prompt(pane);
    }
    let (robot, status) = workspace.robot("wa.send", &json!({"pane_id": pane, "text": "true"}));
    assert_eq!((&robot["ok"], status), (&json!(true), 0), "{robot}");
    first.wait_for_prompt(pane);
    for session in [&mut first, &mut second] {
        let refusal =
            session.refused("wa.send", json!({"pane_id": pane, "text": "true"}), "WA-MCP-0006");
        assert_eq!(refusal.reason(), "policy.rate_limit", "{refusal:?}");
        assert!(refusal.error.contains('3'), "it names the limit: {refusal:?}");
    }
    let dry = first.data("wa.send", json!({"pane_id": pane, "text": "true", "dry_run": true}));
    assert_eq!(dry["policy_decision"], "require_approval");
}

fn only_one_server_records(workspace: Workspace) {
    let mut sessions: Vec<_> = (0..3).map(|_| workspace.session()).collect();
    let pane = workspace.shell(&mut sessions[0]);
    workspace.terminal.type_line(pane, "echo unrepeat''able");
    for session in &mut sessions {
        let found = session.until(
            "it is recorded",
            "wa.search",
            json!({"query": "unrepeatable"}),
            |data| data["total_matches"] != 0,
        );
        assert_eq!(found["total_matches"], 1, "recorded by several: {found}");
    }
    // The one that records goes; another takes over.
    while sessions.len() > 1 {
        sessions.remove(0).kill();
        let left = sessions.len();
        workspace.terminal.type_line(pane, &format!("echo handover-{left}-''done"));
        let query = json!({"query": format!("\"handover {left} done\"")});
        sessions[0]
            .until("another one records", "wa.search", query, |data| data["total_matches"] != 0);
    }
}
