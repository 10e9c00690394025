//! The user's rules and the external checker.

use std::time::Duration;

use super::*;
use crate::backend::testing;
use crate::error::Kind;

fn with_rules(workspace: &TestWorkspace, yaml: &str) -> Result<Policy> {
    let file = workspace.file("policy.yaml");
    std::fs::write(&file, yaml).unwrap();
    workspace.try_policy(|options| options.rules_file = Some(file))
}

fn decided(policy: &Policy, request: &Request<'_>) -> (Decision, Option<String>, Option<String>) {
    let verdict = policy.decide(request, NOW).unwrap();
    (verdict.decision, verdict.rule, verdict.reason)
}

#[test]
fn every_part_of_a_match_counts() {
    let parts = [
        ("actions: [send_text]", "actions: [close]"),
        ("actors: [mcp, robot]", "actors: [workflow]"),
        ("pane_ids: [1, 2]", "pane_ids: [2]"),
        ("titles: ['build*']", "titles: ['build']"),
        ("cwds: ['/home/*/project']", "cwds: ['/home/*']"),
        ("cwds: ['/home/**']", "cwds: ['/srv/**']"),
        ("domains: ['tmux*']", "domains: ['ssh:*']"),
        ("commands: ['^terraform (apply|destroy)']", "commands: ['^apply']"),
    ];
    let (who, pane, state) = (mcp(), pane(1), prompt());
    let text = "cd x\nterraform apply";
    let sent = request(&who, Action::SendText, &pane, &state, Some(text));
    for (matching, other) in parts {
        for (part, hit) in [(matching, true), (other, false)] {
            let workspace = TestWorkspace::new();
            let yaml =
                format!("rules: [{{id: r, match: {{{part}}}, decision: deny, message: no}}]");
            let (decision, rule, reason) = decided(&with_rules(&workspace, &yaml).unwrap(), &sent);
            assert_eq!(decision == Decision::Deny, hit, "{part}");
            if hit {
                assert_eq!(rule.as_deref(), Some("config.rule.r"));
                assert_eq!(reason.as_deref(), Some("no"));
            }
        }
    }
    let workspace = TestWorkspace::new();
    let yaml = "rules: [{id: r, match: {agents: [claude_code]}, decision: require_approval}]";
    let policy = with_rules(&workspace, yaml).unwrap();
    assert_eq!(decided(&policy, &sent).0, Decision::Allow);
    let idle = agent(AgentActivity::Idle);
    let to_agent = request(&who, Action::SendText, &pane, &idle, Some("go on"));
    assert_eq!(decided(&policy, &to_agent).0, Decision::RequireApproval);
}

#[test]
fn priority_then_strength_then_what_asks_for_more() {
    let (who, pane, state) = (mcp(), pane(1), prompt());
    let sent = request(&who, Action::SendText, &pane, &state, Some("ls"));
    for (rules, winner) in [
        ("{id: a, decision: deny}, {id: b, priority: 1, decision: allow}", "b"),
        ("{id: a, decision: allow}, {id: b, decision: require_approval}", "b"),
        ("{id: a, decision: require_approval}, {id: b, decision: deny}", "b"),
        ("{id: a, decision: deny}, {id: b, match: {pane_ids: [1]}, decision: deny}", "b"),
        ("{id: a, decision: deny}, {id: b, decision: deny}", "a"),
    ] {
        let workspace = TestWorkspace::new();
        let policy = with_rules(&workspace, &format!("rules: [{rules}]")).unwrap();
        assert_eq!(decided(&policy, &sent).1.unwrap(), format!("config.rule.{winner}"), "{rules}");
    }
}

#[test]
fn an_allowance_ends_it_but_lifts_nothing_before() {
    let workspace = TestWorkspace::new();
    let policy = with_rules(&workspace, "rules: [{id: ok, decision: allow}]").unwrap();
    let (who, pane, state) = (mcp(), pane(1), prompt());
    let key = request(&who, Action::SendCtrlC, &pane, &state, None);
    assert_eq!(decided(&policy, &key).1.as_deref(), Some("config.rule.ok"));
    assert_eq!(decided(&policy, &key).0, Decision::Allow);
    let danger = request(&who, Action::SendText, &pane, &state, Some("rm -rf build"));
    assert_eq!(decided(&policy, &danger).1.as_deref(), Some("command.rm_rf"));
}

#[test]
fn a_file_that_cannot_be_used_names_itself_and_the_rule() {
    for (yaml, parts) in [
        ("rules: [{id: a, decision: deny, colour: red}]", ["rule 1 (`a`)", "colour"]),
        ("rules: [{id: a, decision: deny}, {id: b, decision: maybe}]", ["rule 2 (`b`)", "maybe"]),
        ("rules: [{id: a, match: {panes: [1]}, decision: deny}]", ["rule 1 (`a`)", "panes"]),
        ("rules: [{id: a, match: {commands: ['(']}, decision: deny}]", ["match.commands", "`(`"]),
        ("rules: [{id: a, match: {actions: [dance]}, decision: deny}]", ["rule 1", "dance"]),
        ("rules: [{id: a, decision: deny}, {id: a, decision: deny}]", ["rule 2", "twice"]),
        ("rules: [{id: 'a b', decision: deny}]", ["rule 1", "id"]),
        ("rules: [{decision: deny}]", ["rule 1", "id"]),
        ("rule: []", ["policy.yaml", "rule"]),
        ("rules: [", ["policy.yaml", "line"]),
    ] {
        let workspace = TestWorkspace::new();
        let error = with_rules(&workspace, yaml).err().unwrap();
        assert_eq!(error.kind, Kind::Config);
        assert!(error.message.contains("policy.yaml"), "{error}");
        for part in parts {
            assert!(error.message.contains(part), "{yaml}: {error}");
        }
    }
}

