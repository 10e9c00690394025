//! What no store can hold is refused by its place, before anything is looked up.

use serde_json::{Map, Value};
use toolwright_runtime::problem::join;

use super::{Engine, Problem, Result, Trouble};
use crate::store::Unfit;

impl Engine {
    /// Refuses fields that cannot be stored; they stand at `pointer`.
    pub(super) fn storable(&self, fields: &Map<String, Value>, pointer: &str) -> Result<()> {
        let unfit = fields.iter().filter_map(|(name, value)| Some((name, Unfit::of(value)?)));
        let problems: Vec<Problem> = unfit
            .map(|(name, why)| Problem {
                pointer: join(pointer, name),
                message: self.language().pick(why.to_string(), portuguese(why)),
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(Trouble::Invalid(problems)) }
    }
}

fn portuguese(why: Unfit) -> String {
    match why {
        Unfit::Deep => "tem níveis demais".to_owned(),
        Unfit::Name => "o nome de um campo tem um caractere NUL".to_owned(),
        Unfit::Number => format!("um número inteiro é maior que {}", i64::MAX),
        Unfit::Large(size) => format!("tem {size} bytes, é grande demais"),
    }
}
