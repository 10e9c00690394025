//! The policy guard: decides every action with side effects before its handler runs.

use toolwright_runtime::{Call, Guard};

use super::ask_user;
use crate::drive::{Input, classify};
use crate::engine::{Engine, PaneSnapshot};
use crate::error::{self, Error};
use crate::generated::{PolicyGuard, PolicyGuardAction, Result};
use crate::model::{Action, Actor, Decision};
use crate::policy::{Cleared, Consent, Outcome, Request};
use crate::{Wa, client_name};

/// The guard's result, for the handler.
pub struct Pass {
    /// Kind of actor.
    pub(super) actor: Actor,
    /// The pane, where there is one.
    pub(super) seen: Option<PaneSnapshot>,
    /// The input to type.
    pub(super) input: Option<Input>,
    /// The decision. Not `allow` only in a dry run.
    pub(super) decision: Decision,
    /// Rule and reason.
    pub(super) reason: Option<String>,
    /// The audit row, unless this is a dry run.
    cleared: Option<Cleared>,
}

impl Guard<PolicyGuard> for Wa {
    type Pass = Pass;

    async fn check(&self, call: &Call, params: PolicyGuard) -> Result<Pass> {
        let client = client_name(call);
        let mut consent = Consent::Unasked;
        if call.asker().is_some() && params.rehearse != Some(true) {
            let (who, asked) = (client.clone(), params.clone());
            let held = self.run(move |engine| ask_user::held(engine, who.as_deref(), &asked));
            if let Some(held) = held.await? {
                consent = held.ask(call).await?;
            }
        }
        self.run(move |engine| decide(engine, client.as_deref(), &params, &consent)).await
    }
}

/// What the policy is asked about.
pub(super) struct Considered {
    pub(super) actor: Actor,
    pub(super) input: Option<Input>,
    pub(super) seen: Option<PaneSnapshot>,
}

impl Considered {
    pub(super) fn new(
        engine: &Engine,
        client: Option<&str>,
        params: &PolicyGuard,
    ) -> error::Result<Self> {
        let actor = engine.actor(client);
        let input = match (params.action, &params.text) {
            (PolicyGuardAction::Send, Some(text)) => Some(classify(text)?),
            _ => None,
        };
        let seen = match params.pane {
            Some(pane) => Some(engine.inspect(pane)?),
            None => None,
        };
        Ok(Self { actor, input, seen })
    }

    pub(super) fn request<'a>(&'a self, params: &'a PolicyGuard) -> Request<'a> {
        let is_run = params.action == PolicyGuardAction::WorkflowRun;
        Request {
            actor: &self.actor,
            action: action(params.action, self.input.as_ref()),
            pane: self.seen.as_ref().map(|seen| &seen.found.row),
            state: self.seen.as_ref().map(|seen| &seen.state),
            text: self.input.as_ref().and_then(typed),
            workflow: params.subject.as_deref().filter(|_| is_run),
        }
    }
}

fn decide(
    engine: &Engine,
    client: Option<&str>,
    params: &PolicyGuard,
    consent: &Consent,
) -> error::Result<Pass> {
    let records = engine.records()?;
    let considered = Considered::new(engine, client, params)?;
    if params.action == PolicyGuardAction::Approve {
        // The policy decides about an approval by its code, with limits and an audit row of its
        // own: see `Policy::approve`.
        return Ok(Pass::unwritten(considered.actor, Decision::Allow));
    }
    let request = considered.request(params);
    let (decision, reason, cleared) = if params.rehearse == Some(true) {
        let verdict = records.policy.decide(&request, engine.now())?;
        (verdict.decision, explained(verdict.rule, verdict.reason), None)
    } else {
        let ids = &*engine.setup.ids;
        let cleared = records.policy.pass_with(&request, consent, ids, engine.now())?;
        let reason = explained(cleared.rule.clone(), cleared.reason.clone());
        (cleared.decision, reason, Some(cleared))
    };
    let Considered { actor, input, seen } = considered;
    Ok(Pass { decision, reason, cleared, actor, seen, input })
}

fn action(action: PolicyGuardAction, input: Option<&Input>) -> Action {
    match action {
        PolicyGuardAction::Send => input.map_or(Action::SendText, Input::action),
        PolicyGuardAction::WorkflowRun => Action::WorkflowRun,
        PolicyGuardAction::WorkflowAbort => Action::WorkflowAbort,
        PolicyGuardAction::Approve => Action::Approve,
        PolicyGuardAction::ReservePane => Action::ReservePane,
        PolicyGuardAction::ReleasePane => Action::ReleasePane,
        PolicyGuardAction::AccountsRefresh => Action::ExecCommand,
    }
}

/// What an approval is bound to: the text, or which key it is.
fn typed(input: &Input) -> Option<&str> {
    match input {
        Input::Text(text) => Some(text),
        Input::Key { bytes, .. } => std::str::from_utf8(bytes).ok(),
    }
}

fn explained(rule: Option<String>, reason: Option<String>) -> Option<String> {
    match (rule, reason) {
        (Some(rule), Some(reason)) => Some(format!("{rule}: {reason}")),
        (rule, reason) => rule.or(reason),
    }
}

impl Pass {
    fn unwritten(actor: Actor, decision: Decision) -> Self {
        Self { actor, seen: None, input: None, decision, reason: None, cleared: None }
    }

    /// Records how the action ended, and returns its result.
    pub(super) fn settled<T>(&self, engine: &Engine, done: error::Result<T>) -> error::Result<T> {
        if let Some(cleared) = &self.cleared {
            let text = done.as_ref().err().map(Error::to_string);
            let outcome = text.as_deref().map_or(Outcome::Done, Outcome::Failed);
            let settled = engine.records()?.policy.settle(cleared, outcome, engine.now());
            if let Err(error) = settled {
                // The action is done; an audit that cannot be completed does not undo it.
                tracing::warn!(event = "wa.audit_incomplete", "{error}");
            }
        }
        done
    }
}
