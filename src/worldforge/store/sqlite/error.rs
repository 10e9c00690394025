//! Maps SQLite errors to store errors.

use rusqlite::{ErrorCode, ffi};

use crate::store::error::{Kind, StoreError};
use toolwright_platform::sqlite::{FailureKind, classify};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let mapped = match (error.sqlite_error_code(), classify(&error)) {
            (Some(ErrorCode::ConstraintViolation), _) => taken(&error),
            (_, (error, message)) => kind(error).because(message),
        };
        mapped.internal(error)
    }
}

fn kind(error: FailureKind) -> Kind {
    match error {
        FailureKind::Full => Kind::Full,
        FailureKind::Denied => Kind::Denied,
        FailureKind::Unavailable => Kind::Unavailable,
        FailureKind::TooLarge => Kind::Refused,
        FailureKind::Broken => Kind::Broken,
    }
}

/// SQLite names the columns whose values are taken.
fn taken(error: &rusqlite::Error) -> StoreError {
    let rusqlite::Error::SqliteFailure(code, Some(message)) = error else {
        return Kind::Broken.because("A value is not allowed; nothing was written.");
    };
    let unique = [ffi::SQLITE_CONSTRAINT_UNIQUE, ffi::SQLITE_CONSTRAINT_PRIMARYKEY];
    if !unique.contains(&code.extended_code) {
        return Kind::Broken.because("A value is not allowed; nothing was written.");
    }
    let columns = message.split_once("failed: ").map_or("", |(_, columns)| columns);
    StoreError::taken(match columns.split_once('.').map_or("", |(table, _)| table) {
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
