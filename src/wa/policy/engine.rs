//! The order of the rules and their decisions.
//!
//! | # | rule | applies to | decision |
//! |---|---|---|---|
//! | 1 | `policy.rate_limit` | what acts or starts something | hold |
//! | 2 | `policy.alt_screen` | text and keys | deny on the alternate screen |
//! | 3 | `policy.alt_screen_unknown` | the same, untrusted | hold |
//! | 4 | `policy.recent_gap` | the same, untrusted | hold |
//! | 5 | `policy.prompt_required` | the same | deny while a command runs |
//! | 6 | `policy.prompt_unknown` | the same, untrusted | hold |
//! | 7 | `policy.pane_reserved` | input, close, workflows | deny all but the owner |
//! | 8 | `command.*`, `dcg.*` | text | the command gate |
//! | 9 | `config.rule.<id>` | everything | the user's rule; an allowance lifts 10 |
//! | 10 | `policy.destructive_action` | what may end a program, untrusted | hold |
//!
//! Where an agent runs in the pane, the state of a shell is irrelevant, so 2 to 6 are replaced by
//! the agent's own state: `policy.agent_busy` denies text, `policy.agent_asking` and
//! `policy.agent_unknown` hold text and keys. Ctrl-C, Ctrl-D and Ctrl-Z are for programs that run and
//! are exempt from 2 to 6. The user on the command line is trusted.
//!
//! The first rule that denies decides, whatever was held before it, because it cannot be approved;
//! else the first that holds. An approval lifts a hold, never a denial.
use rusqlite::Connection;

use super::dcg::Answer;
use super::gate::Report;
use super::rules::Rules;
use super::types::{Checked, DcgMode, Options, Request, Verdict};
use super::{approvals, rate, reservations, risk};
use crate::error::Result;
use crate::model::{
    Action, ActorKind, Agent, AgentActivity, AgentSeen, Decision, Millis, PaneState,
};
use crate::redact::redact;

/// Inputs of a decision that need no database.
pub(super) struct DecisionInputs {
    pub(super) report: Report,
    pub(super) dcg: Answer,
    pub(super) rules: Rules,
}

/// The rules' decisions so far.
#[derive(Default)]
struct Evaluation {
    checked: Vec<Checked>,
    denied: Option<(String, String)>,
    held: Option<(String, String)>,
    allowed: Option<(String, Option<String>)>,
}

impl Evaluation {
    fn note(&mut self, rule: &str, note: impl Into<String>) {
        let note = Some(note.into());
        self.checked.push(Checked { rule: rule.to_owned(), outcome: None, note });
    }

    /// Records a rule's objection, or that it has none.
    fn rule(&mut self, rule: &str, objection: Option<(Decision, String)>) {
        let (outcome, note) = objection.clone().unzip();
        self.checked.push(Checked { rule: rule.to_owned(), outcome, note });
        match objection {
            Some((Decision::Deny, reason)) => {
                self.denied.get_or_insert_with(|| (rule.to_owned(), reason));
            }
            Some((Decision::RequireApproval, reason)) => {
                self.held.get_or_insert_with(|| (rule.to_owned(), reason));
            }
            Some((Decision::Allow, _)) | None => {}
        }
    }

    fn hold(&mut self, rule: &str, when: bool, reason: impl FnOnce() -> String) {
        self.rule(rule, when.then(|| (Decision::RequireApproval, reason())));
    }

    fn deny(&mut self, rule: &str, when: bool, reason: impl FnOnce() -> String) {
        self.rule(rule, when.then(|| (Decision::Deny, reason())));
    }
}

/// Applies all rules.
pub(super) fn evaluate(
    connection: &Connection,
    options: &Options,
    request: &Request<'_>,
    inputs: &DecisionInputs,
    now: Millis,
) -> Result<Verdict> {
    let unknown = PaneState::default();
    let state = request.state.unwrap_or(&unknown);
    let mut evaluation = Evaluation::default();
    let action = request.action;

    if rate::counts(action) {
        let pane_id = request.pane.map(|pane| pane.pane_id);
        let reached = rate::reached(connection, options, pane_id, action, now)?;
        evaluation.rule("policy.rate_limit", reached.map(|why| (Decision::RequireApproval, why)));
    }
    if matches!(action, Action::SendText | Action::SendControl) {
        match working_agent(state) {
            Some(seen) => agent(&mut evaluation, request, seen.activity),
            None => shell(&mut evaluation, options, request, state),
        }
    }
    let mut reserved = false;
    if action.is_input() || matches!(action, Action::Close | Action::WorkflowRun) {
        let held = match request.pane {
            Some(pane) => reservations::of_pane(connection, pane, now)?,
            None => None,
        };
        let others = held.as_ref().filter(|held| !held.belongs_to(request.actor));
        reserved = others.is_some();
        let holder = others.map(reservations::Held::describe_holder).unwrap_or_default();
        evaluation.deny("policy.pane_reserved", reserved, || holder);
    }
    if action == Action::SendText {
        command(&mut evaluation, options, inputs);
    }
    user_rules(&mut evaluation, request, inputs);
    if action.is_destructive() {
        if evaluation.allowed.is_some() {
            evaluation.note("policy.destructive_action", "one of your rules allows it");
        } else {
            evaluation.hold("policy.destructive_action", !trusted(request), || {
                format!("{action} may end the program in {}.", pane_name(request))
            });
        }
    }

    let (risk, factors) = risk::score(request, state, &inputs.report, reserved);
    let Evaluation { checked, denied, held, allowed } = evaluation;
    let mut verdict = Verdict {
        decision: Decision::Allow,
        rule: None,
        reason: None,
        risk,
        factors,
        checked,
        approved_by: None,
    };
    if let Some((rule, reason)) = denied {
        verdict.decision = Decision::Deny;
        (verdict.rule, verdict.reason) = (Some(rule), Some(reason));
    } else if let Some((rule, reason)) = held {
        let print = approvals::fingerprint(&options.workspace, request);
        verdict.approved_by = approvals::granted(connection, &options.workspace, &print, now)?;
        if verdict.approved_by.is_none() {
            verdict.decision = Decision::RequireApproval;
            verdict.reason = Some(reason);
        } else {
            verdict.reason = Some(format!("Approved. {reason}"));
        }
        verdict.rule = Some(rule);
    } else if let Some((rule, message)) = allowed {
        (verdict.rule, verdict.reason) = (Some(rule), message);
    }
    Ok(verdict)
}

