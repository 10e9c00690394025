//! Errors that handlers return.
//!
//! `message`, `hint` and `details` go to the client; `internal` goes only to the log. The set of kinds is part of the contract: a surface's kinds are the enum
//! generated from its error registry, and no other code can leave a tool.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::ask::InputRequest;
use crate::contract::ErrorInfo;

/// One entry of a surface's error registry. Generated code implements it for the `Error` enum.
pub trait ErrorKind: Copy + Send + Sync + 'static {
    /// The registry entry: stable code, what it means, what to do next.
    fn info(self) -> &'static ErrorInfo;

    /// Creates a failure of this kind. `message` states what happened and names the field or file.
    fn because(self, message: impl Into<String>) -> Failure<Self> {
        Failure {
            kind: self,
            message: message.into(),
            hint: None,
            details: Map::new(),
            internal: None,
            asking: None,
        }
    }
}

/// A declared error on its way to the client.
#[derive(Debug, Clone)]
pub struct Failure<E> {
    kind: E,
    message: String,
    hint: Option<String>,
    details: Map<String, Value>,
    internal: Option<String>,
    asking: Option<Box<InputRequest>>,
}

impl<E: ErrorKind> Failure<E> {
    /// Sends this question instead of the failure: the client asks the user and repeats the call with
    /// the answer.
    #[must_use]
    pub fn asking(mut self, request: InputRequest) -> Self {
        self.asking = Some(Box::new(request));
        self
    }

    /// Sets what to do next; the default is the registry's `next`.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a machine-readable detail. A value that cannot be serialised is omitted.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.details.insert(name.to_owned(), value);
        }
        self
    }

    /// Adds a detail unless it is already set.
    #[must_use]
    pub fn with_default(self, name: &str, value: impl Serialize) -> Self {
        if self.details.contains_key(name) { self } else { self.with(name, value) }
    }

    /// Records the underlying cause for the log; the client never sees it.
    #[must_use]
    pub fn internal(mut self, cause: impl std::fmt::Display) -> Self {
        self.internal = Some(cause.to_string());
        self
    }

    /// The kind of this failure.
    pub fn kind(&self) -> E {
        self.kind
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Erases the surface's error type, for the envelope.
    pub fn erase(self) -> RawFailure {
        RawFailure {
            info: self.kind.info(),
            message: self.message,
            hint: self.hint,
            details: self.details,
            internal: self.internal,
            asking: self.asking,
        }
    }
}

impl<E: ErrorKind> std::fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind.info().code, self.message)
    }
}

/// A failure with its registry entry instead of a typed kind, as used by guards, decode and envelope.
#[derive(Debug, Clone)]
pub struct RawFailure {
    /// Registry entry.
    pub info: &'static ErrorInfo,
    /// What happened, for the client.
    pub message: String,
    /// What to do next, if more precise than the registry's `next`.
    pub hint: Option<String>,
    /// Machine-readable facts.
    pub details: Map<String, Value>,
    /// The cause, for the log.
    pub internal: Option<String>,
    /// The question that is sent instead.
    pub asking: Option<Box<InputRequest>>,
}

impl RawFailure {
    /// A failure of the given registry entry.
    pub fn new(info: &'static ErrorInfo, message: impl Into<String>) -> Self {
        Self {
            info,
            message: message.into(),
            hint: None,
            details: Map::new(),
            internal: None,
            asking: None,
        }
    }

    /// The details for the client: those of the kind, overridden by those of this failure.
    pub fn all_details(&self) -> Cow<'_, Map<String, Value>> {
        if self.info.details == "{}" {
            return Cow::Borrowed(&self.details);
        }
        let mut all: Map<String, Value> =
            serde_json::from_str(self.info.details).unwrap_or_default();
        all.extend(self.details.clone());
        Cow::Owned(all)
    }

    /// The hint for the client.
    pub fn effective_hint(&self) -> Option<&str> {
        self.hint.as_deref().or(self.info.next)
    }
}

impl<E: ErrorKind> From<Failure<E>> for RawFailure {
    fn from(failure: Failure<E>) -> Self {
        failure.erase()
    }
}
