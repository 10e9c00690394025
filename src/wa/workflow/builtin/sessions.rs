//! `handle_session_end`, and the session records that other workflows write too.

use std::collections::BTreeMap;

use rusqlite::params;
use serde_json::{Value, json};

use super::Outcome;
use crate::error::Result;
use crate::model::Agent;
use crate::mux::Lines;
use crate::patterns::Scope;
use crate::workflow::observe::PaneSnapshot;
use crate::workflow::run::{Run, StopReason};
use crate::workflow::table::sql_id;

/// Lines in which an agent's last words are looked for.
const TAIL: usize = 200;

/// What is known about a session: names and values as rules extract them.
pub(super) type Facts = BTreeMap<String, String>;

/// `extract_summary`: from the event that started this, and from the pane where it still lives.
pub(super) fn extract(run: &mut Run) -> std::result::Result<Outcome, StopReason> {
    let mut facts = Facts::new();
    let mut agent = Agent::Unknown;
    // The pane may be gone with the session: the event is enough then.
    if let Ok(seen) = run.observe() {
        facts = read(run, &seen, seen.state.agent.map(|seen| seen.agent))?;
        agent = seen.state.agent.map_or(agent, |seen| seen.agent);
    }
    if let Some(event) = &run.trigger {
        agent = event.agent;
        facts.extend(event.extracted.clone());
    }
    let found = !facts.is_empty();
    run.context.insert("agent".to_owned(), json!(agent.as_str()));
    run.context.insert("facts".to_owned(), json!(facts));
    Ok(Outcome::next(json!({"found": found, "facts": facts})))
}

/// `persist_record`
pub(super) fn persist(run: &mut Run) -> std::result::Result<Outcome, StopReason> {
    let facts: Facts = run
        .context
        .get("facts")
        .and_then(|facts| serde_json::from_value(facts.clone()).ok())
        .unwrap_or_default();
    let agent = run.context.get("agent").and_then(Value::as_str).unwrap_or("unknown").to_owned();
    store(run, &agent, "session_end", &facts)?;
    Ok(Outcome::done(json!({"status": "recorded", "agent": agent, "facts": facts})))
}

/// The last summary and the last way to go on that the pane shows.
pub(super) fn read(run: &Run, seen: &PaneSnapshot, agent: Option<Agent>) -> Result<Facts> {
    let text = seen.mux.text(seen.row.native_id, Lines::Tail(TAIL), false)?.text;
    let found = run.inner.context.patterns.scan(&text, agent, Scope::Log);
    let mut facts = Facts::new();
    for event_type in ["session.summary", "session.resume_hint"] {
        let last = found.iter().rfind(|detection| detection.event_type == event_type);
        facts.extend(last.into_iter().flat_map(|detection| detection.clone().redacted().extracted));
    }
    Ok(facts)
}

/// Keeps a record; one per execution, however often it is written.
pub(super) fn store(run: &Run, agent: &str, reason: &str, facts: &Facts) -> Result<()> {
    let now = run.now();
    run.inner.context.store.write(|transaction| {
        transaction.execute(
            "INSERT OR REPLACE INTO agent_sessions
                 (execution, pane_id, pane_identity, agent, session_id, reason, facts, recorded_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                run.id,
                sql_id(run.pane_id),
                run.identity,
                agent,
                facts.get("session_id"),
                reason,
                json!(facts).to_string(),
                now
            ],
        )?;
        Ok(())
    })
}
