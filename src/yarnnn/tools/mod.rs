//! The handlers, one file per tool, and what they share: session fingerprints and the mapping of
//! engine errors to the contract's.

mod add_to_substrate;
mod config_settings;
mod create_memory_from_chat;
mod credentials;
mod get_substrate;
mod selection;
mod session;
mod validate_against_substrate;

use toolwright_runtime::{ErrorKind as _, Failure};

use super::engine::Error as EngineError;
use super::inference::BadEmbedding;
use super::sql::Kind;
use crate::generated::Error;

/// An id that can be looked up: no stored id contains a NUL.
fn id(text: String) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A text without NULs, which PostgreSQL cannot store. They are removed before
/// anything else, so that spans point at the stored bytes.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}

/// Maps an engine error to an error of the contract.
pub(super) fn failure(error: EngineError) -> Failure<Error> {
    let kind = match &error {
        EngineError::Unauthenticated(error) => {
            return Error::Unauthenticated.because(error.to_string()).with("reason", error.code());
        }
        EngineError::Store(error) => {
            let kind = match error.kind {
                // Not a server bug: it works again once the privilege is granted.
                Kind::Unavailable | Kind::Full | Kind::Denied => Error::Unavailable,
                Kind::Conflict(_) | Kind::Broken => Error::Internal,
            };
            let mut failure = kind.because(error.message.clone());
            if error.in_doubt {
                failure = failure.with("in_doubt", true);
            }
            let cause = error.internal.as_deref().unwrap_or(&error.message);
            return failure.internal(cause);
        }
        EngineError::Embedding(error) => {
            let kind = match error {
                BadEmbedding::Missing | BadEmbedding::Empty => Error::EmbeddingMissing,
                BadEmbedding::Mismatch { .. } => Error::EmbeddingDimensionMismatch,
                BadEmbedding::Damaged { .. } => Error::Internal,
                BadEmbedding::Dimensions { .. }
                | BadEmbedding::TooFew { .. }
                | BadEmbedding::Implausible { .. }
                | BadEmbedding::NotFinite { .. }
                | BadEmbedding::TooLarge { .. }
                | BadEmbedding::Zero
                | BadEmbedding::NoWords => Error::EmbeddingUnusable,
            };
            let failure = kind.because(error.to_string()).hint(error.hint());
            return failure.with("reason", error.code());
        }
        EngineError::Embedder(error) => {
            let failure = Error::EmbedderFailed.because(error.message.clone());
            let failure = failure.hint(error.hint.clone()).with("reason", error.code);
            return match &error.internal {
                Some(cause) => failure.internal(cause),
                None => failure,
            };
        }
        EngineError::Extractor { code, message, hint } => {
            let failure = Error::ExtractorFailed.because(message.clone()).hint(hint.clone());
            return failure.with("reason", code);
        }
        EngineError::SettledCapture { status, .. } => {
            return Error::CaptureSettled.because(error.to_string()).with("status", status);
        }
        EngineError::BasketRequired { id, candidates } => {
            let failure = Error::ConfirmationRequired.because(error.to_string());
            return failure.with("capture_id", id).with("candidates", candidates);
        }
        EngineError::NoBasket(_) => Error::BasketNotFound,
        EngineError::ClosedBasket { .. } => Error::BasketClosed,
        EngineError::NoCapture(_) | EngineError::CaptureMismatch(_) => Error::CaptureNotFound,
        EngineError::KeyReused(_) => Error::IdempotencyConflict,
        EngineError::Empty(_) => Error::EmptyText,
        EngineError::Flags(error) => {
            let kind = match error {
                super::governance::FlagsError::Contradictory { .. } => Error::SettingsContradictory,
                super::governance::FlagsError::Forbidden { .. } => Error::SettingsForbidden,
            };
            return kind.because(error.to_string()).hint(error.hint());
        }
        // Only operators at the command line can cause these.
        EngineError::NoProposal(_)
        | EngineError::SettledProposal { .. }
        | EngineError::ChangedProposal(_)
        | EngineError::NoOperation { .. }
        | EngineError::DecidedOperation { .. }
        | EngineError::LongEdit { .. }
        | EngineError::NotAMember { .. }
        | EngineError::NotAReviewer { .. }
        | EngineError::NothingToTrace(_)
        | EngineError::Traces(_)
        | EngineError::NoDump(_)
        | EngineError::NoWorkspace(_)
        | EngineError::NoWorkspaces
        | EngineError::SeveralWorkspaces
        | EngineError::NameTaken(_)
        | EngineError::UserHasWorkspace(_)
        | EngineError::NoToken(_)
        | EngineError::NoEmbedder => Error::Internal,
    };
    kind.because(error.to_string())
}
