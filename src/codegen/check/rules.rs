//! Rules of `surface.yaml` about tools, and names of guards and roles.

use crate::diagnostics::{Findings, code};
use crate::names;
use crate::parse::Node;
use crate::resolve::{BUILTIN, Draft};

/// Checks the contract-wide rules.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let contract = &draft.contract;
    for name in contract.guards.keys() {
        let place = super::in_surface(draft, &format!("/guards/{name}"));
        if BUILTIN.contains(&name.as_str()) {
            out.add(code::RESERVED_GUARD, place, format!("`{name}` is a built-in guard"))
                .label("cannot be declared again")
                .help("give it another name");
        } else if !names::is_snake(name) {
            out.add(code::BAD_NAME, place, format!("`{name}` is not a valid guard name"))
                .help("use lower-case letters, digits and `_`");
        }
    }
    for role in contract.roles.keys() {
        let fine = role.starts_with(|c: char| c.is_ascii_alphabetic())
            && role.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !fine {
            let place = super::in_surface(draft, &format!("/roles/{role}"));
            out.add(code::BAD_NAME, place, format!("`{role}` is not a valid role name"))
                .help("use letters, digits and `_`");
        }
    }
    open_tools(draft, out);
    for rule in &draft.rules {
        let guard = &rule.has_guard;
        let known = BUILTIN.contains(&guard.as_str()) || contract.guards.contains_key(guard);
        if guard.is_empty() {
            continue;
        }
        if !known {
            let all = BUILTIN.into_iter().chain(contract.guards.keys().map(String::as_str));
            out.add(code::UNKNOWN_GUARD, rule.place, format!("unknown guard `{guard}`"))
                .label("in this rule")
                .help(names::suggest(guard, all));
            continue;
        }
        for (tool, source) in contract.tools.iter().zip(&draft.tools) {
            let meant = (rule.effects.is_empty() || rule.effects.contains(&tool.effects))
                && rule.name.as_ref().is_none_or(|pattern| names::glob(pattern, &tool.name));
            if meant && !tool.guards.iter().any(|used| used.name() == guard) {
                let message = format!("tool `{}` must have the guard `{guard}`", tool.name);
                out.add(code::BROKEN_RULE, source.place(), message)
                    .label("this tool lacks it")
                    .also(rule.place, "required by this rule")
                    .help(format!("add `{guard}` to the tool's `guards`"));
            }
        }
    }
}

/// A role that lists a tool restricts it only through the tool's `role` guard.
fn open_tools(draft: &Draft<'_>, out: &mut Findings) {
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        let guards = source.doc.root.get("guards").map(Node::elements).unwrap_or_default();
        if guards.iter().any(|guard| guard.entry("role").is_some()) {
            continue;
        }
        let listed = draft.contract.roles.iter().find(|(_, tools)| tools.contains(&tool.name));
        let Some((role, _)) = listed else { continue };
        let message = format!("`{}` is listed by a role, but everybody may call it", tool.name);
        out.add(code::OPEN_TOOL, source.place(), message)
            .label("this tool has no `role` guard")
            .also(super::in_surface(draft, &format!("/roles/{role}")), "listed by this role")
            .help(format!(
                "add `role` to the tool's `guards`, or take `{}` out of the roles",
                tool.name
            ));
    }
}
