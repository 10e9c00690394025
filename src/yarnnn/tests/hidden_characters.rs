//! Invisible characters: none in anything a reviewer reads, and a NUL is harmless anywhere.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright_runtime::ask::{AskOutcome, Asker, Question, Reply};

use crate::instance::{Instance, axis, list, on_both, text_of, vector};

/// Zero-width, direction, tag and control characters, each of which hides something.
const HIDDEN: &[char] = &[
    '\u{200b}',
    '\u{200c}',
    '\u{2060}',
    '\u{feff}',
    '\u{202e}',
    '\u{2066}',
    '\u{e0041}',
    '\u{ad}',
    '\u{1b}',
    '\u{8}',
    '\u{7f}',
    '\u{85}',
    '\u{0}',
];

fn hides(text: &str) -> Option<char> {
    text.chars().find(|c| HIDDEN.contains(c) || c.is_control() && !"\n\t".contains(*c))
}

/// The text with something hidden between all of its letters.
fn laced(text: &str) -> String {
    let mut all = String::new();
    for (index, letter) in text.chars().enumerate() {
        all.push(letter);
        all.push(HIDDEN[index % HIDDEN.len()]);
    }
    all
}

#[track_caller]
fn visible(what: &str, value: &Value) {
    match value {
        Value::String(text) => assert_eq!(hides(text), None, "{what}: {text:?}"),
        Value::Array(items) => items.iter().for_each(|item| visible(what, item)),
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            assert_eq!(hides(key), None, "{what}: {key:?}");
            visible(what, member);
        }),
        _ => {}
    }
}

/// Everything of the database that people are shown.
fn nothing_hidden_in(instance: &Instance) {
    for (table, columns) in [
        ("baskets", "name"),
        ("basket_anchors", "anchor_key || label"),
        ("blocks", "title || content || metadata"),
        ("context_items", "title || synonyms"),
        ("proposals", "ops || validator_report"),
        ("reflections_artifact", "headline || body"),
        ("basket_signatures", "summary || anchors || entities || keywords"),
        ("mcp_unassigned_captures", "summary"),
        ("substrate_relationships", "description"),
        ("timeline_events", "preview || payload || coalesce(source_session, '')"),
        (
            "mcp_activity_logs",
            "host || coalesce(fingerprint_summary, '') || coalesce(session_id, '')",
        ),
    ] {
        for row in instance.rows(&format!("SELECT {columns} AS x FROM {table}")) {
            let text: String = row.get("x").expect("text");
            // A column of JSON has its own way to write them.
            let read: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
            visible(table, &read);
        }
    }
}

#[test]
fn nothing_that_a_person_reads_hides_anything() {
    on_both(|instance| {
        let user = instance
            .owner()
            .through(&laced("Curious Client"))
            .in_session(&laced("session"))
            .with_meta("other", json!(laced("meta")));
        let session = |at: usize| {
            json!({"embedding": axis(at), "summary": laced("We spoke of Acme."),
                   "intent": laced("ask"), "entities": [laced("Acme"), "\u{200b}"],
                   "keywords": [laced("archive")], "embedding_model": laced("model")})
        };
        let chat =
            laced("User: We decided to keep all invoices of Acme for ten years. Acme agreed.");
        let made = user.ok(
            "create_memory_from_chat",
            json!({"conversation_history": chat, "basket_name_suggestion": laced("Billing"),
                   "anchor_suggestions": {laced("vision"): laced("ten years of invoices")},
                   "session_fingerprint": session(0)}),
        );
        visible("made", &made);
        assert_eq!(made["basket_name"], "Billing");
        assert_eq!(made["proposed_blocks"], 2, "{made}");
        instance
            .engine
            .approve(&instance.operator(), &text_of(&made["proposal_id"]), None)
            .unwrap();
        let unnamed = json!({"conversation_history": laced("User: Gardens of Rosa need water."),
                             "session_fingerprint": session(2), "new_basket": true});
        visible("unnamed", &user.ok("create_memory_from_chat", unnamed));
        for (at, text) in [(0, "Refunds must never be late."), (7, "Nothing of the kind.")] {
            let reply = user.call(
                "add_to_substrate",
                &json!({"content": laced(text), "metadata": {laced("a"): laced("b")},
                        "session_fingerprint": session(at)}),
            );
            visible(text, &reply.body);
            visible(text, &reply.response["result"]["_meta"]);
        }
        let found = user.ok("get_substrate", json!({"format": "prose", "limit": 200}));
        visible("found", &found);
        let dumps = list(&found["substrate"]).iter().filter(|one| one["type"] == "raw_dump");
        assert!(
            dumps
                .map(|one| text_of(&one["content"]))
                .any(|text| text.contains("Refunds must never"))
        );
        let laced_words = user.ok("get_substrate", json!({"keywords": [laced("invoices")]}));
        assert_eq!(laced_words["total_count"], 2, "{laced_words}");
        let idea = json!({"new_idea": laced("Invoices of Acme are kept for two years."),
                          "focus_areas": [laced("invoices")]});
        visible("compared", &user.ok("validate_against_substrate", idea));
        nothing_hidden_in(instance);
    });
}

