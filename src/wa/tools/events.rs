//! `wa.events`

use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::engine::Engine;
use crate::error;
use crate::generated::{
    Event, EventPage, Events, EventsRequest, EventsResponse, Result, WouldHandle,
};
use crate::history::{EventFilter, EventRow};
use crate::workflow::Workflows;
use crate::{Wa, unsigned};

impl Handle<Events> for Wa {
    async fn handle(&self, _: &Call, request: EventsRequest) -> Result<EventsResponse> {
        self.run(move |engine| list(engine, request)).await
    }
}

fn list(engine: &Engine, request: EventsRequest) -> error::Result<EventPage> {
    let rule_ids = match &request.rule_id {
        Some(id) => vec![rule(engine, id)?],
        None => Vec::new(),
    };
    let page = engine.records()?.history.events(&EventFilter {
        pane_id: request.pane,
        rule_ids,
        event_type: request.event_type.clone(),
        unhandled_only: request.unhandled,
        since: request.since,
        limit: usize::try_from(request.limit).unwrap_or(usize::MAX),
    })?;
    let preview = request.would_handle || request.dry_run;
    let workflows = preview.then(|| engine.workflows()).transpose()?;
    let events: Vec<Event> =
        page.events.into_iter().map(|row| event(row, workflows.as_deref())).collect();
    Ok(EventPage {
        total_count: Some(events.len() as u64),
        events,
        limit: Some(request.limit),
        pane_filter: request.pane,
        rule_id_filter: request.rule_id,
        event_type_filter: request.event_type,
        unhandled_only: request.unhandled.then_some(true),
        since_filter: request.since,
        would_handle: preview.then_some(true),
        dry_run: request.dry_run.then_some(true),
    })
}

/// The canonical id of a rule. Events of rules that are gone can still be asked for.
fn rule(engine: &Engine, id: &str) -> error::Result<String> {
    if let Some(rule) = engine.patterns().rule(id) {
        return Ok(rule.id.clone());
    }
    let recorded = engine.records()?.history.events(&EventFilter {
        rule_ids: vec![id.to_owned()],
        limit: 1,
        ..EventFilter::default()
    })?;
    match recorded.total {
        0 => Err(super::rules_show::unknown_rule(engine.patterns(), id)),
        _ => Ok(id.to_owned()),
    }
}

fn event(row: EventRow, workflows: Option<&Workflows>) -> Event {
    let would = workflows.and_then(|engine| engine.would_handle(&row));
    Event {
        id: unsigned(row.id),
        pane_id: row.pane_id,
        rule_id: row.rule_id,
        pack_id: row.pack_id,
        agent_type: Some(convert::agent(row.agent)),
        event_type: row.event_type,
        severity: convert::severity(row.severity),
        confidence: row.confidence,
        extracted: row.extracted,
        matched_text: row.matched_text,
        captured_at: unsigned(row.detected_at),
        handled_at: row.handled_at.map(unsigned),
        workflow_id: row.workflow_id,
        would_handle_with: would.map(|would| WouldHandle {
            workflow: would.workflow,
            preview_command: would.preview_command,
            first_step: would.first_step,
            estimated_duration_ms: would.estimated_duration_ms,
            would_run: Some(would.would_run),
            reason: would.reason,
        }),
    }
}
