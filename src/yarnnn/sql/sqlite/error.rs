//! Maps SQLite's errors to [`Error`], and names constraints that SQLite does not name.

use rusqlite::{Connection, ffi};

use crate::sql::error::{Error, Kind, Rule};
use toolwright_platform::sqlite::{FailureKind, classify};

/// Classifies an error of a statement. Looks up the constraint in the schema.
pub(super) fn failure(connection: &Connection, error: &rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(code, Some(message)) = error else {
        return self::error(error);
    };
    let after = || message.split_once("failed: ").map_or(message.as_str(), |(_, rest)| rest);
    let conflict = match code.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE
        | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
        | ffi::SQLITE_CONSTRAINT_ROWID => {
            Error::conflict(Rule::Unique, unique(connection, after()))
        }
        ffi::SQLITE_CONSTRAINT_CHECK => Error::conflict(Rule::Check, Some(after().to_owned())),
        // `RAISE(ABORT, 'name')` in a trigger.
        ffi::SQLITE_CONSTRAINT_TRIGGER => Error::conflict(Rule::Check, Some(message.clone())),
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Error::conflict(Rule::Foreign, None),
        ffi::SQLITE_CONSTRAINT_NOTNULL => {
            let name = format!("{}_not_null", after().replacen('.', "_", 1));
            Error::conflict(Rule::NotNull, Some(name))
        }
        _ => return self::error(error),
    };
    conflict.internal(error)
}

/// Classifies an error, without querying the database.
pub(super) fn error(error: &rusqlite::Error) -> Error {
    let (failure, told) = classify(error);
    let kind = match failure {
        FailureKind::Full => Kind::Full,
        FailureKind::Denied => Kind::Denied,
        FailureKind::Unavailable => Kind::Unavailable,
        FailureKind::TooLarge | FailureKind::Broken => Kind::Broken,
    };
    kind.because(told).internal(error)
}

/// Converts `table.a, table.b` or `index 'name'` to the name that PostgreSQL would use.
fn unique(connection: &Connection, columns: &str) -> Option<String> {
    if let Some(index) = columns.strip_prefix("index '") {
        return Some(index.trim_end_matches('\'').to_owned());
    }
    let table = columns.split_once('.')?.0;
    let columns: Vec<&str> = columns
        .split(", ")
        .map(|column| column.split_once('.').map_or(column, |(_, name)| name))
        .collect();
    let index = find(connection, table, &columns).ok().flatten();
    match index {
        Some((name, origin)) if origin == "c" => Some(name),
        Some((_, origin)) if origin == "u" => Some(format!("{table}_{}_key", columns.join("_"))),
        // A whole-number primary key has no index.
        _ => Some(format!("{table}_pkey")),
    }
}

fn find(
    connection: &Connection,
    table: &str,
    columns: &[&str],
) -> rusqlite::Result<Option<(String, String)>> {
    let mut list = connection.prepare_cached(
        "SELECT name, origin, (SELECT group_concat(name, ', ') FROM
             (SELECT name FROM pragma_index_info(list.name) ORDER BY seqno)) AS columns
         FROM pragma_index_list(?1) AS list WHERE \"unique\" ORDER BY name",
    )?;
    let mut rows = list.query([table])?;
    while let Some(row) = rows.next()? {
        if row.get::<_, Option<String>>("columns")? == Some(columns.join(", ")) {
            return Ok(Some((row.get("name")?, row.get("origin")?)));
        }
    }
    Ok(None)
}
