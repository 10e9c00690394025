//! Retention: dumps and timeline cannot be changed, and a deletion leaves a
//! tombstone.

use serde_json::{Value, json};
use yarnnn::engine::Error;

use crate::instance::{Instance, axis, list, on_both, text_of, vector};

const WRONG: &str = "We decided that Rosalind waters the tulips of Keukenhof every Tuesday.";

#[test]
fn dumps_and_timeline_cannot_be_changed_in_the_database() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        instance.owner().add_stored("Refunds take five days.", &axis(0));
        for statement in [
            "UPDATE raw_dumps SET body_md = 'other'",
            "UPDATE raw_dumps SET content_hash = 'other'",
            "UPDATE raw_dumps SET basket_id = basket_id",
            "DELETE FROM raw_dumps",
            "UPDATE timeline_events SET preview = 'other'",
            "DELETE FROM timeline_events",
        ] {
            assert!(instance.execute(statement).is_err(), "{statement} was allowed");
        }
        assert_eq!(
            (instance.count("raw_dumps"), instance.dumps("Refunds take five days.")),
            (2, 1)
        );
    });
}

#[test]
fn a_dump_keeps_the_hash_of_its_text() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let text = "Refunds take five days.";
        instance.owner().add_stored(text, &axis(0));
        let hash: String = instance
            .value(&format!("SELECT content_hash AS x FROM raw_dumps WHERE body_md = '{text}'"));
        assert_eq!(hash, toolwright_runtime::digest::sha256_hex(text.as_bytes()));
    });
}

/// Everything that the database holds in columns of text.
fn stored_texts(instance: &Instance) -> String {
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
        for row in instance.rows(&format!("SELECT {columns} AS x FROM {table}")) {
            all.push_str(&row.get::<String>("x").expect("text"));
            all.push('\n');
        }
    }
    all
}

#[test]
fn what_is_forgotten_is_gone_and_leaves_a_tombstone() {
    on_both(|instance| {
        let basket = instance.basket("Garden", 0);
        let before = instance.owner().ok("get_substrate", json!({"basket_id": basket}));
        for approved in [true, false] {
            let text = if approved { WRONG.to_owned() } else { WRONG.replace("tulips", "roses") };
            let dump = match approved {
                true => instance.remember(&text, &axis(0)),
                false => text_of(&instance.owner().add_stored(&text, &axis(0))["raw_dump_id"]),
            };
            assert!(stored_texts(instance).contains("Rosalind"));
            instance.engine.forget(&instance.operator(), &dump, "asked to").unwrap();
            let stored = stored_texts(instance);
            for word in ["Rosalind", "Keukenhof", "rosalind", "keukenhof"] {
                let line = stored.lines().find(|line| line.contains(word));
                assert_eq!(line, None, "{word} is still kept");
            }
            let rows = instance.rows(&format!(
                "SELECT how, reason, by_user, content_fingerprint FROM substrate_tombstones
                 WHERE target_id = '{dump}'"
            ));
            let stone = rows.first().expect("a tombstone");
            assert_eq!(stone.get::<String>("how").unwrap(), "deleted");
            assert_eq!(stone.get::<String>("reason").unwrap(), "asked to");
            assert_eq!(stone.get::<String>("by_user").unwrap(), "olga");
            let hash = toolwright_runtime::digest::sha256_hex(text.as_bytes());
            assert_eq!(stone.get::<String>("content_fingerprint").unwrap(), hash);
            // It stays forgotten, for the first reason.
            instance.engine.forget(&instance.operator(), &dump, "again").unwrap();
            assert_eq!(instance.count("substrate_tombstones WHERE reason = 'again'"), 0);
            let mut after = instance.owner().ok("get_substrate", json!({"basket_id": basket}));
            after["substrate_snapshot_id"] = before["substrate_snapshot_id"].clone();
            assert_eq!(after, before);
        }
        assert_eq!(instance.count("timeline_events WHERE kind = 'dump.withdrawn'"), 2);
    });
}

#[test]
fn a_forgotten_text_can_be_said_again() {
    on_both(|instance| {
        instance.basket("Garden", 0);
        let dump = instance.remember(WRONG, &axis(0));
        instance.engine.forget(&instance.operator(), &dump, "a mistake").unwrap();
        let again = instance.owner().add_stored(WRONG, &axis(0));
        assert_ne!(again["raw_dump_id"], json!(dump));
        assert_eq!(instance.dumps(WRONG), 1);
    });
}

