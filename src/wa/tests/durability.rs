//! Sudden death of the server: sequence numbers only grow, missing output is an explicit gap, no event
//! is duplicated, no execution is stuck and none runs twice.

use std::time::Duration;

use serde_json::json;

use crate::scenarios::LIMIT_TEXT;
use crate::session::{Session, text};
use crate::workspace::{Workspace, on_every_backend};
use toolwright_testing::eventually;

on_every_backend!(
    killed_while_recording,
    killed_while_a_workflow_waits,
    killed_while_a_workflow_types,
);

const KILLS: u64 = 6;
/// Of kills while a workflow types, and its steps.
const ROUNDS: u64 = 4;
const STEPS: i64 = 8;

/// A recorded piece, in its order: its number and its text.
fn segments(workspace: &Workspace, pane: u64) -> Vec<(i64, String)> {
    let database = workspace.database();
    let mut query = database
        .prepare("SELECT seq, text, runs IS NULL FROM segments WHERE pane_id = ?1 ORDER BY id")
        .expect("the table is there");
    let rows = query.query_map([i64::try_from(pane).unwrap()], |row| {
        assert!(row.get::<_, bool>(2)?, "no line repeats here");
        Ok((row.get(0)?, row.get(1)?))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Numbers of the segments that a gap follows.
fn gaps(workspace: &Workspace) -> Vec<i64> {
    let database = workspace.database();
    let mut query =
        database.prepare("SELECT coalesce(seq_before, 0) FROM gaps ORDER BY id").unwrap();
    let rows = query.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

fn killed_while_recording(workspace: Workspace) {
    workspace.write("limit.txt", LIMIT_TEXT);
    // Steady output with a number in each line, and one limit message in the middle of it.
    workspace.script(
        "talk",
        "i=1; while [ $i -le 900 ]; do echo \"line $i of many\"; i=$((i+1)); \
         [ $i -ne 400 ] || cat limit.txt; [ $((i % 10)) -ne 0 ] || sleep 0.05; done; echo all-said",
    );
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    session.until("recording has begun", "wa.state", json!({"pane_id": pane}), |panes| {
        panes[0]["pane_uuid"].is_string()
    });
    workspace.terminal.type_line(pane, "./talk");
    for round in 0..KILLS {
        // Different moments of capture and storage.
        std::thread::sleep(Duration::from_millis(350 + 97 * round));
        session.kill();
        session = workspace.session();
    }
    session.until(
        "the end is recorded",
        "wa.search",
        json!({"query": "\"all said\"", "pane": pane}),
        |data| data["total_matches"] != 0,
    );
    session.until(
        "the event is there",
        "wa.events",
        json!({"event_type": "usage.reached"}),
        |page| page["events"][0].is_object(),
    );

    let segments = segments(&workspace, pane);
    let numbers: Vec<i64> = segments.iter().map(|(seq, _)| *seq).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "numbers only grow: {numbers:?}");
    let gaps = gaps(&workspace);
    let (mut last, mut last_seq, mut told) = (0, 0, 0);
    let line = regex::Regex::new(r"(?m)^line (\d+) of many$").unwrap();
    for (seq, text) in &segments {
        for found in line.captures_iter(text) {
            let number: i64 = found[1].parse().unwrap();
            told += 1;
            let joined = number == last + 1;
            let gap = gaps.iter().any(|before| (last_seq..*seq).contains(before));
            assert!(
                joined || gap,
                "line {number} follows line {last} and no gap says so: segments {last_seq} and {seq}, gaps {gaps:?}"
            );
            (last, last_seq) = (number, *seq);
        }
    }
    assert_eq!(last, 900);
    assert!(told >= 100, "hardly anything was recorded: {told}");
    let events = session.data("wa.events", json!({"event_type": "usage.reached", "limit": 100}));
    assert_eq!(events["total_count"], 1, "an event is doubled or lost: {events}");
    assert_eq!(workspace.count("SELECT count(*) FROM (SELECT pane_id, seq FROM segments GROUP BY 1, 2 HAVING count(*) > 1)"), 0);
    let whole =
        workspace.database().query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
    assert_eq!(whole.unwrap(), "ok");
}

fn killed_while_a_workflow_waits(workspace: Workspace) {
    workspace.workflow(
        "before_and_after",
        "  - {id: before, type: send_text, text: 'echo before >> done.txt'}
  - {id: wait, type: wait_for, matcher: {kind: substring, value: go-''ahead}, timeout_ms: 110000}
  - {id: after, type: send_text, text: 'echo after >> done.txt'}
"
        .replace("go-''ahead", "go-ahead")
        .as_str(),
    );
    let workspace = workspace.set("WA_RUN_WAIT_MS", "100");
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let run = session.data("wa.workflow_run", json!({"name": "before_and_after", "pane_id": pane}));
    let of_it = json!({"execution_id": run["execution_id"]});
    session.until("it waits", "wa.workflow_status", of_it.clone(), |one| {
        one["status"] == "waiting" && one["step_name"] == "wait"
    });
    session.kill();

    let mut session = workspace.session();
    // Taken up again: it waits on, and a second run is still refused.
    let status = session.data("wa.workflow_status", of_it.clone());
    assert!(["waiting", "running", "pending"].contains(&text(&status["status"])), "{status}");
    std::thread::sleep(Duration::from_millis(1500));
    session.refused(
        "wa.workflow_run",
        json!({"name": "before_and_after", "pane_id": pane}),
        "WA-MCP-0008",
    );
    workspace.terminal.type_line(pane, "echo go-''ahead");
    session.until("it goes on to its end", "wa.workflow_status", of_it.clone(), |one| {
        one["status"] == "completed"
    });
    // The shell may not have got to it yet.
    let done = || std::fs::read_to_string(workspace.path("done.txt")).unwrap_or_default();
    eventually("the last step is done", || done().contains("after").then_some(()));
    session.wait_for_prompt(pane);
    assert_eq!(done(), "before\nafter\n", "each step once");
    let status = session
        .data("wa.workflow_status", json!({"execution_id": run["execution_id"], "verbose": true}));
    assert_eq!(status["current_step"], 2);
}

fn killed_while_a_workflow_types(workspace: Workspace) {
    let steps: String = (0..STEPS)
        .map(|n| format!("  - {{id: s{n}, type: send_text, text: 'echo {n} >> done.txt'}}\n"))
        .collect();
    workspace.workflow("typist", &steps);
    let workspace = workspace
        .set("WA_RUN_WAIT_MS", "0")
        .set("WA_RATE_PER_PANE", "1000")
        .set("WA_RATE_GLOBAL", "1000");
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let mut ends: Vec<String> = Vec::new();
    let failed = |ends: &[String]| ends.iter().any(|end| end == "failed");
    for round in 0..20_u64 {
        if round >= ROUNDS && failed(&ends) {
            break;
        }
        let _ = std::fs::remove_file(workspace.path("done.txt"));
        let run = session.data("wa.workflow_run", json!({"name": "typist", "pane_id": pane}));
        // In the middle of a step that types, or a little later: anywhere.
        let wanted = i64::try_from(round % ROUNDS).unwrap();
        let id = text(&run["execution_id"]);
        let operations = |state: &str| {
            workspace.count(&format!(
                "SELECT count(*) FROM workflow_operations WHERE execution = '{id}' AND state = '{state}'"
            ))
        };
        eventually("it types", || {
            let done = operations("done");
            (done >= wanted && operations("begun") > 0 || done >= STEPS).then_some(())
        });
        // On a busy machine none may have hit a step; the rounds after these come without a pause.
        let pause = if round < ROUNDS { 35 * round } else { 0 };
        std::thread::sleep(Duration::from_millis(pause));
        session.kill();
        session = workspace.session();
        let end = ended(&mut session, &run["execution_id"]);
        settled(&mut session, pane);
        let done = std::fs::read_to_string(workspace.path("done.txt")).unwrap_or_default();
        let done: Vec<u32> = done.lines().map(|line| line.parse().expect("a whole line")).collect();
        // What was typed is a beginning of the steps, each once.
        assert_eq!(
            done,
            (0..u32::try_from(done.len()).unwrap()).collect::<Vec<_>>(),
            "round {round}: {end}"
        );
        if end == "completed" {
            assert_eq!(done.len(), 8, "round {round}");
        }
        assert_eq!(
            session.data("wa.workflow_status", json!({"active": true}))["count"],
            0,
            "the pane is free"
        );
        ends.push(end);
    }
    assert!(failed(&ends), "no kill hit a step that types: {ends:?}");
}

/// Waits for an end; a step cut off while it typed must not be tried again, so failed is one.
fn ended(session: &mut Session, id: &serde_json::Value) -> String {
    let status =
        session.until("an end", "wa.workflow_status", json!({"execution_id": id}), |one| {
            ["completed", "failed", "aborted"].contains(&text(&one["status"]))
        });
    text(&status["status"]).to_owned()
}

/// A half-typed line may be left at the prompt: it is cleared as a user would, with Ctrl-U.
fn settled(session: &mut Session, pane: u64) {
    session.until("a shell waits", "wa.state", json!({"pane_id": pane}), |panes| {
        panes[0]["pane_state"]["prompt_active"] == true
    });
    session.data("wa.send", json!({"pane_id": pane, "text": "\u{15}"}));
    session.wait_for_prompt(pane);
}
