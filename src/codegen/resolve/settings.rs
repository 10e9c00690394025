//! Settings and the location of their file.

use std::collections::BTreeMap;

use super::Fields;
use crate::diagnostics::Findings;
use crate::model::{Config, Contract, Setting, SettingKind};
use crate::names;
use crate::parse::Entry;

/// Reads one setting.
pub(super) fn read(entry: &Entry, out: &mut Findings) -> Option<Setting> {
    let mut fields = Fields::new(&entry.value, entry.place, "a setting", out)?;
    fields.need("type");
    let kind = fields.choice("type", &SettingKind::ALL.map(|kind| (kind.name(), kind)), out);
    let choices = fields.texts("enum", out).unwrap_or_default();
    let low = fields.integer("minimum", i64::MIN..=i64::MAX, out);
    let high = fields.integer("maximum", i64::MIN..=i64::MAX, out);
    let setting = Setting {
        kind: kind.unwrap_or(SettingKind::String),
        choices: choices.into_iter().map(|(text, _)| text.to_owned()).collect(),
        range: (low.is_some() || high.is_some())
            .then(|| (low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX))),
        default: fields.entry("default").map(|default| default.value.to_value()),
        env: fields.text("env", out).map(str::to_owned),
        flag: fields.text("flag", out).map(str::to_owned),
        aliases: fields
            .texts("aliases", out)
            .unwrap_or_default()
            .into_iter()
            .map(|(text, _)| text.to_owned())
            .collect(),
        secret: fields.flag("secret", out).unwrap_or(false),
        doc: fields.need_text("doc", out),
    };
    fields.finish(out);
    kind.map(|_| setting)
}

/// The settings that every server has. A setting of the contract with the same key hides one.
pub(super) fn of_server(contract: &Contract) -> BTreeMap<String, Setting> {
    let prefix = names::env_prefix(&contract.name);
    let all = toolwright_contract::server_settings!("").into_iter();
    let setting = |info: toolwright_contract::SettingInfo| Setting {
        kind: info.kind,
        choices: info.choices.iter().map(|&choice| choice.to_owned()).collect(),
        range: info.range,
        default: info.default.and_then(|text| serde_json::from_str(text).ok()),
        env: info.env.map(|env| format!("{prefix}{env}")),
        flag: info.flag.map(str::to_owned),
        aliases: info.aliases.iter().map(|&alias| alias.to_owned()).collect(),
        secret: info.secret,
        doc: info.doc.to_owned(),
    };
    all.map(|info| (info.key.to_owned(), setting(info))).collect()
}

/// Reads the location of the settings file.
pub(super) fn config(entry: &Entry, out: &mut Findings) -> Option<Config> {
    let mut fields = Fields::new(&entry.value, entry.place, "`config`", out)?;
    let config = Config {
        default: fields.need_text("default", out),
        env: fields.text("env", out).map(str::to_owned),
        flag: fields.need_text("flag", out),
    };
    fields.finish(out);
    Some(config)
}
