//! Records events: detections, gaps, the end of panes.

use std::collections::BTreeMap;

use super::Context;
use crate::error::Result;
use crate::history::{EventFilter, GapReason, NewEvent, PaneKey, Recorded};
use crate::model::{Agent, Millis, Severity};
use crate::patterns::Detection;

/// The rule that the end of a pane is recorded under.
pub const PANE_EXITED_RULE: &str = "core.wezterm:pane_exited";
/// The rule that lost output is recorded under.
pub const GAP_RULE: &str = "core.wezterm:gap";
/// Their pack.
const PACK: &str = "core.wezterm";

/// Records what a rule found. Secrets are removed first.
pub(super) fn detection(
    context: &Context,
    pane: PaneKey,
    found: Detection,
    segment: Option<i64>,
    now: Millis,
) -> Result<()> {
    let found = found.redacted();
    let event = NewEvent {
        pane,
        rule_id: found.rule_id,
        pack_id: found.pack_id,
        agent: found.agent,
        event_type: found.event_type,
        severity: found.severity,
        confidence: found.confidence,
        extracted: found.extracted,
        matched_text: Some(found.matched),
        segment,
        dedupe: found.dedupe,
        detected_at: now,
    };
    record(context, &event, now)
}

/// Records a gap where output may have been lost. Programs that go to the alternate screen and
/// back lose nothing that anybody printed.
pub(super) fn gap(
    context: &Context,
    pane: PaneKey,
    reason: GapReason,
    detail: Option<&str>,
    segment: Option<i64>,
    now: Millis,
) -> Result<()> {
    if matches!(
        reason,
        GapReason::AltScreenEntered | GapReason::AltScreenExited | GapReason::ContentChanged
    ) {
        return Ok(());
    }
    let event = NewEvent {
        pane,
        rule_id: GAP_RULE.to_owned(),
        pack_id: PACK.to_owned(),
        agent: Agent::Wezterm,
        event_type: "gap".to_owned(),
        severity: Severity::Info,
        confidence: 1.0,
        extracted: BTreeMap::from([("reason".to_owned(), reason.as_str().to_owned())]),
        matched_text: detail.map(str::to_owned),
        segment,
        dedupe: format!("{GAP_RULE}|{}", reason.as_str()),
        detected_at: now,
    };
    record(context, &event, now)
}

/// Records the end of a pane, once in its life. `status` is its exit status where known.
pub(super) fn exited(
    context: &Context,
    pane: PaneKey,
    pane_id: u64,
    status: Option<i32>,
    now: Millis,
) -> Result<()> {
    if already_recorded(context, pane, pane_id)? {
        return Ok(());
    }
    let rule = context.patterns.rule(PANE_EXITED_RULE);
    let event_type = rule.map_or("pane.exited", |rule| rule.event_type.as_str());
    let how = match status {
        Some(status) => format!("with status {status}"),
        None => "with unknown status".to_owned(),
    };
    let mut extracted = BTreeMap::new();
    if let Some(status) = status {
        extracted.insert("exit_code".to_owned(), status.to_string());
    }
    let event = NewEvent {
        pane,
        rule_id: PANE_EXITED_RULE.to_owned(),
        pack_id: PACK.to_owned(),
        agent: Agent::Wezterm,
        event_type: event_type.to_owned(),
        severity: rule.map_or(Severity::Info, |rule| rule.severity),
        confidence: 1.0,
        extracted,
        matched_text: Some(format!("Pane {} has ended {how}.", pane_id)),
        segment: None,
        dedupe: format!("{PANE_EXITED_RULE}|lifecycle"),
        detected_at: now,
    };
    record(context, &event, now)
}

/// The very same finding was recorded for this pane before, at any time. What a watcher finds in a
/// text that it did not see being printed may have been found by the one before it.
pub(super) fn is_known(
    context: &Context,
    pane: PaneKey,
    pane_id: u64,
    found: &Detection,
) -> Result<bool> {
    let filter = EventFilter {
        pane_id: Some(pane_id),
        rule_ids: vec![found.rule_id.clone()],
        limit: 100,
        ..EventFilter::default()
    };
    let found = found.clone().redacted();
    let events = context.history.events(&filter)?.events;
    Ok(events.iter().any(|event| event.pane == pane && event.extracted == found.extracted))
}

/// Events of the same rule that a text gave have a segment; the one about the pane itself has none.
fn already_recorded(context: &Context, pane: PaneKey, pane_id: u64) -> Result<bool> {
    let filter = EventFilter {
        pane_id: Some(pane_id),
        rule_ids: vec![PANE_EXITED_RULE.to_owned()],
        limit: 100,
        ..EventFilter::default()
    };
    let events = context.history.events(&filter)?.events;
    Ok(events.iter().any(|event| event.pane == pane && event.segment.is_none()))
}

fn record(context: &Context, event: &NewEvent, now: Millis) -> Result<()> {
    if let Recorded::New(id) = context.history.record(event, now)?
        && let Some(row) = context.history.event(id)?
    {
        (context.on_event)(&row);
    }
    Ok(())
}
