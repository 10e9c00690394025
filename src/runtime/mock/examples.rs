//! Finds the example that matches a call.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::contract::{ExampleInfo, Expect};
use crate::decode::{self, LazyTool};

/// The arguments of a call or of an example, under their canonical names.
pub(super) struct Arguments {
    /// As sent.
    sent: Map<String, Value>,
    /// With the defaults of the schema.
    pub(super) filled: Map<String, Value>,
}

impl Arguments {
    /// Decoded arguments of `tool`.
    pub(super) fn new(tool: &LazyTool, decoded: Value) -> Self {
        let sent = match decoded {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let mut filled = sent.clone();
        if let Ok(compiled) = tool.get() {
            for (name, default) in &compiled.defaults {
                filled.entry(name).or_insert_with(|| default.clone());
            }
        }
        Self { sent, filled }
    }

    /// The arguments of an example; `None` if they are invalid.
    pub(super) fn of_example(tool: &LazyTool, example: &ExampleInfo) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(example.input).ok()?;
        let decoded = decode::decode::<Value>(tool, raw).ok()?;
        Some(Self::new(tool, decoded.request))
    }

    /// The caller sent `true` for `name`.
    pub(super) fn sent_true(&self, name: &str) -> bool {
        self.sent.get(name) == Some(&Value::Bool(true))
    }

    /// The string that the caller sent for `name`.
    pub(super) fn sent_text(&self, name: &str) -> Option<&str> {
        self.sent.get(name).and_then(Value::as_str)
    }

    fn equals(&self, other: &Self, apart_from: &[&str]) -> bool {
        let counts = |(name, _): &(&String, &Value)| !apart_from.contains(&name.as_str());
        self.filled.iter().filter(counts).eq(other.filled.iter().filter(counts))
    }

    /// How many of the sent arguments the other has too.
    fn shared_with(&self, other: &Self) -> usize {
        self.sent.iter().filter(|(name, value)| other.filled.get(*name) == Some(value)).count()
    }
}

/// The examples with the same arguments, except for those named.
pub(super) fn equal(
    tool: &LazyTool,
    arguments: &Arguments,
    apart_from: &[&str],
) -> impl Iterator<Item = &'static ExampleInfo> {
    tool.info().examples.iter().filter(move |example| {
        Arguments::of_example(tool, example)
            .is_some_and(|shown| arguments.equals(&shown, apart_from))
    })
}

/// The example for a call that passed its guards: the first success with the same arguments, else the
/// first error with them, else the nearest success. Ignores the kinds that its guards refuse with.
pub(super) fn fitting(
    tool: &LazyTool,
    arguments: &Arguments,
    apart_from: &[&str],
    refused: &[&str],
) -> Option<&'static ExampleInfo> {
    let mut error = None;
    for example in equal(tool, arguments, apart_from) {
        match example.expect {
            Expect::Output(_) => return Some(example),
            Expect::Error(kind) if !refused.contains(&kind) => {
                error.get_or_insert(example);
            }
            Expect::Error(_) => {}
        }
    }
    error.or_else(|| nearest(tool, arguments))
}

/// The success that shares the most arguments; the first on a tie.
fn nearest(tool: &LazyTool, arguments: &Arguments) -> Option<&'static ExampleInfo> {
    let successes =
        tool.info().examples.iter().filter(|example| matches!(example.expect, Expect::Output(_)));
    let scored = successes.map(|example| {
        let shown = Arguments::of_example(tool, example);
        (shown.map_or(0, |shown| arguments.shared_with(&shown)), example)
    });
    // On a tie `max_by_key` returns the last.
    scored.rev().max_by_key(|(score, _)| *score).map(|(_, example)| example)
}
