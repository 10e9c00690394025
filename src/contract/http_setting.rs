//! Forms of the settings that every server has for HTTP, without their names.

use crate::{SettingInfo, SettingKind};

/// A setting with a value of this kind, still without names.
const fn setting(kind: SettingKind, default: Option<&'static str>) -> SettingInfo {
    SettingInfo {
        key: "",
        field: "",
        kind,
        choices: &[],
        range: None,
        default,
        env: None,
        flag: None,
        aliases: &[],
        secret: false,
        doc: "",
    }
}

/// A number of at least `low`.
pub const fn number(default: Option<&'static str>, low: i64) -> SettingInfo {
    SettingInfo { range: Some((low, u32::MAX as i64)), ..setting(SettingKind::Integer, default) }
}

/// A text.
pub const fn text(default: Option<&'static str>) -> SettingInfo {
    setting(SettingKind::String, default)
}

/// A list of texts.
pub const fn list() -> SettingInfo {
    setting(SettingKind::StringList, None)
}
