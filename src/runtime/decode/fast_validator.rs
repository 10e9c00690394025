//! The fast validator: recognises most valid arguments in one pass over their text.
//!
//! It builds no value, so it costs a fraction of parsing, validating and converting one. It only
//! accepts, never rejects: unknown keywords, numbers beyond 64 bits and arguments that seem invalid
//! are left to the full validator, which decides and explains. It depends on schemas only, not on
//! tools.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A larger or deeper schema is most likely recursive.
const MAX_SHAPES: usize = 500;
const MAX_DEPTH: usize = 16;
/// Maximum number of members of one object: one bit each in `required`.
const MAX_MEMBERS: usize = 64;

/// A schema whose keywords are all supported.
pub(super) struct FastValidator {
    root: Shape,
}

impl FastValidator {
    /// `None` if the schema has an unsupported keyword.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        Reader { root: schema, left: MAX_SHAPES, depth: 0 }.shape(schema).map(|root| Self { root })
    }

    /// Whether the text is valid. `false` is inconclusive.
    pub(super) fn accepts(&self, text: &str) -> bool {
        let mut json = serde_json::Deserializer::from_str(text);
        self.root.deserialize(&mut json).is_ok() && json.end().is_ok()
    }
}

/// The constraints on a value.
struct Shape {
    types: Types,
    /// Allowed strings, if restricted.
    texts: Option<Vec<String>>,
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
}

/// Members that are not in `properties`.
enum AdditionalMembers {
    Refused,
    Any,
    Each(Box<Shape>),
}

/// A set of JSON types.
#[derive(Clone, Copy)]
struct Types(u8);

impl Types {
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(2);
    const INTEGER: Self = Self(4);
    const NUMBER: Self = Self(8 | Self::INTEGER.0);
    const STRING: Self = Self(16);
    const ARRAY: Self = Self(32);
    const OBJECT: Self = Self(64);
    const ALL: Self = Self(127);

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(name) => Self::named(name),
            Value::Array(names) => names.iter().try_fold(Self(0), |types, name| {
                Some(Self(types.0 | Self::named(name.as_str()?)?.0))
            }),
            _ => None,
        }
    }

    fn has(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }
}

static ANY: Shape = Shape::any();

/// Converts schemas to shapes.
struct Reader<'s> {
    root: &'s Value,
    left: usize,
    depth: usize,
}

impl<'s> Reader<'s> {
    fn shape(&mut self, schema: &'s Value) -> Option<Shape> {
        self.left = self.left.checked_sub(1)?;
        self.depth += 1;
        let shape = if self.depth > MAX_DEPTH { None } else { self.known(schema.as_object()?) };
        self.depth -= 1;
        shape
    }

    fn known(&mut self, schema: &'s Map<String, Value>) -> Option<Shape> {
        if let Some(reference) = schema.get("$ref") {
            let pointer = reference.as_str()?.strip_prefix('#')?;
            let alone = schema.keys().all(|key| key == "$ref" || is_prose(key));
            let root = self.root;
            return alone.then(|| self.shape(root.pointer(pointer)?)).flatten();
        }
        let mut shape = Shape { members: self.members(schema)?, ..Shape::any() };
        for (key, value) in schema {
            match key.as_str() {
                "type" => shape.types = Types::read(value)?,
                "enum" if shape.texts.is_none() => shape.texts = Some(texts(value)?),
                "const" => shape.texts = Some(vec![value.as_str()?.to_owned()]),
                "minimum" => shape.range = value.as_i64()?..=*shape.range.end(),
                "maximum" => shape.range = *shape.range.start()..=value.as_i64()?,
                "minLength" => shape.length = size(value)?..=*shape.length.end(),
                "maxLength" => shape.length = *shape.length.start()..=size(value)?,
                "minItems" => shape.count = size(value)?..=*shape.count.end(),
                "maxItems" => shape.count = *shape.count.start()..=size(value)?,
                "items" => shape.item = Some(Box::new(self.shape(value)?)),
                "required" => shape.required = required(value, &shape.members)?,
                "additionalProperties" => {
                    shape.others = match value {
                        Value::Bool(false) => AdditionalMembers::Refused,
                        Value::Bool(true) => AdditionalMembers::Any,
                        each => AdditionalMembers::Each(Box::new(self.shape(each)?)),
                    };
                }
                "properties" | "$defs" => {}
                prose if is_prose(prose) => {}
                _ => return None,
            }
        }
        // Only strings are compared with the list.
        if shape.texts.is_some() {
            shape.types.has(Types::STRING).then_some(())?;
            shape.types = Types::STRING;
        }
        Some(shape)
    }

    fn members(&mut self, schema: &'s Map<String, Value>) -> Option<Vec<(String, Shape)>> {
        let Some(properties) = schema.get("properties") else { return Some(Vec::new()) };
        let properties = properties.as_object().filter(|all| all.len() <= MAX_MEMBERS)?;
        properties.iter().map(|(name, schema)| Some((name.clone(), self.shape(schema)?))).collect()
    }
}

/// Keywords that do not constrain values.
fn is_prose(key: &str) -> bool {
    matches!(
        key,
        "$comment" | "$schema" | "default" | "deprecated" | "description" | "examples" | "title"
    )
}

fn size(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

fn required(names: &Value, members: &[(String, Shape)]) -> Option<u64> {
    names.as_array()?.iter().try_fold(0, |mask, name| {
        let name = name.as_str()?;
        let at = members.iter().position(|(member, _)| member == name)?;
        Some(mask | 1 << at)
    })
}

impl Shape {
    const fn any() -> Self {
        Self {
            types: Types::ALL,
            texts: None,
            range: i64::MIN..=i64::MAX,
            length: 0..=usize::MAX,
            count: 0..=usize::MAX,
            item: None,
            members: Vec::new(),
            required: 0,
            others: AdditionalMembers::Any,
        }
    }

    fn must_take<E: Error>(&self, types: Types) -> Result<(), E> {
        ensure(self.types.has(types))
    }
}

fn ensure<E: Error>(holds: bool) -> Result<(), E> {
    if holds { Ok(()) } else { Err(E::custom("not sure")) }
}

impl<'de> DeserializeSeed<'de> for &Shape {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
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

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.must_take(Types::BOOLEAN)
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
        // With bounds, leave the comparison to the full validator.
        let unbounded = self.range == (i64::MIN..=i64::MAX);
        ensure(unbounded && number.is_finite())
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
        Ok(())
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
