//! Problems with the arguments of a call, described so that a model can fix them.
//!
//! A problem names the offending value by JSON pointer, the broken rule, and what was expected, as
//! text and as data. This module does not know how problems are found.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::contract::{ErrorInfo, ToolInfo};
use crate::error::RawFailure;

/// Maximum number of problems in one answer.
pub const MAX_PROBLEMS: usize = 20;
/// Maximum number of problems in the message itself.
const MESSAGE_PROBLEMS: usize = 3;
/// Longest text of a received value, in characters.
const MAX_RECEIVED: usize = 80;
/// Longest pointer, in bytes.
const MAX_POINTER: usize = 300;

/// One problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// JSON pointer of the offending or missing value; empty for the arguments as a whole.
    pub pointer: String,
    /// The broken rule: a JSON Schema keyword, the name of a constraint, `alias`,
    /// `duplicate_key` or `json`.
    pub rule: String,
    /// What is wrong, for humans and models.
    pub message: String,
    /// What is expected, as a fragment of JSON Schema.
    pub expected: Value,
    /// The offending value as JSON text, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// The name or value that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
}

impl Problem {
    /// A problem at `pointer`.
    pub fn new(
        pointer: impl Into<String>,
        rule: impl Into<String>,
        message: impl Into<String>,
        expected: Value,
    ) -> Self {
        // A property name sent by the client may be megabytes long.
        let mut pointer = pointer.into();
        if pointer.len() > MAX_POINTER {
            pointer.truncate(pointer.floor_char_boundary(MAX_POINTER));
            pointer.push('…');
        }
        Self {
            pointer,
            rule: rule.into(),
            message: message.into(),
            expected,
            received: None,
            did_you_mean: None,
        }
    }

    /// Shows the offending value.
    #[must_use]
    pub fn received(mut self, value: &Value) -> Self {
        self.received = Some(excerpt(value));
        self
    }

    /// Adds the name that was probably meant, also to the message.
    #[must_use]
    pub fn did_you_mean(mut self, suggestion: Option<&str>) -> Self {
        if let Some(suggestion) = suggestion {
            self.message.push_str("; did you mean `");
            self.message.push_str(suggestion);
            self.message.push_str("`?");
            self.did_you_mean = Some(suggestion.to_owned());
        }
        self
    }

    fn place(&self) -> &str {
        if self.pointer.is_empty() { "the arguments" } else { &self.pointer }
    }
}

/// All problems of one call.
#[derive(Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    unlisted: usize,
}

impl Problems {
    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.list.push(problem);
    }

    /// Counts problems that are not listed.
    pub fn add_unlisted(&mut self, count: usize) {
        self.unlisted += count;
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.unlisted == 0
    }

    /// The problems found so far.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Problem> {
        self.list.iter_mut()
    }

    /// Sorted by pointer and rule, without duplicates.
    pub fn into_sorted(mut self) -> (Vec<Problem>, usize) {
        self.list.sort_by(|a, b| {
            (&a.pointer, &a.rule, &a.message).cmp(&(&b.pointer, &b.rule, &b.message))
        });
        self.list.dedup();
        (self.list, self.unlisted)
    }

    /// The failure that lists them, with an example of a valid call.
    pub fn into_failure(self, tool: &ToolInfo, info: &'static ErrorInfo) -> RawFailure {
        let (mut list, unlisted) = self.into_sorted();
        let total = list.len() + unlisted;
        let message = summary_message(tool, &list, total);
        let more = total - list.len().min(MAX_PROBLEMS);
        list.truncate(MAX_PROBLEMS);

        let mut details = Map::new();
        details.insert("problems".to_owned(), serde_json::to_value(list).unwrap_or_default());
        if more > 0 {
            details.insert("more".to_owned(), Value::from(more));
        }
        if let Ok(minimal) = serde_json::from_str(tool.minimal_call) {
            details.insert("minimal_call".to_owned(), minimal);
        }
        RawFailure { details, ..RawFailure::new(info, message) }
    }
}

/// The message, which is all that an envelope without details shows: the first few problems, those
/// with a pointer first, because one about the arguments as a whole often follows from another.
fn summary_message(tool: &ToolInfo, list: &[Problem], total: usize) -> String {
    let name = tool.canonical;
    let (placed, whole): (Vec<&Problem>, Vec<&Problem>) =
        list.iter().partition(|problem| !problem.pointer.is_empty());
    let listed: Vec<String> = placed
        .into_iter()
        .chain(whole)
        .take(MESSAGE_PROBLEMS)
        .map(|problem| format!("{}: {}", problem.place(), problem.message))
        .collect();
    let text = listed.join("; ");
    match (listed.len(), total - listed.len()) {
        (0, _) => format!("the arguments of `{name}` do not match its schema"),
        (_, 0) => format!("invalid arguments for `{name}`: {text}"),
        (_, 1) => format!("invalid arguments for `{name}`: {text} (and 1 more problem)"),
        (_, others) => {
            format!("invalid arguments for `{name}`: {text} (and {others} more problems)")
        }
    }
}

/// `value` as JSON text of at most 80 characters.
pub fn excerpt(value: &Value) -> String {
    // A long string or a big tree is cut before it is rendered, not after.
    match value {
        Value::String(text) if text.len() > 4 * MAX_RECEIVED => {
            let head: String = text.chars().take(MAX_RECEIVED).collect();
            shorten(&Value::String(head).to_string())
        }
        Value::Array(items) if items.len() > MAX_RECEIVED => {
            format!("an array of {} items", items.len())
        }
        Value::Object(members) if members.len() > MAX_RECEIVED => {
            format!("an object of {} members", members.len())
        }
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().map(excerpt).collect();
            shorten(&format!("[{}]", parts.join(",")))
        }
        Value::Object(members) => {
            let parts: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    format!("{}:{}", excerpt(&Value::from(key.as_str())), excerpt(value))
                })
                .collect();
            shorten(&format!("{{{}}}", parts.join(",")))
        }
        _ => shorten(&value.to_string()),
    }
}

/// `text`, cut to 80 characters.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_RECEIVED) {
        None => text.to_owned(),
        Some(_) => {
            let mut short: String = text.chars().take(MAX_RECEIVED - 1).collect();
            short.push('…');
            short
        }
    }
}

/// Adds one segment to a JSON pointer.
pub fn join(pointer: &str, segment: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + segment.len() + 1);
    joined.push_str(pointer);
    joined.push('/');
    for letter in segment.chars() {
        match letter {
            '~' => joined.push_str("~0"),
            '/' => joined.push_str("~1"),
            _ => joined.push(letter),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{excerpt, join};

    #[test]
    fn an_excerpt_has_at_most_eighty_characters() {
        for value in [json!("é".repeat(5_000)), json!(vec![0; 1_000]), json!([["x".repeat(100)]])]
        {
            let text = excerpt(&value);
            assert!(text.chars().count() <= 80, "{text}");
        }
        assert_eq!(excerpt(&json!({"a": [1, "b"]})), r#"{"a":[1,"b"]}"#);
    }

    #[test]
    fn pointers_are_escaped() {
        assert_eq!(join("/a", "b/c~d"), "/a/b~1c~0d");
    }
}
