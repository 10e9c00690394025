//! `handle_auth_required`, `handle_claude_code_limits`, `handle_gemini_quota`: they type nothing but
//! work out what the user, or the calling agent, should do. Limited by a cooldown.

use rusqlite::{OptionalExtension as _, params};
use serde_json::{Value, json};

use super::{BuiltIn, Outcome};
use crate::error::Result;
use crate::model::{AgentActivity, Millis};
use crate::store::Store;
use crate::workflow::run::{Run, StopReason};

/// How long a workflow has nothing new to say about a pane.
pub(in crate::workflow) fn cooldown(built_in: BuiltIn) -> Option<Millis> {
    match built_in {
        BuiltIn::AuthRequired => Some(5 * 60_000),
        BuiltIn::ClaudeCodeLimits | BuiltIn::GeminiQuota => Some(10 * 60_000),
        _ => None,
    }
}

/// What is left of a cooldown.
pub(in crate::workflow) fn cooling(
    store: &Store,
    built_in: BuiltIn,
    identity: &str,
    now: Millis,
) -> Result<Option<Millis>> {
    let Some(whole) = cooldown(built_in) else { return Ok(None) };
    let began: Option<Millis> = store.read(|reader| {
        Ok(reader
            .query_row(
                "SELECT began_at FROM workflow_cooldowns
                 WHERE workflow = ?1 AND pane_identity = ?2",
                [built_in.name(), identity],
                |row| row.get(0),
            )
            .optional()?)
    })?;
    // A beginning in the future is a clock that was set back.
    let left = began.filter(|began| *began <= now).map(|began| began + whole - now);
    Ok(left.filter(|left| *left > 0))
}

/// `check_cooldown`
pub(super) fn check_cooldown(
    run: &mut Run,
    built_in: BuiltIn,
) -> std::result::Result<Outcome, StopReason> {
    let store = &run.inner.context.store;
    if let Some(left) = cooling(store, built_in, &run.identity, run.now())? {
        return Ok(Outcome::done(json!({"status": "cooldown_skipped", "cooldown_left_ms": left})));
    }
    Ok(Outcome::next(json!({"cooldown_left_ms": 0})))
}

fn begin_cooldown(run: &Run) -> Result<()> {
    let now = run.now();
    run.inner.context.store.write(|transaction| {
        transaction.execute(
            "INSERT INTO workflow_cooldowns (workflow, pane_identity, began_at)
             VALUES (?1, ?2, ?3)
             ON CONFLICT (workflow, pane_identity) DO UPDATE SET began_at = excluded.began_at",
            params![run.workflow, run.identity, now],
        )?;
        Ok(())
    })
}

/// `classify_auth`
pub(super) fn classify_auth(run: &mut Run) -> std::result::Result<Outcome, StopReason> {
    let kind = match run.trigger.as_ref().map(|event| event.event_type.as_str()) {
        Some("auth.device_code") => "device_code",
        Some("auth.error") => "api_key_error",
        _ => "manual",
    };
    run.context.insert("kind".to_owned(), json!(kind));
    Ok(Outcome::next(json!({"kind": kind})))
}

/// `record_and_plan`
pub(super) fn plan_auth(run: &mut Run) -> std::result::Result<Outcome, StopReason> {
    let kind = run.context.get("kind").and_then(Value::as_str).unwrap_or("manual").to_owned();
    let pane = run.pane_id;
    let steps = match kind.as_str() {
        "device_code" => vec![
            format!("Read the code in pane {pane}."),
            "Open the URL shown beside it and enter the code.".to_owned(),
            "The agent continues automatically.".to_owned(),
        ],
        "api_key_error" => vec![
            "Check that the API key in the agent's environment is valid and not revoked."
                .to_owned(),
            format!("Restart the agent in pane {pane} with a valid key."),
        ],
        _ => vec![format!("Open pane {pane} and sign the agent in.")],
    };
    begin_cooldown(run)?;
    let agent = run.trigger.as_ref().map(|event| event.agent.as_str());
    Ok(Outcome::done(json!({"status": "plan", "kind": kind, "agent": agent, "next_steps": steps})))
}

/// `classify_and_record`
pub(super) fn plan_limits(
    run: &mut Run,
    built_in: BuiltIn,
) -> std::result::Result<Outcome, StopReason> {
    let reached = run.trigger.as_ref().is_none_or(|event| event.event_type == "usage.reached");
    let extracted = run.trigger.as_ref().map(|event| event.extracted.clone()).unwrap_or_default();
    let state = run.observe()?.state;
    let idle = state.agent.is_some_and(|agent| agent.activity == AgentActivity::Idle);
    let safe_to_send = idle && !state.recent_gap && !reached;
    let reset = extracted.get("reset_time");
    let until = reset.map_or_else(String::new, |time| format!(" until {time}"));
    let mut steps = Vec::new();
    if reached {
        steps.push(format!("Send nothing to pane {}{until}.", run.pane_id));
        steps.push("To continue sooner, use another account: see wa.accounts.".to_owned());
    } else {
        steps.push("Finish the current work; start nothing large.".to_owned());
    }
    if built_in == BuiltIn::GeminiQuota && reached {
        steps.push("Another model may have quota left.".to_owned());
    }
    begin_cooldown(run)?;
    Ok(Outcome::done(json!({
        "status": "plan",
        "kind": if reached { "limit_reached" } else { "limit_near" },
        "reset_time": reset,
        "remaining": extracted.get("remaining"),
        "safe_to_send": safe_to_send,
        "next_steps": steps,
    })))
}
