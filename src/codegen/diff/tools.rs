//! Changes of tools, except for guards.

use super::change::{Use, list, show};
use super::guards;
use super::locate::{File, Side, step};
use super::recorder::{Recorder, Thing};
use super::rename;
use super::rules::{policy, prose, tools as rules};
use super::schema::{Anchor, Context, Held, Walk, bare};
use crate::diagnostics::Findings;
use crate::model::{Constraint, Deprecation, Tool};
use crate::names;
use crate::parse::Doc;
use crate::resolve::Refs;

/// Compares all tools of a surface.
pub(super) fn compare(out: &mut Recorder<'_>, today: Option<&str>) {
    let (before, after) = (&out.old.contract.tools, &out.new.contract.tools);
    let (mut gone, mut come) = (without(before, after), without(after, before));
    for (from, to) in renamed(out.old, out.new) {
        gone.retain(|tool| tool.name != from.name);
        come.retain(|tool| tool.name != to.name);
        let thing =
            Thing { subject: &to.name, old: File::Tool(&from.name), new: File::Tool(&to.name) };
        let message = format!("`{}` is now called `{}`", from.name, to.name);
        out.add(rules::TOOL_RENAMED, thing, "/tool", message)
            .values(from.name.clone(), to.name.clone());
        both(out, from, to);
    }
    for tool in gone {
        removed(out, tool, today);
    }
    for tool in come {
        let message = format!("`{}` is new: {}", tool.name, tool.title);
        out.add(rules::TOOL_ADDED, thing(tool), "/tool", message).values(None, tool.name.clone());
    }
    for from in before {
        if let Some(to) = after.iter().find(|tool| tool.name == from.name) {
            both(out, from, to);
        }
    }
}

/// Tools that have another name now, with the old one first.
pub(super) fn renamed<'a>(old: Side<'a>, new: Side<'a>) -> Vec<(&'a Tool, &'a Tool)> {
    let (before, after) = (&old.contract.tools, &new.contract.tools);
    let (gone, come) = (without(before, after), without(after, before));
    rename::pairs(&gone, &come, |from, to| same(from, to, old, new))
}

/// Tools whose names the others do not have.
fn without<'a>(tools: &'a [Tool], others: &[Tool]) -> Vec<&'a Tool> {
    let is_there = |tool: &&Tool| others.iter().any(|other| other.name == tool.name);
    tools.iter().filter(|tool| !is_there(tool)).collect()
}

fn thing(tool: &Tool) -> Thing<'_> {
    Thing { subject: &tool.name, old: File::Tool(&tool.name), new: File::Tool(&tool.name) }
}

/// Same shape, and one more thing that says so.
fn same(from: &Tool, to: &Tool, old: Side<'_>, new: Side<'_>) -> bool {
    let shape = |side: Side<'_>, name: &str, key: &str| {
        let doc = side.tool(name)?;
        let (node, _) = root(side, doc, key)?;
        Some(bare(node.node, side))
    };
    let alike = |key: &str| shape(old, &from.name, key) == shape(new, &to.name, key);
    from.deprecated.is_none()
        && from.effects == to.effects
        && (from.description == to.description
            || from.title == to.title
            || rename::near(&from.name, &to.name))
        && alike("input")
        && alike("output")
}

fn removed(out: &mut Recorder<'_>, tool: &Tool, today: Option<&str>) {
    let (rule, message) = match &tool.deprecated {
        None => (
            rules::TOOL_REMOVED,
            format!("`{}` is removed without having been deprecated", tool.name),
        ),
        Some(Deprecation { sunset: None, .. }) => {
            let message = format!("`{}` is removed; it was deprecated without a sunset", tool.name);
            (rules::TOOL_REMOVED_EARLY, message)
        }
        Some(Deprecation { sunset: Some(sunset), .. }) => {
            if passed(sunset, &out.new.contract.contract, today) {
                let message = format!("`{}` is removed, as announced for {sunset}", tool.name);
                (rules::TOOL_REMOVED_AFTER_SUNSET, message)
            } else {
                let message = format!("`{}` is removed before its sunset, {sunset}", tool.name);
                (rules::TOOL_REMOVED_EARLY, message)
            }
        }
    };
    out.add(rule, thing(tool), "/tool", message).values(tool.name.clone(), None);
}

/// A sunset is a day or a version of the contract. Whatever else it says has not come, and no day
/// has where nobody knows today's.
fn passed(sunset: &str, contract: &str, today: Option<&str>) -> bool {
    match names::version(sunset) {
        Some(version) => names::version(contract).is_some_and(|now| now >= version),
        None => is_date(sunset) && today.is_some_and(|today| sunset <= today),
    }
}

