//! Maps driver errors to store errors.

use mongodb::error::{CommandError, Error, ErrorKind, WriteFailure};

use crate::store::error::{Kind, StoreError};

/// A document with the key is there already.
const DUPLICATE: i32 = 11_000;
/// The operation or its session was ended.
const INTERRUPTED: i32 = 11_601;

/// What an error means.
pub(super) fn store_error(error: Error) -> StoreError {
    let mapped = match code(&error) {
        Some(DUPLICATE) => StoreError::taken(taken(&error.to_string())),
        Some(13 | 18 | 8000) => Kind::Denied.because(
            "MongoDB denied the operation; nothing was written. Check the user and its roles.",
        ),
        Some(14_031 | 17_280) => {
            Kind::Full.because("MongoDB's disk is full; nothing was written. Free some space.")
        }
        Some(10_334 | 17_419 | 17_420 | 2 | 15 | 52 | 53) => {
            Kind::Refused.because("MongoDB rejected the document; nothing was written.")
        }
        // Not the primary any more, shutting down, out of time, interrupted.
        Some(
            6 | 7 | 50 | 64 | 89 | 91 | 112 | 189 | 202 | 251 | 262 | 9001 | 10_058 | 10_107
            | 11_600 | INTERRUPTED | 11_602 | 13_435 | 13_436,
        ) => unavailable(),
        Some(_) => Kind::Broken.because("MongoDB cannot run the command; nothing was written."),
        None => match &*error.kind {
            ErrorKind::Authentication { .. } => {
                Kind::Denied.because("MongoDB rejected the user or the password.")
            }
            ErrorKind::InvalidArgument { .. } | ErrorKind::InvalidTlsConfig { .. } => Kind::Broken
                .because(
                    "The MongoDB URL cannot be used. Its form is \
                     `mongodb://user:password@host:27017/name?option=value`.",
                ),
            ErrorKind::IncompatibleServer { .. } => {
                Kind::Broken.because("The MongoDB server is too old: 5.0 is required.")
            }
            ErrorKind::ServerSelection { .. }
            | ErrorKind::DnsResolve { .. }
            | ErrorKind::Io(_)
            | ErrorKind::ConnectionPoolCleared { .. }
            | ErrorKind::Transaction { .. }
            | ErrorKind::Shutdown => unavailable(),
            _ => Kind::Broken.because("MongoDB cannot run the command; nothing was written."),
        },
    };
    mapped.internal(cause(&error))
}

/// For the log: without the server's answer, which may hold what users wrote.
fn cause(error: &Error) -> String {
    match (code(error), &*error.kind) {
        (Some(code), ErrorKind::Command(command)) => {
            format!("MongoDB error {code} ({})", command.code_name)
        }
        (Some(code), _) => format!("MongoDB error {code}"),
        (None, kind) => kind.to_string(),
    }
}

fn unavailable() -> StoreError {
    Kind::Unavailable.because("MongoDB does not answer. Try again later.")
}

/// Whether the document with the key is there already.
pub(super) fn is_duplicate(error: &Error) -> bool {
    code(error) == Some(DUPLICATE)
}

/// Whether the operation was ended although nothing was wrong with it.
pub(super) fn is_interrupted(error: &Error) -> bool {
    code(error) == Some(INTERRUPTED)
}

/// The server's number for what went wrong.
fn code(error: &Error) -> Option<i32> {
    match &*error.kind {
        ErrorKind::Command(CommandError { code, .. }) => Some(*code),
        ErrorKind::Write(WriteFailure::WriteError(error)) => Some(error.code),
        ErrorKind::Write(WriteFailure::WriteConcernError(error)) => Some(error.code),
        ErrorKind::InsertMany(error) => error
            .write_errors
            .as_ref()
            .and_then(|errors| errors.first().map(|error| error.code))
            .or_else(|| error.write_concern_error.as_ref().map(|error| error.code)),
        _ => None,
    }
}

/// The server names the collection: `… collection: name.entities index: …`.
fn taken(message: &str) -> &'static str {
    let namespace = message.split_once("collection: ").map_or("", |(_, rest)| rest);
    let collection = namespace.split(' ').next().and_then(|name| name.rsplit('.').next());
    match collection.unwrap_or_default() {
        "tenants" => "a tenant",
        "users" => "a user",
        "projects" => "a project",
        "entities" => "an entity",
        "storyNodes" => "a story node",
        "storyEdges" => "a story edge",
        "promptPacks" => "a prompt pack",
        "versions" => "a version",
        _ => "a document",
    }
}
