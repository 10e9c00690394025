//! The activity log: every call with outcome and host; no vector and no content.

use serde_json::{Value, json};
use yarnnn::records::activity::Entry;

use crate::instance::{Instance, addition, axis, on_both, vector};

const SECRET_TEXT: &str = "The password of the safe is swordfish.";

/// The calls of the workspace, the oldest first.
fn calls(instance: &Instance) -> Vec<Entry> {
    let mut calls = instance.engine.calls(&instance.tenant.workspace, 100).expect("the log");
    calls.reverse();
    calls
}

#[test]
fn success_queued_and_error_are_each_recorded_once() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let owner = instance.owner();
        owner.add_stored("Refunds take five days.", &axis(0));
        owner.add("Nothing fits.", &axis(7));
        owner.add("Something fits a little.", &vector(&[1.0, 1.0]));
        owner.ok("get_substrate", json!({"session_fingerprint": {"embedding": axis(0)}}));
        owner.ok("validate_against_substrate", json!({"new_idea": "Refunds are slow."}));
        owner.ok("config_settings", json!({}));
        owner.ok("config_settings", json!({"auto_approve": true}));
        owner.fails("get_substrate", json!({"limit": 0}), "INVALID_ARGUMENTS");
        owner.fails("get_substrate", json!({"basket_id": "none"}), "BASKET_NOT_FOUND");
        owner.fails("add_to_substrate", addition("x", &[0.1; 8]), "EMBEDDING_UNUSABLE");
        owner.fails(
            "config_settings",
            json!({"auto_approve": true, "manual_review": true}),
            "SETTINGS_CONTRADICTORY",
        );
        let noted: Vec<(String, String, Option<String>)> =
            calls(instance).into_iter().map(|one| (one.tool, one.result, one.error_code)).collect();
        let expected = [
            ("create_memory_from_chat", "success", None),
            ("add_to_substrate", "success", None),
            ("add_to_substrate", "queued", None),
            ("add_to_substrate", "queued", None),
            ("get_substrate", "success", None),
            ("validate_against_substrate", "success", None),
            ("config_settings", "success", None),
            ("config_settings", "success", None),
            ("get_substrate", "error", Some("INVALID_ARGUMENTS")),
            ("get_substrate", "error", Some("BASKET_NOT_FOUND")),
            ("add_to_substrate", "error", Some("EMBEDDING_UNUSABLE")),
            ("config_settings", "error", Some("SETTINGS_CONTRADICTORY")),
        ]
        .map(|(tool, result, code)| (tool.to_owned(), result.to_owned(), code.map(str::to_owned)));
        let mut sorted = noted.clone();
        sorted.sort();
        let mut wanted = expected.to_vec();
        wanted.sort();
        assert_eq!(sorted, wanted, "{noted:?}");
        let write = calls(instance).into_iter().find(|one| one.tool == "add_to_substrate").unwrap();
        assert_eq!(write.basket_id, Some(basket));
        assert_eq!(write.decision.as_deref(), Some("auto"));
        assert_eq!(write.score, Some(0.9));
        assert_eq!(write.user_id.as_deref(), Some("olga"));
        assert_eq!(write.session.as_deref(), Some("session-1"));
    });
}

#[test]
fn a_repeated_write_is_recorded_with_its_first_outcome() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        for _ in 0..2 {
            instance.owner().add("Nothing fits.", &axis(7));
        }
        let results: Vec<String> =
            calls(instance).into_iter().skip(1).map(|one| one.result).collect();
        assert_eq!(results, ["queued", "queued"]);
    });
}

#[test]
fn an_unauthenticated_call_is_recorded_without_a_user() {
    on_both(|instance| {
        for token in [None, Some("yit_unknown"), Some("rubbish")] {
            instance.user(token).through("Cursor").call("get_substrate", &json!({}));
        }
        // Waits for the thread that writes.
        calls(instance);
        let rows = instance.rows(
            "SELECT host, result, error_code, tool FROM mcp_activity_logs
             WHERE workspace_id IS NULL AND user_id IS NULL",
        );
        assert_eq!(rows.len(), 3);
        for row in rows {
            assert_eq!(row.get::<String>("host").unwrap(), "agent:cursor");
            assert_eq!(row.get::<String>("result").unwrap(), "error");
            assert_eq!(row.get::<String>("error_code").unwrap(), "UNAUTHENTICATED");
            assert_eq!(row.get::<String>("tool").unwrap(), "get_substrate");
        }
    });
}

