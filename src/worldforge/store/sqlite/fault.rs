//! SQLite's errors in our words.

use rusqlite::{ErrorCode as Code, ffi};

use crate::worldforge::store::fault::{Fault, Kind};

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let fault = match error.sqlite_error_code() {
            Some(Code::ConstraintViolation) => taken(&error),
            Some(Code::DiskFull) => Kind::Full
                .because("The disk is full; nothing was written. Make room and try again."),
            Some(
                Code::ReadOnly | Code::PermissionDenied | Code::AuthorizationForStatementDenied,
            ) => Kind::Denied.because("The database cannot be written here; nothing was written."),
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Kind::Unavailable.because(
                "The database is busy with another write; nothing was written. Try again later.",
            ),
            Some(
                Code::CannotOpen
                | Code::SystemIoFailure
                | Code::OutOfMemory
                | Code::FileLockingProtocolFailed,
            ) => Kind::Unavailable.because("The database does not answer. Try again later."),
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => Kind::Broken
                .because("The database file is damaged or no database. Bring back a copy of it."),
            Some(Code::TooBig) => {
                Kind::Refused.because("A value is too large for the database; nothing was written.")
            }
            _ => {
                Kind::Broken.because("The database cannot run the statement; nothing was written.")
            }
        };
        fault.internal(error)
    }
}

/// SQLite names the columns whose values are taken.
fn taken(error: &rusqlite::Error) -> Fault {
    let rusqlite::Error::SqliteFailure(code, Some(message)) = error else {
        return Kind::Broken.because("A value is not allowed; nothing was written.");
    };
    let unique = [ffi::SQLITE_CONSTRAINT_UNIQUE, ffi::SQLITE_CONSTRAINT_PRIMARYKEY];
    if !unique.contains(&code.extended_code) {
        return Kind::Broken.because("A value is not allowed; nothing was written.");
    }
    let columns = message.split_once("failed: ").map_or("", |(_, columns)| columns);
    Fault::taken(match columns.split_once('.').map_or("", |(table, _)| table) {
        "tenants" => "a tenant",
        "users" => "a user",
        "projects" => "a project",
        "entities" => "an entity",
        "nodes" => "a story node",
        "edges" => "a story edge",
        "packs" => "a prompt pack",
        "versions" => "a version",
        _ => "a document",
    })
}
