//! The data schemas that the contract cites, and a check of answers against them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

/// Tools and the schemas of their data.
const FILES: [(&str, &str); 21] = [
    ("wa.accounts", include_str!("schemas/wa-robot-accounts.json")),
    ("wa.accounts_refresh", include_str!("schemas/wa-robot-accounts-refresh.json")),
    ("wa.approve", include_str!("schemas/wa-robot-approve.json")),
    ("wa.events", include_str!("schemas/wa-robot-events.json")),
    ("wa.get_text", include_str!("schemas/wa-robot-get-text.json")),
    ("wa.release", include_str!("schemas/wa-robot-release.json")),
    ("wa.reservations", include_str!("schemas/wa-robot-reservations.json")),
    ("wa.reserve", include_str!("schemas/wa-robot-reserve.json")),
    ("wa.rules_lint", include_str!("schemas/wa-robot-rules-lint.json")),
    ("wa.rules_list", include_str!("schemas/wa-robot-rules-list.json")),
    ("wa.rules_show", include_str!("schemas/wa-robot-rules-show.json")),
    ("wa.rules_test", include_str!("schemas/wa-robot-rules-test.json")),
    ("wa.search", include_str!("schemas/wa-robot-search.json")),
    ("wa.send", include_str!("schemas/wa-robot-send.json")),
    ("wa.state", include_str!("schemas/wa-robot-state.json")),
    ("wa.wait_for", include_str!("schemas/wa-robot-wait-for.json")),
    ("wa.why", include_str!("schemas/wa-robot-why.json")),
    ("wa.workflow_abort", include_str!("schemas/wa-robot-workflow-abort.json")),
    ("wa.workflow_list", include_str!("schemas/wa-robot-workflow-list.json")),
    ("wa.workflow_run", include_str!("schemas/wa-robot-workflow-run.json")),
    ("wa.workflow_status", include_str!("schemas/wa-robot-workflow-status.json")),
];

struct Schemas {
    envelope: Validator,
    data: BTreeMap<&'static str, Validator>,
}

static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| Schemas {
    envelope: compiled(include_str!("schemas/wa-robot-envelope.json")),
    data: FILES.into_iter().map(|(tool, text)| (tool, compiled(text))).collect(),
});

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("a schema is JSON")
}

fn compiled(text: &str) -> Validator {
    jsonschema::draft202012::new(&parsed(text)).expect("a schema")
}

/// Holds an answer of a tool against the contract.
pub(crate) fn check(tool: &str, envelope: &Value) {
    if let Err(problems) = conforms(tool, envelope) {
        panic!("{tool} breaks its schema: {problems}\n{envelope:#}");
    }
}

fn conforms(tool: &str, envelope: &Value) -> Result<(), String> {
    let tool = tool.replacen("wa_", "wa.", 1);
    all(&SCHEMAS.envelope, envelope)?;
    if envelope["ok"] == true {
        let schema = SCHEMAS.data.get(&*tool).ok_or_else(|| format!("no schema for {tool}"))?;
        all(schema, &envelope["data"])?;
    }
    Ok(())
}

fn all(schema: &Validator, value: &Value) -> Result<(), String> {
    let problems: Vec<String> = schema
        .iter_errors(value)
        .map(|problem| format!("{} at `{}`", problem, problem.instance_path()))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

#[test]
fn every_object_in_every_schema_is_closed_unless_it_is_free_data() {
    /// Free data: what a workflow knows or found out, and policy and plan records.
    const FREE: [&str; 8] = [
        "context",
        "data",
        "items",
        "plan",
        "policy_summary",
        "result",
        "result_data",
        "extracted",
    ];
    fn walk(at: &str, schema: &Value) {
        if let Value::Object(members) = schema {
            let is_object = members.get("type").is_some_and(|kind| {
                *kind == "object"
                    || kind.as_array().is_some_and(|all| all.contains(&json!("object")))
            });
            if is_object && !FREE.contains(&at) {
                assert_eq!(members.get("additionalProperties"), Some(&json!(false)), "{at}");
            }
            members.iter().for_each(|(name, inner)| walk(name, inner));
        } else if let Value::Array(items) = schema {
            items.iter().for_each(|inner| walk(at, inner));
        }
    }
    for (tool, text) in FILES {
        walk(tool, &parsed(text));
    }
}

#[test]
fn the_check_refuses_what_the_contract_does_not_allow() {
    let good = json!({"ok": true, "data": {"pane_id": 1, "text": "x", "tail_lines": 50, "escapes_included": false},
        "error": null, "error_code": null, "hint": null, "elapsed_ms": 1, "version": "0.1.0",
        "now": 1_700_000_000_000_u64, "mcp_version": "v1"});
    assert_eq!(conforms("wa.get_text", &good), Ok(()));
    for (pointer, value) in [
        ("/data/extra", json!(1)),
        ("/data/pane_id", json!(-1)),
        ("/data/pane_id", json!("1")),
        ("/error", json!("x")),
        ("/mcp_version", json!("v2")),
        ("/elapsed_ms", json!(1.5)),
        ("/extra", json!(1)),
    ] {
        let mut bad = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[key] = value;
        assert!(conforms("wa.get_text", &bad).is_err(), "{pointer}");
    }
    let failed = json!({"ok": false, "error": "x", "error_code": "WA-MCP-0007", "hint": null, "elapsed_ms": 1,
        "version": "0.1.0", "now": 1_700_000_000_000_u64, "mcp_version": "v1"});
    assert_eq!(conforms("wa.get_text", &failed), Ok(()));
    for (key, value) in
        [("data", json!({})), ("error_code", json!("WA-MCP-0013")), ("error", json!(null))]
    {
        let mut bad = failed.clone();
        bad[key] = value;
        assert!(conforms("wa.get_text", &bad).is_err(), "{key}");
    }
}
