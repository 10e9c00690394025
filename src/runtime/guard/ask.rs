//! `ask`: the user must agree.
//!
//! Fails closed: if the client cannot prompt the user, the call is refused. Where the spec names a
//! boolean argument as a substitute, the caller must send `true` for it instead.

use std::pin::pin;

use futures_util::future::{Either, select};
use serde_json::{Value, json};

use crate::ask::{AskOutcome, Question, Reply};
use crate::contract::ErrorInfo;
use crate::digest::sha256_hex;
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
}

/// Passes if the user agrees.
pub async fn ask<T: Tool>(decoded: &mut DecodedCall<'_, T>, guard: &Ask) -> Result<(), Refusal> {
    let call = decoded.call();
    let Some(asker) = call.asker().cloned() else { return cannot_ask(decoded, guard) };
    let question = Question { message: fill(guard.message, |name| decoded.argument(name)) };
    let binding = binding(T::INFO.canonical, decoded.arguments());
    let asked = match select(pin!(call.cancelled()), asker.ask(&question, &binding)).await {
        Either::Left(_) => return Err(Refusal::Cancelled),
        Either::Right((asked, _)) => asked,
    };
    match asked {
        AskOutcome::Answered(Reply::Yes) => Ok(()),
        AskOutcome::Answered(Reply::No) => {
            let message = format!("the user declined `{}`", T::INFO.canonical);
            let mut failure = RawFailure::new(guard.refuses, message);
            failure.details.insert("asked".to_owned(), json!(question.message));
            Err(failure.into())
        }
        AskOutcome::Repeat(request) => Err(Refusal::NeedsInput(request)),
        AskOutcome::Impossible => cannot_ask(decoded, guard),
    }
}

fn cannot_ask<T: Tool>(decoded: &DecodedCall<'_, T>, guard: &Ask) -> Result<(), Refusal> {
    if guard.otherwise.is_some_and(|name| decoded.sent_true(name)) {
        return Ok(());
    }
    let message = format!(
        "`{}` needs the user's consent, but this client cannot prompt the user",
        T::INFO.canonical
    );
    let mut failure = RawFailure::new(guard.refuses, message);
    if let Some(field) = guard.otherwise {
        failure.details.insert("field".to_owned(), json!(field));
    }
    if failure.info.next.is_none() {
        failure.hint = Some(match guard.otherwise {
            Some(field) => format!(
                "the user decides: show them what the call would do; only after their yes send `{field}: true`"
            ),
            None => "use a client that supports elicitation".to_owned(),
        });
    }
    Err(failure.into())
}

/// Digest of a call: an answer is valid only for the call it was given for.
fn binding(tool: &str, arguments: &Value) -> String {
    // Members are sorted, so equal arguments have equal texts.
    sha256_hex(format!("{tool}\0{arguments}").as_bytes())
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

    use super::{binding, fill};

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

    #[test]
    fn a_binding_depends_on_tool_and_arguments() {
        let one = binding("a", &json!({"x": 1, "y": 2}));
        assert_eq!(one, binding("a", &json!({"y": 2, "x": 1})));
        assert_ne!(one, binding("b", &json!({"x": 1, "y": 2})));
        assert_ne!(one, binding("a", &json!({"x": 1, "y": 3})));
    }
}