fn is_date(text: &str) -> bool {
    let form = |(index, byte): (usize, u8)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(form)
}

/// A tool that is there in both versions.
fn both(out: &mut Recorder<'_>, old: &Tool, new: &Tool) {
    let thing =
        Thing { subject: &new.name, old: File::Tool(&old.name), new: File::Tool(&new.name) };
    if old.listed != new.listed {
        let (rule, word) = match new.listed {
            true => (rules::TOOL_LISTED, "is now in the tool list"),
            false => (rules::TOOL_UNLISTED, "is no longer in the tool list"),
        };
        out.add(rule, thing, "/listed", format!("`{}` {word}", new.name))
            .values(old.listed.to_string(), new.listed.to_string());
    }
    words(out, thing, old, new);
    hints(out, thing, old, new);
    schemas(out, old, new);
    aliases(out, thing, old, new);
    constraints(out, thing, old, new);
    deprecation(out, thing, old, new);
    budget(out, thing, old, new);
    meta(out, thing, old, new);
    super::errors::of_tool(out, thing, old, new);
    guards::compare(out, thing, old, new);
    // A command that follows from the name is reported with the name.
    let follows = |tool: &Tool| tool.command == names::default_command(&tool.name);
    let renamed = old.name != new.name && follows(old) && follows(new);
    if old.command != new.command && !renamed {
        let message = format!("the tool command of `{}` changes", new.name);
        out.add(rules::COMMAND_CHANGED, thing, "/command", message)
            .values(old.command.join(" "), new.command.join(" "));
    }
}

fn words(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let name = &new.name;
    // Without `since`, a tool has the version of its contract.
    let follows = old.since == out.old.contract.contract && new.since == out.new.contract.contract;
    let since = if follows { &new.since } else { &old.since };
    for (rule, key, before, after) in [
        (prose::TITLE_CHANGED, "title", &old.title, &new.title),
        (prose::DESCRIPTION_CHANGED, "description", &old.description, &new.description),
        (prose::SINCE_CHANGED, "since", since, &new.since),
    ] {
        if before != after {
            out.add(rule, thing, &format!("/{key}"), format!("`{key}` of `{name}` changes"))
                .values(before.clone(), after.clone());
        }
    }
    if old.immediate != new.immediate {
        let message = format!("`immediate` of `{name}` changes");
        out.add(prose::HANDLING_CHANGED, thing, "/immediate", message)
            .values(old.immediate.to_string(), new.immediate.to_string());
    }
    let (before, after) = (&old.accept_undescribed, &new.accept_undescribed);
    if before != after {
        let message = format!("the reason why arguments of `{name}` have no description changes");
        out.add(prose::REASON_CHANGED, thing, "/accept_undescribed", message)
            .values(before.clone(), after.clone());
    }
    let shown = |tool: &Tool| serde_json::to_value(&tool.examples).unwrap_or_default();
    if shown(old) != shown(new) {
        let count = |tool: &Tool| match tool.examples.len() {
            1 => "1 example".to_owned(),
            count => format!("{count} examples"),
        };
        let message = format!("the examples of `{name}` change");
        out.add(prose::EXAMPLES_CHANGED, thing, "/examples", message)
            .values(count(old), count(new));
    }
}

fn hints(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let name = &new.name;
    let (before, after) = (old.effects, new.effects);
    if before != after {
        let (was, is) = (before.name(), after.name());
        let (rule, word) = match after > before {
            true => (policy::EFFECTS_RAISED, "has a stronger effect"),
            false => (policy::EFFECTS_LOWERED, "has a weaker effect"),
        };
        let message = format!("`{name}` {word}: {was} becomes {is}");
        out.add(rule, thing, "/effects", message).values(was.to_owned(), is.to_owned());
    }
    let flags = [
        (
            "idempotent",
            [old.idempotent, new.idempotent],
            [policy::IDEMPOTENCE_GAINED, policy::IDEMPOTENCE_LOST],
            ["is now idempotent", "is no longer idempotent"],
        ),
        (
            "open_world",
            [old.open_world, new.open_world],
            [policy::OPEN_WORLD_GAINED, policy::OPEN_WORLD_LOST],
            [
                "now reaches beyond the store of the surface",
                "now stays within the store of the surface",
            ],
        ),
    ];
    for (key, [before, after], [gained, lost], [yes, no]) in flags {
        if before != after {
            let (rule, word) = if after { (gained, yes) } else { (lost, no) };
            out.add(rule, thing, &format!("/{key}"), format!("`{name}` {word}"))
                .values(before.to_string(), after.to_string());
        }
    }
}

