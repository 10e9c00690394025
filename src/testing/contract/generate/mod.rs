//! Random arguments that fit a tool's schema: every keyword that contracts use, at its edges and
//! between them, with texts that programs tend to stumble over.
//!
//! Only proposes: the oracle decides what fits. Knows no surface; what ids and names there are it
//! takes from the examples of the contract.

mod reference_validator;
mod spoil;
mod texts;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolwright_runtime::contract::{SurfaceInfo, ToolInfo};

use super::all_examples;
use crate::random::Random;

pub(crate) use reference_validator::{ReferenceValidator, Verdict};
pub(crate) use spoil::Spoilt;

/// Lists and texts of a size that takes no time are tried at their limit.
const SMALL_LIST: u64 = 300;
/// How deep a value goes that may be anything.
const DEPTH: usize = 3;

/// Makes arguments for the tools of one surface.
pub(crate) struct Generator {
    pub random: Random,
    /// Values of the examples, by the names of their properties.
    known: BTreeMap<String, Vec<Value>>,
}

impl Generator {
    pub(crate) fn new(surface: &'static SurfaceInfo) -> Self {
        let mut known = BTreeMap::new();
        for (_, _, example) in all_examples(surface) {
            collect(&super::json(example.input), &mut known);
        }
        Self { random: Random::seeded(), known }
    }

    /// Arguments that are accepted. Now and then an argument goes by its other name.
    pub(crate) fn valid(&mut self, tool: &ToolInfo, validator: &ReferenceValidator) -> Value {
        for _ in 0..100 {
            let arguments = self.value(&validator.accepted);
            if validator.verdict(&arguments) != Verdict::Refused {
                return self.renamed(tool, arguments);
            }
        }
        panic!("nothing that fits {} was found in a hundred attempts", tool.canonical);
    }

    fn renamed(&mut self, tool: &ToolInfo, mut arguments: Value) -> Value {
        for (alias, name) in tool.aliases {
            let members = arguments.as_object_mut().expect("arguments are an object");
            if self.random.below(4) == 0
                && let Some(value) = members.remove(*name)
            {
                members.insert((*alias).to_owned(), value);
            }
        }
        arguments
    }

    /// A value that should fit the schema.
    fn value(&mut self, schema: &Value) -> Value {
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return self.random.pick(values).clone();
        }
        let branches = branches(schema);
        if !branches.is_empty() {
            let branch = self.random.pick(branches);
            return self.value(branch);
        }
        let types = types(schema);
        match types.is_empty() {
            true => self.anything(DEPTH),
            false => match *self.random.pick(&types) {
                "object" => self.object(schema),
                "array" => self.array(schema),
                "string" => self.text(schema),
                "integer" => self.integer(schema),
                "number" => self.number(schema),
                "boolean" => json!(self.random.yes()),
                _ => Value::Null,
            },
        }
    }

    /// A member of this name: mostly one that an example has, so that calls get somewhere.
    fn member(&mut self, name: &str, schema: &Value) -> Value {
        if self.random.below(4) > 0
            && let Some(values) = self.known.get(name)
        {
            return self.random.pick(values).clone();
        }
        self.value(schema)
    }

    fn object(&mut self, schema: &Value) -> Value {
        let required: Vec<&str> = strings(schema.get("required"));
        let mut members = Map::new();
        for (name, schema) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            if required.contains(&name.as_str()) || self.random.yes() {
                members.insert(name.clone(), self.member(name, schema));
            }
        }
        let most = limit(schema, "maxProperties").unwrap_or(4).min(SMALL_LIST);
        let (more, most) = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => return Value::Object(members),
            Some(schema @ Value::Object(_)) => (schema.clone(), most),
            // What may be anything stays small.
            _ => (json!({}), most.min(8)),
        };
        for _ in 0..self.size(0, most) {
            let name = self.any_text(12);
            let value = self.member(&name, &more);
            members.entry(name).or_insert(value);
        }
        Value::Object(members)
    }

    fn array(&mut self, schema: &Value) -> Value {
        let least = limit(schema, "minItems").unwrap_or(0);
        let most = limit(schema, "maxItems").unwrap_or(8).min(SMALL_LIST);
        let empty = json!({});
        let items = schema.get("items").unwrap_or(&empty);
        (0..self.size(least, most)).map(|_| self.value(items)).collect()
    }

    /// Mostly few, sometimes as few or as many as allowed.
    fn size(&mut self, least: u64, most: u64) -> u64 {
        match self.random.below(12) {
            0 => least,
            1 => most,
            _ => (least + self.random.below(4) as u64).min(most),
        }
    }

    /// Within what 64 bits with a sign hold; a whole number may be written with a fraction.
    fn integer(&mut self, schema: &Value) -> Value {
        let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
        let low = bound("minimum").unwrap_or(i64::MIN);
        let high = bound("maximum").unwrap_or(i64::MAX);
        let near = i64::try_from(self.random.below(100)).expect("a small number");
        let number = match self.random.below(8) {
            0 => low,
            1 => high,
            2 => (self.random.number() as i64).clamp(low, high),
            _ => near.clamp(low, high),
        };
        match self.random.below(10) == 0 && number.unsigned_abs() < 1 << 53 {
            true => json!(number as f64),
            false => json!(number),
        }
    }

    fn number(&mut self, schema: &Value) -> Value {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let low = bound("minimum").unwrap_or(-1e6);
        let high = bound("maximum").unwrap_or(1e6);
        let part = self.random.below(1_000_001) as f64 / 1e6;
        match self.random.below(6) {
            0 => json!(low),
            1 => json!(high),
            2 => json!(low.ceil() as i64),
            _ => json!((low + (high - low) * part).clamp(low, high)),
        }
    }

    fn anything(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 4 } else { 6 }) {
            0 => Value::Null,
            1 => json!(self.random.yes()),
            2 => json!(self.random.number() as i64),
            3 => Value::String(self.any_text(20)),
            4 => (0..self.random.below(3)).map(|_| self.anything(depth - 1)).collect(),
            _ => {
                let members = (0..self.random.below(3))
                    .map(|_| (self.any_text(12), self.anything(depth - 1)));
                Value::Object(members.collect())
            }
        }
    }
}

/// Every member of every object in an example, by its name.
fn collect(value: &Value, known: &mut BTreeMap<String, Vec<Value>>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let values = known.entry(name.clone()).or_default();
                if !values.contains(member) {
                    values.push(member.clone());
                }
                collect(member, known);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, known)),
        _ => {}
    }
}

/// The types that a schema allows; none named means any.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        None => branches(schema).iter().flat_map(types).collect(),
        named => strings(named),
    }
}

/// The schemas of a choice.
fn branches(schema: &Value) -> &[Value] {
    let choice = schema.get("anyOf").or(schema.get("oneOf"));
    choice.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn strings(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn limit(schema: &Value, keyword: &str) -> Option<u64> {
    schema.get(keyword).and_then(Value::as_u64)
}
