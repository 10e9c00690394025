//! Partial changes: omitted fields stay, null clears, lists are replaced as a whole.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{EngineError, Result};

/// Members that are objects of their own: theirs that are left out stay, too.
const NESTED: [&str; 3] = ["goals", "hooks", "time"];

/// `document` with `patch` put over it, read as what it is.
pub(super) fn patched<T: DeserializeOwned>(
    mut document: Value,
    patch: &Map<String, Value>,
    pointer: &str,
) -> Result<T> {
    if let Value::Object(members) = &mut document {
        for (name, value) in patch {
            match (value, members.get_mut(name)) {
                (Value::Null, _) => {
                    members.remove(name);
                }
                (Value::Object(inner), Some(Value::Object(before)))
                    if NESTED.contains(&name.as_str()) =>
                {
                    merge(before, inner);
                }
                (value, _) => {
                    members.insert(name.clone(), value.clone());
                }
            }
        }
    }
    serde_json::from_value(document)
        .map_err(|error| EngineError::invalid(pointer, error.to_string()))
}

fn merge(before: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match value {
            Value::Null => before.remove(name),
            value => before.insert(name.clone(), value.clone()),
        };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn put(document: Value, patch: Value) -> Value {
        let Value::Object(patch) = patch else { panic!("a patch is an object") };
        patched(document, &patch, "").unwrap()
    }

    #[test]
    fn omitted_fields_stay_and_null_clears() {
        let before = json!({"title": "a", "tags": [1, 2], "goals": {"turn": "x", "conflict": "y"}});
        let after = put(before, json!({"tags": [3], "goals": {"turn": null}}));
        assert_eq!(after, json!({"title": "a", "tags": [3], "goals": {"conflict": "y"}}));
        assert_eq!(put(after, json!({"goals": null, "tags": null})), json!({"title": "a"}));
    }

    #[test]
    fn other_objects_are_replaced() {
        let before = json!({"attributes": {"hair": "grey", "age": 4}});
        let after = put(before, json!({"attributes": {"age": 5}}));
        assert_eq!(after, json!({"attributes": {"age": 5}}));
    }
}
