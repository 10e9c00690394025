//! Errors of the engine.

use crate::auth::AuthError;
use crate::embed::EmbedError;
use crate::governance::FlagsError;
use crate::inference::BadEmbedding;
use crate::llm::LlmError;
use crate::records::captures::Choice;
use crate::sql;

/// Why an operation failed. Nothing was written, unless the variant states otherwise.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Credentials were not accepted.
    #[error(transparent)]
    Unauthenticated(#[from] AuthError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] sql::Error),
    /// The embedding cannot be used.
    #[error(transparent)]
    Embedding(#[from] BadEmbedding),
    /// No vector was made.
    #[error(transparent)]
    Embedder(#[from] EmbedError),
    /// There is nothing that makes vectors.
    #[error(
        "`embedder.kind` is `host`, so this program makes no vectors; set it to `builtin` or `api`."
    )]
    NoEmbedder,
    /// The extraction model failed.
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
    /// The basket accepts no more writes.
    #[error("The basket “{name}” is {status} and accepts no more writes.")]
    ClosedBasket {
        /// Its name.
        name: String,
        /// `ARCHIVED` or `DEPRECATED`.
        status: &'static str,
    },
    /// The workspace has no such capture.
    #[error("There is no capture `{0}` in this workspace.")]
    NoCapture(String),
    /// The capture is no longer pending.
    #[error("The capture `{id}` is no longer pending: it is {status}.")]
    SettledCapture {
        /// Which one.
        id: String,
        /// `assigned` or `dismissed`.
        status: &'static str,
    },
    /// The capture's text differs from the call's.
    #[error("`content` is not the text that the capture `{0}` holds.")]
    CaptureMismatch(String),
    /// The capture needs a basket, and none was named.
    #[error("The capture `{id}` needs a basket: name one in `basket_id`.")]
    BasketRequired {
        /// Which one.
        id: String,
        /// Candidate baskets, best first.
        candidates: Vec<Choice>,
    },
    /// The idempotency key belongs to another write.
    #[error("`idempotency_key` `{0}` was already used for a different write.")]
    KeyReused(String),
    /// The text has no visible characters.
    #[error("`{0}` has no visible characters.")]
    Empty(&'static str),
    /// The governance flags cannot be changed like this.
    #[error(transparent)]
    Flags(#[from] FlagsError),
    /// The workspace has no such proposal.
    #[error("There is no proposal `{0}` in this workspace.")]
    NoProposal(String),
    /// The proposal is no longer pending.
    #[error("The proposal `{id}` is no longer pending: it is {status}.")]
    SettledProposal {
        /// Which one.
        id: String,
        /// `APPROVED`, `REJECTED` or `SUPERSEDED`.
        status: &'static str,
    },
    /// Another reviewer was quicker.
    #[error("The proposal `{0}` has changed since you looked at it: look again.")]
    ChangedProposal(String),
    /// The proposal has no such operation.
    #[error("The proposal `{id}` has no operation {number}: it has {operations}.")]
    NoOperation {
        /// Which proposal.
        id: String,
        /// From 1.
        number: usize,
        /// How many it has.
        operations: usize,
    },
    /// The operation is already decided.
    #[error("Operation {number} of the proposal `{id}` is already {how}.")]
    DecidedOperation {
        /// Which proposal.
        id: String,
        /// From 1.
        number: usize,
        /// `approved` or `rejected`.
        how: &'static str,
    },
    /// An edit is too long.
    #[error("The text has {characters} characters; at most {most} are stored.")]
    LongEdit {
        /// How many it has.
        characters: usize,
        /// How many it may have.
        most: usize,
    },
    /// The user does not belong to the workspace.
    #[error(
        "`{user}` is not a member of the workspace “{workspace}”. Name one with `--as`, or add them: \
         `yarnnn workspace add-member {user}`."
    )]
    NotAMember {
        /// The user.
        user: String,
        /// The workspace's name.
        workspace: String,
    },
    /// The user is a plain member.
    #[error(
        "`{user}` is {role} of the workspace “{workspace}”: owners and admins decide. Ask one of them."
    )]
    NotAReviewer {
        /// The user.
        user: String,
        /// The workspace's name.
        workspace: String,
        /// `member`.
        role: &'static str,
    },
    /// Nothing has this id.
    #[error("There is no block, name, raw dump, proposal or capture `{0}` in this workspace.")]
    NothingToTrace(String),
    /// What was forgotten is gone from all records, but not from the file.
    #[error(
        "The text is erased from all records, but the database file could not be rewritten: {0} It \
         may still hold traces. Forget it again to rewrite the file."
    )]
    Traces(sql::Error),
    /// The workspace has no such dump.
    #[error("There is no raw dump `{0}` in this workspace, or it was moved or rejected.")]
    NoDump(String),
    /// There is no such workspace.
    #[error("There is no workspace `{0}`.")]
    NoWorkspace(String),
    /// There is no workspace at all.
    #[error(
        "There is no workspace yet; create one with `yarnnn workspace create NAME --owner USER`."
    )]
    NoWorkspaces,
    /// There are several workspaces, and none was named.
    #[error("There is more than one workspace; name one with `--workspace`.")]
    SeveralWorkspaces,
    /// The name is taken.
    #[error("There is already a workspace “{0}”.")]
    NameTaken(String),
    /// The user belongs to another workspace.
    #[error("The user `{0}` belongs to another workspace; a user has only one.")]
    UserHasWorkspace(String),
    /// The workspace has no such token.
    #[error("There is no token `{0}` in this workspace.")]
    NoToken(String),
}

impl Error {
    /// A stable code, for errors that only operators can cause.
    pub fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoProposal(_) => "PROPOSAL_NOT_FOUND",
            Self::SettledProposal { .. } => "PROPOSAL_SETTLED",
            Self::ChangedProposal(_) => "PROPOSAL_CHANGED",
            Self::NoOperation { .. } => "OPERATION_NOT_FOUND",
            Self::DecidedOperation { .. } => "OPERATION_DECIDED",
            Self::LongEdit { .. } => "EDIT_TOO_LONG",
            Self::NotAMember { .. } => "NOT_A_MEMBER",
            Self::NotAReviewer { .. } => "NOT_A_REVIEWER",
            Self::NothingToTrace(_) => "NOTHING_TO_TRACE",
            Self::Traces(_) => "TRACES_LEFT",
            Self::NoDump(_) => "DUMP_NOT_FOUND",
            _ => return None,
        })
    }
}

impl From<LlmError> for Error {
    fn from(error: LlmError) -> Self {
        let message = error.to_string();
        Self::Extractor { code: error.code(), message, hint: error.hint() }
    }
}
