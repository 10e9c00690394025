//! 6. What agents print becomes an event, once; a workflow handles it.

use serde_json::{Value, json};

use super::LIMIT_TEXT;
use crate::session::{Session, text};
use crate::terminal::Backend;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    an_event_is_recorded_once_however_often_it_is_painted,
    a_workflow_handles_an_event,
    the_end_of_a_pane_is_an_event_too,
    missed_output_is_reported_as_a_gap,
);

const SUMMARY: &str =
    "Token usage: total=1,234 input=1,000 (+ 2,000 cached) output=234 (reasoning 12)\n";

/// Waits until everything that was printed before is recorded and checked.
fn wait_until_recorded(workspace: &Workspace, session: &mut Session, pane: u64, mark: &str) {
    workspace.terminal.type_line(pane, &format!("echo {mark}''mark"));
    session.until("it is recorded", "wa.search", json!({"query": format!("{mark}mark")}), |data| {
        data["total_matches"] != 0
    });
}

fn of_rule(session: &mut Session, rule: &str) -> Vec<Value> {
    let page = session.data("wa.events", json!({"rule_id": rule, "limit": 100}));
    assert_eq!(page["total_count"], page["events"].as_array().map_or(0, Vec::len));
    page["events"].as_array().cloned().unwrap_or_default()
}