fn schemas(out: &mut Recorder<'_>, old: &Tool, new: &Tool) {
    for used in [Use::Input, Use::Output] {
        let find = |side: Side<'_>, name: &str| {
            let doc = side.tool(name)?;
            root(side, doc, used.word()).map(|(_, doc)| doc.stem().to_owned())
        };
        let written = (find(out.old, &old.name), find(out.new, &new.name));
        let (Some(before), Some(after)) =
            (held(out.old, &old.name, used), held(out.new, &new.name, used))
        else {
            continue;
        };
        // What another tool lends to this one is that tool's, if it was so before.
        let subject = match written {
            (Some(from), Some(to)) if from == to => to,
            _ => new.name.clone(),
        };
        let none = std::collections::BTreeMap::new();
        let aliases = if used == Use::Input { &new.aliases } else { &none };
        let anchor = Anchor { subject, pointer: format!("/{}", used.word()), path: String::new() };
        let context = Context { root: used == Use::Input, ..Context::default() };
        Walk::new(out, &new.name, used, aliases).compare(&anchor, before, after, context);
    }
}

fn held<'a>(side: Side<'a>, name: &str, used: Use) -> Option<Held<'a>> {
    root(side, side.tool(name)?, used.word()).map(|(held, _)| held)
}

/// The schema of a tool, also where it is another tool's, and the file it is in.
fn root<'a>(side: Side<'a>, doc: &'a Doc, key: &str) -> Option<(Held<'a>, &'a Doc)> {
    let mut nowhere = Findings::default();
    let entry = doc.root.entry(key)?;
    let mut refs = Refs::new(side.folder, &mut nowhere);
    let (node, source) = refs.root(entry, doc, &mut nowhere)?;
    // A schema that another tool lends is held by that tool's key.
    let keys = ["input", "output"].into_iter().filter_map(|key| source.root.entry(key));
    let mut keys = keys.filter(|entry| std::ptr::eq(&raw const entry.value, node));
    let at = keys.next();
    Some((Held { node, at: at.map_or(entry.place, |entry| entry.place) }, source))
}

fn aliases(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let argument = |tool: &Tool, name: &str| {
        tool.input.pointer("/properties").is_some_and(|all| all.get(name).is_some())
    };
    for (alias, target) in &old.aliases {
        let pointer = format!("/aliases{}", step(alias));
        match new.aliases.get(alias) {
            Some(now) if now == target => {}
            Some(now) => {
                let message = format!("the alias `{alias}` of `{}` now means `{now}`", new.name);
                out.add(rules::ALIAS_CHANGED, thing, &pointer, message)
                    .values(target.clone(), now.clone());
            }
            None if argument(new, alias) => {}
            None => {
                let message = format!("`{}` no longer accepts the alias `{alias}`", new.name);
                out.add(rules::ALIAS_REMOVED, thing, &pointer, message)
                    .values(target.clone(), None);
            }
        }
    }
    for (alias, target) in &new.aliases {
        // The alias of a renamed argument is reported with the new name.
        if !old.aliases.contains_key(alias) && !argument(old, alias) {
            let message = format!("`{}` accepts `{alias}` as an alias of `{target}`", new.name);
            let pointer = format!("/aliases{}", step(alias));
            out.add(rules::ALIAS_ADDED, thing, &pointer, message).values(None, target.clone());
        }
    }
}

fn constraints(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    const NONE: &str = "/constraints/-";
    let at = |index: usize| format!("/constraints/{index}");
    for (index, constraint) in new.constraints.iter().enumerate() {
        if old.constraints.iter().any(|was| describe(was) == describe(constraint)) {
            continue;
        }
        let looser = old.constraints.iter().position(|was| implies(was, constraint));
        let tighter = old.constraints.iter().position(|was| implies(constraint, was));
        let (rule, word) = match looser {
            Some(_) => (rules::CONSTRAINT_LOOSENED, "relaxes a constraint"),
            None => (rules::CONSTRAINT_ADDED, "has a new constraint"),
        };
        let was = looser.or(tighter);
        let before = was.map_or(NONE.to_owned(), at);
        let message = format!("`{}` {word}: {}", new.name, describe(constraint));
        out.moved(rule, thing, [&before, &at(index)], message)
            .values(was.map(|index| describe(&old.constraints[index])), describe(constraint));
    }
    for (index, constraint) in old.constraints.iter().enumerate() {
        let told = |now: &Constraint| implies(now, constraint) || implies(constraint, now);
        if !new.constraints.iter().any(told) {
            let message =
                format!("`{}` no longer has the constraint: {}", new.name, describe(constraint));
            out.moved(rules::CONSTRAINT_REMOVED, thing, [&at(index), NONE], message)
                .values(describe(constraint), None);
        }
    }
}

