//! Resources: each mirrors a read tool whose arguments its URI gives, or is a file with a media type.

use std::collections::BTreeMap;

use super::templates::Declared;
use super::validators::Validators;
use crate::diagnostics::{Findings, Place, code};
use crate::model::{Effects, Source};
use crate::parse::{Kind, Node};
use crate::resolve::Draft;

/// Checks all resources.
pub(super) fn check(draft: &Draft<'_>, validators: &mut Validators, out: &mut Findings) {
    let Some(doc) = &draft.folder.surface else { return };
    let nodes = doc.root.get("resources").map(Node::elements).unwrap_or_default();
    // What is no map could not be read, and is not in the model.
    let nodes = nodes.iter().filter(|node| matches!(node.kind, Kind::Map(_)));
    let mut uris: BTreeMap<&str, Place> = BTreeMap::new();
    let contract = &draft.contract;
    let all: Vec<Declared<'_>> = contract
        .resources
        .iter()
        .zip(nodes)
        .map(|(resource, node)| Declared { contract, resource, node })
        .collect();
    for (index, declared) in all.iter().enumerate() {
        let Declared { resource, node, .. } = declared;
        declared.uri(&all[..index], out);
        let at = |key: &str| node.entry(key).map_or(node.place, |entry| entry.focus());
        if !resource.uri.is_empty() && !has_scheme(&resource.uri) {
            let message = format!("`{}` has no URI scheme", resource.uri);
            out.add(code::BAD_RESOURCE, at("uri"), message)
                .help(format!("such as `{}://things`", draft.contract.name));
        }
        if let Some(first) = uris.insert(&resource.uri, at("uri"))
            && !resource.uri.is_empty()
        {
            let message = format!("duplicate resource `{}`", resource.uri);
            out.add(code::DUPLICATE_NAME, at("uri"), message).also(first, "first here");
        }
        let name = match &resource.source {
            Source::Tool(name) => name,
            Source::File { mime_type, .. } | Source::Blob { mime_type, .. } => {
                file(mime_type, resource.subscribe, &at, out);
                continue;
            }
        };
        if node.entry("mime_type").is_some() && resource.content.is_none() {
            out.add(
                code::BAD_RESOURCE,
                at("mime_type"),
                "`mime_type` applies to files and members: the answer of a tool is always JSON",
            )
            .label("only with `file` or `member`");
        }
        let Some(tool) = draft.contract.tools.iter().find(|tool| tool.name == *name) else {
            if draft.all_tools && !name.is_empty() {
                super::names::unknown_tool(draft, name, at("tool"), out);
            }
            continue;
        };
        if tool.effects != Effects::Read {
            let message = format!("`{}` is not a read tool", tool.name);
            out.add(code::BAD_RESOURCE, at("tool"), message)
                .label("reading a resource must not change anything");
        }
        declared.arguments(tool, validators, out);
    }
    unlisted(draft, out);
}

/// A tool that is not listed is there for a resource, and may only read.
fn unlisted(draft: &Draft<'_>, out: &mut Findings) {
    let resources = &draft.contract.resources;
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        let serves = |source: &Source| matches!(source, Source::Tool(name) if *name == tool.name);
        if !tool.listed && !resources.iter().any(|resource| serves(&resource.source)) {
            let message = format!("`{}` is neither listed nor a resource", tool.name);
            out.add(code::BAD_TEMPLATE, source.place_of("listed"), message)
                .label("no client would find it")
                .help(format!("list it, or add a resource with `tool: {}`", tool.name));
        }
    }
}

fn file(mime_type: &str, subscribe: bool, at: &dyn Fn(&str) -> Place, out: &mut Findings) {
    if !mime_type.is_empty() && !is_mime_type(mime_type) {
        out.add(code::BAD_RESOURCE, at("mime_type"), format!("`{mime_type}` is not a media type"))
            .help("such as `text/html`");
    }
    if subscribe {
        out.add(
            code::BAD_RESOURCE,
            at("subscribe"),
            "a file cannot be subscribed to: it is part of the contract",
        )
        .label("it never changes while the server runs");
    }
}

/// `text/html`, and what may follow it after a `;`.
fn is_mime_type(text: &str) -> bool {
    let word = |text: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !text.is_empty() && text.chars().all(fits)
    };
    let (name, rest) = text.split_once(';').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let named = name.split_once('/').is_some_and(|(kind, sub)| word(kind) && word(sub));
    named && rest.is_none_or(|rest| !rest.trim().is_empty() && !rest.contains(char::is_control))
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
