//! Sets of JSON types. A boolean counts as two, so that `const: true` is a set of types.

use serde_json::Value;

/// A set of JSON types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const TRUE: Self = Self(2);
    pub(super) const FALSE: Self = Self(128);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NUMBER: Self = Self(8 | Self::INTEGER.0);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(255);

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::TRUE.or(Self::FALSE),
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The value of the keyword `type`.
    pub(super) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(name) => Self::named(name),
            Value::Array(names) => names
                .iter()
                .try_fold(Self::NONE, |types, name| Some(types.or(Self::named(name.as_str()?)?))),
            _ => None,
        }
    }

    pub(super) const fn has(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }
}
