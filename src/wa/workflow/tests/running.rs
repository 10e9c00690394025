//! Declared workflows: running, waiting, pausing, ending, locks between processes.

use super::*;
use crate::backend::testing::{type_line, until_text};
use crate::error::Kind;
use crate::model::Decision;

const GREET: &str = "
schema_version: 1
name: greet
description: Says hello and waits for the answer.
steps:
  - {id: say, type: send_text, text: 'sleep 0.3; echo he''l''lo',
     wait_for: {matcher: {kind: substring, value: hello}}}
  - {id: again, type: send_text, text: echo second}
  - {id: seen, type: wait_for, matcher: {kind: regex, value: '(?m)^sec.nd$'}}
  - {id: nap, type: sleep, duration_ms: 10}
";

const WAITER: &str = "
schema_version: 1
name: waiter
steps:
  - {id: before, type: send_text, text: echo started-x}
  - {id: long, type: wait_for, matcher: {kind: substring, value: never-comes}, timeout_ms: 120000}
  - {id: after, type: send_text, text: echo finished-x}
on_abort:
  - {id: tidy, type: send_text, text: echo tidied-x}
";

#[test]
fn a_declared_workflow_goes_through_its_steps() {
    let (server, process) = fixture(Setup::default());
    declare(server.folder(), "greet", GREET);
    let done = process.run_to_end("greet", 0);
    assert_eq!(done.status, Status::Completed, "{done:?}");
    assert_eq!((done.steps_completed, done.total_steps), (4, 4));
    let logs: Vec<_> =
        done.step_logs.iter().map(|log| (log.step_name.as_str(), log.result_type)).collect();
    assert_eq!(
        logs,
        [
            ("say", StepResult::SendText),
            ("again", StepResult::SendText),
            ("seen", StepResult::WaitFor),
            ("nap", StepResult::WaitFor),
        ]
    );
    let policy = done.step_logs[0].policy_summary.as_ref().unwrap();
    assert_eq!(policy.decision, Decision::Allow);
    assert!(policy.audit_id.is_some());
    assert!(done.action_plan.unwrap().plan_id.starts_with("plan:"));
    assert!(done.completed_at.unwrap() >= done.started_at);
    assert_eq!(text(&server, 0).matches("\nsecond").count(), 1);
}

#[test]
fn an_abort_takes_effect_while_waiting_and_frees_the_pane() {
    let (server, process) = fixture(Setup::default());
    declare(server.folder(), "waiter", WAITER);
    declare(server.folder(), "greet", GREET);
    let id = process.engine.run("waiter", 0, false, &client(), None).unwrap();
    let waiting = process.until(&id, Status::Waiting);
    // A cleanup waits for no prompt.
    until_prompt(&server.tmux(), 0);
    assert_eq!(waiting.step_name.as_deref(), Some("long"));
    let condition = waiting.wait_condition.unwrap();
    assert_eq!(condition.pattern.as_deref(), Some("`never-comes`"));
    assert!(condition.timeout_at.is_some());

    let refused = process.engine.run("greet", 0, false, &client(), None).unwrap_err();
    assert_eq!(refused.kind, Kind::Workflow);
    assert_eq!(refused.reason.as_deref(), Some("workflow.pane_locked"));
    assert!(refused.message.contains("waiter") && refused.message.contains(&id), "{refused}");

    let aborted = process.engine.abort(&id, Some("not needed"), false).unwrap();
    assert!(aborted.aborted && !aborted.forced && aborted.cleanup_performed, "{aborted:?}");
    assert_eq!(aborted.previous_status, Status::Waiting);
    assert_eq!(aborted.execution.status, Status::Aborted);
    assert_eq!(aborted.execution.error.as_deref(), Some("not needed"));
    until_text(&server.tmux(), 0, "\ntidied-x");
    assert!(!text(&server, 0).contains("finished-x"));

    let again = process.engine.abort(&id, None, false).unwrap();
    assert_eq!((again.aborted, again.error_reason), (false, Some("already_aborted")));
    assert_eq!(process.run_to_end("greet", 0).status, Status::Completed);
}

#[test]
fn a_forced_abort_skips_the_cleanup() {
    let (server, process) = fixture(Setup::default());
    declare(server.folder(), "waiter", WAITER);
    let id = process.engine.run("waiter", 0, false, &client(), None).unwrap();
    process.until(&id, Status::Waiting);
    let aborted = process.engine.abort(&id, None, true).unwrap();
    assert!(aborted.aborted && aborted.forced && !aborted.cleanup_performed);
    // The thread has seen it when its lock is free.
    eventually("the runner leaves", || {
        lock::RunnerLock::take(&process.context.folder, &id).unwrap().map(drop)
    });
    assert!(!text(&server, 0).contains("tidied-x"));
}

