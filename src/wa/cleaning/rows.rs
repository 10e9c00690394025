//! Cleans all text of the database except captured output.

use rusqlite::Transaction;
use rusqlite::functions::FunctionFlags;

use crate::error::Result;
use crate::redact::{self, Cut, redact_json};

/// Tables and columns of plain text.
const PLAIN: &[(&str, &[&str])] = &[
    ("panes", &["title", "cwd"]),
    ("gaps", &["detail"]),
    ("events", &["matched_text"]),
    ("policy_audit", &["preview", "reason", "result_text"]),
    ("approvals", &["preview", "reason"]),
    ("reservations", &["reason"]),
    ("workflow_executions", &["error", "abort_reason"]),
    ("accounts", &["label", "current_usage"]),
];

/// What ends where a capture ended, which may be within a secret.
const TAILS: &[(&str, &[&str])] = &[("capture_marks", &["snapshot_tail"])];

/// Tables and columns of JSON.
const JSON: &[(&str, &[&str])] = &[
    ("events", &["extracted"]),
    ("policy_audit", &["context"]),
    (
        "workflow_executions",
        &["definition", "last_step_result", "wait_condition", "context", "result", "policy"],
    ),
    ("workflow_step_logs", &["result_data", "policy", "verification"]),
    ("workflow_operations", &["result"]),
    ("workflow_plans", &["plan"]),
    ("agent_sessions", &["session_id", "facts"]),
];

/// Removes the secrets from all of it.
pub(super) fn clean(transaction: &Transaction<'_>) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    transaction.create_scalar_function("wa_plain", 1, flags, |call| {
        let text: String = call.get(0)?;
        Ok(redact::lines(&text, widest(&text)).text)
    })?;
    transaction.create_scalar_function("wa_tail", 1, flags, |call| {
        let text: String = call.get(0)?;
        Ok(redact::settle("", &text, widest(&text), Cut::End).text)
    })?;
    transaction.create_scalar_function("wa_json", 1, flags, |call| {
        let text: String = call.get(0)?;
        Ok(redact_json(&text).into_owned())
    })?;
    for (function, tables) in [("wa_plain", PLAIN), ("wa_tail", TAILS), ("wa_json", JSON)] {
        for (table, columns) in tables {
            let sql = "SELECT count(*) FROM sqlite_schema WHERE name = ?1";
            let there: i64 = transaction.query_row(sql, [table], |row| row.get(0))?;
            for column in columns.iter().filter(|_| there > 0) {
                let sql = format!(
                    "UPDATE {table} SET {column} = {function}({column})
                     WHERE {column} IS NOT NULL AND {column} <> {function}({column})"
                );
                transaction.execute(&sql, [])?;
            }
        }
    }
    Ok(())
}

/// The width of the screen that a text was read from, as far as known: no line is longer.
pub(super) fn widest(text: &str) -> Option<usize> {
    const NARROW: usize = 20;
    text.lines().map(|line| line.chars().count()).max().filter(|width| *width >= NARROW)
}
