//! Converts schemas to shapes, or gives up where a keyword is not supported.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use super::types::Types;
use super::{AdditionalMembers, Shape};

/// A larger or deeper schema is most likely recursive.
const MAX_SHAPES: usize = 1000;
const MAX_DEPTH: usize = 16;
/// Maximum number of members of one object: one bit each in `required`.
const MAX_MEMBERS: usize = 64;

/// Converts the parts of one schema.
pub(super) struct Reader<'s> {
    root: &'s Value,
    left: usize,
    depth: usize,
    /// Validators of texts, by pattern and format.
    texts: BTreeMap<String, Arc<Validator>>,
}

/// What `enum` or `const` allows.
#[derive(Default)]
struct Allowed {
    texts: Vec<String>,
    integer: Option<i64>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, left: MAX_SHAPES, depth: 0, texts: BTreeMap::new() }
    }

    pub(super) fn shape(&mut self, schema: &'s Value) -> Option<Shape> {
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
        for keyword in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(keyword) {
                let known = |key: &str| key == keyword || key == "type" || is_prose(key);
                return if schema.keys().all(|key| known(key)) {
                    self.choice(choices.as_array()?, keyword == "oneOf", schema.get("type"))
                } else {
                    None
                };
            }
        }
        let mut shape = Shape { members: self.members(schema)?, ..Shape::any() };
        let mut allowed = None;
        for (key, value) in schema {
            match key.as_str() {
                "type" => shape.types = shape.types.and(Types::read(value)?),
                "enum" if allowed.is_none() => {
                    allowed = Some(Allowed::read(value.as_array()?, &mut shape.types)?);
                }
                "const" if allowed.is_none() => {
                    let one = std::slice::from_ref(value);
                    allowed = Some(Allowed::read(one, &mut shape.types)?);
                }
                "minimum" => shape.range = value.as_i64()?..=*shape.range.end(),
                "maximum" => shape.range = *shape.range.start()..=value.as_i64()?,
                "minLength" => shape.length = size(value)?..=*shape.length.end(),
                "maxLength" => shape.length = *shape.length.start()..=size(value)?,
                "minItems" => shape.count = size(value)?..=*shape.count.end(),
                "maxItems" => shape.count = *shape.count.start()..=size(value)?,
                "items" => shape.item = Some(Box::new(self.shape(value)?)),
                "required" => shape.required = required(value, &shape.members)?,
                "pattern" | "format" => shape.text = Some(self.text(schema)?),
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
        if let Some(Allowed { texts, integer }) = allowed {
            shape.texts = Some(texts);
            if let Some(one) = integer {
                shape.range = one.max(*shape.range.start())..=one.min(*shape.range.end());
            }
        }
        Some(shape)
    }

    /// `anyOf`, and a `oneOf` of which no value can fit two choices.
    fn choice(
        &mut self,
        choices: &'s [Value],
        one_only: bool,
        types: Option<&Value>,
    ) -> Option<Shape> {
        let mut shapes =
            choices.iter().map(|choice| self.shape(choice)).collect::<Option<Vec<_>>>()?;
        if one_only && !exclude_each_other(&shapes) {
            return None;
        }
        let null = |shape: &Shape| shape.types == Types::NULL;
        let mut shape = match shapes.as_slice() {
            // Constraints are about one type each, so null can be added to any shape.
            [first, second]
                if null(first) != null(second) && shapes.iter().all(|s| s.choices.is_empty()) =>
            {
                let mut shape = shapes.swap_remove(usize::from(null(&shapes[0])));
                shape.types = shape.types.or(Types::NULL);
                shape
            }
            _ => {
                let types = shapes.iter().fold(Types::NONE, |types, shape| types.or(shape.types));
                Shape { types, choices: shapes, ..Shape::any() }
            }
        };
        if let Some(types) = types {
            shape.restrict(Types::read(types)?);
        }
        Some(shape)
    }

    /// The full validator for the texts of a schema: what a pattern or a format means is up to it.
    fn text(&mut self, schema: &Map<String, Value>) -> Option<Arc<Validator>> {
        let mut rules = schema.clone();
        rules.retain(|key, _| key == "pattern" || key == "format");
        let rules = json!(rules);
        let key = rules.to_string();
        if let Some(known) = self.texts.get(&key) {
            return Some(known.clone());
        }
        let options = jsonschema::options().with_draft(Draft::Draft202012);
        let validator = Arc::new(options.should_validate_formats(true).build(&rules).ok()?);
        self.texts.insert(key, validator.clone());
        Some(validator)
    }

    fn members(&mut self, schema: &'s Map<String, Value>) -> Option<Vec<(String, Shape)>> {
        let Some(properties) = schema.get("properties") else { return Some(Vec::new()) };
        let properties = properties.as_object().filter(|all| all.len() <= MAX_MEMBERS)?;
        properties.iter().map(|(name, schema)| Some((name.clone(), self.shape(schema)?))).collect()
    }
}

impl Allowed {
    /// Removes the types that none of the values has.
    fn read(values: &[Value], types: &mut Types) -> Option<Self> {
        let mut allowed = Self::default();
        let mut of_values = Types::NONE;
        for value in values {
            of_values = of_values.or(match value {
                Value::Null => Types::NULL,
                Value::Bool(true) => Types::TRUE,
                Value::Bool(false) => Types::FALSE,
                Value::String(text) => {
                    allowed.texts.push(text.clone());
                    Types::STRING
                }
                // One integer is a range.
                Value::Number(number) if allowed.integer.is_none() => {
                    allowed.integer = Some(number.as_i64()?);
                    Types::INTEGER
                }
                _ => return None,
            });
        }
        *types = types.and(of_values);
        Some(allowed)
    }
}

/// Whether the choices differ by type, or by a required member with different constants.
fn exclude_each_other(shapes: &[Shape]) -> bool {
    let pairs = |differ: &dyn Fn(&Shape, &Shape) -> bool| {
        let later = |index: usize| shapes.iter().skip(index + 1);
        shapes.iter().enumerate().all(|(index, one)| later(index).all(|other| differ(one, other)))
    };
    let tags = shapes.first().into_iter().flat_map(|shape| &shape.members);
    pairs(&|one, other| one.types.is_disjoint(other.types))
        || tags.map(|(name, _)| name).any(|name| {
            pairs(&|one, other| match (one.tag(name), other.tag(name)) {
                (Some(one), Some(other)) => one.iter().all(|text| !other.contains(text)),
                _ => false,
            })
        })
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

fn required(names: &Value, members: &[(String, Shape)]) -> Option<u64> {
    names.as_array()?.iter().try_fold(0, |mask, name| {
        let name = name.as_str()?;
        let at = members.iter().position(|(member, _)| member == name)?;
        Some(mask | 1 << at)
    })
}
