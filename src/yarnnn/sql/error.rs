//! What can go wrong with a database, in five words that hold for both.
//!
//! Who reads an [`Error`] decides by its [`Kind`]; the message may be shown to anybody, the cause
//! is for the log. Knows no tool and no table.

use std::fmt;

/// What every function of this room returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a failure means for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The database cannot be reached, is overloaded or too slow. Later it may work.
    Unavailable,
    /// There is no room left on the database's disk.
    Full,
    /// A constraint does not let the row in.
    Conflict(Constraint),
    /// The database does not allow it: credentials, privileges, a read-only place.
    Denied,
    /// The file, the schema or the statement is wrong. Trying again does not help.
    Broken,
}

/// What a constraint asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// One row per key.
    Unique,
    /// The row that is pointed at exists, or is pointed at no more.
    Foreign,
    /// An expression holds.
    Check,
    /// There is a value.
    NotNull,
}

/// The constraint that was hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// What it asks for.
    pub rule: Rule,
    /// Its name: that of a `CREATE UNIQUE INDEX` or of a named `CHECK`, else as PostgreSQL would
    /// name it (`baskets_pkey`, `baskets_slug_key`, `baskets_name_not_null`). None for foreign keys
    /// of SQLite, which does not tell them apart.
    pub name: Option<String>,
}

/// Why the database did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What it means for the caller.
    pub kind: Kind,
    /// What happened and what to do. Never holds a value or a password.
    pub message: String,
    /// The cause, for the log and nobody else.
    pub internal: Option<String>,
    /// The connection broke while a commit was under way. All of the transaction is there or none
    /// of it; only looking tells.
    pub in_doubt: bool,
}

impl Kind {
    /// Starts an error of this kind.
    pub fn because(self, message: impl Into<String>) -> Error {
        Error { kind: self, message: message.into(), internal: None, in_doubt: false }
    }
}

impl Error {
    /// Keeps the cause for the log.
    #[must_use]
    pub fn internal(mut self, cause: impl fmt::Display) -> Self {
        self.internal = Some(cause.to_string());
        self
    }

    /// The name of the constraint that was hit, when this is a conflict and the name is known.
    pub fn constraint(&self) -> Option<&str> {
        match &self.kind {
            Kind::Conflict(constraint) => constraint.name.as_deref(),
            _ => None,
        }
    }

    pub(super) fn conflict(rule: Rule, name: Option<String>) -> Self {
        let what = match rule {
            Rule::Unique => "There is such a row already",
            Rule::Foreign => "A row points at one that is not there",
            Rule::Check => "A value is not allowed",
            Rule::NotNull => "A value is missing",
        };
        let message = match &name {
            Some(name) => format!("{what} (constraint `{name}`); nothing was written."),
            None => format!("{what}; nothing was written."),
        };
        Kind::Conflict(Constraint { rule, name }).because(message)
    }

    /// After a failed statement the transaction takes no more of them.
    pub(super) fn aborted(first: &Self) -> Self {
        Kind::Broken
            .because("A statement of this transaction failed before; no more can run in it.")
            .internal(format!("the first failure: {first}"))
    }
}
