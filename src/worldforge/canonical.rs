//! Canonical JSON with sorted members, and its hash.
//!
//! Whether a `serde_json` map is sorted depends on what else is linked in; a hash must not. Knows no
//! document.

use serde::Serialize;
use serde_json::Value;
use toolwright_runtime::digest::sha256_hex;

/// SHA-256 of the canonical text of a value.
///
/// A value that cannot be written as JSON hashes like null; no type of this crate is one.
pub(crate) fn hash(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    sha256_hex(text(&value).as_bytes())
}

/// Compact JSON with sorted members.
pub(crate) fn text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::String(name.clone()).to_string());
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_sorted_at_every_depth_and_lists_are_not() {
        let value = json!({"b": [{"z": 1, "a": "ü\n"}, 2.5, null], "a": {"d": true, "c": false}});
        let sorted = "{\"a\":{\"c\":false,\"d\":true},\"b\":[{\"a\":\"ü\\n\",\"z\":1},2.5,null]}";
        assert_eq!(text(&value), sorted);
        assert_ne!(hash(&json!([1, 2])), hash(&json!([2, 1])));
    }

    #[test]
    fn the_hash_depends_on_content_and_not_on_order() {
        let one = serde_json::from_str::<Value>(r#"{"a": 1, "b": {"c": 2, "d": 3}}"#).unwrap();
        let two = serde_json::from_str::<Value>(r#"{"b": {"d": 3, "c": 2}, "a": 1}"#).unwrap();
        assert_eq!(hash(&one), hash(&two));
        assert_ne!(hash(&one), hash(&json!({"a": 1})));
    }
}
