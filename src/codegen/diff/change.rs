//! One change between two versions of a contract.

use serde::Serialize;
use serde_json::Value;

use super::rules::Rule;
use crate::diagnostics::Span;

/// Longest value that a report shows.
const SHORT: usize = 80;

/// A place in one of the two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// File and bytes.
    pub span: Span,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The thing itself is there; otherwise this is what would hold it.
    pub present: bool,
}

/// Where a schema is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// In what callers send.
    Input,
    /// In what they are answered.
    Output,
}

impl Use {
    /// Name in reports, and key in a tool's file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// One change.
#[derive(Debug, Clone)]
pub struct Change {
    /// What kind of change it is, how it is judged and what to do.
    pub rule: &'static Rule,
    /// Whose.
    pub surface: String,
    /// A tool by its name, or another thing with its kind: `type Pane`, `error gone`, `surface`.
    pub subject: String,
    /// JSON pointer into the file that holds the subject: of the new version, or of the old one
    /// where there is no new one.
    pub pointer: String,
    /// What changes, in one sentence without a full stop.
    pub message: String,
    /// The old value in short.
    pub before: Option<String>,
    /// The new value in short.
    pub after: Option<String>,
    /// Where it was.
    pub old: Option<Location>,
    /// Where it is.
    pub new: Option<Location>,
    /// Tools that use a changed schema, sorted.
    pub affects: Vec<(String, Use)>,
    /// Reason why it was accepted.
    pub accepted: Option<String>,
    /// Distinguishes changes at the same place, independent of their use.
    pub(super) topic: &'static str,
}

impl Change {
    /// Sets the old and the new value.
    pub(super) fn values(
        &mut self,
        before: impl Into<Option<String>>,
        after: impl Into<Option<String>>,
    ) -> &mut Self {
        self.before = before.into().map(shorten);
        self.after = after.into().map(shorten);
        self
    }

    /// It fails the check.
    pub fn is_open_break(&self) -> bool {
        self.rule.breaking && self.accepted.is_none()
    }

    /// The subject with the place inside, as accepted breaks may name it.
    pub fn place(&self) -> String {
        format!("{}#{}", self.subject, self.pointer)
    }
}

/// A value as compact JSON.
pub(super) fn show(value: &Value) -> String {
    value.to_string()
}

/// A list of names.
pub(super) fn list<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(", ")
}

/// One line of bearable length.
fn shorten(text: String) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHORT {
        return line;
    }
    let head: String = line.chars().take(SHORT - 1).collect();
    format!("{head}…")
}
