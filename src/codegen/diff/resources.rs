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
        match new.iter().find(|now| now.uri == *uri) {
            Some(now) => both(out, thing, resource, now),
            None => {
                let message = format!("the resource `{uri}` is removed");
                out.add(rules::RESOURCE_REMOVED, thing, &at(uri, ""), message)
                    .values(resource.name.clone(), None);
            }
        }
    }
    for resource in new.iter().filter(|now| old.iter().all(|was| was.uri != now.uri)) {
        let uri = &resource.uri;
        let subject = format!("resource {uri}");
        let message = format!("the resource `{uri}` is new");
        out.add(rules::RESOURCE_ADDED, Thing::surface(&subject), &at(uri, ""), message)
            .values(None, resource.name.clone());
    }
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
        (
            Source::File { mime_type: before, text: was, path: from },
            Source::File { mime_type: after, text: is, path: to },
        ) => {
            if before != after {
                let message = format!("the media type of the resource `{uri}` changes");
                out.add(rules::RESOURCE_TYPE_CHANGED, thing, &at(uri, "mime_type"), message)
                    .values(before.clone(), after.clone());
            }
            if was != is {
                let message = format!("the text of the resource `{uri}` changes");
                out.add(prose::RESOURCE_TEXT_CHANGED, thing, &at(uri, "file"), message)
                    .values(from.clone(), to.clone());
            }
        }
        (before, after) => {
            let said = |source: &Source| match source {
                Source::Tool(name) => ("tool", format!("tool {name}")),
                Source::File { path, .. } => ("file", format!("file {path}")),
            };
            let ((old_key, before), (new_key, after)) = (said(before), said(after));
            let message = format!("the source of the resource `{uri}` changes");
            let pointers = [at(uri, old_key), at(uri, new_key)];
            out.moved(rules::RESOURCE_SOURCE_CHANGED, thing, [&pointers[0], &pointers[1]], message)
                .values(before, after);
        }
    }
}
