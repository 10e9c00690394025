//! Changes of guards: their presence, strength and parameters.

use super::change::show;
use super::errors::new_name;
use super::locate::{Side, step};
use super::recorder::{Recorder, Thing};
use super::rules::{Rule, policy as rules, prose};
use super::schema::bare;
use crate::model::{Guard, GuardUse, Tool};

/// Compares the guards of one tool.
pub(super) fn compare(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let name = &new.name;
    let mut left: Vec<usize> = (0..new.guards.len()).collect();
    let mut gone: Vec<usize> = Vec::new();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (index, guard) in old.guards.iter().enumerate() {
        match left.iter().position(|now| new.guards[*now].name() == guard.name()) {
            Some(found) => pairs.push((index, left.remove(found))),
            None => gone.push(index),
        }
    }
    if let ([from], [to]) = (gone.as_slice(), left.as_slice()) {
        replaced(out, thing, (old, *from), (new, *to));
    } else {
        for index in gone {
            let guard = old.guards[index].name();
            let pointers = [at(index, guard, ""), format!("/guards{}", step(guard))];
            let message = format!("`{name}` is no longer guarded by `{guard}`");
            let strength = old.guards[index].strength(out.old.contract).name();
            out.moved(rules::GUARD_REMOVED, thing, [&pointers[0], &pointers[1]], message)
                .values(format!("{guard} ({strength})"), None);
        }
        for index in left {
            let guard = new.guards[index].name();
            let pointers = [format!("/guards{}", step(guard)), at(index, guard, "")];
            let message = format!("`{name}` is now guarded by `{guard}`");
            let strength = new.guards[index].strength(out.new.contract).name();
            out.moved(rules::GUARD_ADDED, thing, [&pointers[0], &pointers[1]], message)
                .values(None, format!("{guard} ({strength})"));
        }
    }
    if pairs.windows(2).any(|two| two[0].1 > two[1].1) {
        let order =
            |tool: &Tool| tool.guards.iter().map(GuardUse::name).collect::<Vec<_>>().join(", ");
        let message = format!("the order of the guards of `{name}` changes");
        out.add(rules::GUARD_ORDER_CHANGED, thing, "/guards", message)
            .values(order(old), order(new));
    }
    for (from, to) in pairs {
        both(out, thing, (old, from), (new, to));
    }
    accepted_weakness(out, thing, old, new);
}

/// Pointer to a parameter of the guard at an index.
fn at(index: usize, guard: &str, key: &str) -> String {
    match key {
        "" => format!("/guards/{index}{}", step(guard)),
        key => format!("/guards/{index}{}{}", step(guard), step(key)),
    }
}

fn replaced(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    (old, from): (&Tool, usize),
    (new, to): (&Tool, usize),
) {
    let (before, after) = (&old.guards[from], &new.guards[to]);
    let (was, is) = (before.strength(out.old.contract), after.strength(out.new.contract));
    let (rule, word) = match is.cmp(&was) {
        std::cmp::Ordering::Less => (rules::GUARD_WEAKENED, "the weaker "),
        std::cmp::Ordering::Greater => (rules::GUARD_STRENGTHENED, "the stronger "),
        std::cmp::Ordering::Equal => (rules::GUARD_REPLACED, ""),
    };
    let (a, b) = (before.name(), after.name());
    let message = format!("`{}` is now guarded by {word}`{b}` instead of `{a}`", new.name);
    let pointers = [at(from, a, ""), at(to, b, "")];
    out.moved(rule, thing, [&pointers[0], &pointers[1]], message)
        .values(format!("{a} ({})", was.name()), format!("{b} ({})", is.name()));
}

/// A parameter of a guard in both versions.
struct Param {
    key: String,
    before: Option<String>,
    after: Option<String>,
    rule: &'static Rule,
}

impl Param {
    /// Any change is of the same kind.
    fn new(rule: &'static Rule, key: &str, before: &str, after: &str) -> Self {
        Self::optional(rule, key, [Some(before), Some(after)])
    }

