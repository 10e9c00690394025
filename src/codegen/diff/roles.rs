//! Changes of roles and toolsets: the tools in each.

use std::collections::BTreeMap;

use super::change::list;
use super::locate::step;
use super::recorder::{Recorder, Thing};
use super::rules::{Rule, policy, surface};
use super::tools;
use crate::model::{Effects, Identity, Tool};
use crate::names;
use crate::parse::Node;

/// What a kind of group is called and how its changes are judged.
struct Kind {
    word: &'static str,
    key: &'static str,
    added: &'static Rule,
    /// A new group that has every tool, now and later.
    added_for_all: &'static Rule,
    removed: &'static Rule,
    widened: &'static Rule,
    narrowed: &'static Rule,
    /// A new tool in the group widens it; that is reported besides the tool itself.
    counts_new: bool,
}

const ROLES: Kind = Kind {
    word: "role",
    key: "roles",
    added: policy::ROLE_ADDED,
    added_for_all: policy::ROLE_FOR_EVERY_TOOL,
    removed: policy::ROLE_REMOVED,
    widened: policy::ROLE_WIDENED,
    narrowed: policy::ROLE_NARROWED,
    counts_new: true,
};

const TOOLSETS: Kind = Kind {
    word: "toolset",
    key: "toolsets",
    added: surface::TOOLSET_ADDED,
    added_for_all: surface::TOOLSET_ADDED,
    removed: surface::TOOLSET_REMOVED,
    widened: surface::TOOLSET_WIDENED,
    narrowed: surface::TOOLSET_NARROWED,
    counts_new: false,
};

/// Compares roles and toolsets.
pub(super) fn compare(out: &mut Recorder<'_>) {
    let (old, new) = (out.old.contract, out.new.contract);
    identity(out);
    groups(out, &ROLES, &old.roles, &new.roles);
    groups(out, &TOOLSETS, &old.toolsets, &new.toolsets);
}

/// Compares the settings that say for whom a server acts.
fn identity(out: &mut Recorder<'_>) {
    let (old, new) = (&out.old.contract.identity, &out.new.contract.identity);
    if old == new {
        return;
    }
    let (rule, message) = match (old, new) {
        (None, _) => (policy::IDENTITY_ADDED, "calls are bound to the identity of the caller"),
        (_, None) => (policy::IDENTITY_REMOVED, "calls are no longer bound to the caller"),
        _ => (policy::IDENTITY_CHANGED, "the settings of the identity change"),
    };
    let shown = |identity: &Option<Identity>| {
        let Identity { users, tenant, tokens } = identity.as_ref()?;
        Some(list([Some(users), tenant.as_ref(), tokens.as_ref()].into_iter().flatten()))
    };
    let (before, after) = (shown(old), shown(new));
    out.add(rule, Thing::surface("identity"), "/identity", message).values(before, after);
}

type Groups = BTreeMap<String, Vec<String>>;

fn groups(out: &mut Recorder<'_>, kind: &Kind, old: &Groups, new: &Groups) {
    let Kind { word, key, .. } = kind;
    let renamed = tools::renamed(out.old, out.new);
    for (name, tools) in old {
        let subject = format!("{word} {name}");
        let pointer = format!("/{key}{}", step(name));
        let Some(now) = new.get(name) else {
            let message = format!("the {word} `{name}` is removed");
            out.add(kind.removed, Thing::surface(&subject), &pointer, message)
                .values(list(tools), None);
            continue;
        };
        // What is only called otherwise is the same tool.
        let called_now = |name: &String| {
            let pair = renamed.iter().find(|(from, _)| from.name == *name);
            pair.map_or(name, |(_, to)| &to.name).clone()
        };
        let before: Vec<String> = tools.iter().map(called_now).collect();
        // Added and removed tools are reported as such.
        let stays = |name: &String| {
            has(&out.new.contract.tools, name)
                && (has(&out.old.contract.tools, name)
                    || renamed.iter().any(|(_, to)| to.name == *name))
        };
        let missing = |from: &[String], there: &[String]| -> Vec<String> {
            from.iter().filter(|name| !there.contains(name)).cloned().collect()
        };
        let (mut gone, mut come) = (missing(&before, now), missing(now, &before));
        gone.retain(stays);
        come.retain(|tool| stays(tool) || (kind.counts_new && is_granted(out, name, tool)));
        if !gone.is_empty() {
            let message = format!("the {word} `{name}` loses {}", list(&gone));
            out.add(kind.narrowed, Thing::surface(&subject), &pointer, message)
                .values(list(&gone), None);
        }
        if !come.is_empty() {
            let message = format!("the {word} `{name}` gains {}", list(&come));
            out.add(kind.widened, Thing::surface(&subject), &pointer, message)
                .values(None, list(&come));
        }
    }
    for (name, tools) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let subject = format!("{word} {name}");
        // Without any roles, everybody had every tool.
        let (rule, message) = match !old.is_empty() && has_all(out, key, name) {
            true => (kind.added_for_all, format!("the {word} `{name}` is new and has every tool")),
            false => (kind.added, format!("the {word} `{name}` is new")),
        };
        let pointer = format!("/{key}{}", step(name));
        out.add(rule, Thing::surface(&subject), &pointer, message).values(None, list(tools));
    }
}

fn has(tools: &[Tool], name: &str) -> bool {
    tools.iter().any(|tool| tool.name == name)
}

/// The new group is written as `*`, without exceptions.
fn has_all(out: &Recorder<'_>, key: &str, group: &str) -> bool {
    let surface = out.new.folder.surface.as_ref().map(|doc| &doc.root);
    let listed = surface.and_then(|root| root.get(key)?.get(group)).map(Node::elements);
    let patterns = listed.unwrap_or_default().iter().filter_map(Node::text);
    patterns.fold(false, |all, pattern| pattern == "*" || (all && !pattern.starts_with('!')))
}

/// The role has a new tool that changes things. What its old patterns let in was agreed with them.
fn is_granted(out: &Recorder<'_>, role: &str, name: &str) -> bool {
    let surface = out.old.folder.surface.as_ref().map(|doc| &doc.root);
    let listed = surface.and_then(|root| root.get("roles")?.get(role)).map(Node::elements);
    let patterns = listed.unwrap_or_default().iter().filter_map(Node::text);
    let agreed = patterns.fold(false, |agreed, pattern| match pattern.strip_prefix('!') {
        Some(pattern) => agreed && !names::glob(pattern, name),
        None => agreed || names::glob(pattern, name),
    });
    let tool = out.new.contract.tools.iter().find(|tool| tool.name == name);
    !agreed && tool.is_some_and(|tool| tool.effects != Effects::Read)
}