#[test]
fn the_pane_lock_and_abort_reach_across_processes() {
    let (server, one) = fixture(Setup::default());
    declare(server.folder(), "waiter", WAITER);
    let other = Process::new(server.folder(), server.socket(), Setup::default());
    let id = one.engine.run("waiter", 0, false, &client(), None).unwrap();
    one.until(&id, Status::Waiting);
    until_prompt(&server.tmux(), 0);
    let refused = other.engine.run("waiter", 0, false, &client(), None).unwrap_err();
    assert_eq!(refused.reason.as_deref(), Some("workflow.pane_locked"));
    assert_eq!(other.engine.recover().unwrap(), Recovered::default(), "somebody runs it");
    assert_eq!(other.engine.statuses(None, true).unwrap().len(), 1);

    let aborted = other.engine.abort(&id, Some("from afar"), false).unwrap();
    assert!(aborted.aborted && aborted.cleanup_performed, "{aborted:?}");
    assert_eq!(one.ended(&id).status, Status::Aborted);
    let next = other.engine.run("waiter", 0, false, &client(), None).unwrap();
    other.until(&next, Status::Waiting);
    assert!(one.engine.abort(&next, None, false).unwrap().aborted);
    assert!(other.engine.statuses(Some(0), true).unwrap().is_empty());
    assert_eq!(other.engine.statuses(Some(0), false).unwrap().len(), 2);
    assert!(other.engine.statuses(Some(7), false).unwrap().is_empty());
}

#[test]
fn a_held_step_pauses_and_goes_on_after_approval() {
    let rules = "rules: [{id: ask, match: {commands: [held]}, decision: require_approval}]";
    let (server, process) = fixture(Setup { rules: Some(rules), ..Setup::default() });
    declare(
        server.folder(),
        "held",
        "{schema_version: 1, name: held, steps: [{id: s, type: send_text, text: echo held-once}]}",
    );
    let id = process.engine.run("held", 0, false, &client(), None).unwrap();
    let paused = process.ended(&id);
    assert_eq!(paused.status, Status::Paused, "{paused:?}");
    assert_eq!(paused.wait_condition.unwrap().kind, "external_signal");
    assert_eq!(paused.policy.unwrap().rule.as_deref(), Some("config.rule.ask"));
    let code = paused.approval_code.unwrap();
    let itself = process.context.policy.approve(&code, None, None, &client(), false, process.now());
    assert_eq!(itself.unwrap_err().kind, Kind::Approval, "who asked may not approve");
    process.context.policy.approve(&code, None, None, &user(), false, process.now()).unwrap();
    let done = process.until(&id, Status::Completed);
    assert_eq!(done.approval_code, None);
    until_text(&server.tmux(), 0, "\nheld-once");
    until_prompt(&server.tmux(), 0);
    assert_eq!(text(&server, 0).matches("\nheld-once").count(), 1);
    // The approval is used up.
    assert_eq!(process.run_to_end("held", 0).status, Status::Paused);
}

#[test]
fn a_paused_execution_can_be_aborted_and_gives_up_in_time() {
    let rules = "rules: [{id: ask, match: {commands: [held]}, decision: require_approval}]";
    let mut options = Options { hold_timeout: LIMIT, ..Options::default() };
    let (server, process) =
        fixture(Setup { rules: Some(rules), options: options.clone(), ..Setup::default() });
    declare(
        server.folder(),
        "held",
        "{schema_version: 1, name: held, steps: [{id: s, type: send_text, text: echo held-once}]}",
    );
    let id = process.engine.run("held", 0, false, &client(), None).unwrap();
    assert_eq!(process.ended(&id).status, Status::Paused);
    assert!(process.engine.abort(&id, None, false).unwrap().aborted);
    options.hold_timeout = Duration::from_millis(300);
    let hasty = Process::new(
        server.folder(),
        server.socket(),
        Setup { rules: Some(rules), options, ..Setup::default() },
    );
    let id = hasty.engine.run("held", 0, false, &client(), None).unwrap();
    let failed = hasty.until(&id, Status::Failed);
    assert_eq!(failed.error_code.as_deref(), Some("workflow.approval_timeout"));
    assert!(!text(&server, 0).contains("held-once"));
}