    fn optional(rule: &'static Rule, key: &str, [before, after]: [Option<&str>; 2]) -> Self {
        Self {
            key: key.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            rule,
        }
    }

    /// A way around the guard: one more is weaker, one less is stronger.
    fn skip_condition(key: &str, before: Option<&String>, after: Option<&String>) -> Self {
        let rule = if after.is_some() { rules::GUARD_WEAKENED } else { rules::GUARD_STRENGTHENED };
        Self::optional(rule, key, [before.map(String::as_str), after.map(String::as_str)])
    }
}

fn both(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    (old, from): (&Tool, usize),
    (new, to): (&Tool, usize),
) {
    let guard = new.guards[to].name();
    for param in params(&old.guards[from], &new.guards[to]) {
        let same = match (&param.before, &param.after) {
            (Some(was), Some(is)) if param.rule == rules::GUARD_REFUSAL_CHANGED => {
                new_name(out.old.contract, out.new.contract, was) == is
            }
            (before, after) => before == after,
        };
        if same {
            continue;
        }
        let pointers = [at(from, guard, &param.key), at(to, guard, &param.key)];
        let (key, tool) = (&param.key, &new.name);
        let message = match param.rule.id {
            "guard-weakened" => {
                format!("the guard `{guard}` of `{tool}` is weaker: `{key}` changes")
            }
            "guard-strengthened" => {
                format!("the guard `{guard}` of `{tool}` is stricter: `{key}` changes")
            }
            _ => format!("`{key}` of the guard `{guard}` of `{tool}` changes"),
        };
        out.moved(param.rule, thing, [&pointers[0], &pointers[1]], message)
            .values(param.before, param.after);
    }
}

