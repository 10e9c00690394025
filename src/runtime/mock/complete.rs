//! Completes the partial answer of an example.
//!
//! Examples show a part of an answer. Other members that the output schema requires are generated from
//! the schema. Then arguments are copied into the answer: a top-level member with the name and type
//! of an argument gets the argument's value, unless the example shows a value for the member that
//! differs from its own argument. Each change is kept only if the answer remains valid.

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::examples::Arguments;
use super::sample::{branches, compile, fits, sample};
use crate::contract::{ExampleInfo, Expect};
use crate::decode::LazyTool;

/// Completes examples of one tool.
pub(super) struct ExampleCompleter<'t> {
    tool: &'t LazyTool,
    schema: Value,
    validator: Validator,
}

impl<'t> ExampleCompleter<'t> {
    /// The error describes a defect of the contract.
    pub(super) fn new(tool: &'t LazyTool) -> Result<Self, String> {
        let schema = serde_json::from_str(tool.info().data).map_err(|error| error.to_string())?;
        let validator = compile(&schema).ok_or("its output schema does not compile")?;
        Ok(Self { tool, schema, validator })
    }

    /// The completed answer of `example`, including `tokens`. The error names what is missing.
    pub(super) fn answer(
        &self,
        example: Option<&'static ExampleInfo>,
        arguments: &Arguments,
        tokens: &[(&str, String)],
    ) -> Result<Value, String> {
        let shown = match example.map(|example| &example.expect) {
            Some(Expect::Output(text)) => serde_json::from_str(text).unwrap_or_default(),
            _ => Value::Object(Map::new()),
        };
        let mut answer = complete(&self.schema, &shown);
        let problems: Vec<String> = self
            .validator
            .iter_errors(&answer)
            .take(5)
            .map(|error| format!("{}: {error}", error.instance_path().as_str()))
            .collect();
        if !problems.is_empty() {
            return Err(problems.join("; "));
        }
        let of_example = example.and_then(|example| Arguments::of_example(self.tool, example));
        for (name, value) in &arguments.filled {
            let showed = of_example.as_ref().and_then(|shown| shown.filled.get(name));
            if shown.get(name).is_some_and(|shown| Some(shown) != showed) {
                continue;
            }
            let same_type = answer.get(name).is_some_and(|now| {
                now.is_null() || std::mem::discriminant(now) == std::mem::discriminant(value)
            });
            if same_type {
                self.put(&mut answer, name, value.clone());
            }
        }
        for (name, token) in tokens {
            self.put(&mut answer, name, Value::String(token.clone()));
        }
        Ok(answer)
    }

    /// Sets a member, if the answer remains valid.
    fn put(&self, answer: &mut Value, name: &str, value: Value) {
        let Value::Object(members) = &*answer else { return };
        let mut members = members.clone();
        members.insert(name.to_owned(), value);
        let tried = Value::Object(members);
        if self.validator.is_valid(&tried) {
            *answer = tried;
        }
    }
}

/// `shown`, completed with the members that its schema requires.
fn complete(schema: &Value, shown: &Value) -> Value {
    if let Some(branches) = branches(schema) {
        let mut completed = branches.iter().map(|branch| (branch, complete(branch, shown)));
        let fitting = completed.find(|(branch, value)| fits(branch, value));
        return fitting.map_or_else(|| shown.clone(), |(_, value)| value);
    }
    match shown {
        Value::Object(members) => {
            let properties = schema.get("properties");
            let of = |name: &str| {
                properties.and_then(|all| all.get(name)).or(schema.get("additionalProperties"))
            };
            let mut whole: Map<String, Value> = members
                .iter()
                .map(|(name, value)| (name.clone(), within(of(name), value)))
                .collect();
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                if !whole.contains_key(name)
                    && let Some(value) = of(name).and_then(sample)
                {
                    whole.insert(name.to_owned(), value);
                }
            }
            Value::Object(whole)
        }
        Value::Array(items) => items.iter().map(|item| within(schema.get("items"), item)).collect(),
        other => other.clone(),
    }
}

fn within(schema: Option<&Value>, shown: &Value) -> Value {
    schema.map_or_else(|| shown.clone(), |schema| complete(schema, shown))
}
