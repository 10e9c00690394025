//! What can keep the memory from doing what it was asked.

use std::fmt;

use crate::auth::AuthError;
use crate::governance::FlagsError;
use crate::inference::BadEmbedding;
use crate::oracle::OracleError;
use crate::records::captures::Choice;
use crate::sql;

/// Why something was not done. Nothing was written, unless it says so.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Credentials were not accepted.
    Unauthenticated(AuthError),
    /// The database failed.
    Store(sql::Error),
    /// The embedding cannot be used.
    Embedding(BadEmbedding),
    /// The model that reads texts out failed.
    Extractor {
        /// Its stable code.
        code: &'static str,
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The workspace has no such basket.
    NoBasket(String),
    /// The basket takes nothing any more.
    ClosedBasket {
        /// Its name.
        name: String,
        /// `ARCHIVED` or `DEPRECATED`.
        status: &'static str,
    },
    /// The workspace has no such capture.
    NoCapture(String),
    /// The capture does not wait any more.
    SettledCapture {
        /// Which one.
        id: String,
        /// `assigned` or `dismissed`.
        status: &'static str,
    },
    /// The capture holds another text than the call.
    OtherCapture(String),
    /// The capture waits for a basket, and none was named.
    Unpicked {
        /// Which one.
        id: String,
        /// Baskets it may belong to, best first.
        candidates: Vec<Choice>,
    },
    /// The idempotency key stands for another write.
    OtherRequest(String),
    /// There is nothing to read in the text.
    Empty(&'static str),
    /// The governance flags cannot be changed like this.
    Flags(FlagsError),
    /// The workspace has no such proposal.
    NoProposal(String),
    /// The proposal does not wait any more.
    SettledProposal {
        /// Which one.
        id: String,
        /// `APPROVED`, `REJECTED` or `SUPERSEDED`.
        status: &'static str,
    },
    /// The workspace has no such dump.
    NoDump(String),
    /// There is no such workspace.
    NoWorkspace(String),
    /// The name is taken.
    NameTaken(String),
    /// The user belongs to another workspace.
    OtherWorkspace(String),
    /// The workspace has no such token.
    NoToken(String),
}

impl From<sql::Error> for Fault {
    fn from(error: sql::Error) -> Self {
        Self::Store(error)
    }
}

impl From<BadEmbedding> for Fault {
    fn from(error: BadEmbedding) -> Self {
        Self::Embedding(error)
    }
}

impl From<OracleError> for Fault {
    fn from(error: OracleError) -> Self {
        let message = error.to_string();
        Self::Extractor { code: error.code(), message, hint: error.hint() }
    }
}

impl From<AuthError> for Fault {
    fn from(error: AuthError) -> Self {
        Self::Unauthenticated(error)
    }
}

impl From<FlagsError> for Fault {
    fn from(error: FlagsError) -> Self {
        Self::Flags(error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unauthenticated(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::Embedding(error) => error.fmt(f),
            Self::Flags(error) => error.fmt(f),
            Self::Extractor { message, .. } => f.write_str(message),
            Self::NoBasket(id) => write!(f, "There is no basket `{id}` in this workspace."),
            Self::ClosedBasket { name, status } => {
                write!(f, "The basket “{name}” is {status} and takes nothing any more.")
            }
            Self::NoCapture(id) => write!(f, "There is no capture `{id}` in this workspace."),
            Self::SettledCapture { id, status } => {
                write!(f, "The capture `{id}` does not wait any more: it is {status}.")
            }
            Self::OtherCapture(id) => {
                write!(f, "`content` is not the text that the capture `{id}` holds.")
            }
            Self::Unpicked { id, .. } => {
                write!(f, "The capture `{id}` waits for a basket; `basket_id` must name it.")
            }
            Self::OtherRequest(key) => {
                write!(f, "`idempotency_key` `{key}` was used for another write before.")
            }
            Self::Empty(field) => write!(f, "`{field}` has nothing in it that can be read."),
            Self::NoProposal(id) => write!(f, "There is no proposal `{id}` in this workspace."),
            Self::SettledProposal { id, status } => {
                write!(f, "The proposal `{id}` does not wait any more: it is {status}.")
            }
            Self::NoDump(id) => write!(f, "There is no raw dump `{id}` in this workspace."),
            Self::NoWorkspace(name) => write!(f, "There is no workspace `{name}`."),
            Self::NameTaken(name) => write!(f, "There is a workspace “{name}” already."),
            Self::OtherWorkspace(user) => {
                write!(f, "The user `{user}` belongs to another workspace; a user has one.")
            }
            Self::NoToken(id) => write!(f, "There is no token `{id}` in this workspace."),
        }
    }
}

impl std::error::Error for Fault {}
