//! Changes of settings and of the location of their file.

use std::collections::BTreeMap;

use super::change::{list, show};
use super::locate::step;
use super::recorder::{Recorder, Thing};
use super::rename;
use super::rules::{Rule, prose, settings as rules};
use crate::model::{Config, Contract, Setting};

/// Compares all settings.
pub(super) fn compare(out: &mut Recorder<'_>) {
    let (old, new) = (all(out.old.contract), all(out.new.contract));
    let mut gone: Vec<(&String, &Setting)> =
        old.iter().filter(|(key, _)| !new.contains_key(*key)).collect();
    let mut come: Vec<(&String, &Setting)> =
        new.iter().filter(|(key, _)| !old.contains_key(*key)).collect();

    let (before, after): (Vec<_>, Vec<_>) = (gone.iter().collect(), come.iter().collect());
    let pairs: Vec<_> = rename::pairs(&before, &after, |(from, was), (to, is)| {
        let source = |setting: &Setting| (setting.env.clone(), setting.flag.clone());
        let known = source(was) != (None, None) && source(was) == source(is);
        is.aliases.contains(from)
            || (was.kind == is.kind && (known || (was.doc == is.doc && rename::near(from, to))))
    })
    .into_iter()
    .map(|(from, to)| (*from, *to))
    .collect();
    for ((from, was), (to, is)) in pairs {
        gone.retain(|(key, _)| *key != from);
        come.retain(|(key, _)| *key != to);
        let subject = format!("setting {to}");
        let rule = match is.aliases.contains(from) {
            true => rules::SETTING_RENAMED_WITH_ALIAS,
            false => rules::SETTING_RENAMED,
        };
        let message = format!("the setting `{from}` is renamed to `{to}`");
        let pointers = [at(from, ""), at(to, "")];
        out.moved(rule, Thing::surface(&subject), [&pointers[0], &pointers[1]], message)
            .values(from.clone(), to.clone());
        both(out, (from, was), (to, is));
    }
    for (key, setting) in gone {
        let subject = format!("setting {key}");
        let message = format!("the setting `{key}` is removed");
        out.add(rules::SETTING_REMOVED, Thing::surface(&subject), &at(key, ""), message)
            .values(kind(setting), None);
    }
    for (key, setting) in come {
        let subject = format!("setting {key}");
        let message = format!("the setting `{key}` is new");
        out.add(rules::SETTING_ADDED, Thing::surface(&subject), &at(key, ""), message)
            .values(None, kind(setting));
    }
    for (key, was) in &old {
        if let Some(is) = new.get(key) {
            both(out, (key, was), (key, is));
        }
    }
    config(out);
}

/// With the settings that every server has: moving one of these there changes nothing for users.
fn all(contract: &Contract) -> BTreeMap<String, Setting> {
    let mut all = contract.server_settings.clone();
    all.extend(contract.settings.clone());
    all
}

fn at(key: &str, member: &str) -> String {
    match member {
        "" => format!("/settings{}", step(key)),
        member => format!("/settings{}/{member}", step(key)),
    }
}

