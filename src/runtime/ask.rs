//! Asks the user through the client: for the `ask` guard, and for handlers and guards of a surface
//! that find out while they run that a person should decide ([`Call::consent`], [`Call::ask`]).
//!
//! There are two mechanisms: an elicitation request from server to client (revisions with a
//! handshake), or an "input required" answer after which the client repeats the call (2026-07-28).
//! The transport uses the one that the client supports. If it supports neither, the answer is never
//! yes.
//!
//! A yes holds for one call: it is bound to the tool, to all arguments and to what the question is
//! [about](Question::about), and where the client carries it from one call to the next it expires and
//! is accepted once.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::call::Call;
use crate::digest::sha256_hex;
use crate::error::{ErrorKind, Failure};
use crate::hidden::shown;

/// A yes-or-no question.
#[derive(Debug, Clone)]
pub struct Question {
    /// The text shown to the user.
    pub message: String,
    /// What a yes is bound to besides tool and arguments.
    about: Option<String>,
}

impl Question {
    /// A question. A yes holds only for this very text.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), about: None }
    }

    /// Binds a yes to `state`, such as the digest of a plan, instead of to the text: for texts that
    /// show something which may change while the user thinks, and need not be asked again for it.
    #[must_use]
    pub fn about(mut self, state: impl Into<String>) -> Self {
        self.about = Some(state.into());
        self
    }

    fn subject(&self) -> &str {
        self.about.as_deref().unwrap_or(&self.message)
    }
}

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The user agreed.
    Yes,
    /// The user declined or dismissed the question.
    No,
    /// Nobody answered in time, which counts as no.
    Late,
}

/// The result of asking.
#[derive(Debug)]
pub enum AskOutcome {
    /// The user answered, or did not in time.
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
    /// Asks the user. `binding` is a digest of everything that the answer holds for, so that it cannot
    /// be replayed for another call.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        binding: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>>;
}

/// The beginning of a text, for a question: nothing in it is hidden, and its lines stay on one line
/// each.
pub fn excerpt(text: &str, most: usize) -> String {
    let lines: Vec<_> = text.trim_end().lines().map(shown).collect();
    let text = lines.join("\n");
    let mut letters = text.chars();
    let mut start: String = letters.by_ref().take(most).collect();
    match letters.count() {
        0 => {}
        more => start += &format!("… ({more} characters more)"),
    }
    start
}

/// Whom a server asks, as its user set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AskPolicy {
    /// The user, where the client can ask; elsewhere the contract's other guards decide.
    #[default]
    Auto,
    /// As `Auto`, but what cannot be asked is refused, whatever stands in for the question.
    Always,
    /// Nobody: as if no client could ask.
    Never,
}

/// Default of how long the user may take to answer.
pub const ASK_TIMEOUT: Duration = Duration::from_secs(120);

/// Why a call may go on after [`Call::consent`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The user agreed.
    Given,
    /// The client cannot ask, and the server's user did not demand it.
    Unasked,
}

impl Call {
    /// [`Call::ask`] and [`Call::consent`] may do more than pass: a caller that has to find out what to
    /// ask need not do so otherwise.
    pub fn may_ask(&self) -> bool {
        self.asker().is_some() || self.must_ask()
    }

    /// Asks the user, if the client can.
    pub async fn ask(&self, question: &Question) -> AskOutcome {
        match self.asker() {
            Some(asker) => asker.ask(question, &self.binding(question)).await,
            None => AskOutcome::Impossible,
        }
    }

    /// Asks the user before an effect, where the client can. Everything else about the call must have
    /// been checked: what is refused anyway is not asked for.
    ///
    /// # Errors
    /// `refuses`, when the user declines or does not answer in time, and when the client cannot ask
    /// although the server's `ask` setting demands it. Also when the client must repeat the call with
    /// the answer; return that failure as it is.
    pub async fn consent<E: ErrorKind>(
        &self,
        question: &Question,
        refuses: E,
    ) -> Result<Consent, Failure<E>> {
        let reply = match self.ask(question).await {
            AskOutcome::Answered(Reply::Yes) => return Ok(Consent::Given),
            AskOutcome::Impossible if !self.must_ask() => return Ok(Consent::Unasked),
            AskOutcome::Repeat(request) => {
                return Err(refuses.because("the user must be asked first").asking(request));
            }
            AskOutcome::Impossible => {
                return Err(refuses.because(unaskable(self.tool().canonical)).hint(UNASKABLE_HINT));
            }
            AskOutcome::Answered(reply) => reply,
        };
        let failure = refuses.because(declined(self.tool().canonical, reply));
        Err(failure.hint(DECLINED_HINT).with("asked", &question.message))
    }

    /// Digest of what an answer holds for. Equal arguments have equal texts: members are sorted.
    fn binding(&self, question: &Question) -> String {
        let arguments = self.arguments().map_or("{}", RawValue::get);
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let parts = json!([self.tool().canonical, arguments, question.subject()]);
        sha256_hex(parts.to_string().as_bytes())
    }
}

/// What to do after a no.
pub(crate) const DECLINED_HINT: &str =
    "do not repeat the call unless the user asks for it; tell the user what was not done";

/// What to do where nobody can be asked although somebody must be.
pub(crate) const UNASKABLE_HINT: &str = "use a client that supports elicitation, or ask whoever runs the server about its `ask` setting";

pub(crate) fn declined(tool: &str, reply: Reply) -> String {
    match reply {
        Reply::Late => format!("nobody answered the question in time, so `{tool}` did nothing"),
        Reply::Yes | Reply::No => format!("the user declined `{tool}`"),
    }
}

pub(crate) fn unaskable(tool: &str) -> String {
    format!("`{tool}` needs the user's consent, but this client cannot prompt the user")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_hides_nothing_and_says_what_is_missing() {
        assert_eq!(excerpt("one\ntwo\n", 20), "one\ntwo");
        assert_eq!(excerpt("a\u{202e}b\u{1b}", 40), "a⟨U+202E⟩b⟨U+001B⟩");
        assert_eq!(excerpt("12345", 3), "123… (2 characters more)");
    }
}
