//! Errors of the engine.

use serde::Serialize;

use crate::model::Issue;
use crate::store::{Kind, StoreError};

/// The result of every engine function.
pub type Result<T> = std::result::Result<T, EngineError>;

/// Something in the input that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where, as a JSON pointer into the arguments.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// Why nothing was done. Nothing was written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// The store failed, or knows no such object.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The input does not fit the world.
    #[error("{}", joined(.0, "; ", |problem| format!("{}: {}", problem.pointer, problem.message)))]
    Invalid(Vec<Problem>),
    /// The node contradicts the story.
    #[error("{}", joined(.0, " ", |issue| issue.message.clone()))]
    Contradicts(Vec<Issue>),
    /// The object was changed in the meantime.
    #[error("The object is at revision {found}, not {expected}: it was changed in the meantime.")]
    Stale {
        /// What the caller has seen.
        expected: u64,
        /// What it is now.
        found: u64,
    },
}

impl EngineError {
    /// One thing that does not fit.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Problem { pointer: pointer.into(), message: message.into() }])
    }

    /// There is no such thing.
    pub fn missing(what: &str) -> Self {
        Self::Store(StoreError::missing(what))
    }

    /// It is not there, or not the caller's.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Store(error) if error.kind == Kind::NotFound)
    }
}

fn joined<T>(items: &[T], separator: &str, text_of: impl FnMut(&T) -> String) -> String {
    items.iter().map(text_of).collect::<Vec<_>>().join(separator)
}
