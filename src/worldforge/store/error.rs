//! The error type of all stores.
//!
//! Callers decide by the [`Kind`] of a [`StoreError`]. The message may be shown to anybody; the cause
//! is for the log. Knows no tool and no database.

use std::fmt;

use super::reader::Unreadable;

/// The result of every store function.
pub type Result<T> = std::result::Result<T, StoreError>;

/// What a failure means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// It does not exist, or belongs to another tenant: the two look the same.
    NotFound,
    /// The object is not at the expected revision, or there is such a one already.
    Conflict,
    /// The project is not at the expected revision. Look again and repeat the whole edit.
    Moved,
    /// A document cannot be stored as it is: too large, too deep, contradicting itself.
    Refused,
    /// The store cannot be reached, or is too busy. Later it may work.
    Unavailable,
    /// The store's disk is full.
    Full,
    /// The store does not allow it: credentials, privileges, a read-only place.
    Denied,
    /// Another program wrote the document in a form that cannot be read here.
    Unreadable,
    /// The store or what it holds is damaged, or the server has a defect. Trying again does not
    /// help.
    Broken,
}

/// Why the store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// What it means for the caller.
    pub kind: Kind,
    /// What happened and what to do. Never holds a password.
    pub message: String,
    /// The cause, only for the log.
    pub internal: Option<String>,
    /// The connection broke while a write was under way. All of it is there or none of it; only
    /// looking tells.
    pub in_doubt: bool,
    /// Which document and field cannot be read.
    pub unreadable: Option<Box<Unreadable>>,
}

impl Kind {
    /// Starts a fault of this kind.
    pub fn because(self, message: impl Into<String>) -> StoreError {
        StoreError {
            kind: self,
            message: message.into(),
            internal: None,
            in_doubt: false,
            unreadable: None,
        }
    }
}

impl StoreError {
    /// Keeps the cause for the log.
    #[must_use]
    pub fn internal(mut self, cause: impl fmt::Display) -> Self {
        self.internal = Some(cause.to_string());
        self
    }

    /// `what` (`entity`, `project` …) is not there, or not the caller's.
    pub fn missing(what: &str) -> Self {
        Kind::NotFound.because(format!("The {what} does not exist."))
    }

    pub(super) fn stale(what: &str, expected: u64, found: u64) -> Self {
        Kind::Conflict.because(format!(
            "The {what} is at revision {found}, not {expected}: it was changed in the meantime. Read it again."
        ))
    }

    pub(super) fn taken(what: &str) -> Self {
        Kind::Conflict.because(format!("There is already such {what}; nothing was written."))
    }

    pub(super) fn moved(expected: u64, found: u64) -> Self {
        Kind::Moved.because(format!(
            "The project is at revision {found}, not {expected}; nothing was written."
        ))
    }

    /// Another writer, which counts no revisions, changed the document since it was read.
    pub(super) fn changed(what: &str) -> Self {
        Kind::Moved.because(format!("Another program changed the {what}; nothing was written."))
    }

    /// Another program's document.
    pub(super) fn foreign(found: Unreadable) -> Self {
        let Unreadable { what, id, field, expected } = &found;
        let place = if field.is_empty() { "it" } else { field };
        let message = format!(
            "The {what} {id} cannot be read: {place} is not {expected}. Correct it in the program \
             that wrote it."
        );
        Self { unreadable: Some(Box::new(found)), ..Kind::Unreadable.because(message) }
    }

    pub(super) fn unreadable(what: &str, cause: impl fmt::Display) -> Self {
        Kind::Broken.because(format!("The store contains an unreadable {what}.")).internal(cause)
    }
}