#[test]
fn forgetting_finds_the_copy_that_was_in_the_wrong_basket_too() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let right = instance.basket("Garden", 5);
        let wrong = instance.remember(WRONG, &axis(0));
        let moved = instance.engine.misrouted(&instance.operator(), &wrong, Some(&right)).unwrap();
        let dump = moved.stored.expect("moved").raw_dump_id;
        let last = instance.basket("Last", 6);
        let moved = instance.engine.misrouted(&instance.operator(), &dump, Some(&last)).unwrap();
        let dump = moved.stored.expect("moved").raw_dump_id;
        instance.engine.forget(&instance.operator(), &dump, "asked to").unwrap();
        let stored = stored_texts(instance);
        assert_eq!(stored.lines().find(|line| line.contains("Rosalind")), None);
        assert_eq!(instance.count("substrate_tombstones WHERE how = 'deleted'"), 3);
        let found = instance.owner().ok("get_substrate", json!({"limit": 200}));
        assert_eq!(found["total_count"], 3, "{found}");
    });
}

#[test]
fn what_was_moved_and_waits_can_be_forgotten() {
    on_both(|instance| {
        for dismissed in [true, false] {
            let basket = instance.basket(&format!("Billing {dismissed}"), 0);
            let text = json!({"content": WRONG, "basket_id": basket,
                              "session_fingerprint": {"embedding": axis(0)}});
            let dump = text_of(&instance.owner().ok("add_to_substrate", text)["raw_dump_id"]);
            let moved = instance.engine.misrouted(&instance.operator(), &dump, None).unwrap();
            if dismissed {
                instance.engine.dismiss(&instance.operator(), &moved.capture_id).unwrap();
            }
            instance.engine.forget(&instance.operator(), &dump, "asked to").unwrap();
            let stored = stored_texts(instance);
            assert_eq!(stored.lines().find(|line| line.contains("Rosalind")), None);
            let later = instance.engine.assign(&instance.operator(), &moved.capture_id, &basket);
            assert!(matches!(later, Err(Error::SettledCapture { .. })), "{later:?}");
        }
        assert_eq!(instance.count("substrate_tombstones WHERE how = 'deleted'"), 2);
        assert_eq!(instance.count("mcp_unassigned_captures WHERE status = 'dismissed'"), 2);
    });
}

fn selection(instance: &Instance, embedding: &[f64]) -> Value {
    let read = json!({"session_fingerprint": {"embedding": embedding}});
    instance.owner().call_ok("get_substrate", read).meta("_basket_selection").clone()
}

fn of<'a>(selection: &'a Value, basket: &str) -> &'a Value {
    let ranked = list(&selection["ranked"]);
    ranked.iter().find(|one| one["basket"]["id"] == basket).expect("the basket is ranked")
}

#[test]
fn a_misrouted_session_is_not_sent_to_the_same_basket_again() {
    on_both(|instance| {
        let wrong = instance.basket("Billing", 0);
        let right = instance.basket("Garden", 5);
        let session = vector(&[9.0, 1.0]);
        let added = instance.owner().add_stored(WRONG, &session);
        assert_eq!(added["basket_id"], json!(wrong));
        let moved = of(&selection(instance, &axis(1)), &wrong)["similarity"].clone();
        assert!(moved.as_f64().unwrap() > 0.05, "the write moved the basket: {moved}");

        let dump = text_of(&added["raw_dump_id"]);
        let withdrawn =
            instance.engine.misrouted(&instance.operator(), &dump, Some(&right)).unwrap();
        assert_eq!(
            withdrawn.stored.as_ref().map(|stored| stored.basket_id.clone()),
            Some(right.clone())
        );
        let reply = selection(instance, &session);
        // The centroid is where it was, and the no counts.
        assert!(
            of(&selection(instance, &axis(1)), &wrong)["similarity"].as_f64().unwrap().abs() < 1e-6
        );
        assert_eq!(of(&reply, &wrong)["penalty"], json!(0.15), "{reply}");
        assert_eq!(of(&reply, &wrong)["affinityBoost"], json!(0.0));
        assert_eq!(of(&reply, &right)["affinityBoost"], json!(1.0));
        let next = instance.owner().add("Rosalind cuts the roses.", &session);
        assert_ne!(next.body["basket_id"], json!(wrong), "{}", next.body);

        // Nobody else's sessions pay for it.
        let other = instance.member("anna", yarnnn::governance::Role::Member);
        let read = json!({"session_fingerprint": {"embedding": session}});
        let reply = instance.user(Some(&other)).call_ok("get_substrate", read);
        assert_eq!(of(reply.meta("_basket_selection"), &wrong)["penalty"], json!(0.0));
        let again = instance.engine.misrouted(&instance.operator(), &dump, None);
        assert!(matches!(again, Err(Error::NoDump(_))), "{again:?}");
    });
}

