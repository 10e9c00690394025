//! The journal of a step: its completed operations, so that none is done twice.
//!
//! After a crash a step runs again from its beginning; operations recorded as done are not repeated but
//! answered from here. Runs nothing.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::table::sql_id;
use crate::error::Result;
use crate::model::Millis;
use crate::store::Store;

/// What an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Types something: never repeated.
    Send,
    /// Waits: continues with the remaining time.
    Wait,
}

/// Where an operation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// Not begun.
    New,
    /// Begun, with its deadline.
    Begun(Option<Millis>),
    /// Done, with what came out.
    Done(String),
}

/// Which operation of which step.
#[derive(Debug, Clone, Copy)]
pub(super) struct OperationId<'a> {
    pub(super) execution: &'a str,
    pub(super) step: u64,
    pub(super) number: u64,
}

/// Reads an operation.
pub(super) fn look_up(store: &Store, operation: OperationId<'_>) -> Result<Entry> {
    store.read(|reader| {
        let found: Option<(String, Option<Millis>, Option<String>)> = reader
            .prepare_cached(
                "SELECT state, deadline, result FROM workflow_operations
                 WHERE execution = ?1 AND step_index = ?2 AND number = ?3",
            )?
            .query_row(
                params![operation.execution, sql_id(operation.step), sql_id(operation.number)],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()?;
        Ok(match found {
            None => Entry::New,
            Some((state, _, result)) if state == "done" => {
                Entry::Done(result.unwrap_or_else(|| "null".to_owned()))
            }
            Some((_, deadline, _)) => Entry::Begun(deadline),
        })
    })
}

/// Notes that an operation begins.
pub(super) fn begin(
    store: &Store,
    operation: OperationId<'_>,
    kind: Kind,
    deadline: Option<Millis>,
) -> Result<()> {
    let kind = match kind {
        Kind::Send => "send",
        Kind::Wait => "wait",
    };
    store.write(|transaction| {
        transaction.execute(
            "INSERT INTO workflow_operations (execution, step_index, number, kind, state, deadline)
             VALUES (?1, ?2, ?3, ?4, 'begun', ?5) ON CONFLICT DO NOTHING",
            params![
                operation.execution,
                sql_id(operation.step),
                sql_id(operation.number),
                kind,
                deadline
            ],
        )?;
        Ok(())
    })
}

/// Notes that an operation is done.
pub(super) fn done(store: &Store, operation: OperationId<'_>, result: &str) -> Result<()> {
    store.write(|transaction| {
        transaction.execute(
            "UPDATE workflow_operations SET state = 'done', result = ?4
             WHERE execution = ?1 AND step_index = ?2 AND number = ?3",
            params![operation.execution, sql_id(operation.step), sql_id(operation.number), result],
        )?;
        Ok(())
    })
}

/// Something was being typed: nobody knows whether it was.
pub(super) fn was_sending(connection: &Connection, execution: &str) -> Result<bool> {
    let count: i64 = connection.query_row(
        "SELECT count(*) FROM workflow_operations
         WHERE execution = ?1 AND kind = 'send' AND state = 'begun'",
        [execution],
        |row| row.get(0),
    )?;
    Ok(count > 0)
}

/// What the last text or key left behind, for waiting on the answer to it.
pub(super) fn last_sent(store: &Store, execution: &str) -> Result<Option<String>> {
    store.read(|reader| {
        let found = reader
            .query_row(
                "SELECT result FROM workflow_operations
                 WHERE execution = ?1 AND kind = 'send' AND state = 'done'
                 ORDER BY step_index DESC, number DESC LIMIT 1",
                [execution],
                |row| row.get(0),
            )
            .optional()?;
        Ok(found.flatten())
    })
}