fn params(old: &GuardUse, new: &GuardUse) -> Vec<Param> {
    use GuardUse::{Ask, Confirm, Own, Role, TwoStage};
    let (field, binding) = (rules::GUARD_FIELD_CHANGED, rules::GUARD_BINDING_CHANGED);
    let refusal = rules::GUARD_REFUSAL_CHANGED;
    match (old, new) {
        (
            Confirm { field: a, unless, refuses, rehearse },
            Confirm { field: b, unless: other, refuses: refuses_now, rehearse: rehearses },
        ) => vec![
            Param::new(field, "field", a, b),
            Param::skip_condition("unless", unless.as_ref(), other.as_ref()),
            Param::new(refusal, "refuses", refuses, refuses_now),
            Param::new(
                rules::GUARD_REHEARSAL_CHANGED,
                "rehearse",
                &rehearse.to_string(),
                &rehearses.to_string(),
            ),
        ],
        (TwoStage { .. }, TwoStage { .. }) => two_stage(old, new),
        (
            Ask { message, refuses, otherwise, optional },
            Ask {
                message: words,
                refuses: refuses_now,
                otherwise: instead,
                optional: optional_now,
            },
        ) => vec![
            Param::new(prose::GUARD_MESSAGE_CHANGED, "message", message, words),
            Param::new(refusal, "refuses", refuses, refuses_now),
            Param::skip_condition("otherwise", otherwise.as_ref(), instead.as_ref()),
            Param::new(
                if *optional_now { rules::GUARD_WEAKENED } else { rules::GUARD_STRENGTHENED },
                "optional",
                &optional.to_string(),
                &optional_now.to_string(),
            ),
        ],
        (
            Role { tenant, user, project, unknown, forbidden },
            Role { tenant: t, user: u, project: p, unknown: un, forbidden: f },
        ) => {
            // A role within a project says more than one anywhere.
            let rule = match (project, p) {
                (Some(_), None) => rules::GUARD_WEAKENED,
                (None, Some(_)) => rules::GUARD_STRENGTHENED,
                _ => binding,
            };
            vec![
                Param::optional(binding, "tenant", [tenant.as_deref(), t.as_deref()]),
                Param::optional(binding, "user", [user.as_deref(), u.as_deref()]),
                Param::optional(rule, "project", [project.as_deref(), p.as_deref()]),
                Param::new(refusal, "unknown", unknown, un),
                Param::new(refusal, "forbidden", forbidden, f),
            ]
        }
        (Own { bind: before, .. }, Own { bind: after, .. }) => {
            let keys: std::collections::BTreeSet<&String> =
                before.keys().chain(after.keys()).collect();
            let shown = |bind: &serde_json::Map<_, _>, key: &String| bind.get(key).map(show);
            keys.into_iter()
                .map(|key| Param {
                    key: key.clone(),
                    before: shown(before, key),
                    after: shown(after, key),
                    rule: binding,
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

fn two_stage(old: &GuardUse, new: &GuardUse) -> Vec<Param> {
    let (
        GuardUse::TwoStage { issuer, field, unless, ttl_seconds, missing, expired, mismatch, hash },
        GuardUse::TwoStage {
            issuer: issuer_now,
            field: field_now,
            unless: unless_now,
            ttl_seconds: ttl_now,
            missing: missing_now,
            expired: expired_now,
            mismatch: mismatch_now,
            hash: hash_now,
        },
    ) = (old, new)
    else {
        return Vec::new();
    };
    let refusal = rules::GUARD_REFUSAL_CHANGED;
    let longer = ttl_now > ttl_seconds;
    let ttl = if longer { rules::GUARD_WEAKENED } else { rules::GUARD_STRENGTHENED };
    vec![
        Param::new(rules::GUARD_ISSUER_CHANGED, "issuer", issuer, issuer_now),
        Param::new(rules::GUARD_FIELD_CHANGED, "field", field, field_now),
        Param::skip_condition("unless", unless.as_ref(), unless_now.as_ref()),
        Param::new(ttl, "ttl", &format!("{ttl_seconds}s"), &format!("{ttl_now}s")),
        Param::new(refusal, "missing", missing, missing_now),
        Param::new(refusal, "expired", expired, expired_now),
        Param::new(refusal, "mismatch", mismatch, mismatch_now),
        Param::optional(
            rules::GUARD_BINDING_CHANGED,
            "hash",
            [hash.as_deref(), hash_now.as_deref()],
        ),
    ]
}

/// Why a destructive tool has only weak guards.
fn accepted_weakness(out: &mut Recorder<'_>, thing: Thing<'_>, old: &Tool, new: &Tool) {
    let (rule, message) = match (&old.accept_weak_guard, &new.accept_weak_guard) {
        (None, Some(_)) => {
            (rules::WEAK_GUARD_ACCEPTED, format!("`{}` now accepts weak guards", new.name))
        }
        (Some(_), None) => (
            rules::WEAK_GUARD_ACCEPTANCE_REMOVED,
            format!("`{}` no longer accepts weak guards", new.name),
        ),
        (before, after) if before == after => return,
        _ => (
            prose::REASON_CHANGED,
            format!("the reason why `{}` accepts weak guards changes", new.name),
        ),
    };
    out.add(rule, thing, "/accept_weak_guard", message)
        .values(old.accept_weak_guard.clone(), new.accept_weak_guard.clone());
}

/// Compares the guards that a surface declares.
pub(super) fn declared(out: &mut Recorder<'_>) {
    let (old, new) = (out.old.contract, out.new.contract);
    for (name, guard) in &old.guards {
        let subject = format!("guard {name}");
        let thing = Thing::surface(&subject);
        match new.guards.get(name) {
            Some(now) => declaration(out, thing, name, guard, now),
            None => {
                let message = format!("the guard `{name}` is removed");
                out.add(rules::GUARD_UNDECLARED, thing, &place(name, ""), message)
                    .values(guard.strength.name().to_owned(), None);
            }
        }
    }
    for (name, guard) in new.guards.iter().filter(|(name, _)| !old.guards.contains_key(*name)) {
        let subject = format!("guard {name}");
        let message = format!("the guard `{name}` is new");
        out.add(rules::GUARD_DECLARED, Thing::surface(&subject), &place(name, ""), message)
            .values(None, guard.strength.name().to_owned());
    }
    rules_changed(out);
}

fn place(guard: &str, key: &str) -> String {
    match key {
        "" => format!("/guards{}", step(guard)),
        key => format!("/guards{}/{key}", step(guard)),
    }
}

fn declaration(out: &mut Recorder<'_>, thing: Thing<'_>, name: &str, old: &Guard, new: &Guard) {
    if old.strength != new.strength {
        let (rule, word) = match new.strength < old.strength {
            true => (rules::GUARD_STRENGTH_LOWERED, "lowered"),
            false => (rules::GUARD_STRENGTH_RAISED, "raised"),
        };
        out.add(
            rule,
            thing,
            &place(name, "strength"),
            format!("the strength of the guard `{name}` is {word}"),
        )
        .values(old.strength.name().to_owned(), new.strength.name().to_owned());
    }
    if old.admission != new.admission {
        let word = if new.admission { "before" } else { "after" };
        let message = format!("the guard `{name}` now decides {word} the arguments are read");
        out.add(rules::GUARD_ADMISSION_CHANGED, thing, &place(name, "admission"), message)
            .values(old.admission.to_string(), new.admission.to_string());
    }
    let params = |side: Side<'_>| {
        let root = side.folder.surface.as_ref().map(|doc| &doc.root);
        let node = root.and_then(|root| root.get("guards")?.get(name)?.get("params"));
        node.map(|node| show(&bare(node, side)))
    };
    let (before, after) = (params(out.old), params(out.new));
    if before != after {
        let message = format!("the parameters of the guard `{name}` change");
        out.add(rules::GUARD_PARAMETERS_CHANGED, thing, &place(name, "params"), message)
            .values(before.clone(), after.clone());
    }
    if old.optional != new.optional {
        let message = format!("the optional parameters of the guard `{name}` change");
        out.add(rules::GUARD_PARAMETERS_CHANGED, thing, &place(name, "optional"), message)
            .values(old.optional.join(", "), new.optional.join(", "));
    }
    let contracts = (out.old.contract, out.new.contract);
    let same = old.refuses.iter().map(|kind| new_name(contracts.0, contracts.1, kind));
    if !same.eq(new.refuses.iter().map(String::as_str)) {
        let message = format!("the error kinds of the guard `{name}` change");
        out.add(rules::GUARD_REFUSAL_CHANGED, thing, &place(name, "refuses"), message)
            .values(old.refuses.join(", "), new.refuses.join(", "));
    }
    if before == after && old.params != new.params {
        let message = format!("descriptions of parameters of the guard `{name}` change");
        out.add(prose::DOC_CHANGED, thing, &place(name, "params"), message);
    }
    if old.doc != new.doc {
        let message = format!("`doc` of the guard `{name}` changes");
        out.add(prose::DOC_CHANGED, thing, &place(name, "doc"), message)
            .values(old.doc.clone(), new.doc.clone());
    }
}

/// What a surface promises of all its tools.
fn rules_changed(out: &mut Recorder<'_>) {
    let read = |side: Side<'_>| -> Vec<String> {
        let rules = side.folder.surface.as_ref().and_then(|doc| doc.root.get("rules"));
        rules.into_iter().flat_map(|node| node.elements()).map(|n| show(&n.to_value())).collect()
    };
    let (before, after) = (read(out.old), read(out.new));
    for (index, promise) in before.iter().enumerate().filter(|(_, p)| !after.contains(p)) {
        let pointers = [&format!("/rules/{index}"), "/rules/-"];
        let message = "a rule about all tools is removed";
        out.moved(rules::PROMISE_REMOVED, Thing::surface("surface"), pointers, message)
            .values(promise.clone(), None);
    }
    for (index, promise) in after.iter().enumerate().filter(|(_, p)| !before.contains(p)) {
        let pointers = ["/rules/-", &format!("/rules/{index}")];
        let message = "a rule about all tools is new";
        out.moved(rules::PROMISE_ADDED, Thing::surface("surface"), pointers, message)
            .values(None, promise.clone());
    }
}
