//! Resources: each mirrors a read tool that works without arguments.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnostics::{Findings, Place, code};
use crate::model::Effects;
use crate::resolve::Draft;

/// Checks all resources.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let Some(doc) = &draft.folder.surface else { return };
    let nodes = doc.root.get("resources").map(|list| list.elements()).unwrap_or_default();
    let mut uris: BTreeMap<&str, Place> = BTreeMap::new();
    for (resource, node) in draft.contract.resources.iter().zip(nodes) {
        let at = |key: &str| node.entry(key).map_or(node.place, |entry| entry.focus());
        if !resource.uri.is_empty() && !has_scheme(&resource.uri) {
            let message = format!("`{}` is not a URI with a scheme", resource.uri);
            out.add(code::BAD_RESOURCE, at("uri"), message)
                .help(format!("such as `{}://things`", draft.contract.name));
        }
        if let Some(first) = uris.insert(&resource.uri, at("uri"))
            && !resource.uri.is_empty()
        {
            let message = format!("resource `{}` is there twice", resource.uri);
            out.add(code::DUPLICATE_NAME, at("uri"), message).also(first, "first here");
        }
        let tool = draft.contract.tools.iter().find(|tool| tool.name == resource.tool);
        let Some(tool) = tool else {
            if draft.whole && !resource.tool.is_empty() {
                super::names::unknown_tool(draft, &resource.tool, at("tool"), out);
            }
            continue;
        };
        if tool.effects != Effects::Read {
            let message = format!("`{}` is not a read tool", tool.name);
            out.add(code::BAD_RESOURCE, at("tool"), message)
                .label("reading a resource changes nothing");
        }
        let required = tool.input.get("required").and_then(Value::as_array);
        if required.is_some_and(|required| !required.is_empty()) {
            let message = format!("`{}` has required arguments", tool.name);
            out.add(code::BAD_RESOURCE, at("tool"), message)
                .label("a client reads a resource without any");
        }
    }
}

fn has_scheme(uri: &str) -> bool {
    uri.split_once("://").is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c))
            && !rest.is_empty()
            && !rest.contains(char::is_whitespace)
    })
}
