//! Refuses values that no store can hold, by JSON pointer, before any lookup.

use serde_json::{Map, Value};
use toolwright_runtime::problem::join;

use super::{Engine, EngineError, Problem, Result};
use crate::store::NotStorable;

impl Engine {
    /// Refuses fields at `pointer` that cannot be stored.
    pub(super) fn storable(&self, fields: &Map<String, Value>, pointer: &str) -> Result<()> {
        let unfit = fields.iter().filter_map(|(name, value)| Some((name, NotStorable::of(value)?)));
        let problems: Vec<Problem> = unfit
            .map(|(name, why)| Problem {
                pointer: join(pointer, name),
                message: self.language().pick(why.to_string(), portuguese(why)),
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(EngineError::Invalid(problems)) }
    }
}

fn portuguese(why: NotStorable) -> String {
    match why {
        NotStorable::Deep => "tem níveis demais".to_owned(),
        NotStorable::Name => "o nome de um campo tem um caractere NUL".to_owned(),
        NotStorable::Number => format!("um número inteiro é maior que {}", i64::MAX),
        NotStorable::Large(size) => format!("tem {size} bytes, é grande demais"),
    }
}
