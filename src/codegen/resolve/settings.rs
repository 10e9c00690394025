//! Settings and the location of their file.

use super::Fields;
use crate::diagnostics::Findings;
use crate::model::{Config, Setting, SettingKind};
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