fn an_event_is_recorded_once_however_often_it_is_painted(workspace: Workspace) {
    workspace.write("limit.txt", LIMIT_TEXT);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let since = session.call("wa.events", json!({}))["now"].clone();
    workspace.terminal.type_line(pane, "cat limit.txt");
    let page =
        session.until("an event", "wa.events", json!({"event_type": "usage.reached"}), |page| {
            page["events"][0].is_object()
        });
    let event = &page["events"][0];
    assert_eq!(event["rule_id"], "core.codex:usage_reached");
    assert_eq!(event["pack_id"], "core.codex");
    assert_eq!(event["severity"], "critical");
    assert_eq!(event["pane_id"], pane);
    assert_eq!(event["extracted"]["reset_time"], "3:28 PM");
    assert!(text(&event["matched_text"]).contains("hit your usage limit"), "{event}");
    assert_eq!(event["handled_at"], Value::Null);

    for _ in 0..4 {
        workspace.terminal.type_line(pane, "clear; cat limit.txt");
    }
    wait_until_recorded(&workspace, &mut session, pane, "painted");
    assert_eq!(
        of_rule(&mut session, "core.codex:usage_reached").len(),
        1,
        "a repaint is no new event"
    );
    assert_eq!(of_rule(&mut session, "codex.usage.reached").len(), 1, "the old spelling works");

    session.close();
    let mut session = workspace.session();
    workspace.terminal.type_line(pane, "cat limit.txt");
    wait_until_recorded(&workspace, &mut session, pane, "restarted");
    assert_eq!(
        of_rule(&mut session, "core.codex:usage_reached").len(),
        1,
        "a restart is no new event"
    );

    let preview =
        session.data("wa.events", json!({"would_handle": true, "event_type": "usage.reached"}));
    let with = &preview["events"][0]["would_handle_with"];
    assert_eq!(with["workflow"], "handle_usage_limits");
    assert_eq!(with["would_run"], false);
    assert!(!text(&with["reason"]).is_empty(), "{with}");
    assert_eq!(preview["would_handle"], true);
    let filtered = session
        .data("wa.events", json!({"pane": pane, "unhandled": true, "since": since, "limit": 1}));
    assert_eq!(filtered["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(filtered["pane_filter"], pane);
    let future = session.data("wa.events", json!({"since": 99_999_999_999_999_i64}));
    assert_eq!(future["events"], json!([]));
}

fn a_workflow_handles_an_event(workspace: Workspace) {
    workspace.write("summary.txt", SUMMARY);
    let workspace = workspace.set("WA_RUN_WAIT_MS", "30000");
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "cat summary.txt");
    let summary = json!({"event_type": "session.summary", "would_handle": true});
    let page =
        session.until("an event", "wa.events", summary, |page| page["events"][0].is_object());
    let event = &page["events"][0];
    assert_eq!(event["would_handle_with"]["workflow"], "handle_session_end", "{event}");
    session.wait_for_prompt(pane);

    let dry = session.data(
        "wa.workflow_run",
        json!({"name": "handle_session_end", "pane_id": pane, "dry_run": true}),
    );
    assert_eq!(dry["dry_run"], true);
    assert_eq!(dry["steps_planned"], 2);
    assert_eq!(
        workspace.count("SELECT count(*) FROM workflow_executions"),
        0,
        "a rehearsal starts nothing"
    );

    let run =
        session.data("wa.workflow_run", json!({"name": "handle_session_end", "pane_id": pane}));
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(run["trigger_event_id"], event["id"]);
    assert_eq!(run["result"]["outcome"], "success");
    assert!(run["result"]["step_logs"].as_array().is_some_and(|logs| logs.len() == 2), "{run}");

    let status = session
        .data("wa.workflow_status", json!({"execution_id": run["execution_id"], "verbose": true}));
    assert_eq!(status["status"], "completed");
    assert_eq!(status["workflow_name"], "handle_session_end");
    assert_eq!(status["step_logs"].as_array().map(Vec::len), Some(2));
    assert!(!text(&status["action_plan"]["plan_hash"]).is_empty());
    let brief = session.data("wa.workflow_status", json!({"execution_id": run["execution_id"]}));
    assert_eq!((brief.get("step_logs"), brief.get("action_plan")), (None, None));

    let page =
        session.data("wa.events", json!({"event_type": "session.summary", "would_handle": true}));
    let handled = &page["events"][0];
    assert!(handled["handled_at"].as_u64().is_some(), "{handled}");
    assert_eq!(handled["workflow_id"], run["execution_id"]);
    assert_eq!(handled["would_handle_with"]["would_run"], false);
    let left =
        session.data("wa.events", json!({"event_type": "session.summary", "unhandled": true}));
    assert_eq!(left["events"], json!([]));
    let panes = session.data("wa.state", json!({"pane_id": pane}));
    assert_eq!(panes[0]["unhandled_event_count"], 0);

    let again =
        session.call("wa.workflow_run", json!({"name": "handle_session_end", "pane_id": pane}));
    assert_eq!(again["error_code"], "WA-MCP-0008", "the event was handled already: {again}");
    let forced = json!({"name": "handle_session_end", "pane_id": pane, "force": true});
    assert_eq!(session.data("wa.workflow_run", forced)["status"], "completed");
}

fn the_end_of_a_pane_is_an_event_too(workspace: Workspace) {
    let mut session = workspace.session();
    let keeper = workspace.shell(&mut session);
    let pane = workspace.shell(&mut session);
    wait_until_recorded(&workspace, &mut session, pane, "first");
    workspace.terminal.type_line(pane, "exit 3");
    let gone = json!({"event_type": "pane.exited", "pane": pane});
    let page = session.until("an end", "wa.events", gone, |page| page["events"][0].is_object());
    assert_eq!(page["events"][0]["rule_id"], "core.wezterm:pane_exited");
    if workspace.backend == Backend::Embedded {
        assert_eq!(page["events"][0]["extracted"]["exit_code"], "3", "{page}");
    }
    session.data("wa.state", json!({"pane_id": keeper}));
}

fn missed_output_is_reported_as_a_gap(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    wait_until_recorded(&workspace, &mut session, pane, "first");
    session.close();
    // More than a terminal keeps, while nobody records.
    workspace.terminal.type_line(pane, "seq -f 'missed-%.0f' 6000; echo all-''missed");
    let printed = json!({"pane_id": pane, "pattern": "all-missed", "timeout_secs": 40});
    assert_eq!(workspace.robot("wa.wait_for", &printed).1, 0);

    let mut session = workspace.session();
    let all = json!({"query": "\"all missed\"", "pane": pane});
    session.until("recording goes on", "wa.search", all, |data| data["total_matches"] != 0);
    let gaps = json!({"event_type": "gap", "pane": pane});
    if workspace.backend == Backend::Embedded {
        // Embedded panes remember for us.
        for number in [1, 2500, 5999] {
            let query = json!({"query": format!("\"missed {number}\"")});
            assert_eq!(session.data("wa.search", query)["total_matches"], 1, "{number}");
        }
        assert_eq!(session.data("wa.events", gaps)["events"], json!([]));
    } else {
        let page = session.until("a gap", "wa.events", gaps, |page| page["events"][0].is_object());
        assert_eq!(page["total_count"], 1, "{page}");
    }
    wait_until_recorded(&workspace, &mut session, pane, "second");
    // A pane at its prompt whose output goes on without a hole is whole again.
    session.until("it is whole again", "wa.state", json!({"pane_id": pane}), |panes| {
        panes[0]["pane_state"]["recent_gap"] == false
    });
    session.wait_for_prompt(pane);
    assert_eq!(session.data("wa.send", json!({"pane_id": pane, "text": "true"}))["sent"], true);
}
