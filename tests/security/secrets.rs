//! Secrets in logs, answers and metrics: what arguments say and what settings hide is told nowhere,
//! not even at the finest level of logging.
//!
//! What panes print is covered by wa's own tests.

use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use toolwright_runtime::client::Client;

use crate::served::Served;
use crate::server;
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
fn arguments_are_in_no_log() {
    for (name, start) in SURFACES {
        let folder = server::folder();
        let log = folder.path().join("log");
        let mut command = start(folder.path());
        command.args(["--log-level", "NOTSET"]);
        command.stderr(std::fs::File::create(&log).expect("writable"));
        let mut client = Client::spawn(command, "secrets").expect("it starts");
        for tool in client.tools().expect("a list") {
            let fits = arguments(&tool["inputSchema"]);
            let mut odd = fits.clone();
            odd[SECRET] = json!({SECRET: [SECRET]});
            for arguments in [fits, odd, json!([SECRET]), json!(SECRET)] {
                let call = json!({"name": tool["name"], "arguments": arguments,
                    "_meta": {SECRET: SECRET, "progressToken": SECRET}});
                client.exchange("tools/call", call).expect("an answer");
            }
        }
        client.send_line(&format!("{{\"{SECRET}\":")).expect("it reads");
        client.exchange("ping", json!({"note": SECRET})).expect("an answer");
        client.close().expect("it ends");
        let text = std::fs::read_to_string(&log).expect("readable");
        assert!(text.contains("tool.call"), "{name} logs calls: {text}");
        let told = text.lines().find(|line| line.contains(SECRET));
        assert_eq!(told, None, "{name}");
    }
}

#[test]
fn secret_settings_are_shown_nowhere() {
    for (surface, variable, value) in SETTINGS {
        let start = SURFACES.iter().find(|(name, _)| name == surface).expect("a surface").1;
        let folder = server::folder();
        let mut told = String::new();
        for words in [&["settings"][..], &["settings", "--json"], &["doctor"]] {
            let mut command = Command::new(start(folder.path()).get_program());
            command.args(words).current_dir(folder.path()).env_clear().env("HOME", folder.path());
            let output = command.env(variable, value).stdin(Stdio::null()).output();
            let output = output.expect("it runs");
            told += &String::from_utf8_lossy(&output.stdout);
            told += &String::from_utf8_lossy(&output.stderr);
        }
        let mut command = start(folder.path());
        command.env(variable, value).args(["--log-level", "NOTSET"]).stdin(Stdio::null());
        let output = command.stderr(Stdio::piped()).output().expect("it runs");
        told += &String::from_utf8_lossy(&output.stderr);
        assert!(told.len() > 200, "{surface} {variable}: {told}");
        assert!(!told.contains(SETTING), "{surface} {variable}: {told}");
    }
}

#[test]
fn metrics_and_refusals_tell_nothing_of_tokens_and_arguments() {
    let tokens = format!("{SETTING}\nanother");
    let server = Served::wink_with_tokens(&tokens, &["--log-level", "NOTSET"]);
    let right = format!("Bearer {SETTING}");
    let call = json!({"name": "wink.list_overrides", "arguments": {"ns": SECRET}});
    let mut told = String::new();
    for token in [right.as_str(), "Bearer s3cret-argument-4711", ""] {
        let body =
            toolwright_testing::http_client::message(1, "tools/call", call.clone()).to_string();
        let answer = server.connect().post(&[("Authorization", token)], &body);
        if answer.status != 200 {
            told += &format!("{answer:?}");
        }
    }
    let metrics = server.connect().get("/metrics");
    assert!(metrics.body.contains("wink.list_overrides"), "{metrics:?}");
    told += &format!("{metrics:?}{:?}", server.connect().get("/readyz"));
    told += &server.log();
    assert!(!told.contains(SETTING) && !told.contains(SECRET), "{told}");
}