#[test]
fn a_misrouted_text_leaves_no_words_in_the_basket() {
    on_both(|instance| {
        let wrong = instance.basket("Billing", 0);
        let dump = instance.remember(WRONG, &axis(0));
        let withdrawn = instance.engine.misrouted(&instance.operator(), &dump, None).unwrap();
        assert_eq!(withdrawn.stored, None);
        let rows = instance.rows(&format!(
            "SELECT summary || anchors || entities || keywords AS x FROM basket_signatures
             WHERE basket_id = '{wrong}'"
        ));
        let words: String = rows.first().expect("a signature").get("x").expect("text");
        assert!(!words.to_lowercase().contains("rosalind"), "{words}");
        let found = instance.owner().ok("get_substrate", json!({"keywords": ["Rosalind"]}));
        assert_eq!(found["total_count"], 0, "{found}");
        // It waits as it was, and comes back whole where it belongs.
        let right = instance.basket("Garden", 5);
        instance.engine.assign(&instance.operator(), &withdrawn.capture_id, &right).unwrap();
        let found = instance.owner().ok("get_substrate", json!({"keywords": ["Rosalind"]}));
        assert_eq!(found["substrate"][0]["content"], WRONG, "{found}");
        assert_eq!(found["substrate"][0]["metadata"]["basket_id"], json!(right));
    });
}

#[test]
fn a_misrouted_text_still_needs_the_approval_that_was_asked_for() {
    on_both(|instance| {
        use yarnnn::governance::{Mode, Settings};
        instance.set_governance(&Settings { manual_edit: Mode::Hybrid, ..Settings::default() });
        instance.basket("Billing", 0);
        let right = instance.basket("Garden", 5);
        let text = "We decided to keep all tulips of Acme for ten years in the archive.";
        let careful = json!({"content": text, "governance": {"require_approval": true},
                             "session_fingerprint": {"embedding": axis(0)}});
        let added = instance.owner().ok("add_to_substrate", careful);
        assert_eq!(added["governance_mode"], "manual");
        let dump = text_of(&added["raw_dump_id"]);
        let moved = instance.engine.misrouted(&instance.operator(), &dump, Some(&right)).unwrap();
        let stored = moved.stored.expect("it is in the other basket");
        assert_eq!(stored.governance_mode, "manual", "{stored:?}");
    });
}

#[test]
fn what_a_withdrawn_text_had_revised_holds_again() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let text = "We decided to keep all invoices of Acme for ten years in the archive.";
        let known = |instance: &Instance| -> Vec<String> {
            let found =
                instance.owner().ok("get_substrate", json!({"keywords": ["acme"], "limit": 200}));
            let blocks = list(&found["substrate"]).iter().filter(|one| one["type"] == "block");
            blocks.map(|one| text_of(&one["content"])).collect()
        };
        let first = instance.remember_in(&basket, text);
        for forget in [false, true] {
            let revised = text.replace("ten", if forget { "six" } else { "seven" });
            let dump = instance.remember_in(&basket, &revised);
            assert_eq!(known(instance), [revised]);
            match forget {
                true => instance.engine.forget(&instance.operator(), &dump, "wrong").unwrap(),
                false => {
                    drop(instance.engine.misrouted(&instance.operator(), &dump, None).unwrap())
                }
            }
            assert_eq!(known(instance), [text]);
        }
        // It can be revised and repeated as before.
        let again = json!({"content": text, "basket_id": basket, "idempotency_key": "again",
                           "session_fingerprint": {"embedding": axis(0)}});
        assert_eq!(instance.owner().ok("add_to_substrate", again)["proposed_blocks"], 0);
        // Both gone: nothing comes back.
        let dump = instance.remember_in(&basket, &text.replace("ten", "nine"));
        instance.engine.forget(&instance.operator(), &first, "wrong").unwrap();
        instance.engine.forget(&instance.operator(), &dump, "wrong").unwrap();
        assert_eq!(known(instance), [] as [&str; 0]);
    });
}
