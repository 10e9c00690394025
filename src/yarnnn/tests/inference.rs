//! The contract's formula through the tools: golden values, thresholds, ties and the order of
//! baskets, with a clock that is moved.

use serde_json::{Value, json};

use crate::instance::{DAY, Instance, axis, list, on_both, text_of, vector};
use crate::user::TestUser;
use toolwright_testing::ToolReply;

/// What inference says of a session; a read, so that asking changes nothing.
fn inferred(instance: &Instance, embedding: &[f64]) -> Value {
    let arguments = json!({"session_fingerprint": {"embedding": embedding}});
    instance.owner().call_ok("get_substrate", arguments).meta("_basket_selection").clone()
}

/// Says that a session belongs to a basket.
fn affirm(user: &TestUser, basket: &str, text: &str, embedding: &[f64]) -> Value {
    let arguments = json!({"content": text, "basket_id": basket,
                           "session_fingerprint": {"embedding": embedding}});
    user.ok("add_to_substrate", arguments)
}

#[track_caller]
fn is(selection: &Value, basket: &str, score: f64, decision: &str) {
    assert_eq!(selection["primary"]["basket"]["id"], basket, "{selection}");
    assert_eq!(selection["primary"]["score"], json!(score), "{selection}");
    assert_eq!(selection["decision"], decision, "{selection}");
    assert_eq!(selection["requiresConfirmation"], json!(decision != "auto"), "{selection}");
}

#[test]
fn golden_values_are_exact() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        is(&inferred(instance, &axis(0)), &basket, 0.90, "auto");
        instance.clock.advance(6 * DAY);
        is(&inferred(instance, &axis(0)), &basket, 0.87, "auto");
        // A signature is due for a refresh after fourteen days, and does not count as older.
        instance.clock.advance(8 * DAY);
        is(&inferred(instance, &axis(0)), &basket, 0.83, "auto");
        instance.clock.advance(400 * DAY);
        is(&inferred(instance, &axis(0)), &basket, 0.83, "auto");
        // 12/13 is auto for a fresh basket only.
        let unlike = inferred(instance, &vector(&[12.0, 5.0]));
        assert_eq!(unlike["decision"], "confirm", "{unlike}");
    });
}

#[test]
fn a_users_yes_counts_a_tenth_and_a_move_away_costs_fifteen_hundredths() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let mut last = Value::Null;
        for text in ["Invoices are in PDF.", "Refunds take five days.", "Stripe is our provider."] {
            last = affirm(&instance.owner(), &basket, text, &axis(0));
        }
        is(&inferred(instance, &axis(0)), &basket, 1.00, "auto");
        instance
            .engine
            .misrouted(&instance.operator(), &text_of(&last["raw_dump_id"]), None)
            .unwrap();
        let selection = inferred(instance, &axis(0));
        is(&selection, &basket, 0.85, "auto");
        assert_eq!(selection["primary"]["penalty"], json!(0.15));
        // A session that is not alike pays nothing.
        assert_eq!(inferred(instance, &axis(1))["primary"]["penalty"], json!(0.0));
        // After ninety days the move is forgotten.
        instance.clock.advance(90 * DAY);
        assert_eq!(inferred(instance, &axis(0))["primary"]["penalty"], json!(0.15));
        instance.clock.advance(1);
        assert_eq!(inferred(instance, &axis(0))["primary"]["penalty"], json!(0.0));
    });
}

#[test]
fn half_the_affinity_and_four_fifths_alike_is_just_enough() {
    on_both(|instance| {
        let first = instance.basket("Billing", 0);
        let second = instance.basket("Garden", 1);
        affirm(&instance.owner(), &first, "Invoices are in PDF.", &axis(0));
        affirm(&instance.owner(), &first, "Refunds take five days.", &axis(0));
        affirm(&instance.owner(), &second, "Roses need water.", &axis(1));
        let session = vector(&[0.0, 4.0, 3.0]);
        let selection = inferred(instance, &session);
        is(&selection, &second, 0.80, "auto");
        let primary = &selection["primary"];
        assert_eq!(primary["similarity"], json!(0.8));
        assert_eq!(primary["recencyBoost"], json!(1.0));
        assert_eq!(primary["affinityBoost"], json!(0.5));
        assert_eq!(inferred(instance, &vector(&[0.0, 3.999, 3.0]))["decision"], "confirm");
    });
}

