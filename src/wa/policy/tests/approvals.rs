//! Held, approved, passed once.

use super::*;
use crate::error::Error;
use crate::error::Kind;

const DANGER: &str = "rm -rf build";

fn reason(result: Result<Approval>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind, Kind::Approval, "{error}");
    assert!(error.hint.is_some());
    error.reason.unwrap()
}

#[test]
fn a_held_action_passes_exactly_once_after_approval() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let who = mcp();
    let held = refused(send(&policy, &workspace, &who, DANGER, NOW));
    assert_eq!((held.decision, held.rule.as_str()), (Decision::RequireApproval, "command.rm_rf"));
    let code = held.code.clone().unwrap();
    assert_eq!(code.len(), 8);
    assert!(code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()), "{code}");
    let error = Error::from(held.clone());
    assert_eq!(error.kind, Kind::PolicyDenied);
    assert!(error.hint.unwrap().contains(&format!("wa approve {code}")));
    assert!(!workspace.bytes().concat().windows(8).any(|bytes| bytes == code.as_bytes()));

    // Still held while nobody approved.
    refused(send(&policy, &workspace, &who, DANGER, NOW + 1));
    let approval =
        policy.approve(&code, Some(1), Some(&held.fingerprint), &human(), false, NOW + 2).unwrap();
    assert_eq!((approval.action, approval.pane_id), (Action::SendText, Some(1)));
    assert_eq!((approval.consumed_at, approval.fingerprint), (Some(NOW + 2), held.fingerprint));

    // Anything else stays held: another text, another pane, another workflow.
    refused(send(&policy, &workspace, &who, "rm -rf buil", NOW + 3));
    let (state, other, this) = (prompt(), pane(2), pane(1));
    let elsewhere = request(&who, Action::SendText, &other, &state, Some(DANGER));
    refused(policy.attempt(&elsewhere, &workspace.ids, NOW + 3).unwrap());
    let mut in_workflow = request(&who, Action::SendText, &this, &state, Some(DANGER));
    in_workflow.workflow = Some("tidy");
    refused(policy.attempt(&in_workflow, &workspace.ids, NOW + 3).unwrap());
    let mut reborn = pane(1);
    reborn.identity.push_str("-later");
    let reborn = request(&who, Action::SendText, &reborn, &state, Some(DANGER));
    refused(policy.attempt(&reborn, &workspace.ids, NOW + 3).unwrap());

    let same = request(&who, Action::SendText, &this, &state, Some(DANGER));
    assert!(policy.decide(&same, NOW + 4).unwrap().approved_by.is_some());
    let passed = cleared(send(&policy, &workspace, &who, DANGER, NOW + 4));
    assert_eq!(passed.rule.as_deref(), Some("command.rm_rf"));
    refused(send(&policy, &workspace, &who, DANGER, NOW + 5));
    assert_eq!(
        reason(policy.approve(&code, None, None, &human(), false, NOW + 6)),
        "E_APPROVAL_CONSUMED"
    );
}

#[test]
fn every_reason_in_its_order() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let who = mcp();
    let held = refused(send(&policy, &workspace, &who, DANGER, NOW));
    let code = held.code.unwrap();
    let by = human();
    let tries =
        |pane_id, print, now| reason(policy.approve(&code, pane_id, print, &by, false, now));
    assert_eq!(
        reason(policy.approve("AAAAAAA9", Some(9), Some("x"), &by, false, NOW)),
        "E_APPROVAL_NOT_FOUND"
    );
    let late = NOW + 25 * 60 * MINUTE;
    assert_eq!(tries(Some(9), Some("x"), late), "E_APPROVAL_EXPIRED");
    assert_eq!(tries(Some(9), Some("x"), NOW), "E_WRONG_PANE");
    assert_eq!(tries(Some(1), Some("x"), NOW), "E_FINGERPRINT_MISMATCH");
    let elsewhere = workspace.policy(|options| options.workspace = "/other".to_owned());
    assert_eq!(
        reason(elsewhere.approve(&code, Some(9), None, &by, false, late)),
        "E_WRONG_WORKSPACE"
    );
    // Users type in lower case and with spaces.
    let spelled = format!(" {} ", code.to_lowercase());
    assert_eq!(policy.approve(&spelled, None, None, &by, false, NOW).unwrap().code, code);
    assert_eq!(tries(Some(9), Some("x"), late), "E_APPROVAL_CONSUMED");
    // An approval that was given but not used in time is worth nothing.
    refused(send(&policy, &workspace, &who, DANGER, late));
}

