//! Short phrases from free-form attributes and world values.
//!
//! Objects are never written out: a prompt has no room for JSON.

use serde_json::{Map, Value};

use super::text::{cut, line};
use crate::model::{Entity, WorldState};

/// Longest phrase out of one value.
const PHRASE: usize = 120;
/// Keys of pictures, best first.
const MEDIA: [&str; 5] = ["face", "pose", "reference", "references", "thumbnail"];

/// A short phrase for a value: a text, a number, or a list of them.
pub(super) fn phrase(value: &Value) -> Option<String> {
    let phrase = match value {
        Value::String(text) => line(text),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => items.iter().filter_map(phrase).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    let phrase = cut(&phrase, PHRASE);
    (!phrase.is_empty()).then(|| phrase.to_owned())
}

/// The texts of a list, or of a single value.
pub(super) fn phrases(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(phrase).collect(),
        one => phrase(one).into_iter().collect(),
    }
}

/// An attribute, or one of the inner map `character`.
pub(super) fn attribute<'a>(entity: &'a Entity, key: &str) -> Option<&'a Value> {
    let inner = || entity.attributes.get("character")?.get(key);
    entity.attributes.get(key).filter(|value| phrase(value).is_some()).or_else(inner)
}

/// An attribute as a phrase.
pub(super) fn attribute_phrase(entity: &Entity, key: &str) -> Option<String> {
    attribute(entity, key).and_then(phrase)
}

/// The first of these keys that has a phrase.
pub(super) fn first_of(map: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| map.get(*key).and_then(phrase))
}

/// A value of the world about something, such as `character.<id>.outfit`.
pub(super) fn value<'a>(
    state: &'a WorldState,
    kind: &str,
    id: &str,
    what: &str,
) -> Option<&'a Value> {
    state.get(&format!("{kind}.{id}.{what}"))
}

/// Pictures of an entity, or its name and version where it has none.
pub(super) fn references(entity: &Entity) -> Vec<String> {
    let media = entity.attributes.get("media").and_then(Value::as_object);
    let urls: Vec<String> = media
        .into_iter()
        .flat_map(|media| MEDIA.iter().filter_map(|key| media.get(*key)))
        .flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        })
        .filter(|url| url.starts_with("https://") || url.starts_with("http://"))
        .map(str::to_owned)
        .collect();
    if urls.is_empty() {
        return vec![format!("entity:{}@v{}", entity.id, entity.version.number)];
    }
    urls
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_phrase_is_a_text_a_number_or_a_list_of_them() {
        assert_eq!(phrase(&json!(" a\nb ")).as_deref(), Some("a b"));
        assert_eq!(phrase(&json!(34)).as_deref(), Some("34"));
        assert_eq!(phrase(&json!(["scar", 2, {"x": 1}, null])).as_deref(), Some("scar, 2"));
        for silent in [json!(null), json!(true), json!({"a": "b"}), json!([]), json!(" ")] {
            assert_eq!(phrase(&silent), None, "{silent}");
        }
    }

    #[test]
    fn a_long_phrase_is_cut_where_a_word_ends() {
        let long = "word ".repeat(100);
        assert_eq!(phrase(&json!(long)).unwrap().chars().count(), 119);
    }
}