#[test]
fn the_file_is_read_again_and_a_broken_one_stops_everything() {
    let workspace = TestWorkspace::new();
    let file = workspace.file("policy.yaml");
    let missing = workspace.try_policy(|options| options.rules_file = Some(file.clone()));
    assert_eq!(missing.err().unwrap().kind, Kind::Config);
    let policy = workspace.policy(|options| {
        options.rules_file = Some(file.clone());
        options.rules_optional = true;
    });
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
    std::fs::write(&file, "# nothing yet\n").unwrap();
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
    std::fs::write(&file, "rules: [{id: stop, decision: deny}]").unwrap();
    assert_eq!(refused(send(&policy, &workspace, &mcp(), "ls", NOW)).rule, "config.rule.stop");
    std::fs::write(&file, "rules: [{id: stop, decision: den}]").unwrap();
    let (who, pane, state) = (mcp(), pane(1), prompt());
    let sent = request(&who, Action::SendText, &pane, &state, Some("ls"));
    assert_eq!(policy.pass(&sent, &workspace.ids, NOW).unwrap_err().kind, Kind::Config);
    std::fs::remove_file(&file).unwrap();
    cleared(send(&policy, &workspace, &mcp(), "ls", NOW));
}

/// A checker of our own.
fn checker(workspace: &TestWorkspace, mode: DcgMode, script: &str) -> Policy {
    let program = testing::script(workspace.folder.path(), "checker", script);
    let program = program.display().to_string();
    let timeout = Duration::from_secs(20);
    workspace.policy(|options| options.dcg = Dcg { mode, program, timeout })
}

#[test]
fn the_checker_is_asked_and_its_no_is_a_hold() {
    let judged = |script: &str, mode: DcgMode, text: &str| {
        let workspace = TestWorkspace::new();
        let policy = checker(&workspace, mode, script);
        let (who, pane, state) = (mcp(), pane(1), prompt());
        decided(&policy, &request(&who, Action::SendText, &pane, &state, Some(text)))
    };
    // It gets the command as JSON, and judges it.
    let script = r#"
        if grep -q '"command":"drop it"'; then
            echo '{"hookSpecificOutput":{"permissionDecision":"deny",
                "permissionDecisionReason":"It drops.","ruleId":"x:drop"}}'
        fi"#;
    for mode in [DcgMode::Opportunistic, DcgMode::Required] {
        let (decision, rule, reason) = judged(script, mode, "drop it");
        assert_eq!(decision, Decision::RequireApproval);
        assert_eq!(rule.as_deref(), Some("dcg.blocked"));
        assert!(reason.unwrap().contains("It drops. (x:drop)"));
        assert_eq!(judged(script, mode, "ls").0, Decision::Allow);
        let by_status = judged("cat >/dev/null; echo 'no way' >&2; exit 2", mode, "ls");
        assert!(by_status.2.unwrap().contains("no way"));
    }
    assert_eq!(judged(script, DcgMode::Off, "drop it").0, Decision::Allow);
    for broken in ["exit 7", "echo nonsense", "echo '{\"decision\":\"hm\"}'"] {
        assert_eq!(judged(broken, DcgMode::Opportunistic, "ls").0, Decision::Allow, "{broken}");
        let (decision, rule, _) = judged(broken, DcgMode::Required, "ls");
        assert_eq!(decision, Decision::RequireApproval, "{broken}");
        assert_eq!(rule.as_deref(), Some("dcg.unavailable"));
    }
}

#[test]
fn a_checker_that_hangs_or_is_missing() {
    let workspace = TestWorkspace::new();
    let (who, pane, state) = (mcp(), pane(1), prompt());
    let sent = request(&who, Action::SendText, &pane, &state, Some("ls"));
    let mut policy = checker(&workspace, DcgMode::Required, "sleep 600");
    policy.options.dcg.timeout = Duration::from_millis(100);
    let reason = decided(&policy, &sent).2.unwrap();
    assert!(reason.contains("took too long"), "{reason}");
    policy.options.dcg.program = "no-such-checker-here".to_owned();
    let reason = decided(&policy, &sent).2.unwrap();
    assert!(reason.contains("is not installed"), "{reason}");
    policy.options.dcg.mode = DcgMode::Opportunistic;
    assert_eq!(decided(&policy, &sent).0, Decision::Allow);
    // An agent's prose is not for it.
    policy.options.dcg.mode = DcgMode::Required;
    let idle = agent(AgentActivity::Idle);
    let prose = request(&who, Action::SendText, &pane, &idle, Some("go on"));
    assert_eq!(decided(&policy, &prose).0, Decision::Allow);
}