fn kind(setting: &Setting) -> String {
    serde_json::to_value(setting.kind)
        .ok()
        .and_then(|kind| kind.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A member of a setting in both versions.
struct Member {
    rule: &'static Rule,
    member: &'static str,
    message: String,
    before: Option<String>,
    after: Option<String>,
}

fn both(out: &mut Recorder<'_>, (from, old): (&str, &Setting), (to, new): (&str, &Setting)) {
    let subject = format!("setting {to}");
    let thing = Thing::surface(&subject);
    let named = format!("the setting `{to}`");
    let added = |before: &Option<String>, yes, no| if before.is_none() { yes } else { no };
    let members = [
        Member {
            rule: rules::SETTING_TYPE_CHANGED,
            member: "type",
            message: format!("the type of {named} changes"),
            before: Some(kind(old)),
            after: Some(kind(new)),
        },
        Member {
            rule: rules::SETTING_DEFAULT_CHANGED,
            member: "default",
            message: format!("the default of {named} changes"),
            before: old.default.as_ref().map(show),
            after: new.default.as_ref().map(show),
        },
        Member {
            rule: added(&old.env, rules::SETTING_ENV_ADDED, rules::SETTING_ENV_CHANGED),
            member: "env",
            message: format!("the environment variable of {named} changes"),
            before: old.env.clone(),
            after: new.env.clone(),
        },
        Member {
            rule: added(&old.flag, rules::SETTING_FLAG_ADDED, rules::SETTING_FLAG_CHANGED),
            member: "flag",
            message: format!("the flag of {named} changes"),
            before: old.flag.clone(),
            after: new.flag.clone(),
        },
        Member {
            rule: if new.secret { rules::SECRET_GAINED } else { rules::SECRET_LOST },
            member: "secret",
            message: format!(
                "the value of {named} is {} hidden",
                if new.secret { "now" } else { "no longer" }
            ),
            before: Some(old.secret.to_string()),
            after: Some(new.secret.to_string()),
        },
        Member {
            rule: prose::DOC_CHANGED,
            member: "doc",
            message: format!("the description of {named} changes"),
            before: Some(old.doc.clone()),
            after: Some(new.doc.clone()),
        },
    ];
    for Member { rule, member, message, before, after } in members {
        if before == after {
            continue;
        }
        // A default may be what is hidden.
        let hide = (old.secret || new.secret) && member == "default";
        let value = |value: Option<String>| value.map(|v| if hide { "(secret)".into() } else { v });
        let pointers = [at(from, member), at(to, member)];
        out.moved(rule, thing, [&pointers[0], &pointers[1]], message)
            .values(value(before), value(after));
    }
    // Bounds of another type say nothing about the old one.
    if old.kind == new.kind {
        choices(out, thing, (from, old), (to, new));
        range(out, thing, (from, old), (to, new));
    }
    aliases(out, thing, (from, old), (to, new));
}

fn choices(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    (from, old): (&str, &Setting),
    (to, new): (&str, &Setting),
) {
    let free = |choices: &[String]| choices.is_empty();
    let missing = |from: &[String], there: &[String]| {
        !free(there) && (free(from) || from.iter().any(|choice| !there.contains(choice)))
    };
    let shown = |choices: &[String]| match choices {
        [] => "any".to_owned(),
        choices => list(choices),
    };
    let pointers = [at(from, "enum"), at(to, "enum")];
    for (rule, told, word) in [
        (rules::SETTING_CHOICES_NARROWED, missing(&old.choices, &new.choices), "fewer"),
        (rules::SETTING_CHOICES_WIDENED, missing(&new.choices, &old.choices), "more"),
    ] {
        if told {
            let message = format!("the setting `{to}` accepts {word} values");
            out.moved(rule, thing, [&pointers[0], &pointers[1]], message)
                .values(shown(&old.choices), shown(&new.choices));
        }
    }
}

fn range(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    (from, old): (&str, &Setting),
    (to, new): (&str, &Setting),
) {
    let whole = |range: Option<(i64, i64)>| range.unwrap_or((i64::MIN, i64::MAX));
    let ((old_low, old_high), (new_low, new_high)) = (whole(old.range), whole(new.range));
    let shown = |bound: i64| match bound {
        i64::MIN | i64::MAX => None,
        bound => Some(bound.to_string()),
    };
    for (member, before, after, tighter) in [
        ("minimum", old_low, new_low, new_low > old_low),
        ("maximum", old_high, new_high, new_high < old_high),
    ] {
        if before == after {
            continue;
        }
        let (rule, word) = match tighter {
            true => (rules::SETTING_RANGE_TIGHTENED, "tighter"),
            false => (rules::SETTING_RANGE_LOOSENED, "looser"),
        };
        let pointers = [at(from, member), at(to, member)];
        let message = format!("`{member}` of the setting `{to}` is {word}");
        out.moved(rule, thing, [&pointers[0], &pointers[1]], message)
            .values(shown(before), shown(after));
    }
}

fn aliases(
    out: &mut Recorder<'_>,
    thing: Thing<'_>,
    (from, old): (&str, &Setting),
    (to, new): (&str, &Setting),
) {
    let pointers = |alias: &str| {
        [
            format!("{}{}", at(from, "aliases"), step(alias)),
            format!("{}{}", at(to, "aliases"), step(alias)),
        ]
    };
    for alias in old.aliases.iter().filter(|alias| !new.aliases.contains(alias) && *alias != to) {
        let [before, after] = pointers(alias);
        let message = format!("the setting `{to}` no longer accepts the key `{alias}`");
        out.moved(rules::SETTING_ALIAS_REMOVED, thing, [&before, &after], message)
            .values(alias.clone(), None);
    }
    for alias in new.aliases.iter().filter(|alias| !old.aliases.contains(alias) && *alias != from) {
        let [before, after] = pointers(alias);
        let message = format!("the setting `{to}` also accepts the key `{alias}`");
        out.moved(rules::SETTING_ALIAS_ADDED, thing, [&before, &after], message)
            .values(None, alias.clone());
    }
}

fn config(out: &mut Recorder<'_>) {
    let shown = |config: &Config| {
        let env = config.env.as_deref().unwrap_or("none");
        format!("{}, env {env}, flag {}", config.default, config.flag)
    };
    let (before, after) =
        (out.old.contract.config.as_ref().map(shown), out.new.contract.config.as_ref().map(shown));
    if before == after {
        return;
    }
    let (rule, message) = match before.is_none() {
        true => (rules::CONFIG_ADDED, "a settings file is now read"),
        false => (rules::CONFIG_CHANGED, "the location of the settings file changes"),
    };
    out.add(rule, Thing::surface("surface"), "/config", message).values(before, after);
}
