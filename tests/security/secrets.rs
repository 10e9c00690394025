//! Secrets in logs, answers and metrics: what arguments say and what settings hide is sent nowhere,
//! not even at the finest level of logging.
//!
//! What panes print is covered by wa's own tests.

use serde_json::{Map, Value, json};
use toolwright_testing::StdioSession;

use crate::served::Served;
use crate::server_homes::empty_home;
use crate::sizes::SURFACES;

const SECRET: &str = "s3cret-argument-4711";
/// Settings that are secret, and what would make them so.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("worldforge", "WORLDFORGE_TOKENS", "s3cret-setting-4711=b00000000000000000000001"),
    ("worldforge", "WORLDFORGE_DATABASE_URL", "mongodb://ann:s3cret-setting-4711@127.0.0.1:1/x"),
    ("yarnnn", "YARNNN_JWT_SECRET", "s3cret-setting-4711-long-enough-for-a-key"),
    ("yarnnn", "YARNNN_TOKEN", "yit_s3cret-setting-4711"),
    ("yarnnn", "YARNNN_DATABASE_URL", "postgres://ann:s3cret-setting-4711@127.0.0.1:1/x"),
];
const SETTING: &str = "s3cret-setting-4711";

/// Arguments with the secret in every text that the schema has room for.
fn arguments(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            let members = properties.iter().map(|(name, schema)| (name.clone(), arguments(schema)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Some("array") => json!([arguments(&schema["items"])]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        _ => match schema.get("enum") {
            Some(values) => values[0].clone(),
            None => json!(SECRET),
        },
    }
}

#[test]
fn arguments_are_in_no_log_and_no_trail() {
    for name in SURFACES {
        let home = empty_home(name);
        let mut command =
            home.command(&["mcp", "--log-level", "NOTSET", "--audit-file", "audit.jsonl"]);
        command.stderr(std::fs::File::create(home.path("log")).expect("writable"));
        let mut client = StdioSession::start(command, "secrets");
        for tool in client.tools() {
            let fits = arguments(&tool["inputSchema"]);
            let mut odd = fits.clone();
            odd[SECRET] = json!({SECRET: [SECRET]});
            for arguments in [fits, odd, json!([SECRET]), json!(SECRET)] {
                let call = json!({"name": tool["name"], "arguments": arguments,
                    "_meta": {SECRET: SECRET, "progressToken": SECRET}});
                client.exchange("tools/call", call);
            }
        }
        client.send_line(&format!("{{\"{SECRET}\":"));
        client.exchange("ping", json!({"note": SECRET}));
        client.close();
        let (log, trail) = (home.read("log"), home.read("audit.jsonl"));
        assert!(log.contains("tool.call"), "{name} logs calls: {log}");
        assert!(trail.contains(r#""event":"refusal""#), "{name} has a trail: {trail}");
        let text = log + &trail;
        let leak = text.lines().find(|line| line.contains(SECRET));
        assert_eq!(leak, None, "{name}");
    }
}

#[test]
fn secret_settings_are_shown_nowhere() {
    for (surface, variable, value) in SETTINGS {
        let home = empty_home(surface).path_env("HOME", ".").env(variable, *value);
        let mut printed = String::new();
        for words in [&["settings"][..], &["settings", "--json"], &["doctor"]] {
            let finished = home.run(words);
            printed += &(finished.stdout + &finished.stderr);
        }
        printed += &home.run(&["mcp", "--log-level", "NOTSET"]).stderr;
        assert!(printed.len() > 200, "{surface} {variable}: {printed}");
        assert!(!printed.contains(SETTING), "{surface} {variable}: {printed}");
    }
}

#[test]
fn metrics_and_refusals_tell_nothing_of_tokens_and_arguments() {
    let tokens = format!("{SETTING}\nanother");
    let server = Served::wink_with_tokens(&tokens, &["--log-level", "NOTSET"]);
    let right = format!("Bearer {SETTING}");
    let call = json!({"name": "wink.list_overrides", "arguments": {"ns": SECRET}});
    let mut sent = String::new();
    for token in [right.as_str(), "Bearer s3cret-argument-4711", ""] {
        let body =
            toolwright_testing::http_client::message(1, "tools/call", call.clone()).to_string();
        let answer = server.connect().post(&[("Authorization", token)], &body);
        if answer.status != 200 {
            sent += &format!("{answer:?}");
        }
    }
    let metrics = server.connect().get("/metrics");
    assert!(metrics.body.contains("wink.list_overrides"), "{metrics:?}");
    sent += &format!("{metrics:?}{:?}", server.connect().get("/readyz"));
    sent += &server.log();
    assert!(!sent.contains(SETTING) && !sent.contains(SECRET), "{sent}");
}
