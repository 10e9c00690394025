//! Conversions between rows and the model.

use rusqlite::types::Type;
use rusqlite::{Error, Row};

use crate::model::{Action, ActorKind, Decision, Millis};

/// Pane ids are far below this limit; one that is not names no pane.
pub(super) fn id(pane_id: u64) -> i64 {
    i64::try_from(pane_id).unwrap_or(i64::MAX)
}

/// A stored pane id.
pub(super) fn pane_id(row: &Row<'_>) -> Result<Option<u64>, Error> {
    let stored: Option<i64> = row.get("pane_id")?;
    Ok(stored.and_then(|id| u64::try_from(id).ok()))
}

/// A stored word of the contract.
pub(super) fn word<T>(
    row: &Row<'_>,
    column: &str,
    parse: fn(&str) -> Option<T>,
) -> Result<T, Error> {
    let stored: String = row.get(column)?;
    parse(&stored).ok_or_else(|| {
        let unknown = format!("unknown {column} `{stored}`");
        Error::FromSqlConversionFailure(0, Type::Text, unknown.into())
    })
}

pub(super) fn action(row: &Row<'_>) -> Result<Action, Error> {
    word(row, "action", Action::parse)
}

pub(super) fn decision(row: &Row<'_>) -> Result<Decision, Error> {
    word(row, "decision", Decision::parse)
}

pub(super) fn actor_kind(row: &Row<'_>) -> Result<ActorKind, Error> {
    word(row, "actor_kind", ActorKind::parse)
}

/// A point in time, for display.
pub(super) fn when(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(|_| at.to_string(), |time| time.to_string())
}
