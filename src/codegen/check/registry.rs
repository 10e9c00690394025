//! The error registry: every kind declared, used and shown in an example, with a unique code.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::{Findings, Place, code};
use crate::model::Expect;
use crate::names;
use crate::resolve::Draft;

/// Checks the registry and everything that names one of its kinds.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    forms(draft, out);
    codes(draft, out);
    let builtin = &draft.contract.builtin;
    let builtins = [
        ("invalid_arguments", Some(&builtin.invalid_arguments)),
        ("unknown_tool", builtin.unknown_tool.as_ref()),
        ("internal", Some(&builtin.internal)),
    ];
    for (key, kind) in builtins {
        let Some(kind) = kind else { continue };
        known(draft, kind, super::in_surface(draft, &format!("/builtin_errors/{key}")), out);
    }
    for (name, guard) in &draft.contract.guards {
        for (index, kind) in guard.refuses.iter().enumerate() {
            let pointer = format!("/guards/{name}/refuses/{index}");
            known(draft, kind, super::in_surface(draft, &pointer), out);
        }
    }
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        for (kind, place) in &source.listed {
            known(draft, kind, *place, out);
        }
        for (example, node) in tool.examples.iter().zip(&source.examples) {
            let Expect::Error(kind) = &example.expect else { continue };
            let place = node.locate("/error");
            if known(draft, kind, place, out) && !tool.errors.contains(kind) {
                let message = format!("`{}` does not declare `{kind}`", tool.name);
                out.add(code::UNKNOWN_KIND, place, message)
                    .label("this tool cannot return it")
                    .help(format!("add `{kind}` to the tool's `errors`"));
            }
        }
    }
    usage(draft, out);
}

/// Reports a kind that is not in the registry.
pub(super) fn known(draft: &Draft<'_>, kind: &str, place: Place, out: &mut Findings) -> bool {
    let there = kind.is_empty() || draft.contract.errors.contains_key(kind);
    if !there {
        let known = draft.contract.errors.keys().map(String::as_str);
        out.add(code::UNKNOWN_KIND, place, format!("unknown error kind `{kind}`"))
            .label("not declared under `errors` in `surface.yaml`")
            .help(names::suggest(kind, known));
    }
    there
}

fn forms(draft: &Draft<'_>, out: &mut Findings) {
    let mut variants: BTreeMap<String, &str> = BTreeMap::new();
    for kind in draft.contract.errors.keys() {
        let place = super::in_surface(draft, &format!("/errors/{kind}"));
        if !names::is_snake(kind) {
            out.add(code::BAD_NAME, place, format!("`{kind}` is not a valid error kind"))
                .help("use lower-case letters, digits and `_`; the wire code goes into `code`");
        } else if let Some(first) = variants.insert(names::rust_type(kind), kind) {
            let rust = names::rust_type(kind);
            let message = format!("`{first}` and `{kind}` both become `{rust}` in Rust");
            out.add(code::SAME_TYPE, place, message).help("rename one of the two");
        }
    }
}

fn codes(draft: &Draft<'_>, out: &mut Findings) {
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for (kind, error) in &draft.contract.errors {
        let own = super::in_surface(draft, &format!("/errors/{kind}/code"));
        let aliases = error.aliases.iter().enumerate().map(|(index, alias)| {
            let place = super::in_surface(draft, &format!("/errors/{kind}/aliases/{index}"));
            (alias.as_str(), place)
        });
        for (name, place) in std::iter::once((error.code.as_str(), own)).chain(aliases) {
            if let Some(first) = seen.insert(name, place) {
                out.add(code::SAME_CODE, place, format!("duplicate error code `{name}`"))
                    .label("again here")
                    .also(first, "first here")
                    .help("a code keeps its meaning forever; choose a new one");
            }
        }
    }
}

/// Every kind can happen, and some example shows how.
fn usage(draft: &Draft<'_>, out: &mut Findings) {
    if !draft.all_tools {
        return;
    }
    let contract = &draft.contract;
    let builtin = &contract.builtin;
    let mut runtime: BTreeSet<&str> = BTreeSet::new();
    runtime.extend([builtin.invalid_arguments.as_str(), builtin.internal.as_str()]);
    runtime.extend(builtin.unknown_tool.as_deref());
    let used: BTreeSet<&str> =
        contract.tools.iter().flat_map(|tool| &tool.errors).map(String::as_str).collect();
    let shown: BTreeSet<&str> = contract
        .tools
        .iter()
        .flat_map(|tool| &tool.examples)
        .filter_map(|example| match &example.expect {
            Expect::Error(kind) => Some(kind.as_str()),
            Expect::Output(_) => None,
        })
        .collect();
    for kind in contract.errors.keys().map(String::as_str) {
        let place = super::in_surface(draft, &format!("/errors/{kind}"));
        if runtime.contains(kind) {
            continue;
        }
        // Then the tool's own check reports what is missing, at a better place.
        let listed = draft.tools.iter().any(|tool| tool.listed.iter().any(|(own, _)| own == kind));
        if !used.contains(kind) && !shown.contains(kind) {
            out.add(code::UNUSED_KIND, place, format!("unused error kind `{kind}`"))
                .label("no tool and no guard returns it")
                .help("list it under `errors` of the tools that return it, or remove it");
        } else if !shown.contains(kind) && (!listed || draft.ambient.contains(kind)) {
            out.add(code::NO_ERROR_EXAMPLE, place, format!("no example shows `{kind}`"))
                .label("declared here")
                .help(format!("add an example with `error: {kind}` to a tool that returns it"));
        }
    }
}
