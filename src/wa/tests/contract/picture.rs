//! The part of a workspace that must not change unless the contract says so.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::terminal::Terminal;
use toolwright_testing::contract::Picture;

/// What a user would call the state: what panes show, who holds them, what was recorded, what runs,
/// what was approved. Decisions about calls are stored by design, refused or not, so the
/// audit, the counters of rate limits and attempts, and codes that nobody has used are no part.
const STATE: &[(&str, &str)] = &[
    ("panes", "SELECT * FROM panes"),
    ("segments", "SELECT * FROM segments"),
    ("gaps", "SELECT * FROM gaps"),
    ("events", "SELECT * FROM events"),
    ("meta", "SELECT * FROM meta"),
    ("reservations", "SELECT * FROM reservations"),
    ("approvals", "SELECT * FROM approvals WHERE granted_at IS NOT NULL"),
    ("executions", "SELECT * FROM workflow_executions"),
    ("steps", "SELECT * FROM workflow_step_logs"),
    ("sessions", "SELECT * FROM agent_sessions"),
    ("accounts", "SELECT * FROM accounts"),
    ("refreshes", "SELECT service, finished_at FROM account_refreshes WHERE finished_at NOT NULL"),
];

/// What panes show and the tables hold.
pub(super) fn picture(database: &Path, terminal: Option<&Terminal>) -> Picture {
    let mut picture = Picture::new();
    if let Some(terminal) = terminal {
        for pane in terminal.panes() {
            picture.insert(format!("pane {pane}").into(), terminal.text(pane));
        }
    }
    // No database, or an empty one, is a state in which nothing was done yet.
    let rows = match read(database) {
        Ok(rows) => rows,
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            let bytes = std::fs::read(database).expect("it is there");
            vec![("file".to_owned(), String::from_utf8_lossy(&bytes).into_owned())]
        }
        Err(error) => panic!("the database cannot be read: {error}"),
    };
    picture.extend(rows.into_iter().map(|(name, rows)| (name.into(), rows)));
    picture
}

fn read(database: &Path) -> rusqlite::Result<Vec<(String, String)>> {
    if !database.exists() {
        return Ok(Vec::new());
    }
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut tables = Vec::new();
    for (name, query) in STATE {
        let mut statement = connection.prepare(query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        let mut text = String::new();
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                text += &shown(row.get_ref(column)?);
                text.push(if column + 1 == columns { '\n' } else { '|' });
            }
        }
        // A table without rows and no table are the same to the user.
        if !text.is_empty() {
            tables.push(((*name).to_owned(), text));
        }
    }
    Ok(tables)
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}
