//! Repeated writes are written once.

use std::sync::Barrier;

use serde_json::{Value, json};

use crate::harness::{DAY, Guest, Stage, axis, on_both, text_of};

const TEXT: &str = "We decided to keep all invoices of Acme for ten years in the archive.";

fn keyed(guest: &Guest<'_>, key: &str, text: &str) -> Value {
    let arguments = json!({"content": text, "idempotency_key": key,
                           "session_fingerprint": {"embedding": axis(0)}});
    guest.call("add_to_substrate", &arguments).body
}

#[test]
fn the_same_key_and_content_give_the_same_answer_and_one_dump() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let first = keyed(&stage.owner(), "k1", TEXT);
        assert_eq!(first["status"], "success", "{first}");
        // From another session, another host, and much later.
        let elsewhere = stage.owner().in_session("session-2").through("Cursor");
        assert_eq!(keyed(&elsewhere, "k1", TEXT), first);
        stage.clock.advance(3 * DAY);
        let later = keyed(&stage.owner(), "k1", TEXT);
        assert_eq!(later["raw_dump_id"], first["raw_dump_id"]);
        assert_eq!(stage.dumps(TEXT), 1);
        // Another key is another write.
        let other = keyed(&stage.owner(), "k2", TEXT);
        assert_ne!(other["raw_dump_id"], first["raw_dump_id"]);
        assert_eq!(stage.dumps(TEXT), 2);
    });
}

#[test]
fn the_same_key_for_another_content_is_a_conflict() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        keyed(&stage.owner(), "k1", TEXT);
        let body = keyed(&stage.owner(), "k1", "Something else.");
        assert_eq!(body["code"], "IDEMPOTENCY_CONFLICT", "{body}");
        assert_eq!(stage.dumps("Something else."), 0);
        assert_eq!(stage.dumps(TEXT), 1);
    });
}

#[test]
fn keys_of_two_tools_and_of_two_workspaces_do_not_meet() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let added = keyed(&stage.owner(), "k1", TEXT);
        let made = stage.owner().ok(
            "create_memory_from_chat",
            json!({"conversation_history": "User: Another thing.", "idempotency_key": "k1",
                   "new_basket": true, "session_fingerprint": {"embedding": axis(3)}}),
        );
        assert_eq!(made["created"], true);
        let other = stage.settle("Other", "otto");
        let body = keyed(&stage.guest(Some(&other.token)), "k1", "Of somebody else.");
        assert_eq!(body["status"], "queued", "{body}");
        assert!(!body.to_string().contains(&text_of(&added["raw_dump_id"])));
    });
}

#[test]
fn a_retry_without_a_key_is_recognised_for_a_day() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let first = stage.owner().lands(TEXT, &axis(0));
        assert_eq!(stage.owner().lands(TEXT, &axis(0)), first);
        assert_eq!(stage.dumps(TEXT), 1);
        // Another session says it by itself.
        let other = stage.owner().in_session("session-2").lands(TEXT, &axis(0));
        assert_ne!(other["raw_dump_id"], first["raw_dump_id"]);
        // The next day it is said once more, not repeated.
        stage.clock.advance(DAY);
        let next_day = stage.owner().lands(TEXT, &axis(0));
        assert_ne!(next_day["raw_dump_id"], first["raw_dump_id"]);
        assert_eq!(stage.dumps(TEXT), 3);
    });
}

#[test]
fn a_repeated_chat_makes_one_basket() {
    on_both(|stage| {
        let chat = |key: Option<&str>, text: &str| {
            let mut arguments = json!({"conversation_history": text, "new_basket": true,
                                       "session_fingerprint": {"embedding": axis(0)}});
            if let Some(key) = key {
                arguments["idempotency_key"] = json!(key);
            }
            stage.owner().call("create_memory_from_chat", &arguments).body
        };
        let first = chat(None, "User: We decided to use Stripe.");
        assert_eq!(chat(None, "User: We decided to use Stripe.")["basket_id"], first["basket_id"]);
        let second = chat(Some("k"), "User: We decided to use Adyen.");
        let again = chat(Some("k"), "User: We decided to use Adyen.");
        assert_eq!(again["raw_dump_id"], second["raw_dump_id"]);
        assert_eq!(chat(Some("k"), "User: No.")["code"], "IDEMPOTENCY_CONFLICT");
        assert_eq!((stage.count("baskets"), stage.count("raw_dumps")), (2, 2));
    });
}

/// Sixteen identical calls at once; their answers.
fn sixteen(stage: &Stage, tool: &str, arguments: &Value) -> Vec<Value> {
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    stage.owner().call(tool, arguments).body
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn sixteen_identical_additions_at_once_are_one() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        for key in [None, Some("k")] {
            let text = format!("{TEXT} {key:?}");
            let mut arguments =
                json!({"content": text, "session_fingerprint": {"embedding": axis(0)}});
            if let Some(key) = key {
                arguments["idempotency_key"] = json!(key);
            }
            let told = sixteen(stage, "add_to_substrate", &arguments);
            for body in &told {
                assert_eq!(body["status"], "success", "{body}");
                assert_eq!(body["raw_dump_id"], told[0]["raw_dump_id"]);
                assert_eq!(body["proposal_id"], told[0]["proposal_id"]);
            }
            assert_eq!(stage.dumps(&text), 1);
        }
    });
}

#[test]
fn sixteen_identical_chats_at_once_are_one_basket() {
    on_both(|stage| {
        let arguments = json!({"conversation_history": "User: We decided to use Stripe.",
                               "session_fingerprint": {"embedding": axis(0)}});
        let told = sixteen(stage, "create_memory_from_chat", &arguments);
        for body in &told {
            assert_eq!(body["basket_id"], told[0]["basket_id"], "{body}");
        }
        assert_eq!((stage.count("baskets"), stage.count("raw_dumps")), (1, 1));
    });
}

#[test]
fn sixteen_identical_unsure_additions_are_one_capture() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let arguments = json!({"content": TEXT, "session_fingerprint": {"embedding": axis(5)}});
        let told = sixteen(stage, "add_to_substrate", &arguments);
        for body in &told {
            assert_eq!(body["status"], "queued", "{body}");
            assert_eq!(body["capture_id"], told[0]["capture_id"]);
        }
        assert_eq!(stage.count("mcp_unassigned_captures"), 1);
    });
}
