//! Asks the user through the client, for the `ask` guard and for handlers that implement
//! [`Respond`](crate::Respond).
//!
//! There are two mechanisms: an elicitation request from server to client (revisions with a
//! handshake), or an "input required" answer after which the client repeats the call (2026-07-28).
//! The transport uses the one that the client supports. If it supports neither, the answer is never
//! yes.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

/// A yes-or-no question.
#[derive(Debug, Clone)]
pub struct Question {
    /// The text shown to the user.
    pub message: String,
}

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The user agreed.
    Yes,
    /// The user declined or dismissed the question.
    No,
}

/// The result of asking.
#[derive(Debug)]
pub enum AskOutcome {
    /// The user answered.
    Answered(Reply),
    /// The client must repeat the call with the answer.
    Repeat(InputRequest),
    /// The client cannot ask the user.
    Impossible,
}

/// A question that the client must ask before it repeats the call.
#[derive(Debug, Clone)]
pub struct InputRequest {
    /// Name of the question within the call.
    pub name: String,
    /// The text shown to the user.
    pub message: String,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// Opaque state, bound to tool and arguments.
    pub state: String,
}

/// Implemented by the transport.
pub trait Asker: Send + Sync {
    /// Asks the user. `binding` is a digest of tool and arguments, so that an answer cannot be
    /// replayed for another call.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        binding: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>>;
}