#[test]
fn thresholds_hold_at_their_edges_and_decide_what_becomes_of_a_write() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        // Cosines of 13/15 and 8/15: scores of exactly 0.80 and 0.55.
        for (number, (session, decision)) in [
            (vector(&[13.0, 6.0, 4.0, 2.0]), "auto"),
            (vector(&[13.0, 6.0, 4.0, 2.001]), "confirm"),
            (vector(&[8.0, 12.0, 4.0, 1.0]), "confirm"),
            (vector(&[8.0, 12.0, 4.0, 1.01]), "pick"),
            (vector(&[-1.0]), "pick"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(inferred(instance, &session)["decision"], decision, "{session:?}");
            if decision == "auto" {
                // Landing would move the basket.
                continue;
            }
            let reply = instance.owner().add(&format!("Thought number {number}."), &session);
            match decision {
                "confirm" => assert_eq!(reply.body["code"], "CONFIRMATION_REQUIRED"),
                _ => assert_eq!(reply.body["status"], "queued", "{}", reply.body),
            }
        }
        let added =
            instance.owner().add_stored("The last thought.", &vector(&[13.0, 6.0, 4.0, 2.0]));
        assert_eq!(added["basket_id"], json!(basket));
    });
}

#[test]
fn an_open_tie_lowers_auto_to_confirm_and_shows_both() {
    on_both(|instance| {
        let first = instance.basket("North", 0);
        let made = instance.owner().ok(
            "create_memory_from_chat",
            json!({"conversation_history": "User: We decided to go south.", "new_basket": true,
                   "basket_name_suggestion": "South",
                   "session_fingerprint": {"embedding": vector(&[1.0, 0.1])}}),
        );
        let second = text_of(&made["basket_id"]);
        let selection = inferred(instance, &axis(0));
        is(&selection, &first, 0.90, "confirm");
        assert_eq!(selection["needsTieBreak"], true);
        assert_eq!(selection["lowered"], true);
        let reply = instance.owner().add("A thought that fits both.", &axis(0));
        assert_eq!(reply.body["code"], "CONFIRMATION_REQUIRED", "{}", reply.body);
        let shown: Vec<&Value> =
            list(&reply.body["details"]["candidates"]).iter().map(|one| &one["id"]).collect();
        assert_eq!(shown, [&json!(first), &json!(second)]);
    });
}

#[test]
fn words_that_a_session_shares_with_one_basket_break_a_tie() {
    on_both(|instance| {
        let make = |name: &str, embedding: Vec<f64>, entities: &[&str], keywords: &[&str]| {
            let made = instance.owner().ok(
                "create_memory_from_chat",
                json!({"conversation_history": format!("User: We decided to start {name}."),
                       "basket_name_suggestion": name, "new_basket": true,
                       "session_fingerprint": {"embedding": embedding, "entities": entities,
                                               "keywords": keywords}}),
            );
            text_of(&made["basket_id"])
        };
        make("Sea", axis(0), &["Baltic"], &["sailing", "harbour"]);
        let land = make("Land", vector(&[1.0, 0.1]), &["Carpathians"], &["hiking", "huts"]);
        let session = json!({"embedding": axis(0), "entities": ["Carpathians"],
                             "keywords": ["hiking", "huts"]});
        let reply = instance.owner().call_ok(
            "add_to_substrate",
            json!({"content": "The huts are closed in winter.", "session_fingerprint": session}),
        );
        // The better score is the other one's.
        let selection = reply.meta("_basket_selection");
        assert_eq!(selection["tieBreak"]["decidedFor"], json!(land), "{selection}");
        assert_ne!(selection["ranked"][0]["basket"]["id"], json!(land));
        assert_eq!(reply.body["basket_id"], json!(land), "{}", reply.body);
    });
}

