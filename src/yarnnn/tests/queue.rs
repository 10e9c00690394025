//! Captures that fit no basket wait for a reviewer: durably, and they are replayed exactly once.

use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};

use serde_json::{Value, json};
use yarnnn::engine::Error;
use yarnnn::records::captures::Status;

use crate::instance::{Instance, addition, axis, engine, list, on_both, text_of, vector};

const TEXT: &str = "The garden needs water twice a week.";

/// Queues the text; the capture's id.
fn queued(instance: &Instance) -> String {
    let arguments = json!({
        "content": TEXT, "metadata": {"from": "a walk"},
        "governance": {"confidence": 0.4, "require_approval": true},
        "session_fingerprint": {"embedding": axis(7), "summary": "About the garden.",
                                "entities": ["Rosa"], "keywords": ["water"]}});
    let reply = instance.owner().call_ok("add_to_substrate", arguments);
    assert_eq!(reply.body["status"], "queued", "{}", reply.body);
    assert_eq!(reply.meta("_basket_selection")["decision"], "pick");
    text_of(&reply.body["capture_id"])
}

#[test]
fn a_queued_capture_is_kept_whole_and_outlives_the_server() {
    on_both(|instance| {
        let near = instance.basket("Billing", 0);
        let dumps = instance.count("raw_dumps");
        let capture = queued(instance);
        assert_eq!(instance.count("raw_dumps"), dumps);
        let other = engine(&instance.url, Arc::clone(&instance.clock));
        let kept = other.captures(&instance.operator(), Status::Pending, 10).unwrap();
        let [kept] = kept.as_slice() else { panic!("{kept:?}") };
        assert_eq!(kept.id, capture);
        assert_eq!(kept.payload.content, TEXT);
        assert_eq!(kept.payload.metadata["from"], "a walk");
        assert_eq!(kept.payload.confidence, Some(0.4));
        assert!(kept.payload.require_approval);
        assert_eq!(
            kept.fingerprint.embedding,
            axis(7).iter().map(|n| *n as f32).collect::<Vec<_>>()
        );
        assert_eq!(kept.fingerprint.entities, ["Rosa"]);
        assert_eq!(kept.summary, "About the garden.");
        assert_eq!(kept.candidates[0].id, near);
        assert_eq!((kept.source.user_id.as_str(), kept.source.host.as_str()), ("olga", "claude"));
        assert_eq!(kept.source.session.as_deref(), Some("session-1"));
    });
}

#[test]
fn three_baskets_are_shown_and_more_when_they_are_tied() {
    on_both(|instance| {
        for n in 0..5 {
            instance.basket(&format!("B{n}"), n);
        }
        let shown = |text: &str, session: &[f64]| {
            let reply = instance.owner().add(text, session);
            assert_eq!(reply.body["status"], "queued", "{}", reply.body);
            list(&reply.body["candidates"]).len()
        };
        assert_eq!(shown(TEXT, &vector(&[5.0, 4.0, 3.0, 2.0, 1.0, 9.0])), 3);
        assert_eq!(shown("Like all of them.", &vector(&[1.0, 1.0, 1.0, 1.0, 1.0])), 5);
        assert_eq!(shown("Like none of them.", &axis(7)), 5);
    });
}

