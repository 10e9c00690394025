//! Events: what rules detected in panes, each stored once.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};
use toolwright_runtime::digest::sha256_hex;

use super::panes::{PaneKey, id_of, latest};
use super::{History, number};
use crate::error::Result;
use crate::model::{Agent, Millis, Severity};

/// Columns that [`event_row`] reads.
const COLUMNS: &str = "e.id, e.pane, p.pane_id, e.rule_id, e.pack_id, e.agent, e.event_type,
    e.severity, e.confidence, e.extracted, e.matched_text, e.first_segment, e.detected_at,
    e.last_seen, e.sightings, e.handled_at, e.workflow_id, e.handled_status";

/// The same finding within this time of its last sighting is the same event.
pub const SAME_EVENT_MS: Millis = 5 * 60 * 1000;

/// A finding to record.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// The pane.
    pub pane: PaneKey,
    /// Rule, by its canonical id.
    pub rule_id: String,
    /// The rule's pack.
    pub pack_id: String,
    /// Whose output it is about.
    pub agent: Agent,
    /// What kind of event.
    pub event_type: String,
    /// How much it matters.
    pub severity: Severity,
    /// 0 to 1.
    pub confidence: f64,
    /// Named parts of the match.
    pub extracted: BTreeMap<String, String>,
    /// The text that matched, secrets removed.
    pub matched_text: Option<String>,
    /// Segment that holds it.
    pub segment: Option<i64>,
    /// Two findings in a pane with the same text here are the same thing.
    pub dedupe: String,
    /// When it was found.
    pub detected_at: Millis,
}

/// The result of recording a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// A new event.
    New(i64),
    /// One more sighting of this event.
    Duplicate(i64),
}

/// How an event was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandledStatus {
    /// Its workflow reached the end.
    Completed,
    /// Its workflow was ended.
    Aborted,
    /// Its workflow failed.
    Failed,
    /// Its workflow waits for the user.
    Paused,
    /// The user muted it.
    Muted,
}

/// A recorded event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Its row.
    pub id: i64,
    /// The pane.
    pub pane: PaneKey,
    /// Pane id that clients use.
    pub pane_id: u64,
    /// Rule.
    pub rule_id: String,
    /// The rule's pack.
    pub pack_id: String,
    /// Whose output it is about.
    pub agent: Agent,
    /// What kind of event.
    pub event_type: String,
    /// How much it matters.
    pub severity: Severity,
    /// 0 to 1.
    pub confidence: f64,
    /// Named parts of the match.
    pub extracted: BTreeMap<String, String>,
    /// The text that matched.
    pub matched_text: Option<String>,
    /// Segment of the first sighting.
    pub segment: Option<i64>,
    /// When it was first found.
    pub detected_at: Millis,
    /// When it was last found.
    pub last_seen: Millis,
    /// How often it was found.
    pub sightings: u64,
    /// When it was handled.
    pub handled_at: Option<Millis>,
    /// The workflow that did.
    pub workflow_id: Option<String>,
    /// How that ended.
    pub handled_status: Option<HandledStatus>,
}

/// Which events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only the latest life of this pane id.
    pub pane_id: Option<u64>,
    /// Only of these rules; empty is any.
    pub rule_ids: Vec<String>,
    /// Only of this type.
    pub event_type: Option<String>,
    /// Only those that nobody handled.
    pub unhandled_only: bool,
    /// Only those found at or after this time.
    pub since: Option<Millis>,
    /// Maximum number of results.
    pub limit: usize,
}

/// Some events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventPage {
    /// Newest first.
    pub events: Vec<EventRow>,
    /// How many there are, limit or not.
    pub total: u64,
}

impl HandledStatus {
    /// Every status there is.
    pub const ALL: [Self; 5] =
        [Self::Completed, Self::Aborted, Self::Failed, Self::Paused, Self::Muted];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Aborted => "aborted",
            Self::Failed => "failed",
            Self::Paused => "paused",
            Self::Muted => "muted",
        }
    }

    /// Parses its name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

impl History {
    /// Records a finding, unless it is one more sighting of an event: the same `dedupe` in the same
    /// pane within [`SAME_EVENT_MS`] of its last sighting, or read again from segments that it was
    /// already seen in. A sighting prolongs that time; reading again does not.
    pub fn record(&self, event: &NewEvent, now: Millis) -> Result<Recorded> {
        // Only digests: what was extracted may hold a secret.
        let dedupe = sha256_hex(event.dedupe.as_bytes());
        let place = match event.segment {
            Some(segment) => format!("segment {segment}"),
            None => format!("time {now}"),
        };
        let dedupe_key = sha256_hex(format!("{} {dedupe} {place}", event.pane.0).as_bytes());
        self.store.write(|writer| {
            id_of(writer, event.pane)?;
            if let Some(id) = seen_there(writer, event, &dedupe, &dedupe_key)? {
                return Ok(Recorded::Duplicate(id));
            }
            if let Some(id) = seen_lately(writer, event.pane, &dedupe, now)? {
                let sql = "UPDATE events SET last_seen = max(last_seen, ?2),
                    sightings = sightings + 1,
                    first_segment = coalesce(first_segment, ?3),
                    last_segment = max(coalesce(last_segment, ?3), coalesce(?3, last_segment))
                    WHERE id = ?1";
                writer.prepare_cached(sql)?.execute(params![id, now, event.segment])?;
                return Ok(Recorded::Duplicate(id));
            }
            insert(writer, event, &dedupe, &dedupe_key, now).map(Recorded::New)
        })
    }

