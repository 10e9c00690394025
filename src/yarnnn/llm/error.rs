//! Why a model did not extract from a dump.
//!
//! Nothing here contains text from the server, the dump or the key: some servers answer a wrong
//! key with a part of it.

use std::fmt;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// No connection, or it broke.
    #[error("The model's server cannot be reached.")]
    Unreachable,
    /// No answer in time.
    #[error("The model did not answer in time.")]
    TimedOut,
    /// The key was refused.
    #[error("The model's server does not accept the key.")]
    Denied,
    /// The server knows no such model or address.
    #[error("The server knows no such model or address.")]
    NotFound,
    /// Too many requests.
    #[error("The model's server is rate limiting requests.")]
    RateLimited {
        /// Seconds to wait, if the server names them.
        retry_after: Option<u64>,
    },
    /// No credit left.
    #[error("The account at the model's server has no credit left.")]
    NoCredit,
    /// The text is too long.
    #[error("The text is too long for the model.")]
    TooLong,
    /// The server rejected the request.
    #[error("The model's server rejected the request (status {status}).")]
    Rejected {
        /// The status of its answer.
        status: u16,
    },
    /// The server failed.
    #[error("The model's server failed (status {status}).")]
    Failed {
        /// The status of its answer.
        status: u16,
    },
    /// The answer exceeds the size limit.
    #[error("The model's answer is far too large.")]
    TooLarge,
    /// The answer does not fit the schema.
    #[error("The model's answer does not fit the schema.")]
    Invalid,
    /// The answer is truncated.
    #[error("The model's answer is truncated.")]
    Truncated,
    /// The model refused.
    #[error("The model refused to read the text.")]
    Declined,
}

impl ErrorKind {
    /// Whether a retry may help.
    pub(super) fn is_transient(self) -> bool {
        matches!(self, Self::Unreachable | Self::RateLimited { .. } | Self::Failed { .. })
    }

    /// A stable code for clients and the activity log.
    pub fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "ORACLE_UNREACHABLE",
            Self::TimedOut => "ORACLE_TIMED_OUT",
            Self::Denied => "ORACLE_DENIED",
            Self::NotFound => "ORACLE_NOT_FOUND",
            Self::RateLimited { .. } => "ORACLE_RATE_LIMITED",
            Self::NoCredit => "ORACLE_NO_CREDIT",
            Self::TooLong => "ORACLE_TEXT_TOO_LONG",
            Self::Rejected { .. } => "ORACLE_REJECTED",
            Self::Failed { .. } => "ORACLE_FAILED",
            Self::TooLarge => "ORACLE_ANSWER_TOO_LARGE",
            Self::Invalid => "ORACLE_ANSWER_INVALID",
            Self::Truncated => "ORACLE_ANSWER_TRUNCATED",
            Self::Declined => "ORACLE_DECLINED",
        }
    }

    /// What to do next.
    pub fn hint(self) -> String {
        match self {
            Self::Unreachable => "Check the base URL, the network and the server's certificate.",
            Self::TimedOut => "Raise the time limit, shorten the text or use a faster model.",
            Self::Denied => "Check the key and which models it may use.",
            Self::NotFound => "Check the name of the model and the base URL.",
            Self::RateLimited { retry_after: Some(seconds) } => {
                return format!("Try again in {seconds} s.");
            }
            Self::RateLimited { retry_after: None } => "Try again later.",
            Self::NoCredit => "Check plan and billing of the key's account.",
            Self::TooLong => "Send it in parts.",
            Self::Rejected { .. } => {
                "Check the base URL, and that the model supports structured output (`json_schema`)."
            }
            Self::Failed { .. } => "Try again later.",
            Self::TooLarge | Self::Invalid => {
                "Use a model that follows a strict JSON schema, or try again."
            }
            Self::Truncated => "Send the text in parts, or use a model with a larger output limit.",
            Self::Declined => "Use the rules for this text.",
        }
        .to_owned()
    }
}

/// Why a model did not extract from a dump.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {}", self.hint())]
pub struct LlmError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The cause, for the log only.
    pub internal: Option<String>,
}

impl LlmError {
    /// A stable code for clients and the activity log.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        self.kind.hint()
    }
}

impl ErrorKind {
    /// Adds the cause for the log.
    pub(crate) fn because(self, cause: impl fmt::Display) -> LlmError {
        LlmError { kind: self, internal: Some(cause.to_string()) }
    }
}

impl From<ErrorKind> for LlmError {
    fn from(kind: ErrorKind) -> Self {
        Self { kind, internal: None }
    }
}