#[test]
fn hosts_are_separated_and_their_last_hour_is_counted() {
    on_both(|instance| {
        for client in ["claude-ai", "Claude Code", "openai-mcp", "Cursor", ""] {
            instance.owner().through(client).ok("config_settings", json!({}));
        }
        instance.owner().through("Cursor").call("get_substrate", &json!({"limit": 0}));
        let hosts = instance.engine.recent_hosts(&instance.tenant.workspace).expect("hosts");
        let seen: Vec<(&str, i64, i64)> = hosts
            .iter()
            .map(|one| (one.host.as_str(), one.calls_last_hour, one.errors_last_hour))
            .collect();
        assert_eq!(
            seen,
            [("agent:cursor", 2, 1), ("agent:unknown", 1, 0), ("chatgpt", 1, 0), ("claude", 2, 0)]
        );
        // Another workspace has seen none of them.
        let other = instance.create_workspace("Nebenan", "otto");
        assert_eq!(instance.engine.recent_hosts(&other.workspace).expect("hosts"), []);
    });
}

#[test]
fn hosts_of_the_week_before_last_are_forgotten() {
    on_both(|instance| {
        instance.owner().ok("config_settings", json!({"auto_approve": true}));
        let long_ago = instance.engine.now() - 8 * 86_400_000;
        instance.execute(&format!("UPDATE mcp_activity_logs SET created_at = {long_ago}")).unwrap();
        assert_eq!(instance.engine.recent_hosts(&instance.tenant.workspace).expect("hosts"), []);
        let hours_ago = instance.engine.now() - 2 * 3_600_000;
        instance
            .execute(&format!("UPDATE mcp_activity_logs SET created_at = {hours_ago}"))
            .unwrap();
        let hosts = instance.engine.recent_hosts(&instance.tenant.workspace).expect("hosts");
        assert_eq!((hosts.len(), hosts[0].calls_last_hour), (1, 0));
    });
}

#[test]
fn neither_vectors_nor_contents_are_in_the_log() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let session =
            json!({"embedding": vector(&[0.123456, 0.654321]), "summary": "Of a session."});
        for (tool, arguments) in [
            ("add_to_substrate", json!({"content": SECRET_TEXT})),
            (
                "add_to_substrate",
                json!({"content": SECRET_TEXT, "basket_id": basket,
                "metadata": {"note": "swordfish"}, "idempotency_key": "swordfish"}),
            ),
            (
                "create_memory_from_chat",
                json!({"conversation_history": SECRET_TEXT, "new_basket": true}),
            ),
            ("get_substrate", json!({"keywords": ["swordfish"]})),
            ("validate_against_substrate", json!({"new_idea": SECRET_TEXT})),
            ("add_to_substrate", json!({"content": SECRET_TEXT, "basket_id": "swordfish"})),
        ] {
            let mut arguments = arguments;
            arguments["session_fingerprint"] = session.clone();
            instance.owner().call(tool, &arguments);
        }
        let logged: Vec<Entry> = calls(instance);
        assert!(
            logged.iter().any(|one| one.fingerprint_summary.as_deref() == Some("Of a session."))
        );
        for entry in logged {
            let text = format!("{entry:?}");
            assert!(!text.contains("swordfish"), "{text}");
            assert!(!text.contains("0.123456") && !text.contains("0.12345"), "{text}");
            if let Some(hash) = &entry.fingerprint_hash {
                assert_eq!(hash.len(), 64);
            }
        }
    });
}

#[test]
fn every_record_names_its_host() {
    on_both(|instance| {
        let owner = instance.owner().through("openai-mcp");
        let made = owner.ok(
            "create_memory_from_chat",
            json!({"conversation_history": "User: We decided to use Stripe with Ada. Ada agreed.",
                   "session_fingerprint": {"embedding": axis(0)}}),
        );
        instance
            .engine
            .approve(&instance.operator(), made["proposal_id"].as_str().unwrap(), None)
            .unwrap();
        owner.add_stored("Ada decided to keep Stripe until 2030.", &axis(0));
        owner.add("Nothing fits.", &axis(7));
        for table in ["baskets", "raw_dumps", "proposals", "blocks", "mcp_unassigned_captures"] {
            let total = instance.count(table);
            let ours = instance.count(&format!("{table} WHERE source_host = 'chatgpt'"));
            assert!(total > 0 && total == ours, "{table}: {ours} of {total}");
        }
        assert_eq!(instance.count("context_items WHERE source_host <> 'chatgpt'"), 0);
        // The operator approved.
        assert_eq!(
            instance.count("timeline_events WHERE source_host NOT IN ('chatgpt', 'cli')"),
            0
        );
        assert!(instance.count("timeline_events WHERE source_host = 'chatgpt'") > 0);
        let found: Value = instance.owner().ok("get_substrate", json!({"limit": 200}));
        for entry in found["substrate"].as_array().unwrap() {
            assert_eq!(entry["metadata"]["source_host"], "chatgpt", "{entry}");
        }
        for table in ["raw_dumps", "proposals", "mcp_unassigned_captures", "baskets"] {
            assert_eq!(instance.count(&format!("{table} WHERE source_session <> 'session-1'")), 0);
        }
    });
}
