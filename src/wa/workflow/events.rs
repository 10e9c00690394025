//! Finds the workflow for an event, and starts it automatically where allowed.

use std::sync::Arc;

use super::catalogue::Entry;
use super::model::{ExecutionId, WorkflowInfo, WouldHandle};
use super::{Inner, now_of};
use crate::error::{Kind, Result};
use crate::history::{EventFilter, EventRow};
use crate::model::{Action, Actor, ActorKind};
use crate::patterns::Patterns;
use crate::policy::Request;

/// Events of a pane among which a trigger is looked for.
const LOOKED_AT: usize = 200;

impl Inner {
    /// The workflow for an event: the one that its rule names, else the first one whose triggers fit.
    fn entry_for(&self, event: &EventRow) -> Option<Entry> {
        let entries = self.entries();
        let rule = self.context.patterns.rule(&event.rule_id);
        let named = rule.and_then(|rule| rule.workflow.as_deref());
        let by_name = entries.iter().find(|entry| Some(entry.info.name.as_str()) == named);
        let by_trigger = || {
            let fits = |entry: &&Entry| fits(&entry.info, event, &self.context.patterns);
            // One that is enabled before one that is not.
            let mut all: Vec<&Entry> = entries.iter().filter(fits).collect();
            all.sort_by_key(|entry| !entry.info.enabled);
            all.into_iter().next()
        };
        by_name.or_else(by_trigger).cloned()
    }

    pub(super) fn would_handle(&self, event: &EventRow) -> Option<WouldHandle> {
        let entry = self.entry_for(event)?;
        let name = &entry.info.name;
        let against = if event.handled_at.is_some() {
            Some("the event is already handled".to_owned())
        } else if !entry.info.enabled {
            Some(format!("`{name}` is disabled"))
        } else if !entry.info.auto_run {
            Some(format!("`{name}` is not in the auto-run list"))
        } else {
            None
        };
        let rule = self.context.patterns.rule(&event.rule_id);
        let preview = rule.and_then(|rule| rule.preview_command.as_deref()).map(|command| {
            command
                .replace("{pane}", &event.pane_id.to_string())
                .replace("{event_id}", &event.id.to_string())
                .replace("{agent}", event.agent.as_str())
                .replace("{rule_id}", &event.rule_id)
        });
        Some(WouldHandle {
            workflow: name.clone(),
            preview_command: preview,
            first_step: entry.info.steps.first().map(|step| step.name.clone()),
            estimated_duration_ms: Some(entry.definition.estimate_ms()),
            would_run: against.is_none(),
            reason: against,
        })
    }

    /// Starts the workflow for an event, where settings and policy allow that.
    pub(super) fn on_event(self: &Arc<Self>, event: &EventRow) -> Result<Option<ExecutionId>> {
        if !self.context.options.auto_handle {
            return Ok(None);
        }
        let Some(would) = self.would_handle(event).filter(|would| would.would_run) else {
            return Ok(None);
        };
        let actor = Actor {
            kind: ActorKind::Workflow,
            id: would.workflow.clone(),
            session: "auto-run".to_owned(),
        };
        let found = self.context.set.find(event.pane_id)?.live()?;
        let request = Request {
            actor: &actor,
            action: Action::WorkflowRun,
            pane: Some(&found.row),
            state: None,
            text: None,
            workflow: Some(&would.workflow),
        };
        let now = now_of(&self.context);
        let cleared = self.context.policy.pass(&request, &*self.context.ids, now)?;
        let started = self.run(&would.workflow, event.pane_id, false, &actor, Some(event.id));
        let told = started.as_ref().err().map(ToString::to_string);
        let outcome =
            told.as_deref().map_or(crate::policy::Outcome::Done, crate::policy::Outcome::Failed);
        self.context.policy.settle(&cleared, outcome, now_of(&self.context))?;
        started.map(Some)
    }

    /// The event that a run handles: the one that is named, else the newest that fits and nobody
    /// has handled. One that was handled is refused, unless forced.
    pub(super) fn trigger(
        &self,
        info: &WorkflowInfo,
        pane_id: u64,
        force: bool,
        named: Option<i64>,
    ) -> Result<Option<EventRow>> {
        let history = &self.context.history;
        let event = match named {
            Some(id) => {
                let event = history.event(id)?.ok_or_else(|| {
                    Kind::InvalidArguments.because(format!("There is no event {id}."))
                })?;
                if event.pane_id != pane_id {
                    return Err(Kind::InvalidArguments.because(format!(
                        "Event {id} belongs to pane {}, not to pane {pane_id}.",
                        event.pane_id
                    )));
                }
                // The id may be another pane's by now, which has nothing to do with the event.
                let known = history.known(pane_id)?;
                if known.is_some_and(|known| known.key != event.pane) {
                    return Err(Kind::PaneNotFound.because(format!(
                        "The pane of event {id} is gone; {pane_id} is another pane."
                    )));
                }
                Some(event)
            }
            None if info.trigger_event_types.is_empty() && info.trigger_rule_ids.is_empty() => None,
            None => {
                let filter = EventFilter {
                    pane_id: Some(pane_id),
                    limit: LOOKED_AT,
                    ..EventFilter::default()
                };
                let page = history.events(&filter)?.events;
                let fitting: Vec<EventRow> = page
                    .into_iter()
                    .filter(|event| fits(info, event, &self.context.patterns))
                    .collect();
                let fresh = fitting.iter().find(|event| event.handled_at.is_none()).cloned();
                fresh.or_else(|| fitting.into_iter().next())
            }
        };
        match &event {
            Some(handled) if handled.handled_at.is_some() && !force => {
                let by = handled.workflow_id.as_deref().unwrap_or("the user");
                Err(Kind::Workflow
                    .because(format!(
                        "Event {} (`{}` in pane {pane_id}) is already handled, by {by}.",
                        handled.id, handled.rule_id
                    ))
                    .reason("workflow.already_handled")
                    .hint("Run it with force to handle it again."))
            }
            _ => Ok(event),
        }
    }
}

/// The workflow is for such events.
fn fits(info: &WorkflowInfo, event: &EventRow, patterns: &Patterns) -> bool {
    let by_type = info.trigger_event_types.contains(&event.event_type);
    let by_rule = info
        .trigger_rule_ids
        .iter()
        .any(|id| patterns.rule(id).map_or(id, |rule| &rule.id) == &event.rule_id);
    let trigger = if info.trigger_rule_ids.is_empty() { by_type } else { by_rule };
    let agent = event.agent.as_str();
    let by_agent = info.agent_types.is_empty() || info.agent_types.iter().any(|one| one == agent);
    trigger && by_agent
}
