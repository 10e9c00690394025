//! The arguments of a prompt: strings on the wire, checked and typed here.

use std::collections::BTreeMap;

use rmcp::model::ErrorData;
use serde_json::{Map, Value, json};

use crate::contract::{PromptInfo, PromptValueKind};

/// The arguments that were given, or have a default.
pub(super) struct Values(BTreeMap<&'static str, (String, Value)>);

impl Values {
    /// Whether there is a value.
    pub(super) fn has(&self, argument: &str) -> bool {
        self.0.contains_key(argument)
    }

    /// As text; empty where there is none.
    pub(super) fn text(&self, argument: &str) -> &str {
        self.0.get(argument).map_or("", |(text, _)| text)
    }

    /// With its type.
    pub(super) fn value(&self, argument: &str) -> Option<Value> {
        self.0.get(argument).map(|(_, value)| value.clone())
    }
}

/// Reads what a client sent, or tells everything that is wrong with it. An empty text is no value: forms
/// send it for fields that were left empty.
pub(super) fn read(
    prompt: &'static PromptInfo,
    given: &Map<String, Value>,
) -> Result<Values, ErrorData> {
    let mut problems: Vec<(String, String)> = Vec::new();
    for name in given.keys().filter(|name| prompt.argument(name).is_none()) {
        let known = prompt.arguments.iter().map(|argument| argument.name);
        let near = crate::suggest::nearest(name, known);
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        problems.push((name.clone(), format!("is no argument of `{}`{near}", prompt.name)));
    }
    let mut values = BTreeMap::new();
    for argument in prompt.arguments {
        let text = match given.get(argument.name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.as_str()).filter(|text| !text.is_empty()),
            Some(_) => {
                problems.push((argument.name.to_owned(), "must be a string".to_owned()));
                continue;
            }
        };
        let Some(text) = text.or(argument.default) else {
            if argument.required {
                problems.push((argument.name.to_owned(), "is missing".to_owned()));
            }
            continue;
        };
        match typed(argument.kind, text) {
            Ok(value) => {
                let text = match &value {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                };
                values.insert(argument.name, (text, value));
            }
            Err(expected) => {
                problems.push((argument.name.to_owned(), format!("must be {expected}")));
            }
        }
    }
    if problems.is_empty() {
        return Ok(Values(values));
    }
    let each = problems.iter().map(|(argument, problem)| format!("`{argument}` {problem}"));
    let message = format!(
        "invalid arguments for prompt `{}`: {}",
        prompt.name,
        each.collect::<Vec<_>>().join(", ")
    );
    let listed: Vec<Value> = problems
        .iter()
        .map(|(argument, problem)| json!({ "argument": argument, "problem": problem }))
        .collect();
    Err(ErrorData::invalid_params(
        message,
        Some(json!({ "prompt": prompt.name, "problems": listed })),
    ))
}

/// A text as a value of this kind, or what was expected.
fn typed(kind: PromptValueKind, text: &str) -> Result<Value, String> {
    match kind {
        PromptValueKind::Text { max_length } => match max_length {
            Some(limit) if text.chars().count() > limit as usize => {
                Err(format!("at most {limit} characters long"))
            }
            _ => Ok(text.into()),
        },
        PromptValueKind::Choice(words) if words.contains(&text) => Ok(text.into()),
        PromptValueKind::Choice(words) => Err(format!("one of {}", words.join(", "))),
        PromptValueKind::Boolean => match text.trim() {
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            _ => Err("`true` or `false`".to_owned()),
        },
        PromptValueKind::Integer { minimum, maximum } => {
            let bounds = match (minimum, maximum) {
                (None, None) => "an integer".to_owned(),
                (Some(low), None) => format!("an integer from {low}"),
                (None, Some(high)) => format!("an integer up to {high}"),
                (Some(low), Some(high)) => format!("an integer from {low} to {high}"),
            };
            let number = text.trim().parse::<i64>().ok().filter(|number| {
                minimum.is_none_or(|low| *number >= low)
                    && maximum.is_none_or(|high| *number <= high)
            });
            number.map(Value::from).ok_or(bounds)
        }
    }
}
