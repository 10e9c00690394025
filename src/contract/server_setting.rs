//! Settings that every server has, whatever its contract: which tools it offers, how it lists them,
//! and how it checks answers.
//!
//! A contract does not repeat them. One that declares a setting of the same key replaces it with its
//! own, and its surface reads that.

/// The server settings as a list of [`SettingInfo`](crate::SettingInfo), sorted by key. Environment
/// variables begin with the prefix: `server_settings!("WINK")`.
#[macro_export]
macro_rules! server_settings {
    ($prefix:literal) => {
        [
            $crate::SettingInfo {
                key: "client_profile",
                field: "client_profile",
                kind: $crate::SettingKind::String,
                choices: &["auto", "canonical", "portable", "openai", "gemini", "claude"],
                range: None,
                default: Some("\"auto\""),
                env: Some(concat!($prefix, "_CLIENT_PROFILE")),
                flag: Some("--client-profile"),
                aliases: &[],
                secret: false,
                doc: "Variant of the tool definitions to list: canonical, or adapted to portable, OpenAI, Gemini or Claude clients; auto selects by client. Calls are always validated against the canonical ones.",
            },
            $crate::SettingInfo {
                key: "exclude_tools",
                field: "exclude_tools",
                kind: $crate::SettingKind::StringList,
                choices: &[],
                range: None,
                default: None,
                env: Some(concat!($prefix, "_EXCLUDE_TOOLS")),
                flag: Some("--exclude-tools"),
                aliases: &[],
                secret: false,
                doc: "Tools to leave out: neither listed nor callable. Names as in the contract or as listed, separated by commas.",
            },
            $crate::SettingInfo {
                key: "read_only",
                field: "read_only",
                kind: $crate::SettingKind::Boolean,
                choices: &[],
                range: None,
                default: Some("false"),
                env: Some(concat!($prefix, "_READ_ONLY")),
                flag: Some("--read-only"),
                aliases: &[],
                secret: false,
                doc: "Offer only the tools that change nothing.",
            },
            $crate::SettingInfo {
                key: "tool_names",
                field: "tool_names",
                kind: $crate::SettingKind::String,
                choices: &["auto", "canonical", "portable"],
                range: None,
                default: Some("\"auto\""),
                env: Some(concat!($prefix, "_TOOL_NAMES")),
                flag: Some("--tool-names"),
                aliases: &[],
                secret: false,
                doc: "Names in the tool list: with dots, with underscores, or as the client supports. Both are always accepted.",
            },
            $crate::SettingInfo {
                key: "tools",
                field: "tools",
                kind: $crate::SettingKind::StringList,
                choices: &[],
                range: None,
                default: None,
                env: Some(concat!($prefix, "_TOOLS")),
                flag: Some("--tools"),
                aliases: &[],
                secret: false,
                doc: "The only tools to offer, besides those of the chosen toolsets. Default: all.",
            },
            $crate::SettingInfo {
                key: "toolset",
                field: "toolset",
                kind: $crate::SettingKind::StringList,
                choices: &[],
                range: None,
                default: None,
                env: Some(concat!($prefix, "_TOOLSET")),
                flag: Some("--toolset"),
                aliases: &[],
                secret: false,
                doc: "Toolsets of the contract whose tools are offered. Default: all tools.",
            },
            $crate::SettingInfo {
                key: "validate_output",
                field: "validate_output",
                kind: $crate::SettingKind::String,
                choices: &["strict", "log", "off"],
                range: None,
                default: None,
                env: Some(concat!($prefix, "_VALIDATE_OUTPUT")),
                flag: Some("--validate-output"),
                aliases: &[],
                secret: false,
                doc: "What happens to an answer that does not match the output schema: strict makes it an internal error, log sends it, logs an error and counts it, off does not look. Default: log, in debug builds strict.",
            },
        ]
    };
}
