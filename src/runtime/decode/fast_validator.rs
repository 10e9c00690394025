//! The fast validator: recognises most valid arguments and answers in one pass over their text.
//!
//! It builds no value, so it costs a fraction of parsing, validating and converting one. It only
//! accepts, never rejects: unknown keywords, numbers beyond 64 bits and texts that seem invalid
//! are left to the full validator, which decides and explains. It depends on schemas only, not on
//! tools.

mod reader;
mod types;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use jsonschema::Validator;
use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use reader::Reader;
use types::Types;

/// Integers up to here are compared exactly as floating point numbers.
const EXACT: u64 = 1 << 53;

/// A schema whose keywords are all supported.
pub(super) struct FastValidator {
    root: Shape,
}

impl FastValidator {
    /// `None` if the schema has an unsupported keyword.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        Reader::new(schema).shape(schema).map(|root| Self { root })
    }

    /// Whether the text is valid. `false` is inconclusive.
    pub(super) fn accepts(&self, text: &str) -> bool {
        self.root.accepts(text)
    }
}

/// The constraints on a value.
struct Shape {
    types: Types,
    /// Allowed strings, if restricted.
    texts: Option<Vec<String>>,
    /// Validates strings by pattern and format.
    text: Option<Arc<Validator>>,
    /// Bounds of numbers; only integer bounds are supported.
    range: RangeInclusive<i64>,
    /// Length of strings in characters.
    length: RangeInclusive<usize>,
    /// Number of items of arrays.
    count: RangeInclusive<usize>,
    /// The shape of every item, if restricted.
    item: Option<Box<Shape>>,
    members: Vec<(String, Shape)>,
    /// Bit mask of the required members.
    required: u64,
    others: AdditionalMembers,
    /// If not empty, one of these must fit, and of the rest of this shape only `types` has a meaning:
    /// those of all choices.
    choices: Vec<Shape>,
}

/// Members that are not in `properties`.
enum AdditionalMembers {
    Refused,
    Any,
    Each(Box<Shape>),
}

static ANY: Shape = Shape::any();

impl Shape {
    const fn any() -> Self {
        Self {
            types: Types::ALL,
            texts: None,
            text: None,
            range: i64::MIN..=i64::MAX,
            length: 0..=usize::MAX,
            count: 0..=usize::MAX,
            item: None,
            members: Vec::new(),
            required: 0,
            others: AdditionalMembers::Any,
            choices: Vec::new(),
        }
    }

    fn accepts(&self, text: &str) -> bool {
        if !self.choices.is_empty() {
            return self.choices.iter().any(|choice| choice.accepts(text));
        }
        let mut json = serde_json::Deserializer::from_str(text);
        self.deserialize(&mut json).is_ok() && json.end().is_ok()
    }

    fn must_take<E: Error>(&self, types: Types) -> Result<(), E> {
        ensure(self.types.has(types))
    }

    /// Keeps only these types.
    fn restrict(&mut self, types: Types) {
        self.types = self.types.and(types);
        self.choices.iter_mut().for_each(|choice| choice.restrict(types));
    }

    /// The constants of a required member of an object that is always a string.
    fn tag(&self, name: &str) -> Option<&[String]> {
        let at = self.members.iter().position(|(member, _)| member == name)?;
        let shape = &self.members[at].1;
        let is_tag = self.types == Types::OBJECT
            && self.required & 1 << at != 0
            && shape.types == Types::STRING;
        is_tag.then_some(shape.texts.as_deref()).flatten()
    }
}

fn ensure<E: Error>(holds: bool) -> Result<(), E> {
    if holds { Ok(()) } else { Err(E::custom("not sure")) }
}

impl<'de> DeserializeSeed<'de> for &Shape {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        if self.choices.is_empty() {
            return value.deserialize_any(self);
        }
        let text = <&RawValue>::deserialize(value)?;
        ensure(self.accepts(text.get()))
    }
}

impl<'de> Visitor<'de> for &Shape {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a valid value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.must_take(Types::NULL)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.must_take(if value { Types::TRUE } else { Types::FALSE })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.must_take(Types::INTEGER)?;
        ensure(self.range.contains(&number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_i64(i64::try_from(number).map_err(E::custom)?)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.must_take(Types::NUMBER)?;
        let (least, most) = (*self.range.start(), *self.range.end());
        let exact = |bound: i64| bound.unsigned_abs() <= EXACT;
        ensure(
            number.is_finite()
                && (least == i64::MIN || exact(least) && least as f64 <= number)
                && (most == i64::MAX || exact(most) && number <= most as f64),
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.must_take(Types::STRING)?;
        if let Some(texts) = &self.texts {
            ensure(texts.iter().any(|allowed| allowed == text))?;
        }
        // A character has one to four bytes, so most strings need not be counted.
        let (least, most) = (*self.length.start(), *self.length.end());
        if text.len() > most || text.len() < least.saturating_mul(4) {
            ensure(self.length.contains(&text.chars().count()))?;
        }
        match &self.text {
            Some(validator) => ensure(validator.is_valid(&Value::from(text))),
            None => Ok(()),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.must_take(Types::ARRAY)?;
        let item = self.item.as_deref().unwrap_or(&ANY);
        let mut count = 0;
        while items.next_element_seed(item)?.is_some() {
            count += 1;
        }
        ensure(self.count.contains(&count))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.must_take(Types::OBJECT)?;
        let mut seen = 0_u64;
        while let Some(place) = members.next_key_seed(Name(self))? {
            let shape = match (place, &self.others) {
                (Some(at), _) => {
                    seen |= 1 << at;
                    &self.members[at].1
                }
                (None, AdditionalMembers::Any) => &ANY,
                (None, AdditionalMembers::Each(shape)) => shape,
                (None, AdditionalMembers::Refused) => return ensure(false),
            };
            members.next_value_seed(shape)?;
        }
        ensure(seen & self.required == self.required)
    }
}

/// Finds a member by its name.
struct Name<'s>(&'s Shape);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Option<usize>, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.members.iter().position(|(member, _)| member == name))
    }
}

#[cfg(test)]
mod tests;
