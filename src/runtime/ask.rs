//! Asking the person behind the client, for the `ask` guard and for handlers that
//! [`Respond`](crate::Respond).
//!
//! Two ways lead to a person: a request from server to client (handshake revisions), or an answer
//! that says "input required", after which the client repeats the call (2026-07-28). The transport
//! offers whichever the client has; a client that offers neither is never a yes.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

/// A yes-or-no question.
#[derive(Debug, Clone)]
pub struct Question {
    /// What the person reads.
    pub message: String,
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The person agreed.
    Yes,
    /// The person declined, or closed the question.
    No,
}

/// How a question ended.
#[derive(Debug)]
pub enum AskOutcome {
    /// The person answered.
    Answered(Reply),
    /// The client must repeat the call with the answer.
    Repeat(InputRequest),
    /// The client cannot ask anybody.
    Impossible,
}

/// What the client must ask before it repeats the call.
#[derive(Debug, Clone)]
pub struct InputRequest {
    /// Name of the question within the call.
    pub name: String,
    /// What the person reads.
    pub message: String,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// Opaque state, bound to tool and arguments.
    pub state: String,
}

/// Implemented by the transport.
pub trait Asker: Send + Sync {
    /// Asks. `binding` is a digest of tool and arguments, so that an answer cannot be moved to
    /// another call.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        binding: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>>;
}