#[test]
fn an_assigned_capture_goes_through_the_whole_pipeline_as_its_speaker_said_it() {
    on_both(|instance| {
        let basket = instance.basket("Garden", 1);
        let capture = queued(instance);
        let stored = instance.engine.assign(&instance.operator(), &capture, &basket).unwrap();
        assert_eq!(stored.basket_id, basket);
        assert_eq!(stored.governance_mode, "manual");
        assert!(stored.governance_reasons.contains(&"require_approval".to_owned()));
        let rows = instance.rows(&format!(
            "SELECT basket_id, user_id, source_host, source_session, source_meta FROM raw_dumps
             WHERE id = '{}'",
            stored.raw_dump_id
        ));
        let row = rows.first().expect("a dump");
        assert_eq!(row.get::<String>("basket_id").unwrap(), basket);
        assert_eq!(row.get::<String>("user_id").unwrap(), "olga");
        assert_eq!(row.get::<String>("source_host").unwrap(), "claude");
        assert_eq!(row.get::<String>("source_session").unwrap(), "session-1");
        assert_eq!(row.get::<String>("source_meta").unwrap(), r#"{"from":"a walk"}"#);
        let confidence: f64 = instance.value(&format!(
            "SELECT confidence AS x FROM proposals WHERE raw_dump_id = '{}'",
            stored.raw_dump_id
        ));
        assert_eq!(confidence, 0.4);
        // The basket's vector has moved: the next similar session selects it.
        let read = json!({"session_fingerprint": {"embedding": axis(7)}});
        let reply = instance.owner().call_ok("get_substrate", read);
        assert_eq!(reply.meta("_basket_selection")["primary"]["basket"]["id"], json!(basket));
        assert_eq!(reply.meta("_basket_selection")["primary"]["affinityBoost"], json!(1.0));
    });
}

/// Eight at once confirm the capture through the tool, each for a basket; what they got.
fn all_at_once(instance: &Instance, capture: &str, baskets: &[String]) -> Vec<Value> {
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let (start, basket) = (&start, &baskets[n % baskets.len()]);
                scope.spawn(move || {
                    start.wait();
                    let arguments =
                        json!({"content": TEXT, "capture_id": capture, "basket_id": basket});
                    instance.owner().call("add_to_substrate", &arguments).body
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn eight_that_assign_to_one_basket_write_once_and_get_one_answer() {
    on_both(|instance| {
        let basket = instance.basket("Garden", 1);
        let capture = queued(instance);
        let reply = all_at_once(instance, &capture, &[basket]);
        for body in &reply {
            assert_eq!(body, &reply[0]);
            assert_eq!(body["status"], "success", "{body}");
        }
        assert_eq!(instance.dumps(TEXT), 1);
        assert_eq!(instance.count("basket_signals"), 1);
        assert_eq!(instance.count("timeline_events WHERE kind = 'capture.assigned'"), 1);
    });
}

#[test]
fn of_eight_that_assign_to_different_baskets_one_wins() {
    on_both(|instance| {
        let baskets: Vec<String> = (0..4).map(|n| instance.basket(&format!("B{n}"), n)).collect();
        let capture = queued(instance);
        let reply = all_at_once(instance, &capture, &baskets);
        let won: BTreeSet<String> = reply
            .iter()
            .filter(|body| body["status"] == "success")
            .map(|body| text_of(&body["basket_id"]))
            .collect();
        assert_eq!(won.len(), 1, "{reply:?}");
        for body in reply.iter().filter(|body| body["status"] != "success") {
            assert_eq!(body["code"], "CAPTURE_SETTLED", "{body}");
            assert_eq!(body["details"]["status"], "assigned", "{body}");
        }
        assert_eq!(instance.dumps(TEXT), 1);
        let basket: String =
            instance.value("SELECT assigned_basket_id AS x FROM mcp_unassigned_captures");
        assert!(won.contains(&basket));
    });
}

#[test]
fn eight_people_at_eight_command_lines_replay_once() {
    on_both(|instance| {
        let baskets: Vec<String> =
            (0..8).map(|n| instance.basket(&format!("B{n}"), n % 4)).collect();
        let capture = queued(instance);
        let start = Barrier::new(8);
        let done: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = baskets
                .iter()
                .map(|basket| {
                    let (start, capture) = (&start, &capture);
                    scope.spawn(move || {
                        // Each with a memory of its own, as a process has.
                        let engine = engine(&instance.url, Arc::clone(&instance.clock));
                        start.wait();
                        engine.assign(&instance.operator(), capture, basket)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 1, "{done:?}");
        for error in done.into_iter().filter_map(Result::err) {
            assert!(matches!(error, Error::SettledCapture { .. }), "{error:?}");
        }
        assert_eq!(instance.dumps(TEXT), 1);
    });
}

#[test]
fn a_dismissed_capture_keeps_its_row_and_is_never_replayed() {
    on_both(|instance| {
        let basket = instance.basket("Garden", 1);
        let capture = queued(instance);
        instance.engine.dismiss(&instance.operator(), &capture).unwrap();
        let confirmed = json!({"content": TEXT, "capture_id": capture, "basket_id": basket});
        let body = instance.owner().fails("add_to_substrate", confirmed, "CAPTURE_SETTLED");
        assert_eq!(body["details"]["status"], "dismissed");
        assert!(instance.engine.assign(&instance.operator(), &capture, &basket).is_err());
        assert!(instance.engine.dismiss(&instance.operator(), &capture).is_err());
        assert_eq!(instance.dumps(TEXT), 0);
        let rows = instance
            .rows("SELECT status, resolved_by, resolved_at, payload FROM mcp_unassigned_captures");
        let row = rows.first().expect("the row stays");
        assert_eq!(row.get::<String>("status").unwrap(), "dismissed");
        assert_eq!(row.get::<String>("resolved_by").unwrap(), "olga");
        assert!(row.get::<String>("payload").unwrap().contains(TEXT));
        assert_eq!(instance.count("timeline_events WHERE kind = 'capture.dismissed'"), 1);
    });
}

#[test]
fn a_queued_capture_is_not_put_into_a_basket_that_nobody_named() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let capture = queued(instance);
        let unnamed = json!({"content": TEXT, "capture_id": capture});
        let reply = instance.owner().call("add_to_substrate", &unnamed);
        assert!(reply.is_error, "a basket was guessed: {}", reply.body);
        assert_eq!(reply.body["code"], "CONFIRMATION_REQUIRED", "{}", reply.body);
        assert_eq!(instance.dumps(TEXT), 0);
    });
}

#[test]
fn reads_are_never_queued() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let session = json!({"embedding": axis(7)});
        instance.owner().ok("get_substrate", json!({"session_fingerprint": session}));
        let idea = json!({"new_idea": "Billing is a topic.", "session_fingerprint": session});
        instance.owner().ok("validate_against_substrate", idea);
        assert_eq!(instance.count("mcp_unassigned_captures"), 0);
    });
}

#[test]
fn what_was_dismissed_may_be_said_again() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let again = || instance.owner().ok("add_to_substrate", addition(TEXT, &axis(3)));
        let (first, second) = (again(), again());
        assert_eq!(first["capture_id"], second["capture_id"]);
        let id = first["capture_id"].as_str().expect("an id");
        instance.engine.dismiss(&instance.operator(), id).expect("dismissed");
        let anew = again();
        assert_eq!(anew["status"], "queued");
        assert_ne!(anew["capture_id"], first["capture_id"]);
    });
}