    /// Events, newest first.
    pub fn events(&self, filter: &EventFilter) -> Result<EventPage> {
        // The count and the page are of one state.
        self.read_at_once(|reader| {
            let mut conditions = vec!["1"];
            let mut values = Vec::new();
            if let Some(pane_id) = filter.pane_id {
                let Some(key) = latest(reader, pane_id)? else {
                    return Ok(EventPage::default());
                };
                conditions.push("e.pane = ?");
                values.push(Value::from(key.0));
            }
            if !filter.rule_ids.is_empty() {
                conditions.push("e.rule_id IN (SELECT value FROM json_each(?))");
                values.push(Value::from(json(&filter.rule_ids)));
            }
            if let Some(event_type) = &filter.event_type {
                conditions.push("e.event_type = ?");
                values.push(Value::from(event_type.clone()));
            }
            if filter.unhandled_only {
                conditions.push("e.handled_at IS NULL");
            }
            if let Some(since) = filter.since {
                conditions.push("e.detected_at >= ?");
                values.push(Value::from(since));
            }
            let conditions = conditions.join(" AND ");
            let sql = format!("SELECT count(*) FROM events e WHERE {conditions}");
            let total: i64 = reader
                .prepare_cached(&sql)?
                .query_row(params_from_iter(&values), |row| row.get(0))?;
            let sql = format!(
                "SELECT {COLUMNS} FROM events e JOIN panes p ON p.key = e.pane
                 WHERE {conditions} ORDER BY e.detected_at DESC, e.id DESC LIMIT ?"
            );
            values.push(Value::from(number(filter.limit)));
            let mut statement = reader.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(&values), event_row)?;
            let events = rows.collect::<rusqlite::Result<_>>()?;
            Ok(EventPage { events, total: total.cast_unsigned() })
        })
    }

    /// One event.
    pub fn event(&self, id: i64) -> Result<Option<EventRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM events e JOIN panes p ON p.key = e.pane WHERE e.id = ?1"
        );
        self.store.read(|reader| {
            Ok(reader.prepare_cached(&sql)?.query_row([id], event_row).optional()?)
        })
    }

    /// Marks an event as dealt with. False when there is no such event or it already was.
    pub fn handle(
        &self,
        id: i64,
        workflow_id: &str,
        status: HandledStatus,
        now: Millis,
    ) -> Result<bool> {
        let sql = "UPDATE events SET handled_at = ?2, workflow_id = ?3, handled_status = ?4
            WHERE id = ?1 AND handled_at IS NULL";
        self.store.write(|writer| {
            let values = params![id, now, workflow_id, status.as_str()];
            Ok(writer.prepare_cached(sql)?.execute(values)? > 0)
        })
    }
}

/// The event that was already seen in this very place.
fn seen_there(
    writer: &Connection,
    event: &NewEvent,
    dedupe: &str,
    dedupe_key: &str,
) -> Result<Option<i64>> {
    // Segments between an event's first and last sighting were read while it was going on.
    let sql = "SELECT id FROM events WHERE pane = ?1 AND dedupe = ?2
        AND (dedupe_key = ?3 OR (first_segment <= ?4 AND last_segment >= ?4))
        ORDER BY id DESC LIMIT 1";
    let values = params![event.pane.0, dedupe, dedupe_key, event.segment];
    Ok(writer.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?)
}

/// The event that was last seen a short while ago, whichever way the clock was set since.
fn seen_lately(
    writer: &Connection,
    pane: PaneKey,
    dedupe: &str,
    now: Millis,
) -> Result<Option<i64>> {
    let sql = "SELECT id FROM events WHERE pane = ?1 AND dedupe = ?2
        AND last_seen BETWEEN ?3 - ?4 AND ?3 + ?4 ORDER BY id DESC LIMIT 1";
    let values = params![pane.0, dedupe, now, SAME_EVENT_MS];
    Ok(writer.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?)
}

fn insert(
    writer: &Connection,
    event: &NewEvent,
    dedupe: &str,
    dedupe_key: &str,
    now: Millis,
) -> Result<i64> {
    let sql = "INSERT INTO events (pane, rule_id, pack_id, agent, event_type, severity, confidence,
        extracted, matched_text, first_segment, last_segment, detected_at, last_seen, dedupe,
        dedupe_key)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12, ?13, ?14)";
    writer.prepare_cached(sql)?.execute(params![
        event.pane.0,
        event.rule_id,
        event.pack_id,
        event.agent.as_str(),
        event.event_type,
        event.severity.as_str(),
        event.confidence,
        json(&event.extracted),
        event.matched_text,
        event.segment,
        event.detected_at,
        now,
        dedupe,
        dedupe_key,
    ])?;
    Ok(writer.last_insert_rowid())
}

fn event_row(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    let agent: String = row.get(5)?;
    let severity: String = row.get(7)?;
    let extracted: String = row.get(9)?;
    let status: Option<String> = row.get(17)?;
    Ok(EventRow {
        id: row.get(0)?,
        pane: PaneKey(row.get(1)?),
        pane_id: row.get::<_, i64>(2)?.cast_unsigned(),
        rule_id: row.get(3)?,
        pack_id: row.get(4)?,
        agent: Agent::parse(&agent).unwrap_or(Agent::Unknown),
        event_type: row.get(6)?,
        severity: Severity::parse(&severity).unwrap_or(Severity::Info),
        confidence: row.get(8)?,
        extracted: serde_json::from_str(&extracted).unwrap_or_default(),
        matched_text: row.get(10)?,
        segment: row.get(11)?,
        detected_at: row.get(12)?,
        last_seen: row.get(13)?,
        sightings: row.get::<_, i64>(14)?.cast_unsigned(),
        handled_at: row.get(15)?,
        workflow_id: row.get(16)?,
        handled_status: status.as_deref().and_then(HandledStatus::parse),
    })
}

/// Strings as JSON; they always can be.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
