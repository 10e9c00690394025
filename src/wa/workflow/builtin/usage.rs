//! `handle_usage_limits`: ends an agent without remaining usage and suggests how to continue.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::Outcome;
use super::sessions::{self, Facts};
use crate::accounts::Service;
use crate::error::Error;
use crate::model::{Action, Agent};
use crate::policy::{Attempt, Outcome as Settled, Request};
use crate::workflow::model::StepResult;
use crate::workflow::observe::PaneSnapshot;
use crate::workflow::run::{Run, StopReason, bare, pattern};

const CTRL_C: &str = "\x03";

/// Ctrl-C, once more if the agent is still there, then its last words.
pub(super) fn exit_and_persist(run: &mut Run) -> Result<Outcome, StopReason> {
    let timing = run.inner.context.options.timing.clone();
    let patience = run.inner.context.options.step_timeout;
    let in_front = run.until(bare("time"), Duration::ZERO, |_, seen| {
        let agent = seen.state.agent.map(|seen| seen.agent);
        Ok(Some((agent, agent.is_some() || seen.state.command_running == Some(true))))
    })?;
    let (agent, in_front) = in_front.unwrap_or((None, false));
    let told = run.trigger.as_ref().map(|event| event.agent);
    let agent = agent.or(told).unwrap_or(Agent::Codex);
    let mut pressed = 0;
    let mut ended = !in_front;
    for limit in [timing.first_exit, timing.second_exit] {
        if ended {
            break;
        }
        run.send(CTRL_C, patience)?;
        pressed += 1;
        let gone = pattern("the end of the agent");
        ended = run.until(gone, limit, |_, seen| Ok(has_ended(seen).then_some(true)))?.is_some();
    }
    let last_words = run.until(bare("time"), Duration::ZERO, |run, seen| {
        sessions::read(run, seen, Some(agent)).map(Some)
    })?;
    let mut facts: Facts = last_words.unwrap_or_default();
    if let Some(event) = &run.trigger {
        for (name, value) in &event.extracted {
            facts.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    sessions::store(run, agent.as_str(), "usage_limit", &facts)?;
    run.context.insert("agent".to_owned(), json!(agent.as_str()));
    run.context.insert("facts".to_owned(), json!(facts));
    run.context.insert("ended".to_owned(), json!(ended));
    let data = json!({"ended": ended, "ctrl_c": pressed, "facts": facts});
    let result = if pressed > 0 { StepResult::SendText } else { StepResult::Continue };
    Ok(Outcome { result, data })
}

/// The shell is back.
fn has_ended(seen: &PaneSnapshot) -> bool {
    seen.state.agent.is_none()
        && seen.state.command_running != Some(true)
        && seen.state.prompt_active != Some(false)
}

pub(super) fn select_account(run: &mut Run) -> Result<Outcome, StopReason> {
    let agent = run.context.get("agent").and_then(Value::as_str).unwrap_or("codex").to_owned();
    let service = Service::parse(&agent).unwrap_or(Service::Openai);
    let refresh_problem = refresh(run, service)?.map(|error| error.to_string());
    let accounts = Arc::clone(&run.inner.context.accounts);
    let now = run.now();
    let selection = accounts.select(service, now)?;
    let fact = |name: &str| run.context.get("facts").and_then(|facts| facts.get(name)).cloned();
    let session = fact("session_id");
    let resume = session.as_ref().and_then(Value::as_str).map(|id| resume_command(&agent, id));
    let mut next_steps = Vec::new();
    if let Some(account) = &selection.chosen {
        accounts.used(service, account, now)?;
        next_steps.push(format!("Sign in as `{account}`."));
    } else {
        next_steps.push("Wait for the reset, or add an account.".to_owned());
    }
    next_steps.extend(resume.iter().map(|command| format!("Continue with `{command}`.")));
    let status = if selection.chosen.is_some() { "account_selected" } else { "no_account" };
    Ok(Outcome::done(json!({
        "status": status,
        "agent": agent,
        "service": service.as_str(),
        "account": selection.chosen,
        "explanation": selection.explanation,
        "earliest_reset": selection.earliest_reset,
        "reset_time": fact("reset_time"),
        "session_id": session,
        "resume_command": resume,
        "agent_ended": run.context.get("ended"),
        "refresh_problem": refresh_problem,
        "next_steps": next_steps,
    })))
}

fn resume_command(agent: &str, session: &str) -> String {
    match agent {
        "claude_code" => format!("claude --resume {session}"),
        "gemini" => format!("gemini --resume {session}"),
        _ => format!("codex resume {session}"),
    }
}

/// Asks for newer numbers, if the policy lets it. What is known is good enough otherwise.
fn refresh(run: &Run, service: Service) -> Result<Option<Error>, StopReason> {
    let context = &run.inner.context;
    let request = Request {
        actor: &run.actor,
        action: Action::ExecCommand,
        pane: None,
        state: None,
        text: Some("accounts refresh"),
        workflow: Some(&run.workflow),
    };
    match context.policy.attempt(&request, &*context.ids, run.now())? {
        Attempt::Refused(refused) => Ok(Some(refused.into())),
        Attempt::Cleared(cleared) => {
            let problem = context.accounts.refresh(Some(service), run.now()).err();
            let told = problem.as_ref().map(ToString::to_string);
            let settled = told.as_deref().map_or(Settled::Done, Settled::Failed);
            context.policy.settle(&cleared, settled, run.now())?;
            Ok(problem)
        }
    }
}
