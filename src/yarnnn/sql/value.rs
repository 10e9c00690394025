//! Values of statements and rows, the same for both databases.
//!
//! SQLite has no booleans and PostgreSQL has many kinds of numbers; the conversions of [`Row::get`]
//! hide the differences. Knows no connection.

use std::sync::Arc;

use super::error::{Kind, Result};

/// One value of a row or of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A number. NaN is refused: SQLite would store NULL instead.
    Real(f64),
    /// Text. A NUL character is refused: PostgreSQL cannot store it.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
    /// A boolean. SQLite stores it as 1 or 0.
    Bool(bool),
}

impl Value {
    /// The name of the type, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Int(_) => "a whole number",
            Self::Real(_) => "a number",
            Self::Text(_) => "text",
            Self::Blob(_) => "bytes",
            Self::Bool(_) => "yes or no",
        }
    }
}

/// Refuses values that one of the databases would refuse or change, so that both behave alike.
pub(super) fn storable(values: &[Value], expected: usize) -> Result<()> {
    if values.len() != expected {
        return Err(Kind::Broken
            .because(format!("The statement takes {expected} values, got {}.", values.len())));
    }
    for (index, value) in values.iter().enumerate() {
        let wrong = match value {
            Value::Text(text) if text.contains('\0') => "text with a NUL character",
            Value::Real(number) if number.is_nan() => "not a number (NaN)",
            _ => continue,
        };
        return Err(Kind::Broken
            .because(format!("Value ${} is {wrong}, which cannot be stored.", index + 1)));
    }
    Ok(())
}

macro_rules! from {
    ($($kind:ty => $variant:ident),* $(,)?) => {$(
        impl From<$kind> for Value {
            fn from(value: $kind) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    i64 => Int, i32 => Int, u32 => Int, f64 => Real, f32 => Real, bool => Bool,
    String => Text, &str => Text, &String => Text, Vec<u8> => Blob, &[u8] => Blob,
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A Rust type that a row's value converts to.
pub trait FromValue<'row>: Sized {
    /// The expected type, for messages.
    const EXPECTED: &'static str;
    /// The value, if it has this type.
    fn from_value(value: &'row Value) -> Option<Self>;
}

macro_rules! into {
    ($($kind:ty, $expected:literal: { $($pattern:pat => $result:expr),* $(,)? })*) => {$(
        impl<'row> FromValue<'row> for $kind {
            const EXPECTED: &'static str = $expected;
            fn from_value(value: &'row Value) -> Option<Self> {
                match value { $($pattern => $result,)* _ => None }
            }
        }
    )*};
}

into! {
    i64, "a whole number": {
        Value::Int(number) => Some(*number), Value::Bool(yes) => Some((*yes).into()),
    }
    u64, "a whole number from 0": { Value::Int(number) => (*number).try_into().ok() }
    u32, "a whole number from 0 to 4294967295": { Value::Int(number) => (*number).try_into().ok() }
    usize, "a whole number from 0": { Value::Int(number) => (*number).try_into().ok() }
    // Whole numbers below 2^53 are exact; larger ones are not used with this.
    f64, "a number": {
        Value::Real(number) => Some(*number), Value::Int(number) => Some(*number as f64),
    }
    bool, "yes or no": {
        Value::Bool(yes) => Some(*yes), Value::Int(0) => Some(false), Value::Int(1) => Some(true),
    }
    String, "text": { Value::Text(text) => Some(text.clone()) }
    &'row str, "text": { Value::Text(text) => Some(text) }
    Vec<u8>, "bytes": { Value::Blob(bytes) => Some(bytes.clone()) }
    &'row [u8], "bytes": { Value::Blob(bytes) => Some(bytes) }
}

impl<'row> FromValue<'row> for &'row Value {
    const EXPECTED: &'static str = "anything";
    fn from_value(value: &'row Value) -> Option<Self> {
        Some(value)
    }
}

impl<'row, T: FromValue<'row>> FromValue<'row> for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn from_value(value: &'row Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// One result row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    names: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    pub(super) fn new(names: Arc<[String]>, values: Vec<Value>) -> Self {
        Self { names, values }
    }

    /// The column of that name, case-insensitively. Name computed columns with `AS`.
    pub fn get<'row, T: FromValue<'row>>(&'row self, name: &str) -> Result<T> {
        let found = self
            .names
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name))
            .and_then(|index| self.values.get(index));
        let Some(value) = found else {
            return Err(Kind::Broken.because(format!("The result has no column `{name}`.")));
        };
        T::from_value(value).ok_or_else(|| {
            Kind::Broken.because(format!(
                "Column `{name}` holds {}, not {}.",
                value.type_name(),
                T::EXPECTED
            ))
        })
    }

    /// The columns' names, in the order of the statement.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values in the order of the statement, without a copy.
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }
}
