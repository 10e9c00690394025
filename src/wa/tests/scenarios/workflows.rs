//! 7. Executions: one per pane, visible to and abortable by every process, never left behind.

use serde_json::json;

use crate::session::text;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    an_execution_that_waits_is_aborted_and_frees_its_pane,
    a_declared_workflow_does_its_steps_in_order,
    a_dangerous_step_waits_for_approval,
    a_step_that_fails_fails_the_execution,
);

const PATIENT: &str = "  - {id: wait, type: wait_for, matcher: {kind: substring, value: never-printed}, timeout_ms: 110000}\n";

fn an_execution_that_waits_is_aborted_and_frees_its_pane(workspace: Workspace) {
    workspace.workflow("patient", PATIENT);
    let workspace = workspace.set("WA_RUN_WAIT_MS", "200");
    let mut session = workspace.session();
    let mut other = workspace.session();
    let pane = workspace.shell(&mut session);
    let listed = session.data("wa.workflow_list", json!({}));
    assert_eq!(listed["total"], 7, "six built-in ones and our own");
    for force in [false, true] {
        let run = session.data("wa.workflow_run", json!({"name": "patient", "pane_id": pane}));
        assert_eq!(run["status"], "started");
        let id = text(&run["execution_id"]).to_owned();
        let status =
            other.until("it waits", "wa.workflow_status", json!({"execution_id": id}), |one| {
                one["status"] == "waiting"
            });
        assert_eq!(status["wait_condition"]["type"], "pattern_matched");
        assert_eq!(status["pane_id"], pane);
        let active = other.data("wa.workflow_status", json!({"active": true}));
        assert_eq!(active["count"], 1);
        assert_eq!(active["executions"][0]["execution_id"], *id);

        let locked = other.refused(
            "wa.workflow_run",
            json!({"name": "patient", "pane_id": pane}),
            "WA-MCP-0008",
        );
        assert!(
            locked.error.contains(&id) && locked.error.contains("patient"),
            "names the holder: {locked:?}"
        );

        // From another process, in the middle of the wait.
        let abort = json!({"execution_id": id, "reason": "not needed", "force": force});
        let aborted = other.data("wa.workflow_abort", abort.clone());
        assert_eq!(aborted["aborted"], true);
        assert_eq!(aborted["forced"], force);
        assert_eq!(aborted["previous_status"], "waiting");
        assert_eq!(aborted["reason"], "not needed");
        let status = session.data("wa.workflow_status", json!({"execution_id": id}));
        assert_eq!(status["status"], "aborted");
        let again = other.data("wa.workflow_abort", abort);
        assert_eq!(again["aborted"], false);
        assert_eq!(again["error_reason"], "already_aborted");
    }
    let of_pane = session.data("wa.workflow_status", json!({"pane_id": pane}));
    assert_eq!(of_pane["count"], 2);
    assert_eq!(session.data("wa.workflow_status", json!({"active": true}))["count"], 0);
    session.refused("wa.workflow_abort", json!({"execution_id": "no-such"}), "WA-MCP-0012");
    session.refused("wa.workflow_status", json!({"execution_id": "no-such"}), "WA-MCP-0012");
    session.refused("wa.workflow_run", json!({"name": "no-such", "pane_id": pane}), "WA-MCP-0008");
    session.refused("wa.workflow_status", json!({}), "WA-MCP-0001");
}

fn a_declared_workflow_does_its_steps_in_order(workspace: Workspace) {
    // With the prompt: a step that came before it would be held for a moment.
    workspace.workflow(
        "greet",
        "  - {id: first, type: send_text, text: \"echo one >> out.txt; echo o''ne\", wait_for: {matcher: {kind: regex, value: '(?m)^one\\n\\$'}}}
  - {id: pause, type: sleep, duration_ms: 50}
  - {id: second, type: send_text, text: \"echo two >> out.txt; echo tw''o\"}
  - {id: seen, type: wait_for, matcher: {kind: substring, value: two}, timeout_ms: 20000}
",
    );
    let workspace = workspace.set("WA_RUN_WAIT_MS", "30000");
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let run = session.data("wa.workflow_run", json!({"name": "greet", "pane_id": pane}));
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(run["steps_completed"], 4);
    assert_eq!(std::fs::read_to_string(workspace.path("out.txt")).unwrap(), "one\ntwo\n");
    let sent = workspace.count("SELECT count(*) FROM policy_audit WHERE actor_kind = 'workflow' AND action = 'send_text' AND decision = 'allow'");
    assert_eq!(sent, 2, "every step that types passes the policy");
}

fn a_dangerous_step_waits_for_approval(workspace: Workspace) {
    workspace.write("build/old.o", "");
    workspace.workflow("tidy", "  - {id: delete, type: send_text, text: rm -rf build}\n");
    let workspace = workspace.set("WA_RUN_WAIT_MS", "20000");
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let run = session.data("wa.workflow_run", json!({"name": "tidy", "pane_id": pane}));
    assert_eq!(run["status"], "started", "{run}");
    let of_it = json!({"execution_id": run["execution_id"]});
    let status = session
        .until("it is held", "wa.workflow_status", of_it.clone(), |one| one["status"] == "paused");
    assert!(workspace.path("build/old.o").exists());
    // Not any word that looks like one: ids may have eight digits in a row.
    let told = text(&status["context"]["approve_with"]);
    let code = told.strip_prefix("wa approve ");
    let code = code.unwrap_or_else(|| panic!("a person cannot know the code: {status}"));
    workspace.approve(code);
    session.until("it goes on", "wa.workflow_status", of_it, |one| one["status"] == "completed");
    toolwright_testing::eventually("the step was done", || {
        (!workspace.path("build").exists()).then_some(())
    });
}

fn a_step_that_fails_fails_the_execution(workspace: Workspace) {
    workspace.workflow(
        "hasty",
        "  - {id: wait, type: wait_for, matcher: {kind: substring, value: never-printed}, timeout_ms: 300}\n",
    );
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    // The answer waits for the end, also on a busy machine.
    let mut patient = workspace.session_with(&[("WA_RUN_WAIT_MS", "30000")]);
    let refusal = patient.refused(
        "wa.workflow_run",
        json!({"name": "hasty", "pane_id": pane}),
        "WA-MCP-0008",
    );
    assert!(refusal.error.contains("hasty") && refusal.error.contains("wait"), "{refusal:?}");
    let listed = session.data("wa.workflow_status", json!({"pane_id": pane}));
    assert_eq!(listed["executions"][0]["status"], "failed");
    assert!(!text(&listed["executions"][0]["error"]).is_empty());

    // A pane that ends under an execution ends it too.
    workspace.workflow("patient", PATIENT);
    let keeper = workspace.shell(&mut session);
    let run = session.data("wa.workflow_run", json!({"name": "patient", "pane_id": pane}));
    workspace.terminal.close(pane);
    let of_it = json!({"execution_id": run["execution_id"]});
    session.until("it ends", "wa.workflow_status", of_it, |one| one["status"] == "failed");
    session.data("wa.state", json!({"pane_id": keeper}));
}
