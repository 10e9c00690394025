//! `ask`: the user must agree.
//!
//! Fails closed: if the client cannot prompt the user, the call is refused. Where the spec names a
//! boolean argument as a substitute, the caller must send `true` for it instead. An `optional`
//! question is asked where the client can, and elsewhere the tool's other guards decide. The server's
//! [`AskPolicy`](crate::ask::AskPolicy) makes every question required, or asks none.

use serde_json::{Value, json};

use crate::ask::{AskOutcome, DECLINED_HINT, Question, Reply, UNASKABLE_HINT, declined, unaskable};
use crate::contract::ErrorInfo;
use crate::error::RawFailure;
use crate::hidden::{is_hidden, is_joiner};
use crate::pipeline::{DecodedCall, Refusal};
use crate::tool::Tool;

/// Longest text of one argument within the question, in characters.
const MAX_SHOWN: usize = 200;

/// Parameters of the guard.
#[derive(Debug)]
pub struct Ask {
    /// The text shown to the user; `{field}` is replaced by the argument.
    pub message: &'static str,
    /// Error kind when the user declines.
    pub refuses: &'static ErrorInfo,
    /// The boolean argument that replaces the question if the client cannot prompt the user.
    pub otherwise: Option<&'static str>,
    /// The call passes if the client cannot prompt the user.
    pub optional: bool,
}

/// Passes if the user agrees.
pub async fn ask<T: Tool>(decoded: &mut DecodedCall<'_, T>, guard: &Ask) -> Result<(), Refusal> {
    let message = fill(guard.message, |name| decoded.argument(name));
    put(decoded, guard, &Question::new(message)).await.map(drop)
}

/// Puts a question to the user. Passes with a yes, and with `false` where nobody can be asked and
/// nobody has to be.
pub(super) async fn put<T: Tool>(
    decoded: &DecodedCall<'_, T>,
    guard: &Ask,
    question: &Question,
) -> Result<bool, Refusal> {
    let call = decoded.call();
    let asked = call.ask(question).await;
    if call.is_cancelled() {
        return Err(Refusal::Cancelled);
    }
    match asked {
        AskOutcome::Answered(Reply::Yes) => Ok(true),
        AskOutcome::Answered(reply) => {
            let message = declined(T::INFO.canonical, reply);
            let mut failure = RawFailure::new(guard.refuses, message);
            failure.hint = Some(DECLINED_HINT.to_owned());
            failure.details.insert("asked".to_owned(), json!(question.message));
            Err(failure.into())
        }
        AskOutcome::Repeat(request) => Err(Refusal::NeedsInput(request)),
        AskOutcome::Impossible => cannot_ask(decoded, guard).map(|()| false),
    }
}

fn cannot_ask<T: Tool>(decoded: &DecodedCall<'_, T>, guard: &Ask) -> Result<(), Refusal> {
    let must_ask = decoded.call().must_ask();
    let otherwise = guard.otherwise.filter(|_| !must_ask);
    if !must_ask && (guard.optional || otherwise.is_some_and(|name| decoded.sent_true(name))) {
        return Ok(());
    }
    let mut failure = RawFailure::new(guard.refuses, unaskable(T::INFO.canonical));
    if let Some(field) = otherwise {
        failure.details.insert("field".to_owned(), json!(field));
    }
    failure.hint = match otherwise {
        // The contract knows better what to do, unless it is the server's user who demands a person.
        _ if !must_ask && failure.info.next.is_some() => None,
        Some(field) => Some(format!(
            "the user decides: show them what the call would do; only after their yes send `{field}: true`"
        )),
        None => Some(UNASKABLE_HINT.to_owned()),
    };
    Err(failure.into())
}

fn fill<'v>(template: &str, argument: impl Fn(&str) -> Option<&'v Value>) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        match argument(name) {
            None | Some(Value::Null) => text.push_str("(none)"),
            Some(Value::String(value)) => push_shown(&mut text, value),
            Some(value) => push_shown(&mut text, &value.to_string()),
        }
        rest = tail;
    }
    text.push_str(rest);
    text
}

/// An argument must not be able to forge the rest of the question: removes line breaks, terminal
/// codes and characters that hide or reorder text, and limits the length.
fn push_shown(text: &mut String, value: &str) {
    let mut shown = value.chars().filter(|letter| !is_hidden(*letter) && !is_joiner(*letter));
    text.extend(shown.by_ref().take(MAX_SHOWN));
    if shown.next().is_some() {
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fill;

    #[test]
    fn arguments_are_filled_in_and_cannot_forge_text() {
        let arguments =
            json!({"pane": 3, "text": "rm\n\u{1b}[2J\u{202e}x", "long": "y".repeat(500)});
        let shown = fill("send {text} to {pane} {gone}{", |name| arguments.get(name));
        assert_eq!(shown, "send rm[2Jx to 3 (none){");
        let shown = fill("{long}", |name| arguments.get(name));
        assert_eq!(shown.chars().count(), 201);
    }

    #[test]
    fn a_value_is_not_filled_in_twice() {
        let arguments = json!({"a": "{b}", "b": "secret"});
        assert_eq!(fill("{a}", |name| arguments.get(name)), "{b}");
    }
}
