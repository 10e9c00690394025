//! Checks whether a pane is ready for a workflow. Runs and plans use the same checks.

use serde_json::json;

use super::{BuiltIn, Outcome};
use crate::model::{AgentActivity, PaneState};
use crate::workflow::model::Guard;
use crate::workflow::run::{Run, StopReason};

/// What speaks for and against this pane. Where an agent is in front, its own state counts in place
/// of the shell's: agents fill the screen, and they are programs that run.
pub(in crate::workflow) fn of(built_in: BuiltIn, state: &PaneState) -> Vec<Guard> {
    let guard = |name: &str, passed: bool, bad: &str, good: &str| Guard {
        name: name.to_owned(),
        passed,
        detail: if passed { good } else { bad }.to_owned(),
    };
    let Some(agent) = state.agent else {
        let mut guards = vec![
            guard(
                "alt_screen",
                state.alt_screen != Some(true),
                "a full-screen program is in front",
                "no full-screen program is in front",
            ),
            guard(
                "command_running",
                state.command_running != Some(true),
                "a command runs",
                "no command is known to run",
            ),
            guard(
                "recent_gap",
                !state.recent_gap,
                "output was lost, so the pane's state is unknown",
                "no output was lost",
            ),
        ];
        if built_in == BuiltIn::Compaction {
            guards.push(guard(
                "agent",
                state.prompt_active != Some(true),
                "a shell is in front, which would run the prompt as a command",
                "no shell is known to be in front",
            ));
        }
        return guards;
    };
    let asking = agent.activity == AgentActivity::Asking;
    vec![guard(
        "agent",
        !(asking && built_in == BuiltIn::Compaction),
        "the agent is asking a question, which the prompt would answer",
        "an agent is in front",
    )]
}

/// The workflows with guards.
pub(in crate::workflow) fn apply_to(built_in: BuiltIn) -> bool {
    !matches!(built_in, BuiltIn::SessionEnd | BuiltIn::AuthRequired)
}

/// `check_guards`
pub(super) fn step(run: &mut Run, built_in: BuiltIn) -> Result<Outcome, StopReason> {
    let state = run.observe()?.state;
    let guards = of(built_in, &state);
    let failed: Vec<&Guard> = guards.iter().filter(|guard| !guard.passed).collect();
    if let Some(first) = failed.first() {
        let reasons: Vec<&str> = failed.iter().map(|guard| guard.detail.as_str()).collect();
        return Err(StopReason::GaveUp {
            code: match first.name.as_str() {
                "alt_screen" => "deny.alt_screen",
                "command_running" => "deny.command_running",
                "recent_gap" => "deny.recent_gap",
                _ => "workflow.guard_failed",
            },
            reason: format!("Pane {} is not ready: {}.", run.pane_id, reasons.join("; ")),
        });
    }
    let seen = state.agent.map(|agent| agent.agent.as_str());
    Ok(Outcome::next(json!({"guards": guards, "agent": seen})))
}
