//! Retention: dumps and timeline cannot be changed, and a deletion leaves a
//! tombstone.

use serde_json::{Value, json};
use yarnnn::engine::Error;

use crate::harness::{Harness, axis, list, on_both, text_of, vector};

const WRONG: &str = "We decided that Rosalind waters the tulips of Keukenhof every Tuesday.";

#[test]
fn dumps_and_timeline_cannot_be_changed_in_the_database() {
    on_both(|harness| {
        harness.basket("Billing", 0);
        harness.owner().add_stored("Refunds take five days.", &axis(0));
        for statement in [
            "UPDATE raw_dumps SET body_md = 'other'",
            "UPDATE raw_dumps SET content_hash = 'other'",
            "UPDATE raw_dumps SET basket_id = basket_id",
            "DELETE FROM raw_dumps",
            "UPDATE timeline_events SET preview = 'other'",
            "DELETE FROM timeline_events",
        ] {
            assert!(harness.execute(statement).is_err(), "{statement} was allowed");
        }
        assert_eq!((harness.count("raw_dumps"), harness.dumps("Refunds take five days.")), (2, 1));
    });
}

#[test]
fn a_dump_keeps_the_hash_of_its_text() {
    on_both(|harness| {
        harness.basket("Billing", 0);
        let text = "Refunds take five days.";
        harness.owner().add_stored(text, &axis(0));
        let hash: String = harness
            .value(&format!("SELECT content_hash AS x FROM raw_dumps WHERE body_md = '{text}'"));
        assert_eq!(hash, toolwright_runtime::digest::sha256_hex(text.as_bytes()));
    });
}

/// Everything that the database holds in columns of text.
fn stored_texts(harness: &Harness) -> String {
    let mut all = String::new();
    for (table, columns) in [
        ("raw_dumps", "body_md"),
        ("blocks", "title || content || metadata"),
        ("context_items", "title || synonyms"),
        ("proposals", "ops || validator_report"),
        ("reflections_artifact", "headline || body"),
        ("basket_signatures", "summary || anchors || entities || keywords"),
        ("mcp_unassigned_captures", "summary || payload"),
        ("substrate_relationships", "description"),
        ("write_requests", "answer"),
        ("timeline_events", "preview || payload"),
        ("mcp_activity_logs", "coalesce(fingerprint_summary, '')"),
    ] {
        for row in harness.rows(&format!("SELECT {columns} AS x FROM {table}")) {
            all.push_str(&row.get::<String>("x").expect("text"));
            all.push('\n');
        }
    }
    all
}

#[test]
fn what_is_forgotten_is_gone_and_leaves_a_tombstone() {
    on_both(|harness| {
        let basket = harness.basket("Garden", 0);
        let before = harness.owner().ok("get_substrate", json!({"basket_id": basket}));
        for approved in [true, false] {
            let text = if approved { WRONG.to_owned() } else { WRONG.replace("tulips", "roses") };
            let dump = match approved {
                true => harness.remember(&text, &axis(0)),
                false => text_of(&harness.owner().add_stored(&text, &axis(0))["raw_dump_id"]),
            };
            assert!(stored_texts(harness).contains("Rosalind"));
            harness.engine.forget(&harness.operator(), &dump, "asked to").unwrap();
            let stored = stored_texts(harness);
            for word in ["Rosalind", "Keukenhof", "rosalind", "keukenhof"] {
                let line = stored.lines().find(|line| line.contains(word));
                assert_eq!(line, None, "{word} is still kept");
            }
            let rows = harness.rows(&format!(
                "SELECT how, reason, by_user, content_fingerprint FROM substrate_tombstones
                 WHERE target_id = '{dump}'"
            ));
            let stone = rows.first().expect("a tombstone");
            assert_eq!(stone.get::<String>("how").unwrap(), "deleted");
            assert_eq!(stone.get::<String>("reason").unwrap(), "asked to");
            assert_eq!(stone.get::<String>("by_user").unwrap(), "petra");
            let hash = toolwright_runtime::digest::sha256_hex(text.as_bytes());
            assert_eq!(stone.get::<String>("content_fingerprint").unwrap(), hash);
            let again = harness.engine.forget(&harness.operator(), &dump, "again");
            assert!(matches!(again, Err(Error::NoDump(_))));
            let mut after = harness.owner().ok("get_substrate", json!({"basket_id": basket}));
            after["substrate_snapshot_id"] = before["substrate_snapshot_id"].clone();
            assert_eq!(after, before);
        }
        assert_eq!(harness.count("timeline_events WHERE kind = 'dump.withdrawn'"), 2);
    });
}