fn describe(constraint: &Constraint) -> String {
    match constraint {
        Constraint::AtLeastOneOf(fields) => format!("at least one of {}", list(fields)),
        Constraint::AtMostOneOf(fields) => format!("at most one of {}", list(fields)),
        Constraint::ExactlyOneOf(fields) => format!("exactly one of {}", list(fields)),
        Constraint::Requires { field, needs } => format!("`{field}` requires `{needs}`"),
    }
}

/// Whoever keeps `a` keeps `b`.
fn implies(a: &Constraint, b: &Constraint) -> bool {
    use toolwright_contract::Constraint::{AtLeastOneOf, AtMostOneOf, ExactlyOneOf};
    let within = |a: &[String], b: &[String]| a.iter().all(|field| b.contains(field));
    match (a, b) {
        (AtLeastOneOf(a) | ExactlyOneOf(a), AtLeastOneOf(b)) => within(a, b),
        (AtMostOneOf(a) | ExactlyOneOf(a), AtMostOneOf(b)) => within(b, a),
        (ExactlyOneOf(a), ExactlyOneOf(b)) => within(a, b) && within(b, a),
        _ => describe(a) == describe(b),
    }
}

fn deprecation(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let shown = |deprecation: &Deprecation| {
        let mut text = format!("since {}", deprecation.since);
        if let Some(next) = &deprecation.replaced_by {
            text += &format!(", replaced by {next}");
        }
        if let Some(sunset) = &deprecation.sunset {
            text += &format!(", sunset {sunset}");
        }
        text
    };
    let (rule, word) = match (&old.deprecated, &new.deprecated) {
        (None, None) => return,
        (None, Some(_)) => (rules::DEPRECATED_ADDED, "is deprecated"),
        (Some(_), None) => (rules::DEPRECATED_REMOVED, "is no longer deprecated"),
        (Some(before), Some(after)) if shown(before) == shown(after) => return,
        (Some(before), Some(after)) if earlier(after, before) => {
            (rules::SUNSET_EARLIER, "will be removed earlier than announced")
        }
        _ => (rules::DEPRECATION_CHANGED, "has a different deprecation notice"),
    };
    let pointer = match rule == rules::SUNSET_EARLIER {
        true => "/deprecated/sunset",
        false => "/deprecated",
    };
    out.add(rule, thing, pointer, format!("`{}` {word}", new.name))
        .values(old.deprecated.as_ref().map(shown), new.deprecated.as_ref().map(shown));
}

fn earlier(after: &Deprecation, before: &Deprecation) -> bool {
    let (Some(after), Some(before)) = (&after.sunset, &before.sunset) else { return false };
    match (names::version(after), names::version(before)) {
        (Some(after), Some(before)) => after < before,
        _ => is_date(after) && is_date(before) && after < before,
    }
}

fn budget(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let limits = [
        (
            "definition_tokens",
            "definition",
            old.budget.definition_tokens,
            new.budget.definition_tokens,
        ),
        ("result_tokens", "answers", old.budget.result_tokens, new.budget.result_tokens),
    ];
    for (key, what, before, after) in limits {
        let whose = format!("the {what} of `{}`", new.name);
        budget_change(out, thing, &format!("/budget/{key}"), &whose, [before, after]);
    }
}

/// A token budget of a tool or a surface.
pub(super) fn budget_change(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    pointer: &str,
    whose: &str,
    [before, after]: [u32; 2],
) {
    if before == after {
        return;
    }
    let (rule, word) = match after > before {
        true => (policy::BUDGET_RAISED, "can take more tokens"),
        false => (policy::BUDGET_LOWERED, "can take fewer tokens"),
    };
    out.add(rule, thing, pointer, format!("{whose} {word}"))
        .values(before.to_string(), after.to_string());
}

fn meta(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    for (key, before) in &old.meta {
        let after = new.meta.get(key);
        if after != Some(before) {
            let word = if after.is_some() { "changes" } else { "is removed" };
            let message = format!("`{key}` in the `_meta` of `{}` {word}", new.name);
            out.add(rules::META_CHANGED, thing, &format!("/meta{}", step(key)), message)
                .values(show(before), after.map(show));
        }
    }
    for (key, after) in new.meta.iter().filter(|(key, _)| !old.meta.contains_key(*key)) {
        let message = format!("`{key}` in the `_meta` of `{}` is new", new.name);
        out.add(rules::META_ADDED, thing, &format!("/meta{}", step(key)), message)
            .values(None, show(after));
    }
}
