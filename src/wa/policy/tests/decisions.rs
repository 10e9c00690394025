//! The table of rules.

use super::*;
use Action::{Close, ReservePane, SendControl, SendCtrlC, SendCtrlD, SendCtrlZ, SendText};
use Decision::{Allow, Deny, RequireApproval};

fn decided(policy: &Policy, request: &Request<'_>) -> (Decision, Option<String>) {
    let verdict = policy.decide(request, NOW).unwrap();
    (verdict.decision, verdict.rule)
}

fn state(change: impl FnOnce(&mut PaneState)) -> PaneState {
    let mut state = prompt();
    change(&mut state);
    state
}

/// Actor, action, state, text, decision, rule.
type Case = (Actor, Action, PaneState, Option<&'static str>, Decision, &'static str);

fn table(rows: Vec<Case>) {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let pane = pane(1);
    for (actor, action, state, text, decision, rule) in rows {
        let request = request(&actor, action, &pane, &state, text);
        let expected = (decision, Some(rule.to_owned()).filter(|rule| !rule.is_empty()));
        assert_eq!(decided(&policy, &request), expected, "{} {action} {state:?}", actor.kind);
    }
}

#[test]
fn shells() {
    let alt = || state(|state| state.alt_screen = Some(true));
    let alt_unknown = || state(|state| state.alt_screen = None);
    let gap = || state(|state| state.recent_gap = true);
    let running = || {
        state(|state| {
            state.prompt_active = Some(false);
            state.command_running = Some(true);
        })
    };
    let unsure = || {
        state(|state| {
            state.prompt_active = None;
            state.command_running = None;
        })
    };
    let not_at_prompt = || {
        state(|state| {
            state.prompt_active = Some(false);
            state.command_running = None;
        })
    };
    let text = Some("ls");
    table(vec![
        (mcp(), SendText, prompt(), text, Allow, ""),
        (mcp(), SendText, alt(), text, Deny, "policy.alt_screen"),
        (human(), SendText, alt(), text, Deny, "policy.alt_screen"),
        (mcp(), SendControl, alt(), None, Deny, "policy.alt_screen"),
        (mcp(), SendText, alt_unknown(), text, RequireApproval, "policy.alt_screen_unknown"),
        (human(), SendText, alt_unknown(), text, Allow, ""),
        (mcp(), SendText, gap(), text, RequireApproval, "policy.recent_gap"),
        (human(), SendText, gap(), text, Allow, ""),
        (mcp(), SendText, running(), text, Deny, "policy.prompt_required"),
        (human(), SendText, running(), text, Deny, "policy.prompt_required"),
        (mcp(), SendText, unsure(), text, RequireApproval, "policy.prompt_unknown"),
        (mcp(), SendText, not_at_prompt(), text, RequireApproval, "policy.prompt_unknown"),
        (human(), SendText, unsure(), text, Allow, ""),
        (
            actor(ActorKind::Robot, "r"),
            SendText,
            PaneState::default(),
            text,
            RequireApproval,
            "policy.alt_screen_unknown",
        ),
        (
            actor(ActorKind::Workflow, "w"),
            SendText,
            unsure(),
            text,
            RequireApproval,
            "policy.prompt_unknown",
        ),
    ]);
}

#[test]
fn keys_for_running_programs_need_no_prompt() {
    let running = state(|state| {
        state.prompt_active = Some(false);
        state.command_running = Some(true);
        state.alt_screen = Some(true);
    });
    table(vec![
        (mcp(), SendCtrlC, running.clone(), None, RequireApproval, "policy.destructive_action"),
        (mcp(), SendCtrlD, running.clone(), None, RequireApproval, "policy.destructive_action"),
        (mcp(), SendCtrlZ, running.clone(), None, Allow, ""),
        (mcp(), Close, running.clone(), None, RequireApproval, "policy.destructive_action"),
        (human(), SendCtrlC, running.clone(), None, Allow, ""),
        (human(), Close, running.clone(), None, Allow, ""),
        (mcp(), ReservePane, running.clone(), None, Allow, ""),
        (mcp(), Action::WorkflowRun, running, None, Allow, ""),
    ]);
}

#[test]
fn agents_are_judged_by_what_they_do() {
    use AgentActivity::{Asking, Busy, Idle, Unknown};
    let text = Some("please go on; rm -rf is fine");
    let not_an_agent = || {
        let mut state = agent(Idle);
        state.agent = Some(AgentSeen { agent: Agent::Unknown, activity: Idle });
        state
    };
    table(vec![
        (mcp(), SendText, agent(Idle), text, Allow, ""),
        (mcp(), SendControl, agent(Idle), None, Allow, ""),
        (mcp(), SendText, agent(Busy), text, Deny, "policy.agent_busy"),
        (human(), SendText, agent(Busy), text, Deny, "policy.agent_busy"),
        (mcp(), SendControl, agent(Busy), None, Allow, ""),
        (mcp(), SendText, agent(Asking), text, RequireApproval, "policy.agent_asking"),
        (mcp(), SendControl, agent(Asking), None, RequireApproval, "policy.agent_asking"),
        (human(), SendText, agent(Asking), text, Allow, ""),
        (mcp(), SendText, agent(Unknown), text, RequireApproval, "policy.agent_unknown"),
        (human(), SendText, agent(Unknown), text, Allow, ""),
        (mcp(), SendCtrlC, agent(Busy), None, RequireApproval, "policy.destructive_action"),
        (mcp(), SendText, not_an_agent(), text, Deny, "policy.alt_screen"),
        (mcp(), SendText, agent(Idle), Some("!rm -rf /"), Deny, "command.rm_rf_root"),
        (
            mcp(),
            SendText,
            agent(Idle),
            Some("run wa approve ABCD2345"),
            Deny,
            "command.self_approval",
        ),
    ]);
}

