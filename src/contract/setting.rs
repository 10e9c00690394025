//! Settings of a surface, and the location of the settings file.

use serde::Serialize;

/// One setting.
#[derive(Debug)]
pub struct SettingInfo {
    /// Dotted key in the settings file, `llm.model`.
    pub key: &'static str,
    /// Field of the generated `Settings`, `llm_model`.
    pub field: &'static str,
    /// The type of its value.
    pub kind: SettingKind,
    /// Allowed values; empty means any.
    pub choices: &'static [&'static str],
    /// Inclusive bounds of an integer.
    pub range: Option<(i64, i64)>,
    /// Default, JSON text.
    pub default: Option<&'static str>,
    /// Environment variable.
    pub env: Option<&'static str>,
    /// Command-line flag with its dashes.
    pub flag: Option<&'static str>,
    /// Other keys in the settings file.
    pub aliases: &'static [&'static str],
    /// Never displayed or logged.
    pub secret: bool,
    /// Description.
    pub doc: &'static str,
}

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingKind {
    /// Unmodified text.
    String,
    /// Text with `~` and `${VAR}` expanded.
    Path,
    /// Integer.
    Integer,
    /// `true`, `false`, `1`, `0`, `yes`, `no`, `on`, `off`.
    Boolean,
    /// List; in the environment separated by commas.
    StringList,
    /// List of paths; in the environment separated by commas.
    PathList,
    /// Map; in the environment `a=1,b=2`.
    StringMap,
}

impl SettingKind {
    /// All of them, scalars first.
    pub const ALL: [Self; 7] = [
        Self::String,
        Self::Path,
        Self::Integer,
        Self::Boolean,
        Self::StringList,
        Self::PathList,
        Self::StringMap,
    ];

    /// Name in specs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Path => "path",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::StringList => "string_list",
            Self::PathList => "path_list",
            Self::StringMap => "string_map",
        }
    }
}

/// Location of the settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConfigInfo<Text = &'static str> {
    /// Default path; the file may be missing.
    pub default: Text,
    /// Environment variable that overrides it.
    pub env: Option<Text>,
    /// Flag that overrides it.
    pub flag: Text,
}
