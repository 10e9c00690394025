//! The basket of a write: inferred, named or confirmed, or none yet
//! if the match is unsure.

use serde_json::{Value, json};

use crate::instance::{DAY, Instance, axis, list, on_both, text_of, vector};

/// Between two baskets: similar enough to ask, not to write.
fn unsure() -> Vec<f64> {
    vector(&[1.0, 1.0])
}

fn basket_of(instance: &Instance, text: &str) -> String {
    instance.value(&format!("SELECT basket_id AS x FROM raw_dumps WHERE body_md = '{text}'"))
}

/// The details of a call that must want a confirmation.
fn held(instance: &Instance, text: &str, embedding: &[f64]) -> Value {
    let arguments = json!({"content": text, "session_fingerprint": {"embedding": embedding}});
    let body = instance.owner().fails("add_to_substrate", arguments, "CONFIRMATION_REQUIRED");
    body["details"].clone()
}

fn confirm(instance: &Instance, capture: &str, text: &str, basket: Option<&str>) -> Value {
    let mut arguments = json!({"content": text, "capture_id": capture});
    if let Some(basket) = basket {
        arguments["basket_id"] = json!(basket);
    }
    instance.owner().ok("add_to_substrate", arguments)
}

#[test]
fn a_write_goes_to_the_inferred_basket() {
    on_both(|instance| {
        let baskets = [instance.basket("Billing", 0), instance.basket("Garden", 1)];
        for (at, basket) in baskets.iter().enumerate() {
            let text = format!("Something about topic {at}.");
            let reply = instance.owner().add(&text, &axis(at));
            assert_eq!(reply.body["basket_id"], json!(basket), "{}", reply.body);
            assert_eq!(reply.meta("_basket_selection")["primary"]["basket"]["id"], json!(basket));
            assert_eq!(basket_of(instance, &text), *basket);
        }
    });
}

#[test]
fn a_named_basket_wins_and_the_mismatch_is_reported() {
    on_both(|instance| {
        let named = instance.basket("Billing", 0);
        let inferred = instance.basket("Garden", 1);
        let add = |text: &str, embedding: Vec<f64>| {
            instance.owner().call_ok(
                "add_to_substrate",
                json!({"content": text, "basket_id": named,
                       "session_fingerprint": {"embedding": embedding}}),
            )
        };
        let reply = add("Roses were paid.", axis(1));
        assert_eq!(reply.body["basket_id"], json!(named));
        assert_eq!(basket_of(instance, "Roses were paid."), named);
        assert_eq!(
            reply.meta("_basket_selection")["explicit"],
            json!({"basketId": named, "differs": true})
        );
        assert_eq!(reply.meta("_basket_selection")["primary"]["basket"]["id"], json!(inferred));
        assert!(text_of(&reply.body["selection_summary"]).contains("Garden"), "{}", reply.body);
        let reply = add("Bills were paid.", axis(0));
        assert_eq!(
            reply.meta("_basket_selection")["explicit"],
            json!({"basketId": named, "differs": false})
        );
    });
}

#[test]
fn confirm_fails_closed_and_a_second_call_confirms() {
    on_both(|instance| {
        let best = instance.basket("Billing", 0);
        let before = instance.count("raw_dumps");
        let proposals = instance.count("proposals");
        let text = "Refunds take five days.";
        let details = held(instance, text, &unsure());
        assert_eq!(details["candidates"][0]["id"], json!(best));
        assert_eq!((instance.count("raw_dumps"), instance.count("proposals")), (before, proposals));
        assert_eq!(instance.count("mcp_unassigned_captures WHERE status = 'pending'"), 1);

        let capture = text_of(&details["capture_id"]);
        let wrong = json!({"content": "Refunds take six days.", "capture_id": capture});
        instance.owner().fails("add_to_substrate", wrong, "CAPTURE_NOT_FOUND");
        assert_eq!(instance.count("raw_dumps"), before);

        let stored = confirm(instance, &capture, text, None);
        assert_eq!(stored["basket_id"], json!(best));
        assert_eq!(basket_of(instance, text), best);
        // Again: the same answer, and nothing more is written.
        assert_eq!(confirm(instance, &capture, text, None), stored);
        assert_eq!(instance.dumps(text), 1);
        assert_eq!(instance.count("mcp_unassigned_captures WHERE status = 'assigned'"), 1);
    });
}

#[test]
fn a_confirmation_may_name_another_basket() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let other = instance.basket("Garden", 5);
        let text = "Roses take five days.";
        let details = held(instance, text, &unsure());
        let capture = text_of(&details["capture_id"]);
        for basket in ["no-such-basket", "\u{0}"] {
            let wrong = json!({"content": text, "capture_id": capture, "basket_id": basket});
            instance.owner().fails("add_to_substrate", wrong, "BASKET_NOT_FOUND");
        }
        let stored = confirm(instance, &capture, text, Some(&other));
        assert_eq!(stored["basket_id"], json!(other));
        assert_eq!(basket_of(instance, text), other);
        // It is settled: no way into a third basket.
        let third = instance.basket("Third", 6);
        let again = json!({"content": text, "capture_id": capture, "basket_id": third});
        let body = instance.owner().fails("add_to_substrate", again, "CAPTURE_SETTLED");
        assert_eq!(body["details"]["status"], "assigned");
        assert_eq!(instance.dumps(text), 1);
    });
}

