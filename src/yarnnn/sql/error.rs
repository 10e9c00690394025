//! Database errors, classified the same way for both databases.
//!
//! Callers decide by an [`Error`]'s [`Kind`]; the message may be shown to anybody, the cause
//! is for the log. Knows no tool and no table.

use std::fmt;

/// The result type of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The database cannot be reached, is overloaded or too slow. A retry may work.
    Unavailable,
    /// The database's disk is full.
    Full,
    /// A constraint was violated.
    Conflict(Constraint),
    /// The database denied it: credentials, privileges, a read-only disk.
    Denied,
    /// The file, the schema or the statement is wrong. A retry does not help.
    Broken,
}

/// The kind of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// One row per key.
    Unique,
    /// The referenced row exists, or is no longer referenced.
    Foreign,
    /// An expression holds.
    Check,
    /// There is a value.
    NotNull,
}

/// A violated constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// Its kind.
    pub rule: Rule,
    /// Its name: that of a `CREATE UNIQUE INDEX` or of a named `CHECK`, else as PostgreSQL would
    /// name it (`baskets_pkey`, `baskets_slug_key`, `baskets_name_not_null`). None for foreign keys
    /// of SQLite, which does not tell them apart.
    pub name: Option<String>,
}

/// A database error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Its kind.
    pub kind: Kind,
    /// What happened and what to do. Never contains a value or a password.
    pub message: String,
    /// The cause, for the log only.
    pub internal: Option<String>,
    /// The connection broke during a commit. The transaction was applied completely or not
    /// at all; only a read can tell.
    pub in_doubt: bool,
}

impl Kind {
    /// Starts an error of this kind.
    pub fn because(self, message: impl Into<String>) -> Error {
        Error { kind: self, message: message.into(), internal: None, in_doubt: false }
    }
}

impl Error {
    /// Adds the cause for the log.
    #[must_use]
    pub fn internal(mut self, cause: impl fmt::Display) -> Self {
        self.internal = Some(cause.to_string());
        self
    }

    /// The name of the violated constraint, if this is a conflict and the name is known.
    pub fn constraint(&self) -> Option<&str> {
        match &self.kind {
            Kind::Conflict(constraint) => constraint.name.as_deref(),
            _ => None,
        }
    }

    pub(super) fn conflict(rule: Rule, name: Option<String>) -> Self {
        let what = match rule {
            Rule::Unique => "The row already exists",
            Rule::Foreign => "A referenced row does not exist",
            Rule::Check => "A value is not allowed",
            Rule::NotNull => "A value is missing",
        };
        let message = match &name {
            Some(name) => format!("{what} (constraint `{name}`); nothing was written."),
            None => format!("{what}; nothing was written."),
        };
        Kind::Conflict(Constraint { rule, name }).because(message)
    }

    /// A statement after a failed one of the same transaction.
    pub(super) fn aborted(first: &Self) -> Self {
        Kind::Broken
            .because("An earlier statement of this transaction failed; no more can run in it.")
            .internal(format!("the first failure: {first}"))
    }
}
