//! Guards as text: condition, strength, error codes.

use serde_json::Value;

use super::page::{Inline, Text, Tone, code, joined, text, value};
use super::prose::prose;
use super::tables::{error_link, tool_link};
use crate::model::{Contract, GuardUse, Strength};

/// A guard of a tool as one step of a list.
pub(super) fn step(guard: &GuardUse, contract: &Contract) -> Text {
    let mut step = code(guard.name());
    step.extend([Inline::Text(" ".to_owned()), badge(guard, contract)]);
    step.push(Inline::Text(": ".to_owned()));
    step.extend(asks(guard, contract));
    let refusals = joined(refusals(guard, contract), ", ");
    if !refusals.is_empty() {
        step.push(Inline::Text(" Refuses with ".to_owned()));
        step.extend(refusals);
        step.push(Inline::Text(".".to_owned()));
    }
    step
}

/// The strength of the guard, and whether it runs before the arguments are read.
pub(super) fn badge(guard: &GuardUse, contract: &Contract) -> Inline {
    strength_badge(guard.strength(contract), guard.is_admission(contract))
}

/// The badge of a strength.
pub(super) fn strength_badge(strength: Strength, admission: bool) -> Inline {
    let (tone, words) = match strength {
        Strength::ModelSatisfiable => (Tone::Plain, "the model can satisfy it"),
        Strength::ClientAttested => (Tone::Notice, "the client attests the user's consent"),
        Strength::OutOfBand => (Tone::Strong, "decided out of band"),
    };
    let when = if admission { ", before the arguments are read" } else { "" };
    Inline::Badge(tone, format!("{words}{when}"))
}

/// What a built-in guard checks, independent of the tool.
pub(super) fn builtin(guard: &GuardUse) -> &'static str {
    match guard {
        GuardUse::Confirm { .. } => "An argument confirms the call.",
        GuardUse::TwoStage { .. } => "A token proves that exactly this plan was reviewed.",
        GuardUse::Ask { .. } => "The user agrees in the client.",
        GuardUse::Role { .. } => "A role of the user allows the tool.",
        GuardUse::Own { .. } => "",
    }
}

fn asks(guard: &GuardUse, contract: &Contract) -> Text {
    let mut words = Words(Text::new());
    match guard {
        GuardUse::Confirm { field, unless, rehearse, .. } => {
            words.code(field).text(" must be ").code("true").unless(unless.as_deref()).text(".");
            if *rehearse {
                words.text(" The refusal shows what the call would do.");
            }
        }
        GuardUse::TwoStage { issuer, field, unless, ttl_seconds, .. } => {
            words.code(field).text(" must be the token that ");
            words.0.push(tool_link(contract, issuer));
            words.text(" issued for the same plan").unless(unless.as_deref());
            words.text(&format!(". It is valid for {} and one call.", span(*ttl_seconds)));
        }
        GuardUse::Ask { message, otherwise, optional, .. } => {
            words.text("the client asks the user “");
            words.0.extend(prose(message));
            words.text("”. If the client cannot ask, ");
            match otherwise {
                Some(field) => words.code(field).text(" must be true, which the model can send."),
                None if *optional => words.text("the call goes on without."),
                None => words.text("the call is refused."),
            };
        }
        GuardUse::Role { tenant, user, project, .. } => {
            match user {
                Some(user) => words.text("a role of the user in ").code(user),
                None => words.text("a role of the caller"),
            };
            words.text(" must allow the tool");
            let scope = [tenant, project].into_iter().flatten();
            for (word, name) in [", in ", " and "].into_iter().zip(scope) {
                words.text(word).code(name);
            }
            words.text(".");
            match &contract.identity {
                None => words.text(" The model names the user: nothing binds it to the caller."),
                Some(identity) => {
                    words.text(" The caller is known from ").code(&identity.users);
                    if let Some(tokens) = &identity.tokens {
                        words.text(" or the bearer token in ").code(tokens);
                    }
                    words.text(match user {
                        Some(_) => "; the argument is only compared with it.",
                        None => ".",
                    })
                }
            };
        }
        GuardUse::Own { name, bind } => {
            if let Some(own) = contract.guards.get(name) {
                words.0.extend(prose(&own.doc));
            }
            if !bind.is_empty() {
                let bound = bind.iter().map(|(parameter, bound)| binding(parameter, bound));
                words.text(" Parameters: ");
                words.0.extend(joined(bound, ", "));
                words.text(".");
            }
        }
    }
    words.0
}

/// `action` "send", or `pane` from the argument `pane_id`.
fn binding(parameter: &str, bound: &Value) -> Text {
    let argument = bound.as_str().and_then(|text| text.strip_prefix('$'));
    let source = match argument {
        Some(argument) => [text(" from the argument "), code(argument)].concat(),
        None => vec![Inline::Text(" ".to_owned()), value(bound)],
    };
    [code(parameter), source].concat()
}

fn refusals(guard: &GuardUse, contract: &Contract) -> Vec<Text> {
    let because =
        |kind: &str, why: &str| [error_link(contract, kind), text(&format!(" ({why})"))].concat();
    match guard {
        GuardUse::Confirm { refuses, .. } | GuardUse::Ask { refuses, .. } => {
            vec![error_link(contract, refuses)]
        }
        GuardUse::TwoStage { missing, expired, mismatch, .. } => vec![
            because(missing, "no token"),
            because(expired, "too old"),
            because(mismatch, "unknown, used, or the plan changed"),
        ],
        GuardUse::Role { unknown, forbidden, .. } => {
            vec![because(unknown, "unknown user"), because(forbidden, "no matching role")]
        }
        GuardUse::Own { name, .. } => {
            let own = contract.guards.get(name).map(|own| own.refuses.as_slice());
            own.unwrap_or_default().iter().map(|kind| error_link(contract, kind)).collect()
        }
    }
}

/// Seconds in the largest unit that divides them.
fn span(seconds: u32) -> String {
    let (count, unit) = match seconds {
        seconds if seconds % 3600 == 0 => (seconds / 3600, "hour"),
        seconds if seconds % 60 == 0 => (seconds / 60, "minute"),
        seconds => (seconds, "second"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// A sentence that grows.
struct Words(Text);

impl Words {
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.push(Inline::Text(text.to_owned()));
        self
    }

    fn code(&mut self, code: &str) -> &mut Self {
        self.0.push(Inline::Code(code.to_owned()));
        self
    }

    fn unless(&mut self, field: Option<&str>) -> &mut Self {
        match field {
            Some(field) => self.text(", unless ").code(field).text(" is ").code("true"),
            None => self,
        }
    }
}
