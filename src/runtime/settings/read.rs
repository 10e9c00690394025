//! Parses values of each kind from flags, environment and file, and checks choices and bounds.
//!
//! Text is parsed leniently where it is unambiguous (`yes`, ` 80 `); values in a file must have the
//! right type.

use serde_json::{Map, Value};

use crate::contract::{SettingInfo, SettingKind};
use crate::problem::{excerpt, shorten};
use crate::suggest::nearest;

/// Reads the occurrences of a flag. Each occurrence is one item of a list or one `name=value` of a
/// map; for scalars the last one counts.
pub(super) fn from_flag(kind: SettingKind, texts: &[String]) -> Result<Value, String> {
    match kind {
        SettingKind::StringList | SettingKind::PathList => {
            Ok(texts.iter().map(|text| Value::from(text.as_str())).collect())
        }
        SettingKind::StringMap => map(texts.iter().map(String::as_str)),
        SettingKind::Boolean => texts.last().map_or(Ok(Value::Bool(true)), |text| boolean(text)),
        _ => match texts.last() {
            Some(text) => from_text(kind, text),
            None => Err("needs a value".to_owned()),
        },
    }
}

/// Reads an environment variable: lists and maps are separated by commas.
pub(super) fn from_text(kind: SettingKind, text: &str) -> Result<Value, String> {
    let items = || text.split(',').map(str::trim).filter(|item| !item.is_empty());
    match kind {
        SettingKind::String | SettingKind::Path => Ok(Value::from(text)),
        SettingKind::Integer => text
            .trim()
            .parse::<i64>()
            .map(Value::from)
            .map_err(|_| format!("must be a whole number, not `{}`", shorten(text))),
        SettingKind::Boolean => boolean(text),
        SettingKind::StringList | SettingKind::PathList => Ok(items().map(Value::from).collect()),
        SettingKind::StringMap => map(items()),
    }
}

/// Reads a value of the settings file, or a default. A single string is read as a list of one.
pub(super) fn from_file(kind: SettingKind, value: &Value) -> Result<Value, String> {
    let fits = match (kind, value) {
        (SettingKind::String | SettingKind::Path, Value::String(_)) => true,
        (SettingKind::Integer, Value::Number(number)) => number.is_i64(),
        (SettingKind::Boolean, Value::Bool(_)) => true,
        (SettingKind::StringList | SettingKind::PathList, Value::String(_)) => {
            return Ok(Value::Array(vec![value.clone()]));
        }
        (SettingKind::StringList | SettingKind::PathList, Value::Array(items)) => {
            items.iter().all(Value::is_string)
        }
        (SettingKind::StringMap, Value::Object(members)) => members.values().all(Value::is_string),
        _ => false,
    };
    if fits {
        return Ok(value.clone());
    }
    Err(format!("must be {}, not `{}`", words(kind), excerpt(value)))
}

fn boolean(text: &str) -> Result<Value, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(Value::Bool(true)),
        "false" | "0" | "no" | "off" => Ok(Value::Bool(false)),
        _ => Err(format!("must be `true` or `false`, not `{}`", shorten(text))),
    }
}

fn map<'t>(pairs: impl Iterator<Item = &'t str>) -> Result<Value, String> {
    let mut members = Map::new();
    for pair in pairs {
        let (name, value) = pair
            .split_once('=')
            .map(|(name, value)| (name.trim(), value.trim()))
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| format!("must be written `name=value`, not `{}`", shorten(pair)))?;
        if members.insert(name.to_owned(), Value::from(value)).is_some() {
            return Err(format!("names `{}` twice", shorten(name)));
        }
    }
    Ok(Value::Object(members))
}

/// Checks choices and bounds.
pub(super) fn check(info: &SettingInfo, value: &Value) -> Result<(), String> {
    if let (Some((low, high)), Some(number)) = (info.range, value.as_i64())
        && !(low..=high).contains(&number)
    {
        return Err(format!("must be between {low} and {high}, not {number}"));
    }
    if info.choices.is_empty() {
        return Ok(());
    }
    let texts = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect::<Vec<_>>(),
    };
    match texts.into_iter().find(|text| !info.choices.contains(text)) {
        None => Ok(()),
        Some(text) => {
            let mut message =
                format!("must be one of {}, not `{}`", info.choices.join(", "), shorten(text));
            if let Some(near) = nearest(text, info.choices.iter().copied()) {
                message += &format!("; did you mean `{near}`?");
            }
            Err(message)
        }
    }
}

/// The constraints of a setting, without quoting its value.
pub(super) fn shape(info: &SettingInfo) -> String {
    match (info.choices, info.range) {
        ([], None) => format!("must be {}", words(info.kind)),
        ([], Some((low, high))) => format!("must be between {low} and {high}"),
        (choices, _) => format!("must be one of {}", choices.join(", ")),
    }
}

fn words(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::String => "a string",
        SettingKind::Path => "a path",
        SettingKind::Integer => "a whole number",
        SettingKind::Boolean => "true or false",
        SettingKind::StringList => "a list of strings",
        SettingKind::PathList => "a list of paths",
        SettingKind::StringMap => "a table of strings (`name=value` in flags and environment)",
    }
}
