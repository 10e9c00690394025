//! Why no vector was made.

use crate::llm::{ErrorKind, LlmError};

/// Why no vector was made. Contains neither the text nor the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} {hint}")]
pub struct EmbedError {
    /// A stable code.
    pub code: &'static str,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// The cause, for the log only.
    pub internal: Option<String>,
}

impl From<LlmError> for EmbedError {
    fn from(error: LlmError) -> Self {
        let hint = match error.kind {
            ErrorKind::Rejected { .. } => {
                "Check the base URL, and that the model makes embeddings.".to_owned()
            }
            ErrorKind::TooLarge | ErrorKind::Invalid => {
                "Use a server with an OpenAI-compatible /embeddings endpoint.".to_owned()
            }
            kind => kind.hint(),
        };
        let message = match error.kind {
            ErrorKind::Invalid => "The model's server did not answer with embeddings.".to_owned(),
            kind => kind.to_string(),
        };
        Self { code: error.code(), message, hint, internal: error.internal }
    }
}

#[cfg(feature = "builtin-embedder")]
impl From<toolwright_embedding::Damaged> for EmbedError {
    fn from(error: toolwright_embedding::Damaged) -> Self {
        Self {
            code: "EMBEDDER_DAMAGED",
            message: "The built-in embedder is damaged.".to_owned(),
            hint: "Install the program again.".to_owned(),
            internal: Some(error.to_string()),
        }
    }
}
