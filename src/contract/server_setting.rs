//! Settings that every server has, whatever its contract: which tools it offers, how it lists them, how
//! it checks answers, whether it asks the user, and what it allows over HTTP.
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
                key: "ask",
                field: "ask",
                kind: $crate::SettingKind::String,
                choices: &["auto", "always", "never"],
                range: None,
                default: Some("\"auto\""),
                env: Some(concat!($prefix, "_ASK")),
                flag: Some("--ask"),
                aliases: &[],
                secret: false,
                doc: "Whether the user is asked before effects: where the client can ask; always, and what cannot be asked is refused; or never.",
            },
            $crate::SettingInfo {
                key: "ask_timeout",
                field: "ask_timeout",
                kind: $crate::SettingKind::Integer,
                choices: &[],
                range: Some((1, 3600)),
                default: Some("120"),
                env: Some(concat!($prefix, "_ASK_TIMEOUT")),
                flag: Some("--ask-timeout"),
                aliases: &[],
                secret: false,
                doc: "Seconds that the user may take to answer; then the answer is no.",
            },
            $crate::SettingInfo {
                key: "audit_file",
                field: "audit_file",
                kind: $crate::SettingKind::Path,
                choices: &[],
                range: None,
                default: None,
                env: Some(concat!($prefix, "_AUDIT_FILE")),
                flag: Some("--audit-file"),
                aliases: &[],
                secret: false,
                doc: "File that gets a JSON line for every call with effects and for refusals. Default: the log.",
            },
            $crate::SettingInfo {
                key: "audit_files",
                field: "audit_files",
                kind: $crate::SettingKind::Integer,
                choices: &[],
                range: Some((1, 1_000)),
                default: Some("5"),
                env: Some(concat!($prefix, "_AUDIT_FILES")),
                flag: Some("--audit-files"),
                aliases: &[],
                secret: false,
                doc: "Number of audit files that are kept, the current one included.",
            },
            $crate::SettingInfo {
                key: "audit_max_bytes",
                field: "audit_max_bytes",
                kind: $crate::SettingKind::Integer,
                choices: &[],
                range: Some((4_096, 1_099_511_627_776)),
                default: Some("10485760"),
                env: Some(concat!($prefix, "_AUDIT_MAX_BYTES")),
                flag: Some("--audit-max-bytes"),
                aliases: &[],
                secret: false,
                doc: "Size at which the audit file is rotated.",
            },
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
                key: "http.authenticate_timeout",
                field: "http_authenticate_timeout",
                env: Some(concat!($prefix, "_HTTP_AUTHENTICATE_TIMEOUT")),
                flag: Some("--http-authenticate-timeout"),
                doc: "Seconds that a surface may take to verify a bearer token.",
                ..$crate::http_setting::number(Some("30"), 1)
            },
            $crate::SettingInfo {
                key: "http.body_timeout",
                field: "http_body_timeout",
                env: Some(concat!($prefix, "_HTTP_BODY_TIMEOUT")),
                flag: Some("--http-body-timeout"),
                doc: "Seconds that the body of a request may take to arrive.",
                ..$crate::http_setting::number(Some("30"), 1)
            },
            $crate::SettingInfo {
                key: "http.forwarded_header",
                field: "http_forwarded_header",
                choices: &["x-forwarded-for", "forwarded"],
                env: Some(concat!($prefix, "_HTTP_FORWARDED_HEADER")),
                flag: Some("--http-forwarded-header"),
                doc: "Header in which trusted proxies name their client.",
                ..$crate::http_setting::text(Some("\"x-forwarded-for\""))
            },
            $crate::SettingInfo {
                key: "http.grace",
                field: "http_grace",
                env: Some(concat!($prefix, "_HTTP_GRACE")),
                flag: Some("--http-grace"),
                doc: "Seconds that running calls get to finish when the server stops.",
                ..$crate::http_setting::number(Some("10"), 0)
            },
            $crate::SettingInfo {
                key: "http.guess_rate",
                field: "http_guess_rate",
                env: Some(concat!($prefix, "_HTTP_GUESS_RATE")),
                flag: Some("--http-guess-rate"),
                doc: "Bearer tokens of one address that may be refused, per second and at once; then tokens that were not accepted before have to wait. `off` for no limit.",
                ..$crate::http_setting::text(Some("\"1/30\""))
            },
            $crate::SettingInfo {
                key: "http.head_timeout",
                field: "http_head_timeout",
                env: Some(concat!($prefix, "_HTTP_HEAD_TIMEOUT")),
                flag: Some("--http-head-timeout"),
                doc: "Seconds that the head of a request may take to arrive.",
                ..$crate::http_setting::number(Some("30"), 1)
            },
            $crate::SettingInfo {
                key: "http.idle_timeout",
                field: "http_idle_timeout",
                env: Some(concat!($prefix, "_HTTP_IDLE_TIMEOUT")),
                flag: Some("--http-idle-timeout"),
                doc: "Seconds that a connection may stay idle between two requests.",
                ..$crate::http_setting::number(Some("75"), 1)
            },
            $crate::SettingInfo {
                key: "http.max_body",
                field: "http_max_body",
                env: Some(concat!($prefix, "_HTTP_MAX_BODY")),
                flag: Some("--http-max-body"),
                doc: "Maximum size of a request body, in bytes.",
                ..$crate::http_setting::number(Some("4194304"), 1)
            },
            $crate::SettingInfo {
                key: "http.max_calls",
                field: "http_max_calls",
                range: Some((1, 65_536)),
                env: Some(concat!($prefix, "_HTTP_MAX_CALLS")),
                flag: Some("--http-max-calls"),
                doc: "Maximum number of concurrent calls; more wait.",
                ..$crate::http_setting::number(Some("256"), 1)
            },
            $crate::SettingInfo {
                key: "http.max_calls_per_caller",
                field: "http_max_calls_per_caller",
                env: Some(concat!($prefix, "_HTTP_MAX_CALLS_PER_CALLER")),
                flag: Some("--http-max-calls-per-caller"),
                doc: "Maximum number of concurrent calls of one caller. Default: three quarters of all.",
                ..$crate::http_setting::number(None, 1)
            },
            $crate::SettingInfo {
                key: "http.max_connections",
                field: "http_max_connections",
                env: Some(concat!($prefix, "_HTTP_MAX_CONNECTIONS")),
                flag: Some("--http-max-connections"),
                doc: "Maximum number of connections.",
                ..$crate::http_setting::number(Some("4096"), 1)
            },
            $crate::SettingInfo {
                key: "http.max_connections_per_address",
                field: "http_max_connections_per_address",
                env: Some(concat!($prefix, "_HTTP_MAX_CONNECTIONS_PER_ADDRESS")),
                flag: Some("--http-max-connections-per-address"),
                doc: "Maximum number of connections of one address, or of concurrent requests of one client of a trusted proxy.",
                ..$crate::http_setting::number(Some("1024"), 1)
            },
            $crate::SettingInfo {
                key: "http.max_streams_per_caller",
                field: "http_max_streams_per_caller",
                env: Some(concat!($prefix, "_HTTP_MAX_STREAMS_PER_CALLER")),
                flag: Some("--http-max-streams-per-caller"),
                doc: "Maximum number of subscription streams of one caller.",
                ..$crate::http_setting::number(Some("1024"), 1)
            },
            $crate::SettingInfo {
                key: "http.max_waiting",
                field: "http_max_waiting",
                env: Some(concat!($prefix, "_HTTP_MAX_WAITING")),
                flag: Some("--http-max-waiting"),
                doc: "Maximum number of waiting calls; more are rejected. One caller may have three quarters of them.",
                ..$crate::http_setting::number(Some("1024"), 1)
            },
            $crate::SettingInfo {
                key: "http.metrics",
                field: "http_metrics",
                env: Some(concat!($prefix, "_HTTP_METRICS")),
                flag: Some("--metrics"),
                doc: "Where /metrics is served: `on` with everything else, `off`, or an address of its own, such as 127.0.0.1:9090.",
                ..$crate::http_setting::text(Some("\"on\""))
            },
            $crate::SettingInfo {
                key: "http.queue_timeout",
                field: "http_queue_timeout",
                env: Some(concat!($prefix, "_HTTP_QUEUE_TIMEOUT")),
                flag: Some("--http-queue-timeout"),
                doc: "Seconds that a call may wait.",
                ..$crate::http_setting::number(Some("30"), 1)
            },
            $crate::SettingInfo {
                key: "http.rate",
                field: "http_rate",
                env: Some(concat!($prefix, "_HTTP_RATE")),
                flag: Some("--http-rate"),
                doc: "Requests per second of one caller, and how many at once, such as 10/30. Default: no limit.",
                ..$crate::http_setting::text(None)
            },
            $crate::SettingInfo {
                key: "http.stream_timeout",
                field: "http_stream_timeout",
                env: Some(concat!($prefix, "_HTTP_STREAM_TIMEOUT")),
                flag: Some("--http-stream-timeout"),
                doc: "Seconds that a subscription stream lasts.",
                ..$crate::http_setting::number(Some("3600"), 1)
            },
            $crate::SettingInfo {
                key: "http.timeout",
                field: "http_timeout",
                env: Some(concat!($prefix, "_HTTP_TIMEOUT")),
                flag: Some("--http-timeout"),
                doc: "Seconds that a call may take; longer calls are cancelled.",
                ..$crate::http_setting::number(Some("300"), 1)
            },
            $crate::SettingInfo {
                key: "http.trusted_proxies",
                field: "http_trusted_proxies",
                env: Some(concat!($prefix, "_HTTP_TRUSTED_PROXIES")),
                flag: Some("--http-trusted-proxies"),
                doc: "Addresses and ranges of proxies, such as 10.0.0.0/8, whose word about the address of their client is taken. Default: none.",
                ..$crate::http_setting::list()
            },
            $crate::SettingInfo {
                key: "http.write_timeout",
                field: "http_write_timeout",
                env: Some(concat!($prefix, "_HTTP_WRITE_TIMEOUT")),
                flag: Some("--http-write-timeout"),
                doc: "Seconds that a client may take nothing of what the server sends.",
                ..$crate::http_setting::number(Some("30"), 1)
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