#[test]
fn a_denied_step_and_a_wait_in_vain_fail_the_execution() {
    let rules = "rules: [{id: never, match: {commands: [denied]}, decision: deny, message: No.}]";
    let (server, process) = fixture(Setup { rules: Some(rules), ..Setup::default() });
    declare(
        server.folder(),
        "denied",
        "{schema_version: 1, name: denied, steps: [{id: s, type: send_text, text: echo denied}]}",
    );
    let failed = process.run_to_end("denied", 0);
    assert_eq!(failed.status, Status::Failed);
    assert_eq!(failed.error_code.as_deref(), Some("config.rule.never"));
    assert_eq!(failed.policy.unwrap().decision, Decision::Deny);
    assert_eq!(failed.step_logs[0].result_type, StepResult::Abort);
    assert_eq!(failed.step_logs[0].error_code.as_deref(), Some("config.rule.never"));

    declare(
        server.folder(),
        "vain",
        "{schema_version: 1, name: vain, steps: [
           {id: s, type: send_text, text: echo in-vain,
            wait_for: {matcher: {kind: regex, value: 'echo in-vain'}, timeout_ms: 1500}}]}",
    );
    let failed = process.run_to_end("vain", 0);
    assert_eq!(failed.error_code.as_deref(), Some("workflow.wait_timeout"), "its own echo counts");
    until_text(&server.tmux(), 0, "\nin-vain");
    assert_eq!(text(&server, 0).matches("\nin-vain").count(), 1, "nothing is sent again");
}

#[test]
fn text_from_before_a_sending_does_not_count_after_it() {
    let (server, process) = fixture(Setup::default());
    type_line(&server.tmux(), 0, "echo old-text");
    until_text(&server.tmux(), 0, "\nold-text");
    until_prompt(&server.tmux(), 0);
    let steps = |first: &str| {
        format!(
            "{{schema_version: 1, name: stale, steps: [{first}
              {{id: w, type: wait_for, matcher: {{kind: substring, value: old-text}},
                timeout_ms: 1200}}]}}"
        )
    };
    declare(server.folder(), "stale", &steps(""));
    assert_eq!(process.run_to_end("stale", 0).status, Status::Completed, "what is visible counts");
    declare(server.folder(), "stale", &steps("{id: s, type: send_text, text: 'true'},"));
    let failed = process.run_to_end("stale", 0);
    assert_eq!(failed.error_code.as_deref(), Some("workflow.wait_timeout"), "{failed:?}");
}

#[test]
fn the_end_of_the_pane_ends_the_execution() {
    let (server, process) = fixture(Setup::default());
    let pane = server.pane(&["bash", "--norc", "--noprofile"]);
    until_prompt(&server.tmux(), pane);
    declare(server.folder(), "waiter", WAITER);
    let id = process.engine.run("waiter", pane, false, &client(), None).unwrap();
    process.until(&id, Status::Waiting);
    server.command(&["kill-pane", "-t", &format!("%{pane}")]);
    let failed = process.until(&id, Status::Failed);
    assert_eq!(failed.error_code.as_deref(), Some("workflow.pane_gone"), "{failed:?}");
    let unknown = process.engine.run("waiter", pane, false, &client(), None).unwrap_err();
    assert_eq!(unknown.kind, Kind::PaneNotFound);
}

#[test]
fn more_executions_than_slots_take_turns_and_can_be_aborted_before_theirs() {
    let options = Options { concurrent: 1, ..Options::default() };
    let (server, process) = fixture(Setup { options, ..Setup::default() });
    let pane = server.pane(&["bash", "--norc", "--noprofile"]);
    until_prompt(&server.tmux(), pane);
    declare(server.folder(), "waiter", WAITER);
    let first = process.engine.run("waiter", 0, false, &client(), None).unwrap();
    process.until(&first, Status::Waiting);
    let second = process.engine.run("waiter", pane, false, &client(), None).unwrap();
    assert_eq!(process.engine.status(&second, false).unwrap().status, Status::Pending);
    let aborted = process.engine.abort(&second, None, true).unwrap();
    assert_eq!(aborted.previous_status, Status::Pending);
    let third = process.engine.run("waiter", pane, false, &client(), None).unwrap();
    process.engine.abort(&first, None, true).unwrap();
    process.until(&third, Status::Waiting);
    process.engine.abort(&third, None, true).unwrap();
}

#[test]
fn unknown_names_and_ids_are_reported() {
    let (_server, process) = fixture(Setup::default());
    let error = process.engine.run("nothing", 0, false, &client(), None).unwrap_err();
    assert_eq!(error.reason.as_deref(), Some("workflow.not_found"));
    assert!(error.hint.unwrap().contains("handle_compaction"));
    let error = process.engine.run("handle_compaction", 99, false, &client(), None).unwrap_err();
    assert_eq!(error.kind, Kind::PaneNotFound);
    for error in [
        process.engine.status("x", true).unwrap_err(),
        process.engine.abort("x", None, false).unwrap_err(),
        process.engine.wait("x", LIMIT, &|| false).unwrap_err(),
    ] {
        assert_eq!(error.kind, Kind::ExecutionNotFound);
    }
}
