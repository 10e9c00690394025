//! What can keep the memory from doing what it was asked.

use crate::auth::AuthError;
use crate::governance::FlagsError;
use crate::inference::BadEmbedding;
use crate::llm::LlmError;
use crate::records::captures::Choice;
use crate::sql;

/// Why something was not done. Nothing was written, unless it says so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// Credentials were not accepted.
    #[error(transparent)]
    Unauthenticated(#[from] AuthError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] sql::Error),
    /// The embedding cannot be used.
    #[error(transparent)]
    Embedding(#[from] BadEmbedding),
    /// The model that reads texts out failed.
    #[error("{message}")]
    Extractor {
        /// Its stable code.
        code: &'static str,
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The workspace has no such basket.
    #[error("There is no basket `{0}` in this workspace.")]
    NoBasket(String),
    /// The basket takes nothing any more.
    #[error("The basket “{name}” is {status} and takes nothing any more.")]
    ClosedBasket {
        /// Its name.
        name: String,
        /// `ARCHIVED` or `DEPRECATED`.
        status: &'static str,
    },
    /// The workspace has no such capture.
    #[error("There is no capture `{0}` in this workspace.")]
    NoCapture(String),
    /// The capture does not wait any more.
    #[error("The capture `{id}` does not wait any more: it is {status}.")]
    SettledCapture {
        /// Which one.
        id: String,
        /// `assigned` or `dismissed`.
        status: &'static str,
    },
    /// The capture holds another text than the call.
    #[error("`content` is not the text that the capture `{0}` holds.")]
    OtherCapture(String),
    /// The capture waits for a basket, and none was named.
    #[error("The capture `{id}` waits for a basket; `basket_id` must name it.")]
    Unpicked {
        /// Which one.
        id: String,
        /// Baskets it may belong to, best first.
        candidates: Vec<Choice>,
    },
    /// The idempotency key stands for another write.
    #[error("`idempotency_key` `{0}` was used for another write before.")]
    OtherRequest(String),
    /// There is nothing to read in the text.
    #[error("`{0}` has nothing in it that can be read.")]
    Empty(&'static str),
    /// The governance flags cannot be changed like this.
    #[error(transparent)]
    Flags(#[from] FlagsError),
    /// The workspace has no such proposal.
    #[error("There is no proposal `{0}` in this workspace.")]
    NoProposal(String),
    /// The proposal does not wait any more.
    #[error("The proposal `{id}` does not wait any more: it is {status}.")]
    SettledProposal {
        /// Which one.
        id: String,
        /// `APPROVED`, `REJECTED` or `SUPERSEDED`.
        status: &'static str,
    },
    /// The workspace has no such dump.
    #[error("There is no raw dump `{0}` in this workspace.")]
    NoDump(String),
    /// There is no such workspace.
    #[error("There is no workspace `{0}`.")]
    NoWorkspace(String),
    /// The name is taken.
    #[error("There is a workspace “{0}” already.")]
    NameTaken(String),
    /// The user belongs to another workspace.
    #[error("The user `{0}` belongs to another workspace; a user has one.")]
    OtherWorkspace(String),
    /// The workspace has no such token.
    #[error("There is no token `{0}` in this workspace.")]
    NoToken(String),
}

impl From<LlmError> for Fault {
    fn from(error: LlmError) -> Self {
        let message = error.to_string();
        Self::Extractor { code: error.code(), message, hint: error.hint() }
    }
}