#[test]
fn a_forgotten_text_can_be_said_again() {
    on_both(|harness| {
        harness.basket("Garden", 0);
        let dump = harness.remember(WRONG, &axis(0));
        harness.engine.forget(&harness.operator(), &dump, "a mistake").unwrap();
        let again = harness.owner().add_stored(WRONG, &axis(0));
        assert_ne!(again["raw_dump_id"], json!(dump));
        assert_eq!(harness.dumps(WRONG), 1);
    });
}

#[test]
fn forgetting_finds_the_copy_that_was_in_the_wrong_basket_too() {
    on_both(|harness| {
        harness.basket("Billing", 0);
        let right = harness.basket("Garden", 5);
        let wrong = harness.remember(WRONG, &axis(0));
        let moved = harness.engine.misrouted(&harness.operator(), &wrong, Some(&right)).unwrap();
        let dump = moved.stored.expect("moved").raw_dump_id;
        let last = harness.basket("Last", 6);
        let moved = harness.engine.misrouted(&harness.operator(), &dump, Some(&last)).unwrap();
        let dump = moved.stored.expect("moved").raw_dump_id;
        harness.engine.forget(&harness.operator(), &dump, "asked to").unwrap();
        let stored = stored_texts(harness);
        assert_eq!(stored.lines().find(|line| line.contains("Rosalind")), None);
        assert_eq!(harness.count("substrate_tombstones WHERE how = 'deleted'"), 3);
        let found = harness.owner().ok("get_substrate", json!({"limit": 200}));
        assert_eq!(found["total_count"], 3, "{found}");
    });
}

#[test]
fn what_was_moved_and_waits_can_be_forgotten() {
    on_both(|harness| {
        for dismissed in [true, false] {
            let basket = harness.basket(&format!("Billing {dismissed}"), 0);
            let text = json!({"content": WRONG, "basket_id": basket,
                              "session_fingerprint": {"embedding": axis(0)}});
            let dump = text_of(&harness.owner().ok("add_to_substrate", text)["raw_dump_id"]);
            let moved = harness.engine.misrouted(&harness.operator(), &dump, None).unwrap();
            if dismissed {
                harness.engine.dismiss(&harness.operator(), &moved.capture_id).unwrap();
            }
            harness.engine.forget(&harness.operator(), &dump, "asked to").unwrap();
            let stored = stored_texts(harness);
            assert_eq!(stored.lines().find(|line| line.contains("Rosalind")), None);
            let later = harness.engine.assign(&harness.operator(), &moved.capture_id, &basket);
            assert!(matches!(later, Err(Error::SettledCapture { .. })), "{later:?}");
        }
        assert_eq!(harness.count("substrate_tombstones WHERE how = 'deleted'"), 2);
        assert_eq!(harness.count("mcp_unassigned_captures WHERE status = 'dismissed'"), 2);
    });
}

fn selection(harness: &Harness, embedding: &[f64]) -> Value {
    let read = json!({"session_fingerprint": {"embedding": embedding}});
    harness.owner().call_ok("get_substrate", read).selection().clone()
}

fn of<'a>(selection: &'a Value, basket: &str) -> &'a Value {
    let ranked = list(&selection["ranked"]);
    ranked.iter().find(|one| one["basket"]["id"] == basket).expect("the basket is ranked")
}

#[test]
fn a_misrouted_session_is_not_sent_to_the_same_basket_again() {
    on_both(|harness| {
        let wrong = harness.basket("Billing", 0);
        let right = harness.basket("Garden", 5);
        let session = vector(&[9.0, 1.0]);
        let added = harness.owner().add_stored(WRONG, &session);
        assert_eq!(added["basket_id"], json!(wrong));
        let moved = of(&selection(harness, &axis(1)), &wrong)["similarity"].clone();
        assert!(moved.as_f64().unwrap() > 0.05, "the write moved the basket: {moved}");

        let dump = text_of(&added["raw_dump_id"]);
        let withdrawn = harness.engine.misrouted(&harness.operator(), &dump, Some(&right)).unwrap();
        assert_eq!(
            withdrawn.stored.as_ref().map(|stored| stored.basket_id.clone()),
            Some(right.clone())
        );
        let reply = selection(harness, &session);
        // The centroid is where it was, and the no counts.
        assert!(
            of(&selection(harness, &axis(1)), &wrong)["similarity"].as_f64().unwrap().abs() < 1e-6
        );
        assert_eq!(of(&reply, &wrong)["penalty"], json!(0.15), "{reply}");
        assert_eq!(of(&reply, &wrong)["affinityBoost"], json!(0.0));
        assert_eq!(of(&reply, &right)["affinityBoost"], json!(1.0));
        let next = harness.owner().add("Rosalind cuts the roses.", &session);
        assert_ne!(next.body["basket_id"], json!(wrong), "{}", next.body);

        // Nobody else's sessions pay for it.
        let other = harness.member("anna", yarnnn::governance::Role::Member);
        let read = json!({"session_fingerprint": {"embedding": session}});
        let reply = harness.user(Some(&other)).call_ok("get_substrate", read);
        assert_eq!(of(reply.selection(), &wrong)["penalty"], json!(0.0));
        let again = harness.engine.misrouted(&harness.operator(), &dump, None);
        assert!(matches!(again, Err(Error::NoDump(_))), "{again:?}");
    });
}