#[test]
fn who_may_approve() {
    let other = actor(ActorKind::Mcp, "s2");
    for (mode, same, another) in [
        (ApprovalMode::Off, Some("E_APPROVALS_OFF"), Some("E_APPROVALS_OFF")),
        (ApprovalMode::OtherClient, Some("E_SAME_SESSION"), None),
        (ApprovalMode::On, None, None),
    ] {
        let workspace = TestWorkspace::new();
        let policy = workspace.policy(|options| options.approvals = mode);
        for (by, refusal) in [(mcp(), same), (other.clone(), another), (human(), None)] {
            let code = held_code(&policy, &workspace, &mcp(), DANGER, NOW);
            let given = policy.approve(&code, None, None, &by, false, NOW);
            match refusal {
                Some(expected) => assert_eq!(reason(given), expected, "{mode:?}"),
                None => {
                    given.unwrap();
                    cleared(send(&policy, &workspace, &mcp(), DANGER, NOW));
                }
            }
        }
    }
}

#[test]
fn guessing_is_limited_for_each_session_also_by_dry_runs() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let code = held_code(&policy, &workspace, &mcp(), DANGER, NOW);
    for dry_run in [false, true] {
        let by = actor(ActorKind::Mcp, if dry_run { "guess-dry" } else { "guess" });
        for _ in 0..10 {
            let guess = policy.approve("WRONG234", None, None, &by, dry_run, NOW);
            assert_eq!(reason(guess), "E_APPROVAL_NOT_FOUND");
        }
        let right = policy.approve(&code, None, None, &by, dry_run, NOW + 1);
        assert_eq!(reason(right), "E_TOO_MANY_ATTEMPTS");
    }
    // Another process counts the same, another session does not.
    let second = workspace.policy(|_| {});
    let by = actor(ActorKind::Mcp, "guess");
    let right = second.approve(&code, None, None, &by, false, NOW + 1);
    assert_eq!(reason(right), "E_TOO_MANY_ATTEMPTS");
    policy.approve(&code, None, None, &actor(ActorKind::Mcp, "s3"), true, NOW + 1).unwrap();
    policy.approve(&code, None, None, &by, false, NOW + MINUTE + 1).unwrap();
}

#[test]
fn dry_runs_leave_the_database_as_it_is() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let code = held_code(&policy, &workspace, &mcp(), DANGER, NOW);
    let before = workspace.bytes();
    let (who, pane, state) = (mcp(), pane(1), prompt());
    for text in ["ls", DANGER, "rm -rf /"] {
        policy.decide(&request(&who, Action::SendText, &pane, &state, Some(text)), NOW).unwrap();
    }
    let dry = policy.approve(&code, None, None, &human(), true, NOW).unwrap();
    assert!(dry.dry_run && dry.consumed_at.is_none());
    policy.approve("WRONG234", None, None, &human(), true, NOW).unwrap_err();
    assert_eq!(policy.pending(NOW).unwrap().len(), 1);
    assert!(workspace.bytes() == before);
    refused(send(&policy, &workspace, &who, DANGER, NOW));
}

#[test]
fn one_approval_one_passage_for_many_threads_and_processes() {
    for _ in 0..5 {
        let workspace = TestWorkspace::new();
        let policies = [workspace.policy(|_| {}), workspace.policy(|_| {})];
        let code = held_code(&policies[0], &workspace, &mcp(), DANGER, NOW);
        let granted = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|n| {
                    let (policy, code) = (&policies[n % 2], &code);
                    scope.spawn(move || policy.approve(code, None, None, &human(), false, NOW))
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).filter(Result::is_ok).count()
        });
        assert_eq!(granted, 1);
        let passed = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|n| {
                    let (policy, workspace) = (&policies[n % 2], &workspace);
                    scope.spawn(move || send(policy, workspace, &mcp(), DANGER, NOW + 1))
                })
                .collect();
            let ended = tries.into_iter().map(|one| one.join().unwrap());
            ended.filter(|attempt| matches!(attempt, Attempt::Cleared(_))).count()
        });
        assert_eq!(passed, 1);
    }
}

