//! Rules of `surface.yaml` about tools, and names of guards and roles.

use crate::diagnostics::{Findings, code};
use crate::model::{Identity, SettingKind};
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
    identity(draft, out);
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

/// The settings under `identity` exist and can hold what they stand for.
fn identity(draft: &Draft<'_>, out: &mut Findings) {
    use SettingKind::{String, StringList, StringMap};
    let Some(Identity { users, tenant, tokens }) = &draft.contract.identity else { return };
    let named: [(_, _, &[SettingKind]); 3] = [
        ("users", Some(users), &[String, StringList]),
        ("tenant", tenant.as_ref(), &[String]),
        ("tokens", tokens.as_ref(), &[StringMap]),
    ];
    let settings = &draft.contract.settings;
    for (key, name, kinds) in named {
        let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
        let place = super::in_surface(draft, &format!("/identity/{key}"));
        let Some(setting) = settings.get(name) else {
            out.add(code::BAD_IDENTITY, place, format!("unknown setting `{name}`"))
                .label("not under `settings`")
                .help(names::suggest(name, settings.keys().map(std::string::String::as_str)));
            continue;
        };
        let may_be: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        if !kinds.contains(&setting.kind) {
            let message = format!("`{name}` cannot hold the {key} of an identity");
            out.add(code::BAD_IDENTITY, place, message)
                .label(format!("its type must be {}", may_be.join(" or ")));
        } else if key == "tokens" && !setting.secret {
            out.add(code::BAD_IDENTITY, place, format!("`{name}` holds tokens and is shown"))
                .label("not secret")
                .help(format!("add `secret: true` to the setting `{name}`"));
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
