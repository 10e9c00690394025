//! JSON exactly as Python's `json` module reads and writes it, without losing a digit.
//!
//! `serde_json` is no substitute: it rounds long integers, prints floats its own way and refuses what
//! Python accepts (unpaired surrogates in untouched entries). Knows nothing of overrides.

mod members;
mod parse;
#[cfg(test)]
mod tests;
mod write;

pub use members::Members;
pub use parse::{SyntaxError, parse};
pub use write::{compact, pretty};

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as the text that Python prints for it; integers keep every digit.
    Number(String),
    /// A string.
    String(String),
    /// A string with unpaired surrogates, which is not Unicode text: its escaped form.
    Broken(String),
    /// An array.
    Array(Vec<Json>),
    /// An object; of duplicate keys the last one counts.
    Object(Members),
}

impl Json {
    /// A string value.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// An array of strings.
    pub fn strings<S: Into<String>>(items: impl IntoIterator<Item = S>) -> Self {
        Self::Array(items.into_iter().map(Self::string).collect())
    }

    /// The text, if this is a string of Unicode text.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Members> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// A member that is there and not null.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.get(name).filter(|value| **value != Json::Null)
    }

    /// Whether Python's `value == integer` holds: `1`, `1.0` and `true` equal 1, `"1"` does not.
    pub fn equals_integer(&self, integer: i32) -> bool {
        match self {
            Self::Number(text) => text.parse::<f64>() == Ok(f64::from(integer)),
            Self::Bool(value) => i32::from(*value) == integer,
            _ => false,
        }
    }

    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Broken(_) => "a string with unpaired surrogates",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}
