//! Repeated writes are written once.

use std::sync::Barrier;

use serde_json::{Value, json};

use crate::instance::{DAY, Instance, axis, on_both, text_of};
use crate::user::TestUser;

const TEXT: &str = "We decided to keep all invoices of Acme for ten years in the archive.";

fn keyed(user: &TestUser, key: &str, text: &str) -> Value {
    let arguments = json!({"content": text, "idempotency_key": key,
                           "session_fingerprint": {"embedding": axis(0)}});
    user.call("add_to_substrate", &arguments).body
}

#[test]
fn the_same_key_and_content_give_the_same_answer_and_one_dump() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let first = keyed(&instance.owner(), "k1", TEXT);
        assert_eq!(first["status"], "success", "{first}");
        // From another session, another host, and much later.
        let elsewhere = instance.owner().in_session("session-2").through("Cursor");
        assert_eq!(keyed(&elsewhere, "k1", TEXT), first);
        instance.clock.advance(3 * DAY);
        let later = keyed(&instance.owner(), "k1", TEXT);
        assert_eq!(later["raw_dump_id"], first["raw_dump_id"]);
        assert_eq!(instance.dumps(TEXT), 1);
        // Another key is another write.
        let other = keyed(&instance.owner(), "k2", TEXT);
        assert_ne!(other["raw_dump_id"], first["raw_dump_id"]);
        assert_eq!(instance.dumps(TEXT), 2);
    });
}

#[test]
fn the_same_key_for_another_content_is_a_conflict() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        keyed(&instance.owner(), "k1", TEXT);
        let body = keyed(&instance.owner(), "k1", "Something else.");
        assert_eq!(body["code"], "IDEMPOTENCY_CONFLICT", "{body}");
        assert_eq!(instance.dumps("Something else."), 0);
        assert_eq!(instance.dumps(TEXT), 1);
    });
}

#[test]
fn keys_of_two_tools_and_of_two_workspaces_do_not_meet() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let added = keyed(&instance.owner(), "k1", TEXT);
        let made = instance.owner().ok(
            "create_memory_from_chat",
            json!({"conversation_history": "User: Another thing.", "idempotency_key": "k1",
                   "new_basket": true, "session_fingerprint": {"embedding": axis(3)}}),
        );
        assert_eq!(made["created"], true);
        let other = instance.create_workspace("Other", "otto");
        let body = keyed(&instance.user(Some(&other.token)), "k1", "Of somebody else.");
        assert_eq!(body["status"], "queued", "{body}");
        assert!(!body.to_string().contains(&text_of(&added["raw_dump_id"])));
    });
}

#[test]
fn a_retry_without_a_key_is_recognised_for_a_day() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let first = instance.owner().add_stored(TEXT, &axis(0));
        assert_eq!(instance.owner().add_stored(TEXT, &axis(0)), first);
        assert_eq!(instance.dumps(TEXT), 1);
        // Another session says it by itself.
        let other = instance.owner().in_session("session-2").add_stored(TEXT, &axis(0));
        assert_ne!(other["raw_dump_id"], first["raw_dump_id"]);
        // The next day it is said once more, not repeated.
        instance.clock.advance(DAY);
        let next_day = instance.owner().add_stored(TEXT, &axis(0));
        assert_ne!(next_day["raw_dump_id"], first["raw_dump_id"]);
        assert_eq!(instance.dumps(TEXT), 3);
    });
}

#[test]
fn a_repeated_chat_makes_one_basket() {
    on_both(|instance| {
        let chat = |key: Option<&str>, text: &str| {
            let mut arguments = json!({"conversation_history": text, "new_basket": true,
                                       "session_fingerprint": {"embedding": axis(0)}});
            if let Some(key) = key {
                arguments["idempotency_key"] = json!(key);
            }
            instance.owner().call("create_memory_from_chat", &arguments).body
        };
        let first = chat(None, "User: We decided to use Stripe.");
        assert_eq!(chat(None, "User: We decided to use Stripe.")["basket_id"], first["basket_id"]);
        let second = chat(Some("k"), "User: We decided to use Adyen.");
        let again = chat(Some("k"), "User: We decided to use Adyen.");
        assert_eq!(again["raw_dump_id"], second["raw_dump_id"]);
        assert_eq!(chat(Some("k"), "User: No.")["code"], "IDEMPOTENCY_CONFLICT");
        assert_eq!((instance.count("baskets"), instance.count("raw_dumps")), (2, 2));
    });
}

/// Sixteen identical calls at once; their answers.
fn sixteen(instance: &Instance, tool: &str, arguments: &Value) -> Vec<Value> {
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    instance.owner().call(tool, arguments).body
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn sixteen_identical_additions_at_once_are_one() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        for key in [None, Some("k")] {
            let text = format!("{TEXT} {key:?}");
            let mut arguments =
                json!({"content": text, "session_fingerprint": {"embedding": axis(0)}});
            if let Some(key) = key {
                arguments["idempotency_key"] = json!(key);
            }
            let reply = sixteen(instance, "add_to_substrate", &arguments);
            for body in &reply {
                assert_eq!(body["status"], "success", "{body}");
                assert_eq!(body["raw_dump_id"], reply[0]["raw_dump_id"]);
                assert_eq!(body["proposal_id"], reply[0]["proposal_id"]);
            }
            assert_eq!(instance.dumps(&text), 1);
        }
    });
}

#[test]
fn sixteen_identical_chats_at_once_are_one_basket() {
    on_both(|instance| {
        let arguments = json!({"conversation_history": "User: We decided to use Stripe.",
                               "session_fingerprint": {"embedding": axis(0)}});
        let reply = sixteen(instance, "create_memory_from_chat", &arguments);
        for body in &reply {
            assert_eq!(body["basket_id"], reply[0]["basket_id"], "{body}");
        }
        assert_eq!((instance.count("baskets"), instance.count("raw_dumps")), (1, 1));
    });
}

#[test]
fn sixteen_identical_unsure_additions_are_one_capture() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let arguments = json!({"content": TEXT, "session_fingerprint": {"embedding": axis(5)}});
        let reply = sixteen(instance, "add_to_substrate", &arguments);
        for body in &reply {
            assert_eq!(body["status"], "queued", "{body}");
            assert_eq!(body["capture_id"], reply[0]["capture_id"]);
        }
        assert_eq!(instance.count("mcp_unassigned_captures"), 1);
    });
}