#[test]
fn a_denial_is_not_lifted_and_uses_nothing_up() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let who = mcp();
    let code = held_code(&policy, &workspace, &who, DANGER, NOW);
    policy.approve(&code, None, None, &human(), false, NOW).unwrap();
    let (pane, state) = (pane(1), PaneState { alt_screen: Some(true), ..prompt() });
    let denied = request(&who, Action::SendText, &pane, &state, Some(DANGER));
    let refusal = refused(policy.attempt(&denied, &workspace.ids, NOW).unwrap());
    assert_eq!((refusal.rule.as_str(), refusal.code), ("policy.alt_screen", None));
    cleared(send(&policy, &workspace, &who, DANGER, NOW));
}

#[test]
fn open_codes_are_limited() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let codes: Vec<String> =
        (0..5).map(|n| held_code(&policy, &workspace, &mcp(), DANGER, NOW + n)).collect();
    assert_eq!(policy.pending(NOW + 5).unwrap().len(), 3, "the same action, over and over");
    policy.approve(&codes[2], None, None, &human(), true, NOW + 5).unwrap();
    for n in 0..97 {
        held_code(&policy, &workspace, &mcp(), &format!("rm -rf {n}"), NOW);
    }
    let full = refused(send(&policy, &workspace, &mcp(), "rm -rf more", NOW));
    assert_eq!((full.code.clone(), full.decision), (None, Decision::RequireApproval));
    assert!(Error::from(full).hint.unwrap().contains("Too many"));
    let pending = policy.pending(NOW + 5).unwrap();
    assert_eq!(pending.len(), 100);
    assert_eq!(pending[0].preview.as_deref(), Some(DANGER));
    let later = NOW + 25 * 60 * MINUTE;
    assert_eq!(policy.pending(later).unwrap(), []);
    held_code(&policy, &workspace, &mcp(), "rm -rf more", later);
}

#[test]
fn approving_is_audited_and_a_rule_can_forbid_it() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let code = held_code(&policy, &workspace, &mcp(), DANGER, NOW);
    policy.approve("WRONG234", None, None, &human(), false, NOW).unwrap_err();
    policy.approve(&code, None, None, &human(), false, NOW).unwrap();
    let filter = AuditFilter { action: Some(Action::Approve), ..AuditFilter::default() };
    let rows = policy.audit(&filter).unwrap();
    let seen: Vec<_> = rows.iter().map(|row| (row.decision, row.rule.as_deref())).collect();
    assert_eq!(seen, [(Decision::Allow, None), (Decision::Deny, Some("E_APPROVAL_NOT_FOUND"))]);
    assert!(rows[0].approval_id.is_some());

    let file = workspace.file("policy.yaml");
    let rule =
        "{id: no-robots, match: {actions: [approve], actors: [mcp]}, decision: require_approval}";
    std::fs::write(&file, format!("rules: [{rule}]")).unwrap();
    let strict = workspace.policy(|options| {
        options.rules_file = Some(file);
        options.approvals = ApprovalMode::On;
    });
    let code = held_code(&strict, &workspace, &mcp(), "rm -rf more", NOW);
    let error = strict.approve(&code, None, None, &mcp(), false, NOW).unwrap_err();
    assert_eq!(error.reason.as_deref(), Some("config.rule.no-robots"));
    let asked = Request {
        actor: &mcp(),
        action: Action::Approve,
        pane: None,
        state: None,
        text: None,
        workflow: None,
    };
    let refusal = refused(strict.attempt(&asked, &workspace.ids, NOW).unwrap());
    assert_eq!((refusal.decision, refusal.code), (Decision::Deny, None));
    strict.approve(&code, None, None, &human(), false, NOW).unwrap();
}