/// Says yes, and remembers what it was asked.
#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Asker for Listener {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>> {
        self.0.lock().expect("no panic").push(question.message.clone());
        Box::pin(std::future::ready(AskOutcome::Answered(Reply::Yes)))
    }
}

#[test]
fn a_question_hides_nothing() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let listener = Arc::new(Listener::default());
        let user = instance.owner().with_asker(Arc::clone(&listener) as Arc<dyn Asker>);
        let reply = user.add(&laced("Refunds take five days."), &vector(&[1.0, 1.0]));
        assert_eq!(reply.body["status"], "success", "{}", reply.body);
        let asked = listener.0.lock().expect("no panic").clone();
        assert_eq!(asked.len(), 1);
        assert!(asked[0].contains("Refunds take five days."), "{asked:?}");
        assert_eq!(hides(&asked[0]), None, "{asked:?}");
    });
}

#[test]
fn a_text_with_nothing_to_see_is_no_text() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        for text in ["\u{200b}", " \n\t ", "\u{0}", "\u{feff}\u{2060}\u{1b}", "\u{a0}\u{2003}"] {
            let fingerprint = json!({"embedding": axis(0)});
            let write = json!({"content": text, "session_fingerprint": fingerprint});
            instance.owner().fails("add_to_substrate", write, "EMPTY_TEXT");
            let chat = json!({"conversation_history": text, "session_fingerprint": fingerprint});
            instance.owner().fails("create_memory_from_chat", chat, "EMPTY_TEXT");
            let idea = json!({"new_idea": text});
            instance.owner().fails("validate_against_substrate", idea, "EMPTY_TEXT");
        }
        let empty = json!({"content": "", "session_fingerprint": {"embedding": axis(0)}});
        instance.owner().fails("add_to_substrate", empty, "INVALID_ARGUMENTS");
        assert_eq!(instance.count("raw_dumps"), 1);
    });
}

