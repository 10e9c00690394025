//! Several servers and many callers on one database: they agree, and nothing is done twice.

use std::sync::{Arc, Barrier};

use serde_json::json;
use toolwright_testing::StdioSession;
use yarnnn::engine::Error;
use yarnnn::records::baskets::Status;

use crate::instance::{addition, axis, engine, list, on_both, text_of, vector};

#[test]
fn what_one_server_writes_the_other_infers_with_at_once() {
    on_both(|instance| {
        // Each server keeps a copy of all vectors; both have looked before.
        let mut other = instance.session();
        let chosen = |other: &mut StdioSession, at: usize| {
            let read = json!({"session_fingerprint": {"embedding": axis(at)}});
            let response = other.call("get_substrate", read).response;
            response["result"]["_meta"]["_basket_selection"]["primary"]["basket"]["id"].clone()
        };
        assert!(chosen(&mut other, 0).is_null());
        let first = instance.basket("Billing", 0);
        assert_eq!(chosen(&mut other, 0), json!(first));
        let second = instance.basket("Garden", 1);
        assert_eq!(chosen(&mut other, 1), json!(second));
        // A basket moves with what is put into it.
        for number in 0..6 {
            let arguments = json!({"content": format!("Thought {number}."), "basket_id": second,
                                   "session_fingerprint": {"embedding": axis(3)}});
            let response = other.call("add_to_substrate", arguments).response;
            assert_eq!(response["result"]["isError"], false, "{response}");
        }
        let read = json!({"session_fingerprint": {"embedding": axis(3)}});
        let reply = instance.owner().call_ok("get_substrate", read);
        assert_eq!(reply.meta("_basket_selection")["primary"]["basket"]["id"], json!(second));
        let person = instance.operator();
        instance.engine.change_basket(&person, &first, None, Some(Status::Archived)).unwrap();
        assert_ne!(chosen(&mut other, 0), json!(first));
        instance.engine.change_basket(&person, &first, None, Some(Status::Active)).unwrap();
        assert_eq!(chosen(&mut other, 0), json!(first));
    });
}

#[test]
fn a_confirmation_that_one_server_asks_for_is_taken_by_the_other() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let text = "Refunds take five days.";
        let reply = instance.owner().add(text, &vector(&[1.0, 1.0]));
        let capture = text_of(&reply.body["details"]["capture_id"]);
        let mut other = instance.session();
        let confirmed = json!({"content": text, "capture_id": capture});
        let response = other.call("add_to_substrate", confirmed.clone()).response;
        let stored = &response["result"]["structuredContent"];
        assert_eq!(stored["basket_id"], json!(basket), "{response}");
        assert_eq!(&instance.owner().ok("add_to_substrate", confirmed), stored);
        assert_eq!(instance.dumps(text), 1);
    });
}

#[test]
fn many_writers_of_one_basket_all_get_through() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    for number in 0..10 {
                        let text = format!("We decided that clerk {worker} takes bill {number}.");
                        instance.owner().add_stored(&text, &axis(0));
                    }
                });
            }
        });
        assert_eq!(instance.count("raw_dumps"), 81);
        let found = instance.owner().ok("get_substrate", json!({"limit": 1}));
        assert_eq!(found["total_count"], 81);
    });
}

#[test]
fn of_many_who_decide_about_a_proposal_one_does() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        for round in 0..3 {
            let text = format!("We decided to pay bill {round} of Acme before {round} March.");
            let added = instance.owner().add_stored(&text, &axis(0));
            let proposal = text_of(&added["proposal_id"]);
            let start = Barrier::new(8);
            let done: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|judge| {
                        let (start, proposal) = (&start, &proposal);
                        scope.spawn(move || {
                            let engine = engine(&instance.url, Arc::clone(&instance.clock));
                            start.wait();
                            match judge % 2 {
                                0 => engine.approve(&instance.operator(), proposal, None),
                                _ => engine.reject(&instance.operator(), proposal, None),
                            }
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 1, "{done:?}");
            for error in done.into_iter().filter_map(Result::err) {
                assert!(matches!(error, Error::SettledProposal { .. }), "{error:?}");
            }
        }
    });
}

#[test]
fn the_same_statement_proposed_twice_is_known_once() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let text = "We decided to keep all invoices of Acme for ten years in the archive.";
        let proposals: Vec<String> = ["a", "b", "c"]
            .map(|session| {
                let added = instance.owner().in_session(session).add_stored(text, &axis(0));
                text_of(&added["proposal_id"])
            })
            .to_vec();
        for proposal in &proposals {
            instance.engine.approve(&instance.operator(), proposal, None).unwrap();
        }
        let found = instance.owner().ok("get_substrate", json!({"keywords": ["invoices"]}));
        let blocks = list(&found["substrate"]).iter().filter(|one| one["type"] == "block");
        assert_eq!(blocks.count(), 1, "{found}");
    });
}

#[test]
fn revisions_of_a_block_that_was_revised_meanwhile_lose_nothing() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let text = "We decided to keep all invoices of Acme for ten years in the archive.";
        instance.remember(text, &axis(0));
        let proposals = ["six", "seven"].map(|years| {
            let added = instance.owner().add_stored(&text.replace("ten", years), &axis(0));
            text_of(&added["proposal_id"])
        });
        for proposal in &proposals {
            instance.engine.approve(&instance.operator(), proposal, None).unwrap();
        }
        let found =
            instance.owner().ok("get_substrate", json!({"keywords": ["invoices"], "limit": 200}));
        let blocks: Vec<String> = list(&found["substrate"])
            .iter()
            .filter(|one| one["type"] == "block")
            .map(|one| text_of(&one["content"]))
            .collect();
        assert!(blocks.contains(&text.replace("ten", "seven")), "{blocks:?}");
        assert!(!blocks.contains(&text.to_owned()), "{blocks:?}");
    });
}

#[test]
fn reads_are_in_the_log_of_a_server_that_has_ended() {
    on_both(|instance| {
        let mut client = instance.session();
        client.call("config_settings", json!({}));
        client.call("get_substrate", json!({}));
        client.call("add_to_substrate", addition("Nothing fits.", &axis(0)));
        client.close();
        assert_eq!(instance.count("mcp_activity_logs"), 3);
    });
}
