//! One log line per call: who, which tool, how long, which outcome; never the content.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::instance::{Instance, on_both, text};
use toolwright_testing::eventually;

on_both! { every_call_logs_one_line_without_its_content }

const SECRET: &str = "pss3cretwordt";

fn every_call_logs_one_line_without_its_content(instance: &Instance) {
    let path = instance.path("stderr.log");
    let mut command = instance.command(&["mcp", "--log-level", "DEBUG"]);
    command.stderr(std::fs::File::create(&path).unwrap()).stdout(Stdio::piped());
    let mut session = instance.session_of(command);
    let made = session.ok(
        "entity.upsert",
        json!({"entity": {"type": "CHARACTER", "name": format!("Ana {SECRET}"),
        "summary": SECRET, "attributes": {SECRET: SECRET}}}),
    );
    let id = text(&made["entity"]["_id"]);
    session.ok("entity.search", json!({"query": SECRET}));
    let node =
        session.ok("storyNode.create", json!({"node": {"nodeType": "SCENE", "title": SECRET}}));
    session.ok("prompt.compose", json!({"nodeId": node["node"]["_id"]}));
    for (tool, arguments, status) in [
        ("entity.get", json!({"entityId": "d0000000000000000000000f"}), "NOT_FOUND"),
        (
            "project.get",
            json!({"userId": instance.fixture.admin, "tenantId": "d0000000000000000000000f"}),
            "UNAUTHORIZED",
        ),
        (
            "project.create",
            json!({"userId": instance.fixture.writer, "title": SECRET}),
            "FORBIDDEN",
        ),
        (
            "entity.upsert",
            json!({"entity": {"entityId": id, "name": SECRET}, "expectedRevision": 9}),
            "CONFLICT",
        ),
        ("entity.upsert", json!({"entity": {"name": "x", SECRET: SECRET}}), "VALIDATION_ERROR"),
        (
            "storyNode.create",
            json!({"node": {"nodeType": "SCENE", "title": SECRET, "locations": [id]}}),
            "VALIDATION_ERROR",
        ),
    ] {
        assert_eq!(session.call(tool, &arguments).body["code"], status);
    }
    session.close();
    let lines = eventually("ten lines", || {
        let log = std::fs::read_to_string(&path).unwrap();
        assert!(!log.contains(SECRET), "{log}");
        let parsed =
            log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON logs"));
        let calls: Vec<Value> = parsed.filter(|line| line["event"] == "worldforge.call").collect();
        (calls.len() == 10).then_some(calls)
    });
    let mut traces = Vec::new();
    for line in &lines {
        let reply = &line["context"];
        assert!(reply["durationMs"].is_u64(), "{line}");
        assert!(!text(&reply["action"]).is_empty(), "{line}");
        traces.push(text(&reply["traceId"]));
        // Schema violations are refused before the caller is determined.
        if reply["status"] != "validation_error" {
            assert_eq!(text(&reply["userId"]).len(), 24, "{line}");
            assert_eq!(text(&reply["tenantId"]).len(), 24, "{line}");
        }
    }
    let first = &lines[0]["context"];
    assert_eq!(
        (&first["tenantId"], &first["userId"]),
        (&json!(instance.fixture.tenant), &json!(instance.fixture.admin))
    );
    assert_eq!((&first["action"], &first["status"]), (&json!("entity.upsert"), &json!("ok")));
    let ends: Vec<&Value> = lines.iter().map(|line| &line["context"]["status"]).collect();
    assert_eq!(
        ends,
        [
            "ok",
            "ok",
            "ok",
            "ok",
            "not_found",
            "unauthorized",
            "forbidden",
            "conflict",
            "validation_error",
            "validation_error"
        ]
    );
    traces.sort();
    traces.dedup();
    assert_eq!(traces.len(), lines.len(), "every call has its own trace");
}
