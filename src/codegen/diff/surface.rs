//! Changes of a surface, except for its tools.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::{Change, show};
use super::locate::{File, Side, step};
use super::recorder::{Recorder, Thing};
use super::rules::{Rule, prose, surface as rules};
use super::{errors, guards, resources, roles, settings, tools};
use crate::model::Contract;

/// A surface that was not there before.
pub(super) fn added(side: Side<'_>) -> Change {
    let location = side.location(side.find(File::Surface, "/surface").place, true);
    let mut change = whole(rules::SURFACE_ADDED, side, "is new");
    change.new = Some(location);
    change.after = Some(tool_count(side));
    change
}

/// A removed surface.
pub(super) fn removed(side: Side<'_>) -> Change {
    let location = side.location(side.find(File::Surface, "/surface").place, true);
    let mut change = whole(rules::SURFACE_REMOVED, side, "is removed");
    change.old = Some(location);
    change.before = Some(tool_count(side));
    change
}

fn tool_count(side: Side<'_>) -> String {
    match side.contract.tools.len() {
        1 => "1 tool".to_owned(),
        count => format!("{count} tools"),
    }
}

fn whole(rule: &'static Rule, side: Side<'_>, word: &str) -> Change {
    Change {
        rule,
        surface: side.contract.name.clone(),
        subject: "surface".to_owned(),
        pointer: "/surface".to_owned(),
        message: format!("the surface `{}` {word}", side.contract.name),
        before: None,
        after: None,
        old: None,
        new: None,
        affects: Vec::new(),
        accepted: None,
        topic: rule.id,
    }
}

/// Compares everything but the tools.
pub(super) fn compare(out: &mut Recorder<'_>) {
    let (old, new) = (out.old.contract, out.new.contract);
    let thing = Thing::surface("surface");
    let texts = [
        (rules::CONTRACT_VERSION_CHANGED, "/contract", &old.contract, &new.contract),
        (rules::PREFIX_CHANGED, "/names/prefix", &old.prefix, &new.prefix),
        (prose::TITLE_CHANGED, "/title", &old.title, &new.title),
        (prose::INSTRUCTIONS_CHANGED, "/instructions", &old.instructions, &new.instructions),
    ];
    for (rule, pointer, before, after) in texts {
        if before != after {
            let what = match pointer {
                "/contract" => "the version of the contract changes",
                "/names/prefix" => "the prefix of all tool names changes",
                "/title" => "the title of the surface changes",
                _ => "the instructions of the surface change",
            };
            out.add(rule, thing, pointer, what).values(before.clone(), after.clone());
        }
    }
    envelope(out, "/envelope/success", &old.envelope.success, &new.envelope.success);
    envelope(out, "/envelope/failure", &old.envelope.failure, &new.envelope.failure);
    let tokens = [old.definition_tokens, new.definition_tokens];
    let whose = "all definitions of the surface together";
    tools::budget_change(out, thing, "/budget/definition_tokens", whose, tokens);
    let limited: BTreeSet<&String> =
        old.toolset_tokens.keys().chain(new.toolset_tokens.keys()).collect();
    for name in limited {
        // Without a limit of its own, a toolset has that of the surface.
        let limit = |side: &Contract| {
            side.toolset_tokens.get(name).copied().unwrap_or(side.definition_tokens)
        };
        let pointer = format!("/budget/toolsets/{name}");
        let whose = format!("the definitions of the toolset `{name}` together");
        tools::budget_change(out, thing, &pointer, &whose, [limit(old), limit(new)]);
    }
    errors::compare(out);
    guards::declared(out);
    roles::compare(out);
    settings::compare(out);
    resources::compare(out);
}

/// Templates member by member: one more does no harm, any other change does.
fn envelope(out: &mut Recorder<'_>, pointer: &str, old: &Value, new: &Value) {
    if let (Value::Array(before), Value::Array(after)) = (old, new)
        && before.len() == after.len()
    {
        for (index, (was, is)) in before.iter().zip(after).enumerate() {
            envelope(out, &format!("{pointer}/{index}"), was, is);
        }
        return;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        if old != new {
            let message = format!("`{}` of every answer changes", short(pointer));
            out.add(rules::ENVELOPE_CHANGED, Thing::surface("surface"), pointer, message)
                .values(show(old), show(new));
        }
        return;
    };
    for (key, value) in before {
        let pointer = format!("{pointer}{}", step(key));
        match after.get(key) {
            Some(now) => envelope(out, &pointer, value, now),
            None => {
                let message = format!("`{}` of every answer is removed", short(&pointer));
                out.add(rules::ENVELOPE_CHANGED, Thing::surface("surface"), &pointer, message)
                    .values(show(value), None);
            }
        }
    }
    for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
        let pointer = format!("{pointer}{}", step(key));
        let message = format!("`{}` of every answer is new", short(&pointer));
        out.add(rules::ENVELOPE_MEMBER_ADDED, Thing::surface("surface"), &pointer, message)
            .values(None, show(value));
    }
}

/// `failure.error.code` of a pointer into the envelope.
fn short(pointer: &str) -> String {
    pointer.trim_start_matches("/envelope/").replace('/', ".")
}