#[test]
fn a_misrouted_text_leaves_no_words_in_the_basket() {
    on_both(|harness| {
        let wrong = harness.basket("Billing", 0);
        let dump = harness.remember(WRONG, &axis(0));
        let withdrawn = harness.engine.misrouted(&harness.operator(), &dump, None).unwrap();
        assert_eq!(withdrawn.stored, None);
        let rows = harness.rows(&format!(
            "SELECT summary || anchors || entities || keywords AS x FROM basket_signatures
             WHERE basket_id = '{wrong}'"
        ));
        let words: String = rows.first().expect("a signature").get("x").expect("text");
        assert!(!words.to_lowercase().contains("rosalind"), "{words}");
        let found = harness.owner().ok("get_substrate", json!({"keywords": ["Rosalind"]}));
        assert_eq!(found["total_count"], 0, "{found}");
        // It waits as it was, and comes back whole where it belongs.
        let right = harness.basket("Garden", 5);
        harness.engine.assign(&harness.operator(), &withdrawn.capture_id, &right).unwrap();
        let found = harness.owner().ok("get_substrate", json!({"keywords": ["Rosalind"]}));
        assert_eq!(found["substrate"][0]["content"], WRONG, "{found}");
        assert_eq!(found["substrate"][0]["metadata"]["basket_id"], json!(right));
    });
}

#[test]
fn a_misrouted_text_still_needs_the_approval_that_was_asked_for() {
    on_both(|harness| {
        use yarnnn::governance::{Mode, Settings};
        harness.set_governance(&Settings { manual_edit: Mode::Hybrid, ..Settings::default() });
        harness.basket("Billing", 0);
        let right = harness.basket("Garden", 5);
        let text = "We decided to keep all tulips of Acme for ten years in the archive.";
        let careful = json!({"content": text, "governance": {"require_approval": true},
                             "session_fingerprint": {"embedding": axis(0)}});
        let added = harness.owner().ok("add_to_substrate", careful);
        assert_eq!(added["governance_mode"], "manual");
        let dump = text_of(&added["raw_dump_id"]);
        let moved = harness.engine.misrouted(&harness.operator(), &dump, Some(&right)).unwrap();
        let stored = moved.stored.expect("it is in the other basket");
        assert_eq!(stored.governance_mode, "manual", "{stored:?}");
    });
}

#[test]
fn what_a_withdrawn_text_had_revised_holds_again() {
    on_both(|harness| {
        let basket = harness.basket("Billing", 0);
        let text = "We decided to keep all invoices of Acme for ten years in the archive.";
        let known = |harness: &Harness| -> Vec<String> {
            let found =
                harness.owner().ok("get_substrate", json!({"keywords": ["acme"], "limit": 200}));
            let blocks = list(&found["substrate"]).iter().filter(|one| one["type"] == "block");
            blocks.map(|one| text_of(&one["content"])).collect()
        };
        let first = harness.remember_in(&basket, text);
        for forget in [false, true] {
            let revised = text.replace("ten", if forget { "six" } else { "seven" });
            let dump = harness.remember_in(&basket, &revised);
            assert_eq!(known(harness), [revised]);
            match forget {
                true => harness.engine.forget(&harness.operator(), &dump, "wrong").unwrap(),
                false => drop(harness.engine.misrouted(&harness.operator(), &dump, None).unwrap()),
            }
            assert_eq!(known(harness), [text]);
        }
        // It can be revised and repeated as before.
        let again = json!({"content": text, "basket_id": basket, "idempotency_key": "again",
                           "session_fingerprint": {"embedding": axis(0)}});
        assert_eq!(harness.owner().ok("add_to_substrate", again)["proposed_blocks"], 0);
        // Both gone: nothing comes back.
        let dump = harness.remember_in(&basket, &text.replace("ten", "nine"));
        harness.engine.forget(&harness.operator(), &first, "wrong").unwrap();
        harness.engine.forget(&harness.operator(), &dump, "wrong").unwrap();
        assert_eq!(known(harness), [] as [&str; 0]);
    });
}
