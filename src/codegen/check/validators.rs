//! JSON Schema validators, built once per schema.

use std::collections::HashMap;
use std::rc::Rc;

use jsonschema::{Draft, Validator};
use serde_json::Value;

/// Validators by the text of their schema; equal properties of many tools share one.
#[derive(Default)]
pub(super) struct Validators {
    known: HashMap<String, Result<Rc<Validator>, String>>,
}

impl Validators {
    /// The validator of an inlined schema, or why there is none.
    pub(super) fn get(&mut self, schema: &Value) -> Result<Rc<Validator>, String> {
        let build = || {
            jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .build(schema)
                .map(Rc::new)
                .map_err(|error| error.to_string())
        };
        self.known.entry(schema.to_string()).or_insert_with(build).clone()
    }

    /// Problems of a value as `(pointer, message)`; none where the schema itself is broken.
    pub(super) fn problems(&mut self, schema: &Value, value: &Value) -> Vec<(String, String)> {
        self.get(schema).map(|validator| problems(&validator, value)).unwrap_or_default()
    }
}

/// Problems of a value as `(pointer, message)`.
pub(super) fn problems(validator: &Validator, value: &Value) -> Vec<(String, String)> {
    if validator.is_valid(value) {
        return Vec::new();
    }
    validator
        .iter_errors(value)
        .map(|error| (error.instance_path().to_string(), error.to_string()))
        .collect()
}