#[test]
fn baskets_are_in_one_order_whatever_order_they_were_made_in() {
    on_both(|instance| {
        let mut ids: Vec<String> = (0..9).map(|n| instance.basket(&format!("B{n}"), 0)).collect();
        ids.sort();
        let selection = inferred(instance, &axis(0));
        let ranked: Vec<String> = list(&selection["ranked"])
            .iter()
            .map(|score| text_of(&score["basket"]["id"]))
            .collect();
        assert_eq!(ranked, ids[..6]);
        assert_eq!(inferred(instance, &axis(0)), selection);
        // One that was refreshed later comes first, though its score is the same after 30 days.
        instance.clock.advance(40 * DAY);
        let later = instance.basket("Later", 0);
        instance.clock.advance(31 * DAY);
        assert_eq!(inferred(instance, &axis(0))["ranked"][0]["basket"]["id"], json!(later));
    });
}

#[test]
fn an_archived_basket_is_not_chosen_and_a_restored_one_is() {
    use yarnnn::records::baskets::Status;
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let change = |status| {
            instance
                .engine
                .change_basket(&instance.operator(), &basket, None, Some(status))
                .unwrap();
        };
        change(Status::Archived);
        assert_eq!(inferred(instance, &axis(0))["primary"], Value::Null);
        let arguments = json!({"content": "Too late.", "basket_id": basket,
                               "session_fingerprint": {"embedding": axis(0)}});
        instance.owner().fails("add_to_substrate", arguments, "BASKET_CLOSED");
        change(Status::Active);
        is(&inferred(instance, &axis(0)), &basket, 0.90, "auto");
    });
}

/// Whether a vector is somewhere in it.
fn has_vector(value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            items.iter().filter(|item| item.is_number()).count() > 6 || items.iter().any(has_vector)
        }
        Value::Object(members) => members.values().any(has_vector),
        _ => false,
    }
}

#[test]
fn no_answer_holds_a_vector() {
    on_both(|instance| {
        let mut reply: Vec<ToolReply> = Vec::new();
        for n in 0..8 {
            let basket = instance.basket(&format!("B{n}"), n % 4);
            assert!(!basket.is_empty());
        }
        let fingerprint = json!({"embedding": vector(&[0.9, 0.4, 0.3]), "summary": "A session."});
        let user = instance.owner();
        for (tool, mut arguments) in [
            ("create_memory_from_chat", json!({"conversation_history": "User: Hello there, Ada."})),
            (
                "create_memory_from_chat",
                json!({"conversation_history": "User: x", "new_basket": true}),
            ),
            ("get_substrate", json!({})),
            ("get_substrate", json!({"format": "prose"})),
            ("validate_against_substrate", json!({"new_idea": "B1 is not a topic."})),
            ("add_to_substrate", json!({"content": "Something."})),
            ("add_to_substrate", json!({"content": "Something.", "basket_id": "nowhere"})),
        ] {
            arguments["session_fingerprint"] = fingerprint.clone();
            reply.push(user.call(tool, &arguments));
        }
        for at in 0..8 {
            let content = format!("Something else {at}.");
            reply.push(user.add(&content, &axis(at)));
            reply.push(user.add(&content, &[0.0; 8]));
            reply.push(user.add(&content, &[1.0; 9]));
        }
        assert!(
            reply
                .iter()
                .any(|one| one.response["result"]["_meta"]["_basket_selection"].is_object())
        );
        assert!(reply.iter().any(|one| one.is_error));
        for one in &reply {
            assert!(!has_vector(&one.body), "{}", one.body);
            assert!(!has_vector(&one.response["result"]["_meta"]), "{}", one.response);
        }
    });
}