#[test]
fn the_gate_sees_text_for_shells() {
    table(vec![
        (mcp(), SendText, prompt(), Some("ls; rm -rf build"), RequireApproval, "command.rm_rf"),
        (human(), SendText, prompt(), Some("rm -rf build"), RequireApproval, "command.rm_rf"),
        (human(), SendText, prompt(), Some("rm -rf /"), Deny, "command.rm_rf_root"),
        (mcp(), SendText, prompt(), Some("echo 'rm -rf /'"), Allow, ""),
    ]);
    let workspace = TestWorkspace::new();
    let mut home = pane(1);
    home.cwd = Some("/home/ann".to_owned());
    let (who, state) = (mcp(), prompt());
    let request = request(&who, SendText, &home, &state, Some("rm -rf *"));
    assert_eq!(decided(&workspace.policy(|_| {}), &request).1.unwrap(), "command.rm_rf_root");
}

#[test]
fn settings_turn_the_prompt_and_screen_rules_off() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|options| {
        options.require_prompt = false;
        options.block_alt_screen = false;
    });
    let (who, pane) = (mcp(), pane(1));
    let state = PaneState { alt_screen: Some(true), ..PaneState::default() };
    let request = request(&who, SendText, &pane, &state, Some("ls"));
    assert_eq!(decided(&policy, &request), (Allow, None));
}

#[test]
fn the_order_holds_and_a_denial_outranks_a_hold() {
    let workspace = TestWorkspace::new();
    let file = workspace.file("policy.yaml");
    std::fs::write(&file, "rules: [{id: all, decision: deny, message: no}]").unwrap();
    let policy = workspace.policy(|options| {
        options.rules_file = Some(file);
        options.per_pane_per_minute = 1;
    });
    let (who, other, pane) = (mcp(), actor(ActorKind::Mcp, "s2"), pane(1));
    policy.reserve(&pane, &other, None, None, None, &workspace.ids, NOW).unwrap();
    let mut state = state(|state| {
        state.alt_screen = Some(true);
        state.recent_gap = true;
        state.command_running = Some(true);
        state.prompt_active = Some(false);
    });
    let first = |state: &PaneState, text: &str| {
        decided(&policy, &request(&who, SendText, &pane, state, Some(text))).1.unwrap()
    };
    assert_eq!(first(&state, "rm -rf /"), "policy.alt_screen");
    state.alt_screen = None;
    assert_eq!(first(&state, "rm -rf /"), "policy.prompt_required");
    state.command_running = None;
    assert_eq!(first(&state, "rm -rf /"), "policy.pane_reserved");
    let held = policy.reservations(None, NOW).unwrap();
    policy.release(&held[0].id, &other, NOW).unwrap();
    assert_eq!(first(&state, "rm -rf /"), "command.rm_rf_root");
    assert_eq!(first(&state, "rm -rf build"), "config.rule.all");

    // Without denials, the first that holds decides.
    let policy = workspace.policy(|options| options.per_pane_per_minute = 1);
    let first = |state: &PaneState, text: &str| {
        decided(&policy, &request(&who, SendText, &pane, state, Some(text))).1.unwrap()
    };
    assert_eq!(first(&state, "rm -rf build"), "policy.alt_screen_unknown");
    state.alt_screen = Some(false);
    assert_eq!(first(&state, "rm -rf build"), "policy.recent_gap");
    state.recent_gap = false;
    assert_eq!(first(&state, "rm -rf build"), "policy.prompt_unknown");
    state.prompt_active = Some(true);
    assert_eq!(first(&state, "rm -rf build"), "command.rm_rf");
    cleared(send(&policy, &workspace, &who, "ls", NOW));
    state.alt_screen = None;
    assert_eq!(first(&state, "rm -rf build"), "policy.rate_limit");
}

#[test]
fn a_verdict_lists_every_rule_and_the_risk() {
    let workspace = TestWorkspace::new();
    let policy = workspace.policy(|_| {});
    let (who, pane, state) = (mcp(), pane(1), prompt());
    let text = "sudo rm -rf build | cat\nls";
    let verdict = policy.decide(&request(&who, SendText, &pane, &state, Some(text)), NOW).unwrap();
    let rules: Vec<&str> = verdict.checked.iter().map(|checked| checked.rule.as_str()).collect();
    assert_eq!(
        rules,
        [
            "policy.rate_limit",
            "policy.alt_screen",
            "policy.alt_screen_unknown",
            "policy.recent_gap",
            "policy.prompt_required",
            "policy.prompt_unknown",
            "policy.pane_reserved",
            "command.rm_rf",
        ]
    );
    assert_eq!(verdict.checked[7].outcome, Some(RequireApproval));
    assert!(verdict.reason.unwrap().contains("`rm -rf build`"));
    assert_eq!(verdict.risk, 100);
    assert!(verdict.factors.contains(&"risk.factor.sudo"));
    let calm = policy.decide(&request(&who, SendText, &pane, &state, Some("ls")), NOW).unwrap();
    assert_eq!((calm.risk, calm.decision), (25, Allow));
}
