//! Several servers and many callers on one database: they agree, and nothing is done twice.

use std::sync::{Arc, Barrier};

use serde_json::json;
use yarnnn::engine::Fault;
use yarnnn::records::baskets::Status;

use crate::harness::{addition, axis, engine, list, on_both, text_of, vector};
use crate::stdio::respond;

#[test]
fn what_one_server_writes_the_other_infers_with_at_once() {
    on_both(|stage| {
        // Each server keeps a copy of all vectors; both have looked before.
        let mut other = stage.session();
        let chosen = |other: &mut toolwright_runtime::client::Client, at: usize| {
            let read = json!({"session_fingerprint": {"embedding": axis(at)}});
            let response = respond(other, "get_substrate", read);
            response["result"]["_meta"]["_basket_selection"]["primary"]["basket"]["id"].clone()
        };
        assert!(chosen(&mut other, 0).is_null());
        let first = stage.basket("Billing", 0);
        assert_eq!(chosen(&mut other, 0), json!(first));
        let second = stage.basket("Garden", 1);
        assert_eq!(chosen(&mut other, 1), json!(second));
        // A basket moves with what is put into it.
        for number in 0..6 {
            let arguments = json!({"content": format!("Thought {number}."), "basket_id": second,
                                   "session_fingerprint": {"embedding": axis(3)}});
            let response = respond(&mut other, "add_to_substrate", arguments);
            assert_eq!(response["result"]["isError"], false, "{response}");
        }
        let read = json!({"session_fingerprint": {"embedding": axis(3)}});
        let told = stage.owner().told("get_substrate", read);
        assert_eq!(told.selection()["primary"]["basket"]["id"], json!(second));
        let person = stage.person();
        stage.engine.change_basket(&person, &first, None, Some(Status::Archived)).unwrap();
        assert_ne!(chosen(&mut other, 0), json!(first));
        stage.engine.change_basket(&person, &first, None, Some(Status::Active)).unwrap();
        assert_eq!(chosen(&mut other, 0), json!(first));
    });
}

#[test]
fn a_confirmation_that_one_server_asks_for_is_taken_by_the_other() {
    on_both(|stage| {
        let basket = stage.basket("Billing", 0);
        let text = "Refunds take five days.";
        let told = stage.owner().add(text, &vector(&[1.0, 1.0]));
        let capture = text_of(&told.body["details"]["capture_id"]);
        let mut other = stage.session();
        let confirmed = json!({"content": text, "capture_id": capture});
        let response = respond(&mut other, "add_to_substrate", confirmed.clone());
        let stored = &response["result"]["structuredContent"];
        assert_eq!(stored["basket_id"], json!(basket), "{response}");
        assert_eq!(&stage.owner().ok("add_to_substrate", confirmed), stored);
        assert_eq!(stage.dumps(text), 1);
    });
}

#[test]
fn many_writers_of_one_basket_all_get_through() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    for number in 0..10 {
                        let text = format!("We decided that clerk {worker} takes bill {number}.");
                        stage.owner().lands(&text, &axis(0));
                    }
                });
            }
        });
        assert_eq!(stage.count("raw_dumps"), 81);
        let found = stage.owner().ok("get_substrate", json!({"limit": 1}));
        assert_eq!(found["total_count"], 81);
    });
}

#[test]
fn of_many_who_decide_about_a_proposal_one_does() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        for round in 0..3 {
            let text = format!("We decided to pay bill {round} of Acme before {round} March.");
            let added = stage.owner().lands(&text, &axis(0));
            let proposal = text_of(&added["proposal_id"]);
            let start = Barrier::new(8);
            let done: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|judge| {
                        let (start, proposal) = (&start, &proposal);
                        scope.spawn(move || {
                            let engine = engine(&stage.url, Arc::clone(&stage.clock));
                            start.wait();
                            match judge % 2 {
                                0 => engine.approve(&stage.person(), proposal, None),
                                _ => engine.reject(&stage.person(), proposal, None),
                            }
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 1, "{done:?}");
            for fault in done.into_iter().filter_map(Result::err) {
                assert!(matches!(fault, Fault::SettledProposal { .. }), "{fault:?}");
            }
        }
    });
}

#[test]
fn the_same_statement_proposed_twice_is_known_once() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let text = "We decided to keep all invoices of Acme for ten years in the archive.";
        let proposals: Vec<String> = ["a", "b", "c"]
            .map(|session| {
                let added = stage.owner().in_session(session).lands(text, &axis(0));
                text_of(&added["proposal_id"])
            })
            .to_vec();
        for proposal in &proposals {
            stage.engine.approve(&stage.person(), proposal, None).unwrap();
        }
        let found = stage.owner().ok("get_substrate", json!({"keywords": ["invoices"]}));
        let blocks = list(&found["substrate"]).iter().filter(|one| one["type"] == "block");
        assert_eq!(blocks.count(), 1, "{found}");
    });
}

#[test]
fn revisions_of_a_block_that_was_revised_meanwhile_lose_nothing() {
    on_both(|stage| {
        stage.basket("Billing", 0);
        let text = "We decided to keep all invoices of Acme for ten years in the archive.";
        stage.knows(text, &axis(0));
        let proposals = ["six", "seven"].map(|years| {
            let added = stage.owner().lands(&text.replace("ten", years), &axis(0));
            text_of(&added["proposal_id"])
        });
        for proposal in &proposals {
            stage.engine.approve(&stage.person(), proposal, None).unwrap();
        }
        let found =
            stage.owner().ok("get_substrate", json!({"keywords": ["invoices"], "limit": 200}));
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
    on_both(|stage| {
        let mut client = stage.session();
        respond(&mut client, "config_settings", json!({}));
        respond(&mut client, "get_substrate", json!({}));
        respond(&mut client, "add_to_substrate", addition("Nothing fits.", &axis(0)));
        assert!(client.close().expect("it ends").success());
        assert_eq!(stage.count("mcp_activity_logs"), 3);
    });
}
