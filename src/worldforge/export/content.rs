//! The content of a document apart from its owner: ids are replaced by their rank, and tenants, users
//! and times are left out.
//!
//! Ids are found wherever they occur: as values, as keys, in `character.<id>.location`, in conditions
//! and in free-form attributes. An import assigns new ids in the order of the old ones, so ranks
//! survive it, and with them everything that depends on the order of ids.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

/// Length of an id.
const DIGITS: usize = 24;
/// Members about the owner and the age of a document.
const KEEPING: [&str; 8] = [
    "tenantId",
    "projectId",
    "audit",
    "createdAt",
    "createdBy",
    "publishedAt",
    "publishedBy",
    "contentHash",
];

/// New texts of ids.
pub(super) type Renaming = BTreeMap<String, String>;

/// Names ids by their rank among themselves.
pub(super) fn ranks<'a>(ids: impl IntoIterator<Item = &'a str>) -> Renaming {
    let ids: BTreeSet<&str> = ids.into_iter().collect();
    // Padded, so that a sorted map of ids stays sorted.
    ids.into_iter()
        .zip(0..)
        .map(|(id, rank): (_, u64)| (id.to_owned(), format!("#{rank:08}")))
        .collect()
}

/// The content of a document.
pub(super) fn content(document: &impl Serialize, names: &Renaming) -> Value {
    let mut value = serde_json::to_value(document).unwrap_or_default();
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| !KEEPING.contains(&name.as_str()));
    }
    renamed(value, names)
}

/// The value with every known id replaced, in texts and keys.
pub(super) fn renamed(value: Value, names: &Renaming) -> Value {
    match value {
        Value::String(text) => Value::String(renamed_text(&text, names).unwrap_or(text)),
        Value::Array(items) => items.into_iter().map(|item| renamed(item, names)).collect(),
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| {
                    (renamed_text(&key, names).unwrap_or(key), renamed(value, names))
                })
                .collect::<Map<_, _>>(),
        ),
        other => other,
    }
}

/// The text with its ids replaced; `None` where there are none. An id stands alone: no letter or
/// digit touches it.
fn renamed_text(text: &str, names: &Renaming) -> Option<String> {
    if text.len() < DIGITS {
        return None;
    }
    let mut new = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric()) {
        let word = &rest[start..];
        let length = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        let (word, after) = word.split_at(length);
        new.push_str(&rest[..start]);
        match names.get(word) {
            Some(name) => {
                found = true;
                new.push_str(name);
            }
            None => new.push_str(word),
        }
        rest = after;
    }
    found.then(|| new + rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const A: &str = "a00000000000000000000001";
    const B: &str = "b00000000000000000000002";

    #[test]
    fn ids_are_found_wherever_they_stand_alone() {
        let names = ranks([B, A]);
        let value = json!({
            format!("item.{A}.status"): [A, {"x": format!("({B}), {A}!")}],
            "other": [format!("{A}f"), format!("x{A}"), "short", 7, null, "é"],
        });
        assert_eq!(
            renamed(value, &names),
            json!({
                "item.#00000000.status": ["#00000000", {"x": "(#00000001), #00000000!"}],
                "other": [format!("{A}f"), format!("x{A}"), "short", 7, null, "é"],
            })
        );
    }

    #[test]
    fn content_has_no_owner_and_no_time() {
        let document = json!({
            "_id": A, "tenantId": B, "projectId": B, "title": "x", "createdAt": 1,
            "audit": {"revision": 3}, "attributes": {"createdAt": "the first age"},
        });
        assert_eq!(
            content(&document, &ranks([A])),
            json!({"_id": "#00000000", "title": "x", "attributes": {"createdAt": "the first age"}})
        );
    }
}
