//! The content of a resource that mirrors a tool: the tool's answer, or one member of it.
//!
//! Does not know who reads it. Large members are cut out of the answer's text, never parsed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rmcp::model::ResourceContents;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::contract::{Piece, ResourceInfo, SurfaceInfo};

/// What is served under `uri`; `None` if the answer has no such member.
pub(super) fn of(
    resource: &ResourceInfo,
    uri: &str,
    body: String,
    info: &SurfaceInfo,
) -> Option<ResourceContents> {
    let Some(content) = resource.content else { return Some(ResourceContents::text(body, uri)) };
    let mut node: &RawValue = serde_json::from_str(&body).ok()?;
    for step in path_of_data(info).iter().map(String::as_str).chain([content.member]) {
        let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(node.get()).ok()?;
        node = members.get(step).copied()?;
    }
    let text = match node.get().starts_with('"') {
        true => serde_json::from_str(node.get()).ok()?,
        false => node.get().to_owned(),
    };
    Some(match content.base64 {
        true => ResourceContents::blob(text, uri),
        false => ResourceContents::text(text, uri),
    })
}

/// Where the envelope has the answer of a tool.
fn path_of_data(info: &SurfaceInfo) -> Vec<String> {
    const DATA: &str = "$data";
    let text: String = info
        .envelope
        .success
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Data => "\"$data\"",
            Piece::ErrorSpread => "",
            _ => "null",
        })
        .collect();
    let mut path = Vec::new();
    let template = serde_json::from_str(&text).unwrap_or_default();
    find(&template, DATA, &mut path);
    path
}

fn find(node: &Value, wanted: &str, path: &mut Vec<String>) -> bool {
    match node {
        Value::String(text) => text == wanted,
        Value::Object(members) => members.iter().any(|(name, member)| {
            path.push(name.clone());
            let found = find(member, wanted, path);
            if !found {
                path.pop();
            }
            found
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_found_in_any_envelope() {
        let mut path = Vec::new();
        let template = serde_json::json!({"a": {"b": null}, "c": {"d": "$data"}, "e": null});
        assert!(find(&template, "$data", &mut path));
        assert_eq!(path, ["c", "d"]);
        path.clear();
        assert!(find(&Value::from("$data"), "$data", &mut path));
        assert!(path.is_empty());
    }
}
