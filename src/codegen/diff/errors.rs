//! Changes of the error registry and of the error kinds of tools.

use std::collections::BTreeSet;

use super::change::{list, show};
use super::locate::{Side, step};
use super::recorder::{Recorder, Thing};
use super::rules::{Rule, prose, surface as rules, tools};
use crate::model::{Contract, Error, Tool};

/// Compares the registries.
pub(super) fn compare(out: &mut Recorder<'_>) {
    let (old, new) = (out.old.contract, out.new.contract);
    for (kind, error) in &old.errors {
        let subject = format!("error {kind}");
        let thing = Thing::surface(&subject);
        let pointer = format!("/errors{}", step(kind));
        if let Some(now) = new.errors.get(kind) {
            both(out, thing, [kind, kind], error, now);
        } else if let Some((successor, now)) = successor(new, old, error) {
            let subject = format!("error {successor}");
            let thing = Thing::surface(&subject);
            let pointers = [pointer.as_str(), &format!("/errors{}", step(successor))];
            let message = format!("the kind `{kind}` is renamed to `{successor}`; its code stays");
            out.moved(rules::ERROR_RENAMED, thing, pointers, message)
                .values(kind.clone(), successor.clone());
            both(out, thing, [kind, successor], error, now);
        } else if !new.errors.values().any(|now| now.code == error.code) {
            let message = match tools_with(old, kind).as_slice() {
                [] => format!("the code `{}` is removed", error.code),
                tools => format!("the code `{}` is removed, also from {}", error.code, list(tools)),
            };
            out.add(rules::ERROR_REMOVED, thing, &pointer, message)
                .values(error.code.clone(), None);
        }
    }
    for (kind, error) in &new.errors {
        let subject = format!("error {kind}");
        let thing = Thing::surface(&subject);
        let pointer = format!("/errors{}", step(kind));
        reused(out, thing, kind, error);
        // A code that is not new was reported with its kind, or as reused.
        let known = old.errors.values().any(|before| before.code == error.code);
        if !known && !old.errors.contains_key(kind) {
            let message = match tools_with(new, kind).as_slice() {
                [] => format!("the code `{}` is new", error.code),
                tools => format!("the code `{}` is new, in {}", error.code, list(tools)),
            };
            out.add(rules::ERROR_ADDED, thing, &pointer, message).values(None, error.code.clone());
        }
    }
    builtin(out);
}

/// The new kind that a kind became: the same code for the same case.
fn successor<'a>(
    new: &'a Contract,
    old: &Contract,
    error: &Error,
) -> Option<(&'a String, &'a Error)> {
    new.errors.iter().find(|(kind, now)| {
        now.code == error.code && now.when == error.when && !old.errors.contains_key(*kind)
    })
}

/// What a kind of the old version is called in the new one.
pub(super) fn new_name<'k>(old: &Contract, new: &'k Contract, kind: &'k str) -> &'k str {
    let gone = old.errors.get(kind).filter(|_| !new.errors.contains_key(kind));
    gone.and_then(|error| successor(new, old, error)).map_or(kind, |(successor, _)| successor)
}

/// A code that meant another kind before.
fn reused(out: &mut Recorder<'_>, thing: Thing<'_>, kind: &str, error: &Error) {
    let (old, new) = (out.old.contract, out.new.contract);
    let meant = |before: &Error| before.code == error.code || before.aliases.contains(&error.code);
    let owner = old.errors.iter().find(|(was, before)| *was != kind && meant(before));
    let Some((was, before)) = owner else { return };
    if successor(new, old, before).is_some_and(|(successor, _)| successor == kind) {
        return;
    }
    let code = &error.code;
    let message = format!("the code `{code}` meant `{was}` and now means `{kind}`");
    let pointers = [format!("/errors{}/code", step(was)), format!("/errors{}/code", step(kind))];
    out.moved(rules::ERROR_CODE_REUSED, thing, [&pointers[0], &pointers[1]], message)
        .values(format!("{was}: {}", before.when), format!("{kind}: {}", error.when));
}

