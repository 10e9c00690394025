//! Changes of resources.

use super::locate::step;
use super::recorder::{Recorder, Thing};
use super::rules::{prose, surface as rules};
use crate::model::{Resource, Source};

/// Compares all resources, by URI.
pub(super) fn compare(out: &mut Recorder<'_>) {
    let (old, new) = (&out.old.contract.resources, &out.new.contract.resources);
    for resource in old {
        let uri = &resource.uri;
        let subject = format!("resource {uri}");
        let thing = Thing::surface(&subject);
        match new.iter().find(|now| is_same(resource, now)) {
            Some(now) => both(out, thing, resource, now),
            None => {
                let message = format!("the resource `{uri}` is removed");
                out.add(rules::RESOURCE_REMOVED, thing, &at(uri, ""), message)
                    .values(resource.name.clone(), None);
            }
        }
    }
    for resource in new.iter().filter(|now| !old.iter().any(|was| is_same(was, now))) {
        let uri = &resource.uri;
        let subject = format!("resource {uri}");
        let message = format!("the resource `{uri}` is new");
        out.add(rules::RESOURCE_ADDED, Thing::surface(&subject), &at(uri, ""), message)
            .values(None, resource.name.clone());
    }
}

/// Whether the same URIs are read: the names of variables are only words.
fn is_same(old: &Resource, new: &Resource) -> bool {
    shape(&old.uri) == shape(&new.uri)
}

/// A URI with its variables without names.
fn shape(uri: &str) -> Vec<&str> {
    let segments = uri.split('/');
    segments
        .map(|part| if part.starts_with('{') && part.ends_with('}') { "{}" } else { part })
        .collect()
}

fn at(uri: &str, key: &str) -> String {
    match key {
        "" => format!("/resources{}", step(uri)),
        key => format!("/resources{}/{key}", step(uri)),
    }
}

fn both(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Resource, new: &Resource) {
    let uri = &new.uri;
    let words = [
        (prose::DOC_CHANGED, "name", &old.name, &new.name),
        (prose::TITLE_CHANGED, "title", &old.title, &new.title),
        (prose::DESCRIPTION_CHANGED, "description", &old.description, &new.description),
    ];
    for (rule, key, before, after) in words {
        if before != after {
            out.add(rule, thing, &at(uri, key), format!("`{key}` of the resource `{uri}` changes"))
                .values(before.clone(), after.clone());
        }
    }
    if old.uri != new.uri {
        let message = format!("a variable of the resource `{}` has another name", old.uri);
        let pointers = [at(&old.uri, "uri"), at(uri, "uri")];
        out.moved(rules::RESOURCE_VARIABLE_RENAMED, thing, [&pointers[0], &pointers[1]], message)
            .values(old.uri.clone(), new.uri.clone());
    }
    let bound = |resource: &Resource| {
        let variables = resource.variables.iter().map(|variable| variable.argument.clone());
        (variables.collect::<Vec<_>>(), resource.arguments.clone())
    };
    let same_tool =
        matches!((&old.source, &new.source), (Source::Tool(old), Source::Tool(new)) if old == new);
    if same_tool && bound(old) != bound(new) {
        let message = format!("the resource `{uri}` gives its tool other arguments");
        out.add(rules::RESOURCE_ARGUMENTS_CHANGED, thing, &at(uri, "arguments"), message)
            .values(describe(old), describe(new));
    }
    if same_tool && old.content != new.content {
        let words = |resource: &Resource| {
            resource.content.as_ref().map(|content| {
                let bytes = if content.base64 { ", Base64" } else { "" };
                format!("{} ({}{bytes})", content.member, content.mime_type)
            })
        };
        let message = format!("the content of the resource `{uri}` is another part of the answer");
        out.add(rules::RESOURCE_MEMBER_CHANGED, thing, &at(uri, "member"), message)
            .values(words(old), words(new));
    }
    if old.not_found != new.not_found {
        let message = format!("other failures say that there is no such resource as `{uri}`");
        let words = |kinds: &[String]| (!kinds.is_empty()).then(|| kinds.join(", "));
        out.add(rules::RESOURCE_NOT_FOUND_CHANGED, thing, &at(uri, "not_found"), message)
            .values(words(&old.not_found), words(&new.not_found));
    }
    if old.subscribe != new.subscribe {
        let (rule, word) = match new.subscribe {
            true => (rules::RESOURCE_SUBSCRIPTION_ADDED, "can now subscribe"),
            false => (rules::RESOURCE_SUBSCRIPTION_REMOVED, "can no longer subscribe"),
        };
        let message = format!("clients {word} to the resource `{uri}`");
        out.add(rule, thing, &at(uri, "subscribe"), message)
            .values(old.subscribe.to_string(), new.subscribe.to_string());
    }
    match (&old.source, &new.source) {
        (Source::Tool(before), Source::Tool(after)) if before == after => {}
        (Source::Tool(_), _) | (_, Source::Tool(_)) => another_source(out, thing, old, new),
        (before, after) => another_file(out, thing, uri, [before, after]),
    }
}

/// The arguments that a resource gives, in words.
fn describe(resource: &Resource) -> String {
    let variables = resource.variables.iter();
    let variables = variables.map(|it| format!("{} = {{{}}}", it.argument, it.name));
    let fixed = resource.arguments.iter().map(|(name, value)| format!("{name} = {value}"));
    variables.chain(fixed).collect::<Vec<_>>().join(", ")
}

fn another_file(out: &mut Recorder<'_>, thing: Thing<'_>, uri: &str, sources: [&Source; 2]) {
    let file = |source: &Source| match source {
        Source::Tool(_) => <[String; 3]>::default(),
        Source::File { path, mime_type, text: content }
        | Source::Blob { path, mime_type, base64: content } => {
            [path.clone(), mime_type.clone(), content.clone()]
        }
    };
    let [[from, before, was], [to, after, is]] = sources.map(file);
    if before != after {
        let message = format!("the media type of the resource `{uri}` changes");
        out.add(rules::RESOURCE_TYPE_CHANGED, thing, &at(uri, "mime_type"), message)
            .values(before, after);
    }
    if was != is {
        let message = format!("the text of the resource `{uri}` changes");
        out.add(prose::RESOURCE_TEXT_CHANGED, thing, &at(uri, "file"), message).values(from, to);
    }
}

fn another_source(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Resource, new: &Resource) {
    let said = |source: &Source| match source {
        Source::Tool(name) => ("tool", format!("tool {name}")),
        Source::File { path, .. } | Source::Blob { path, .. } => ("file", format!("file {path}")),
    };
    let uri = &new.uri;
    let ((old_key, before), (new_key, after)) = (said(&old.source), said(&new.source));
    let message = format!("the source of the resource `{uri}` changes");
    let pointers = [at(&old.uri, old_key), at(uri, new_key)];
    out.moved(rules::RESOURCE_SOURCE_CHANGED, thing, [&pointers[0], &pointers[1]], message)
        .values(before, after);
}