/// The agent in a pane. The terminal itself is none.
pub(super) fn working_agent(state: &PaneState) -> Option<AgentSeen> {
    state.agent.filter(|seen| !matches!(seen.agent, Agent::Wezterm | Agent::Unknown))
}

fn trusted(request: &Request<'_>) -> bool {
    request.actor.kind == ActorKind::Human
}

fn pane_name(request: &Request<'_>) -> String {
    request.pane.map_or_else(|| "the pane".to_owned(), |pane| format!("pane {}", pane.pane_id))
}

/// Rules 2 to 6.
fn shell(evaluation: &mut Evaluation, options: &Options, request: &Request<'_>, state: &PaneState) {
    let pane = pane_name(request);
    let wary = !trusted(request);
    let program = state.foreground.first().map(|name| format!(" (`{name}`)")).unwrap_or_default();
    if options.block_alt_screen {
        evaluation.deny("policy.alt_screen", state.alt_screen == Some(true), || {
            format!("A full-screen program{program} runs in {pane}; text would go to it.")
        });
        evaluation.hold("policy.alt_screen_unknown", wary && state.alt_screen.is_none(), || {
            format!("It is not known whether a full-screen program runs in {pane}.")
        });
    }
    evaluation.hold("policy.recent_gap", wary && state.recent_gap, || {
        format!("Output of {pane} was missed, so what is there now is not known.")
    });
    if options.require_prompt {
        let running = state.command_running == Some(true);
        evaluation.deny("policy.prompt_required", running, || {
            format!("A command{program} runs in {pane}; no shell waits for input.")
        });
        let at_prompt = state.prompt_active == Some(true);
        evaluation.hold("policy.prompt_unknown", wary && !running && !at_prompt, || {
            format!("It is not known whether a shell waits for input in {pane}.")
        });
    }
}

/// Replaces rules 2 to 6 where an agent runs.
fn agent(evaluation: &mut Evaluation, request: &Request<'_>, activity: AgentActivity) {
    let pane = pane_name(request);
    let wary = !trusted(request);
    let text = request.action == Action::SendText;
    evaluation.deny("policy.agent_busy", text && activity == AgentActivity::Busy, || {
        format!("The agent in {pane} is working; text would get lost or interrupt it.")
    });
    evaluation.hold("policy.agent_asking", wary && activity == AgentActivity::Asking, || {
        format!("The agent in {pane} asks for a permission or a choice; this would answer it.")
    });
    evaluation.hold("policy.agent_unknown", wary && activity == AgentActivity::Unknown, || {
        format!("It is not known what the agent in {pane} is doing.")
    });
}

/// Rule 8.
fn command(evaluation: &mut Evaluation, options: &Options, inputs: &DecisionInputs) {
    match inputs.report.worst() {
        Some(finding) => {
            let reason = format!("The text has a dangerous command: `{}`.", redact(&finding.what));
            evaluation.rule(finding.rule, Some((finding.decision, reason)));
        }
        None => evaluation.note("command.*", "no dangerous command found"),
    }
    match &inputs.dcg {
        Answer::NotAsked => {}
        Answer::Pass => evaluation.note("dcg.*", "the checker allows it"),
        Answer::Block(why) => evaluation.hold("dcg.blocked", true, || {
            format!("The external checker blocks it: {}.", redact(why.trim_end_matches('.')))
        }),
        Answer::Failed(why) => {
            let required = options.dcg.mode == DcgMode::Required;
            let why = format!("The external checker failed: {why}.");
            if required {
                evaluation.hold("dcg.unavailable", true, || why);
            } else {
                evaluation.note("dcg.unavailable", why);
            }
        }
    }
}

/// Rule 9: the first that matches.
fn user_rules(evaluation: &mut Evaluation, request: &Request<'_>, inputs: &DecisionInputs) {
    let Some(rule) = inputs.rules.iter().find(|rule| rule.matches(request)) else { return };
    let id = format!("config.rule.{}", rule.id);
    match rule.decision {
        Decision::Allow => {
            let outcome = Some(Decision::Allow);
            let note = rule.message.clone();
            evaluation.checked.push(Checked { rule: id.clone(), outcome, note: note.clone() });
            evaluation.allowed = Some((id, note));
        }
        decision => {
            let message = rule.message.clone();
            let reason = message.unwrap_or_else(|| "A rule of this workspace denies it.".into());
            evaluation.rule(&id, Some((decision, reason)));
        }
    }
}