fn both(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    kinds @ [_, kind]: [&str; 2],
    old: &Error,
    new: &Error,
) {
    let optional = |number: Option<i32>| number.map(|number| number.to_string());
    let text = |text: &str| Some(text.to_owned());
    let fields: [(&'static Rule, &str, Option<String>, Option<String>); 6] = [
        (rules::ERROR_CODE_CHANGED, "code", text(&old.code), text(&new.code)),
        (
            rules::ERROR_RETRYABLE_CHANGED,
            "retryable",
            text(&old.retryable.to_string()),
            text(&new.retryable.to_string()),
        ),
        (
            rules::ERROR_EXIT_CHANGED,
            "exit",
            text(&old.exit.to_string()),
            text(&new.exit.to_string()),
        ),
        (rules::ERROR_JSONRPC_CHANGED, "jsonrpc", optional(old.jsonrpc), optional(new.jsonrpc)),
        (prose::ERROR_WHEN_CHANGED, "when", text(&old.when), text(&new.when)),
        (prose::ERROR_NEXT_CHANGED, "next", old.next.clone(), new.next.clone()),
    ];
    for (rule, key, before, after) in fields {
        if before != after {
            let [from, to] = at(kinds, &format!("/{key}"));
            out.moved(rule, thing, [&from, &to], format!("`{key}` of `{kind}` changes"))
                .values(before, after);
        }
    }
    details(out, thing, kinds, old, new);
    for alias in old.aliases.iter().filter(|alias| !new.aliases.contains(alias)) {
        let [from, to] = at(kinds, &format!("/aliases{}", step(alias)));
        let message = format!("the alias `{alias}` of `{kind}` is removed");
        out.moved(rules::ERROR_ALIAS_REMOVED, thing, [&from, &to], message)
            .values(alias.clone(), None);
    }
    for alias in new.aliases.iter().filter(|alias| !old.aliases.contains(alias)) {
        let [from, to] = at(kinds, &format!("/aliases{}", step(alias)));
        let message = format!("the alias `{alias}` of `{kind}` is new");
        out.moved(rules::ERROR_ALIAS_ADDED, thing, [&from, &to], message)
            .values(None, alias.clone());
    }
}

/// Pointers to the same member of a kind under its old and its new name.
fn at([from, to]: [&str; 2], inside: &str) -> [String; 2] {
    [format!("/errors{}{inside}", step(from)), format!("/errors{}{inside}", step(to))]
}

fn details(out: &mut Recorder<'_>, thing: Thing<'_>, kinds: [&str; 2], old: &Error, new: &Error) {
    let kind = kinds[1];
    for (key, before) in &old.details {
        let after = new.details.get(key);
        if after != Some(before) {
            let word = if after.is_some() { "changes" } else { "is removed" };
            let message = format!("the detail `{key}` of `{kind}` {word}");
            let [from, to] = at(kinds, &format!("/details{}", step(key)));
            out.moved(rules::ERROR_DETAILS_CHANGED, thing, [&from, &to], message)
                .values(show(before), after.map(show));
        }
    }
    for (key, after) in new.details.iter().filter(|(key, _)| !old.details.contains_key(*key)) {
        let message = format!("the detail `{key}` of `{kind}` is new");
        let [from, to] = at(kinds, &format!("/details{}", step(key)));
        out.moved(rules::ERROR_DETAILS_ADDED, thing, [&from, &to], message)
            .values(None, show(after));
    }
}

fn builtin(out: &mut Recorder<'_>) {
    let (before, after) = (out.old.contract, out.new.contract);
    let (old, new) = (&before.builtin, &after.builtin);
    let some = |text: &String| Some(text.clone());
    let cases = [
        ("invalid_arguments", some(&old.invalid_arguments), some(&new.invalid_arguments)),
        ("unknown_tool", old.unknown_tool.clone(), new.unknown_tool.clone()),
        ("internal", some(&old.internal), some(&new.internal)),
    ];
    for (case, was, is) in cases {
        if was.as_deref().map(|kind| new_name(before, after, kind)) != is.as_deref() {
            let message = format!("the kind of the built-in error `{case}` changes");
            let pointer = format!("/builtin_errors/{case}");
            out.add(rules::BUILTIN_ERROR_CHANGED, Thing::surface("surface"), &pointer, message)
                .values(was, is);
        }
    }
}

fn tools_with<'a>(contract: &'a Contract, kind: &str) -> Vec<&'a str> {
    let with = contract.tools.iter().filter(|tool| tool.errors.iter().any(|known| known == kind));
    with.map(|tool| tool.name.as_str()).collect()
}

/// Kinds that a tool itself lists; those of its guards and the runtime are reported there.
pub(super) fn of_tool(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let (before, after) = (listed(out.old, &old.name), listed(out.new, &new.name));
    let registered = |kind: &str| {
        out.old.contract.errors.contains_key(kind) && out.new.contract.errors.contains_key(kind)
    };
    let gone: Vec<&str> = before
        .iter()
        .copied()
        .filter(|kind| registered(kind) && !new.errors.iter().any(|known| known == kind))
        .collect();
    let come: Vec<&str> = after
        .iter()
        .copied()
        .filter(|kind| registered(kind) && !old.errors.iter().any(|known| known == kind))
        .collect();
    for kind in gone {
        let message = format!("`{}` no longer fails with `{kind}`", new.name);
        out.add(tools::TOOL_ERROR_REMOVED, thing, &format!("/errors{}", step(kind)), message)
            .values(kind.to_owned(), None);
    }
    for kind in come {
        let message = format!("`{}` can now fail with `{kind}`", new.name);
        out.add(tools::TOOL_ERROR_ADDED, thing, &format!("/errors{}", step(kind)), message)
            .values(None, kind.to_owned());
    }
}

fn listed<'a>(side: Side<'a>, tool: &str) -> BTreeSet<&'a str> {
    let errors = side.tool(tool).and_then(|doc| doc.root.get("errors"));
    errors.into_iter().flat_map(|node| node.elements()).filter_map(|node| node.text()).collect()
}
