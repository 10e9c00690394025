//! Rate limits: a sliding minute, counted in the database and so shared by all processes of the
//! workspace.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::sql;
use super::types::Options;
use crate::error::Result;
use crate::model::{Action, Millis};

const WINDOW: Millis = 60_000;

/// Whether an action counts. Stopping, giving back and approving never do.
pub(super) fn counts(action: Action) -> bool {
    action.is_input()
        || matches!(
            action,
            Action::Spawn
                | Action::Close
                | Action::WorkflowRun
                | Action::ReservePane
                | Action::ExecCommand
        )
}

/// The limit that is reached, for display; none when there is room.
pub(super) fn reached(
    connection: &Connection,
    options: &Options,
    pane_id: Option<u64>,
    action: Action,
    now: Millis,
) -> Result<Option<String>> {
    let pane = pane_id.map(sql::id);
    if options.per_pane_per_minute > 0 {
        let oldest = nth_last(
            connection,
            "AND pane_id IS ?3 AND action = ?4",
            params![now - WINDOW, now + WINDOW, pane, action.as_str()],
            options.per_pane_per_minute,
        )?;
        if let Some(oldest) = oldest {
            let on =
                pane_id.map_or_else(|| "without a pane".to_owned(), |id| format!("on pane {id}"));
            return Ok(Some(limit_message(
                options.per_pane_per_minute,
                &format!("{action} {on}"),
                oldest,
                now,
            )));
        }
    }
    if options.global_per_minute > 0 {
        let bounds = params![now - WINDOW, now + WINDOW];
        if let Some(oldest) = nth_last(connection, "", bounds, options.global_per_minute)? {
            return Ok(Some(limit_message(
                options.global_per_minute,
                "actions in all",
                oldest,
                now,
            )));
        }
    }
    Ok(None)
}

fn limit_message(limit: u32, what: &str, oldest: Millis, now: Millis) -> String {
    let wait = (oldest + WINDOW - now).clamp(1, WINDOW);
    let seconds = (wait + 999) / 1000;
    format!("The limit of {limit} per minute is reached ({what}); try again in {seconds} s.")
}

/// When the tick was that has to leave the window before there is room.
fn nth_last(
    connection: &Connection,
    condition: &str,
    bounds: &[&dyn rusqlite::ToSql],
    limit: u32,
) -> Result<Option<Millis>> {
    // Ticks far in the future are those of a clock that was put back.
    let query = format!(
        "SELECT at FROM policy_ticks WHERE at > ?1 AND at <= ?2 {condition}
         ORDER BY at DESC LIMIT 1 OFFSET {}",
        limit - 1
    );
    Ok(connection.prepare_cached(&query)?.query_row(bounds, |row| row.get(0)).optional()?)
}

/// Counts one, and forgets those that no longer matter.
pub(super) fn tick(
    connection: &Connection,
    pane_id: Option<u64>,
    action: Action,
    now: Millis,
) -> Result<()> {
    connection.execute(
        "DELETE FROM policy_ticks WHERE at <= ?1 OR at > ?2",
        params![now - WINDOW, now + WINDOW],
    )?;
    connection.execute(
        "INSERT INTO policy_ticks (at, pane_id, action) VALUES (?1, ?2, ?3)",
        params![now, pane_id.map(sql::id), action.as_str()],
    )?;
    Ok(())
}
