//! Rate limits and the audit.

use super::*;

#[test]
fn the_limit_of_a_pane_is_shared_by_processes_and_slides() {
    let workspace = TestWorkspace::new();
    let one = workspace.policy(|options| options.per_pane_per_minute = 4);
    let two = workspace.policy(|options| options.per_pane_per_minute = 4);
    let who = mcp();
    for n in 0..4 {
        let policy = if n % 2 == 0 { &one } else { &two };
        cleared(send(policy, &workspace, &who, "ls", NOW + n * 1000));
    }
    for policy in [&one, &two] {
        let full = refused(send(policy, &workspace, &who, "ls", NOW + 10_000));
        assert_eq!(full.decision, Decision::RequireApproval);
        assert_eq!(full.rule, "policy.rate_limit");
        assert!(full.reason.contains("limit of 4 per minute"), "{}", full.reason);
        assert!(full.reason.contains("in 50 s"), "{}", full.reason);
    }
    // Another pane and another kind of action have their own count.
    let (state, other, this) = (prompt(), pane(2), pane(1));
    let elsewhere = request(&who, Action::SendText, &other, &state, Some("ls"));
    one.pass(&elsewhere, &workspace.ids, NOW + 10_000).unwrap();
    let key = request(&who, Action::SendCtrlZ, &this, &state, None);
    one.pass(&key, &workspace.ids, NOW + 10_000).unwrap();
    cleared(send(&two, &workspace, &who, "ls", NOW + MINUTE));
    refused(send(&one, &workspace, &who, "ls", NOW + MINUTE));
}

#[test]
fn the_limit_of_the_workspace_counts_everything_but_stopping() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|options| options.global_per_minute = 3);
    let (who, state) = (mcp(), prompt());
    for id in 0..3 {
        let pane = pane(id);
        let request = request(&who, Action::SendText, &pane, &state, Some("ls"));
        policy.pass(&request, &workspace.ids, NOW).unwrap();
    }
    let pane = pane(9);
    let run = request(&who, Action::WorkflowRun, &pane, &state, None);
    let error = policy.pass(&run, &workspace.ids, NOW).unwrap_err();
    assert_eq!(error.reason.as_deref(), Some("policy.rate_limit"));
    for free in [Action::WorkflowAbort, Action::ReleasePane, Action::Approve] {
        policy.pass(&request(&who, free, &pane, &state, None), &workspace.ids, NOW).unwrap();
    }
}

#[test]
fn only_what_passes_counts_and_zero_is_no_limit() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|options| options.per_pane_per_minute = 1);
    for _ in 0..5 {
        refused(send(&policy, &workspace, &mcp(), "rm -rf /", NOW));
    }
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
    let free = workspace.policy(|options| {
        options.per_pane_per_minute = 0;
        options.global_per_minute = 0;
    });
    for _ in 0..200 {
        cleared(send(&free, &workspace, &mcp(), "ls", NOW));
    }
}

#[test]
fn the_user_can_approve_one_more() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|options| options.per_pane_per_minute = 1);
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
    let code = held_code(&policy, &workspace, &mcp(), "ls", NOW);
    policy.approve(&code, None, None, &human(), false, NOW).unwrap();
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
    refused(send(&policy, &workspace, &mcp(), "ls", NOW));
}

#[test]
fn a_clock_that_was_put_back_does_not_block_for_long() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|options| options.per_pane_per_minute = 1);
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW + 60 * MINUTE));
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
}

#[test]
fn every_outcome_is_written_down_without_secrets() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz";
    let text = format!("export ANTHROPIC_API_KEY={secret}\nmake {}", "x".repeat(200));
    let done = cleared(send(&policy, &workspace, &mcp(), &text, NOW));
    policy.settle(&done, Outcome::Done, NOW + 5).unwrap();
    let failed = cleared(send(&policy, &workspace, &mcp(), "ls", NOW + 1));
    policy.settle(&failed, Outcome::Failed(&format!("no: {secret}")), NOW + 6).unwrap();
    policy.settle(&failed, Outcome::Done, NOW + 7).unwrap();
    refused(send(&policy, &workspace, &mcp(), &format!("rm -rf {secret}"), NOW + 2));
    refused(send(&policy, &workspace, &mcp(), "rm -rf /", NOW + 3));
    let rows = policy.audit(&AuditFilter::default()).unwrap();
    let results: Vec<&str> = rows.iter().map(|row| row.result.as_str()).collect();
    assert_eq!(results, ["refused", "held", "failed", "done"]);
    let first = &rows[3];
    let preview = first.preview.as_deref().unwrap();
    assert!(preview.contains("[REDACTED]") && !preview.contains('\n'), "{preview}");
    assert_eq!(preview.chars().count(), 80);
    assert_eq!(first.text_length, Some(text.len() as u64));
    assert_eq!(first.text_hash.as_deref().map(str::len), Some(64));
    assert_eq!((first.at, first.settled_at, first.pane_id), (NOW, Some(NOW + 5), Some(1)));
    assert!(rows[0].context.contains("command.rm_rf_root"));
    assert!(rows[1].approval_id.is_some());
    assert!(!workspace.bytes().concat().windows(20).any(|bytes| bytes == &secret.as_bytes()[..20]));
    let denied = AuditFilter { decision: Some(Decision::Deny), limit: 1, ..AuditFilter::default() };
    assert_eq!(policy.audit(&denied).unwrap()[0].rule.as_deref(), Some("command.rm_rf_root"));
    let none = AuditFilter { pane_id: Some(2), ..AuditFilter::default() };
    assert_eq!(policy.audit(&none).unwrap(), []);
    let late = AuditFilter { since: Some(NOW + 2), ..AuditFilter::default() };
    assert_eq!(policy.audit(&late).unwrap().len(), 2);
    assert_eq!(policy.forget(NOW + 2).unwrap(), 2);
    assert_eq!(policy.audit(&AuditFilter::default()).unwrap().len(), 2);
}