#[test]
fn the_same_unsure_write_again_is_the_same_capture() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let text = "Refunds take five days.";
        let first = held(instance, text, &unsure());
        assert_eq!(held(instance, text, &unsure())["capture_id"], first["capture_id"]);
        assert_eq!(instance.count("mcp_unassigned_captures"), 1);
    });
}

#[test]
fn a_confirmation_without_a_basket_means_the_suggested_one() {
    on_both(|instance| {
        let make = |name: &str, embedding: Vec<f64>, entity: &str| {
            let made = instance.owner().ok(
                "create_memory_from_chat",
                json!({"conversation_history": format!("User: We decided to start {name}."),
                       "basket_name_suggestion": name, "new_basket": true,
                       "session_fingerprint": {"embedding": embedding, "entities": [entity]}}),
            );
            text_of(&made["basket_id"])
        };
        make("Sea", axis(0), "Baltic");
        let land = make("Land", vector(&[1.0, 0.1]), "Carpathians");
        // Neither is sure; the words speak for the second.
        instance.clock.advance(30 * DAY);
        let text = "The huts are closed.";
        let body = instance.owner().fails(
            "add_to_substrate",
            json!({"content": text, "session_fingerprint":
                   {"embedding": vector(&[1.0, 0.05, 0.6]), "entities": ["Carpathians"]}}),
            "CONFIRMATION_REQUIRED",
        );
        assert!(text_of(&body["error"]).contains("Land"), "{body}");
        assert_eq!(body["details"]["candidates"][0]["id"], json!(land), "{body}");
        let capture = text_of(&body["details"]["capture_id"]);
        assert_eq!(confirm(instance, &capture, text, None)["basket_id"], json!(land));
    });
}

#[test]
fn a_chat_makes_the_first_basket_and_no_second_one_for_the_same() {
    on_both(|instance| {
        let chat = |text: &str, embedding: Vec<f64>| {
            instance.owner().call_ok(
                "create_memory_from_chat",
                json!({"conversation_history": text, "basket_name_suggestion": "Billing",
                       "session_fingerprint": {"embedding": embedding}}),
            )
        };
        let first = chat("User: We decided to move billing to Stripe.", axis(0));
        assert_eq!(first.body["created"], true);
        assert_eq!(first.meta("_basket_selection")["decision"], "pick");
        assert_eq!(first.meta("_basket_selection")["primary"], Value::Null);
        let second = chat("User: Billing runs on Stripe now.", axis(0));
        assert_eq!(second.body["created"], false, "{}", second.body);
        assert_eq!(second.body["basket_id"], first.body["basket_id"]);
        let said = text_of(&second.body["actions"][0]);
        assert!(said.contains("looks like") && said.contains("add_to_substrate"), "{said}");
        // Unsure or unlike: a new basket, never a queue.
        for (number, session) in [unsure(), axis(4)].into_iter().enumerate() {
            let made = chat(&format!("User: We decided on plan {number}."), session);
            assert_eq!(made.body["created"], true, "{}", made.body);
        }
        assert_eq!(instance.count("baskets"), 3);
        assert_eq!(instance.count("mcp_unassigned_captures"), 0);
    });
}

#[test]
fn a_fingerprint_may_come_with_the_request_and_the_arguments_win() {
    on_both(|instance| {
        let billing = instance.basket("Billing", 0);
        let garden = instance.basket("Garden", 1);
        let host =
            instance.owner().with_meta("yarnnn/session_fingerprint", json!({"embedding": axis(0)}));
        let added = host.ok("add_to_substrate", json!({"content": "From the host."}));
        assert_eq!(added["basket_id"], json!(billing));
        let added = host.add_stored("From the arguments.", &axis(1));
        assert_eq!(added["basket_id"], json!(garden));
        let broken =
            instance.owner().with_meta("yarnnn/session_fingerprint", json!({"embedding": 1}));
        broken.fails("add_to_substrate", json!({"content": "x"}), "EMBEDDING_UNUSABLE");
    });
}

#[test]
fn a_pending_capture_does_not_move_a_basket() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        held(instance, "Refunds take five days.", &unsure());
        let read = json!({"session_fingerprint": {"embedding": axis(0)}});
        let reply = instance.owner().call_ok("get_substrate", read);
        let ranked = list(&reply.meta("_basket_selection")["ranked"]);
        assert_eq!(ranked[0]["similarity"], json!(1.0));
        assert_eq!(ranked[0]["affinityBoost"], json!(0.0));
    });
}
