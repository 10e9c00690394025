//! The error type of the engine.
//!
//! Its twelve kinds are those of the contract; `reason` is the finer code that `wa.why` explains.
//! Knows nothing of envelopes.

use std::fmt;

/// The contract's error kinds, `WA-MCP-0001` to `WA-MCP-0012`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// 0001: the arguments cannot be used.
    InvalidArguments,
    /// 0003: settings, rule packs, policy or workflow files cannot be used.
    Config,
    /// 0004: a terminal multiplexer cannot be reached or does not answer sensibly.
    Backend,
    /// 0005: the workspace's database cannot be read or written.
    Storage,
    /// 0006: the policy denies the action, or holds it for approval.
    PolicyDenied,
    /// 0007: no such pane, or it has died.
    PaneNotFound,
    /// 0008: a workflow is unknown, failed, or cannot run now.
    Workflow,
    /// 0009: it took too long.
    Timeout,
    /// 0010: this backend has no such feature.
    NotImplemented,
    /// 0011: an approval code cannot be used.
    Approval,
    /// 0012: no such workflow execution.
    ExecutionNotFound,
}

/// An error to return to the user or a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .reason.as_ref().map_or_else(String::new, |reason| format!("{reason}: ")))]
pub struct Error {
    /// Which of the contract's codes it becomes.
    pub kind: Kind,
    /// Finer code, such as `policy.alt_screen` or `E_APPROVAL_EXPIRED`; a prefix of the message.
    pub reason: Option<String>,
    /// What happened, naming the argument, pane or file.
    pub message: String,
    /// What to do next, if more specific than the contract's hint.
    pub hint: Option<String>,
    /// The cause, for the log only.
    pub internal: Option<String>,
}

/// The result of every fallible function of the engine.
pub type Result<T> = std::result::Result<T, Error>;

impl Kind {
    /// Startsan error of this kind.
    pub fn because(self, message: impl Into<String>) -> Error {
        Error { kind: self, reason: None, message: message.into(), hint: None, internal: None }
    }
}

impl Error {
    /// Sets the finer code.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Stores the cause for the log.
    #[must_use]
    pub fn internal(mut self, cause: impl fmt::Display) -> Self {
        self.internal = Some(cause.to_string());
        self
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let what = match error.sqlite_error_code() {
            Some(Code::DiskFull) => "The disk is full; nothing was written.",
            Some(Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied) => {
                "The workspace's database cannot be written."
            }
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => {
                "The workspace's database is busy; nothing was written."
            }
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => {
                "The workspace's database is damaged."
            }
            _ => "The workspace's database does not respond.",
        };
        Kind::Storage.because(what).internal(error)
    }
}
