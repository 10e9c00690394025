//! Settings: valid defaults, and unique sources.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnostics::{Findings, Place, code};
use crate::model::{Setting, SettingKind};
use crate::names;
use crate::resolve::Draft;

/// Checks all settings and the settings file.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let mut sources = Sources::default();
    for (key, setting) in &draft.contract.settings {
        let at = |member: &str| {
            let key = key.replace('~', "~0").replace('/', "~1");
            super::in_surface(draft, &format!("/settings/{key}/{member}"))
        };
        if !key.split('.').all(names::is_snake) {
            out.add(code::BAD_NAME, at(""), format!("`{key}` is not a valid setting name"))
                .help("use lower-case letters, digits and `_`, with dots between words");
        }
        consistent(key, setting, &at, out);
        sources.claim("field", &names::rust_field(key), at(""), out);
        sources.claim("key", key, at(""), out);
        for (index, alias) in setting.aliases.iter().enumerate() {
            sources.claim("key", alias, at(&format!("aliases/{index}")), out);
        }
        if let Some(env) = &setting.env {
            variable(env, at("env"), out);
            sources.claim("environment variable", env, at("env"), out);
        }
        if let Some(flag) = &setting.flag {
            flag_form(flag, at("flag"), out);
            sources.claim("flag", flag, at("flag"), out);
        }
    }
    let hidden = |key: &String| draft.contract.settings.contains_key(key);
    for (key, setting) in draft.contract.server_settings.iter().filter(|(key, _)| !hidden(key)) {
        sources.reserve("field", &names::rust_field(key), key, out);
        sources.reserve("key", key, key, out);
        sources.reserve(
            "environment variable",
            setting.env.as_deref().unwrap_or_default(),
            key,
            out,
        );
        sources.reserve("flag", setting.flag.as_deref().unwrap_or_default(), key, out);
    }
    if let Some(config) = &draft.contract.config {
        let at = |member: &str| super::in_surface(draft, &format!("/config/{member}"));
        flag_form(&config.flag, at("flag"), out);
        sources.claim("flag", &config.flag, at("flag"), out);
        if let Some(env) = &config.env {
            variable(env, at("env"), out);
            sources.claim("environment variable", env, at("env"), out);
        }
    }
}

#[derive(Default)]
struct Sources {
    seen: BTreeMap<(&'static str, String), Place>,
}

impl Sources {
    fn claim(&mut self, what: &'static str, name: &str, place: Place, out: &mut Findings) {
        if let Some(first) = self.seen.insert((what, name.to_owned()), place)
            && !name.is_empty()
        {
            out.add(code::SAME_SETTING, place, format!("duplicate {what} `{name}`"))
                .label("again here")
                .also(first, "first here")
                .help("each setting needs its own");
        }
    }

    /// Reports what a setting that every server has takes for itself.
    fn reserve(&self, what: &'static str, name: &str, server: &str, out: &mut Findings) {
        if let Some(place) = self.seen.get(&(what, name.to_owned()))
            && !name.is_empty()
        {
            let message =
                format!("the {what} `{name}` belongs to `{server}`, which every server has");
            out.add(code::SAME_SETTING, *place, message).help(format!(
                "choose another {what}, or name the setting `{server}` to replace the server's"
            ));
        }
    }
}

fn consistent(key: &str, setting: &Setting, at: &dyn Fn(&str) -> Place, out: &mut Findings) {
    let mut report = |place: Place, message: String| {
        out.add(code::BAD_SETTING, place, message);
    };
    let textual = matches!(setting.kind, SettingKind::String | SettingKind::StringList);
    if !setting.choices.is_empty() && !textual {
        report(at("enum"), format!("`{key}` has `enum` but is not a string type"));
    }
    if setting.range.is_some() && setting.kind != SettingKind::Integer {
        report(at("type"), format!("`{key}` has bounds but is not an integer"));
    }
    if let Some((low, high)) = setting.range
        && low > high
    {
        report(at("maximum"), format!("`{key}` has no value between {low} and {high}"));
    }
    if setting.secret && setting.default.is_some() {
        report(
            at("default"),
            format!("`{key}` is a secret, so it cannot have a default: contracts are public"),
        );
    }
    if setting.secret && setting.flag.is_some() {
        report(
            at("flag"),
            format!(
                "`{key}` is a secret, so it cannot have a flag: other users of the machine can see flags"
            ),
        );
    }
    let Some(default) = &setting.default else { return };
    if !fits(setting, default) {
        report(at("default"), format!("the default {default} does not fit `{key}`"));
    }
}

fn fits(setting: &Setting, default: &Value) -> bool {
    let one = |value: &Value| {
        value.as_str().is_some_and(|text| {
            setting.choices.is_empty() || setting.choices.iter().any(|choice| choice == text)
        })
    };
    match setting.kind {
        SettingKind::String => one(default),
        SettingKind::Path => default.is_string(),
        SettingKind::Integer => default.as_i64().is_some_and(|number| {
            setting.range.is_none_or(|(low, high)| (low..=high).contains(&number))
        }),
        SettingKind::Boolean => default.is_boolean(),
        SettingKind::StringList | SettingKind::PathList => {
            default.as_array().is_some_and(|list| list.iter().all(one))
        }
        SettingKind::StringMap => {
            default.as_object().is_some_and(|map| map.values().all(Value::is_string))
        }
    }
}

fn variable(name: &str, place: Place, out: &mut Findings) {
    let fine = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !fine {
        out.add(
            code::BAD_NAME,
            place,
            format!("`{name}` is not a valid environment variable name"),
        )
        .help("use upper-case letters, digits and `_`");
    }
}

fn flag_form(flag: &str, place: Place, out: &mut Findings) {
    let fine = flag.strip_prefix("--").is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    });
    if !fine && !flag.is_empty() {
        out.add(code::BAD_NAME, place, format!("`{flag}` is not a valid flag"))
            .help("write `--`, then lower-case words joined by `-`");
    }
}