#[test]
fn a_nul_anywhere_is_never_a_defect() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let nul = "a\u{0}b";
        let fingerprint = json!({"embedding": axis(0), "summary": nul, "intent": nul,
            "entities": [nul], "keywords": [nul]});
        let mut named = fingerprint.clone();
        named["embedding_model"] = json!(nul);
        let user = instance.owner().in_session(nul).through(nul);
        let calls = [
            ("get_substrate", json!({"basket_id": nul}), "BASKET_NOT_FOUND"),
            ("get_substrate", json!({"keywords": [nul], "anchors": [nul, "\u{0}"]}), ""),
            ("get_substrate", json!({"session_fingerprint": named}), ""),
            (
                "validate_against_substrate",
                json!({"new_idea": nul, "basket_id": nul}),
                "BASKET_NOT_FOUND",
            ),
            (
                "validate_against_substrate",
                json!({"new_idea": "We\u{0} decided", "focus_areas": [nul]}),
                "",
            ),
            ("add_to_substrate", json!({"content": nul, "capture_id": nul}), "CAPTURE_NOT_FOUND"),
            (
                "add_to_substrate",
                json!({"content": nul, "basket_id": nul,
                "session_fingerprint": fingerprint}),
                "BASKET_NOT_FOUND",
            ),
            (
                "add_to_substrate",
                json!({"content": "We decided\u{0} to stay.", "idempotency_key": nul,
                "metadata": {nul: {nul: [nul]}}, "session_fingerprint": fingerprint}),
                "",
            ),
            (
                "add_to_substrate",
                json!({"content": "Nothing\u{0} fits.", "idempotency_key": "\u{0}",
                "session_fingerprint": {"embedding": axis(5), "summary": nul}}),
                "",
            ),
            (
                "create_memory_from_chat",
                json!({"conversation_history": "User: We\u{0} decided to go.",
                "basket_name_suggestion": nul, "anchor_suggestions": {nul: nul, "\u{0}": "\u{0}"},
                "new_basket": true, "idempotency_key": nul, "session_fingerprint": named}),
                "",
            ),
        ];
        for (tool, arguments, code) in calls {
            let reply = user.call(tool, &arguments);
            assert_eq!(
                reply.body["code"].as_str().unwrap_or_default(),
                code,
                "{tool} {arguments}: {}",
                reply.body
            );
        }
        let stored: String = instance.value(&format!(
            "SELECT body_md AS x FROM raw_dumps WHERE basket_id = '{basket}' ORDER BY created_at DESC LIMIT 1"
        ));
        assert!(
            ["We decided to stay.", "User: We decided that Billing is a topic of its own."]
                .contains(&stored.as_str())
        );
        assert_eq!(instance.dumps("We decided to stay."), 1);
        for token in ["\u{0}", "yit_\u{0}", &format!("{}\u{0}", instance.tenant.token)] {
            let reply = instance.user(Some(token)).call("config_settings", &json!({}));
            assert_eq!(reply.protocol_code, Some(-32600));
        }
    });
}

#[test]
fn a_held_text_with_a_nul_can_be_confirmed() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let text = "Refunds\u{0} take five days.";
        let reply = instance.owner().add(text, &vector(&[1.0, 1.0]));
        let capture = text_of(&reply.body["details"]["capture_id"]);
        let confirmed = json!({"content": text, "capture_id": capture});
        instance.owner().ok("add_to_substrate", confirmed);
        assert_eq!(instance.dumps("Refunds take five days."), 1);
    });
}

#[test]
fn spans_point_at_the_bytes_of_the_dump() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let texts = [
            "\u{0}\u{0}Ünïcödé first. We decided to keep all invoices of Acme for ten years."
                .to_owned(),
            laced("We decided to pay refunds to Globex within five days."),
            "\u{feff}日本語。 We decided to move the checkout of Initech to Stripe before 1 March."
                .to_owned(),
        ];
        for text in &texts {
            instance.remember(text, &axis(0));
        }
        let found = instance.owner().ok("get_substrate", json!({"limit": 200}));
        let mut checked = 0;
        for block in list(&found["substrate"]).iter().filter(|one| one["type"] == "block") {
            let dump = text_of(&block["metadata"]["raw_dump_id"]);
            let body: String =
                instance.value(&format!("SELECT body_md AS x FROM raw_dumps WHERE id = '{dump}'"));
            for span in list(&block["metadata"]["spans"]) {
                let at =
                    |end: &str| usize::try_from(span[end].as_u64().expect("a number")).unwrap();
                let quote = body.get(at("start")..at("end")).expect("whole characters");
                let quote: String =
                    quote.chars().filter(|c| hides(&c.to_string()).is_none()).collect();
                assert_eq!(quote.trim(), text_of(&block["content"]), "{block}");
                checked += 1;
            }
        }
        assert!(checked >= 3, "{found}");
    });
}

#[test]
fn evidence_points_at_the_bytes_of_the_idea() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        instance.remember_in(&basket, "Refunds must never take longer than five days.");
        let idea = format!("é\u{200b}{}", laced(" Fine. Refunds may take longer than five days."));
        let reply = instance.owner().ok("validate_against_substrate", json!({"new_idea": idea}));
        let evidence = &reply["conflicts"][0]["evidence"];
        let at = |end: &str| {
            let byte = evidence["idea_span"][end].as_u64().unwrap_or_else(|| panic!("{reply}"));
            usize::try_from(byte).expect("small")
        };
        let quote = idea.get(at("start")..at("end")).expect("whole characters");
        let quote: String = quote.chars().filter(|c| hides(&c.to_string()).is_none()).collect();
        assert_eq!(json!(quote), evidence["idea_quote"], "{reply}");
    });
}
