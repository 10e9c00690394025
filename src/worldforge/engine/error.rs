//! Why the studio did not do what it was asked.

use serde::Serialize;

use crate::model::Issue;
use crate::store::{Fault, Kind};

/// What every function of this room returns.
pub type Result<T> = std::result::Result<T, Trouble>;

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
pub enum Trouble {
    /// The store failed, or knows no such object.
    #[error(transparent)]
    Store(#[from] Fault),
    /// The input does not fit the world.
    #[error("{}", joined(.0, "; ", |problem| format!("{}: {}", problem.pointer, problem.message)))]
    Invalid(Vec<Problem>),
    /// The node contradicts the story.
    #[error("{}", joined(.0, " ", |issue| issue.message.clone()))]
    Contradicts(Vec<Issue>),
    /// Somebody changed the object meanwhile.
    #[error("The object is at revision {found}, not {expected}: somebody changed it.")]
    Stale {
        /// What the caller has seen.
        expected: u64,
        /// What it is now.
        found: u64,
    },
}

impl Trouble {
    /// One thing that does not fit.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Problem { pointer: pointer.into(), message: message.into() }])
    }

    /// There is no such thing.
    pub fn missing(what: &str) -> Self {
        Self::Store(Fault::missing(what))
    }

    /// It is not there, or not the caller's.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Store(fault) if fault.kind == Kind::NotFound)
    }
}

fn joined<T>(items: &[T], separator: &str, told: impl FnMut(&T) -> String) -> String {
    items.iter().map(told).collect::<Vec<_>>().join(separator)
}
