//! What `get_substrate` returns, and what it withholds.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwright_runtime::page::budget_bytes;
use yarnnn::governance::{Mode, Settings};

use crate::instance::{Instance, axis, list, on_both, text_of};

const KEPT: &str = "We decided to keep all invoices of Acme for ten years in the archive.";

fn smart(instance: &Instance) {
    instance.set_governance(&Settings { manual_edit: Mode::Hybrid, ..Settings::default() });
}

fn recall(instance: &Instance, arguments: Value) -> Value {
    instance.owner().ok("get_substrate", arguments)
}

fn blocks(found: &Value) -> Vec<String> {
    let blocks = list(&found["substrate"]).iter().filter(|entry| entry["type"] == "block");
    blocks.map(|entry| text_of(&entry["content"])).collect()
}

/// Sentences that have too little in common to be taken for one another.
fn sentences(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| {
            format!("We decided that alpha{n} beta{n} gamma{n} of Zeta{n} needs delta{n} epsilon{n} by {n} March.")
        })
        .collect()
}

#[test]
fn what_is_proposed_is_counted_and_not_shown() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        instance.owner().add_stored(KEPT, &axis(0));
        let found = recall(instance, json!({"basket_id": basket}));
        assert_eq!(blocks(&found), [] as [&str; 0]);
        assert_eq!((&found["total_count"], &found["hidden_count"]), (&json!(2), &json!(2)));
        let types: BTreeSet<String> =
            list(&found["substrate"]).iter().map(|entry| text_of(&entry["type"])).collect();
        assert_eq!(types, ["raw_dump".to_owned()].into());
    });
}

#[test]
fn a_revised_block_takes_the_place_of_the_old_one() {
    on_both(|instance| {
        smart(instance);
        let basket = instance.basket("Billing", 0);
        instance.owner().add_stored(KEPT, &axis(0));
        let revised = KEPT.replace("ten", "seven");
        let added = instance.owner().add_stored(&revised, &axis(0));
        assert_eq!(added["governance_mode"], "auto", "{added}");
        let found = recall(instance, json!({"basket_id": basket, "keywords": ["invoices"]}));
        assert_eq!(blocks(&found), [revised.as_str()]);
        let block =
            list(&found["substrate"]).iter().find(|entry| entry["type"] == "block").unwrap();
        assert_eq!(block["metadata"]["version"], 2, "{block}");
        assert!(!block.to_string().contains("ten years"), "the old title or numbers: {block}");
        assert_eq!(instance.count("blocks WHERE state = 'SUPERSEDED'"), 1);
        let old = recall(instance, json!({"basket_id": basket, "keywords": ["ten"]}));
        assert_eq!(blocks(&old), [] as [&str; 0], "{old}");
    });
}

#[test]
fn blocks_in_any_other_state_than_a_current_one_stay_hidden() {
    on_both(|instance| {
        smart(instance);
        let basket = instance.basket("Billing", 0);
        let added = instance.owner().add_stored(KEPT, &axis(0));
        let dump = text_of(&added["raw_dump_id"]);
        let (first, second) =
            ("Ada will write the plan until Friday.", "Refunds must never be late.");
        for text in [first, second] {
            let required = json!({"content": text, "basket_id": basket,
                "governance": {"require_approval": true},
                "session_fingerprint": {"embedding": axis(0)}});
            let added = instance.owner().ok("add_to_substrate", required);
            if text == second {
                let id = text_of(&added["proposal_id"]);
                instance.engine.reject(&instance.operator(), &id, None).unwrap();
            }
        }
        instance.engine.misrouted(&instance.operator(), &dump, None).unwrap();
        let found = recall(instance, json!({"basket_id": basket, "limit": 200}));
        let shown = found["substrate"].to_string();
        assert!(!blocks(&found).iter().any(|text| [KEPT, first, second].contains(&text.as_str())));
        assert!(!shown.contains(&dump), "a misrouted dump is shown: {shown}");
        // An idea is compared with none of them either.
        let idea = json!({"new_idea": "Refunds may be late.", "basket_id": basket});
        let compared = instance.owner().ok("validate_against_substrate", idea);
        assert_eq!(compared["conflicts"], json!([]), "{compared}");
    });
}

/// All entries, page by page.
fn pages(instance: &Instance, question: &Value) -> (Vec<String>, u64) {
    let (mut ids, mut offset) = (Vec::new(), 0);
    loop {
        let mut arguments = question.clone();
        arguments["offset"] = json!(offset);
        let found = recall(instance, arguments);
        let page = list(&found["substrate"]);
        ids.extend(page.iter().map(|entry| text_of(&entry["id"])));
        let size = serde_json::to_string(&found).expect("JSON").len();
        assert!(size <= budget_bytes(12_000), "an answer of {size} bytes");
        match found["next_offset"].as_u64() {
            Some(next) => {
                assert!(next > offset, "{found}");
                offset = next;
            }
            None => return (ids, found["total_count"].as_u64().expect("a number")),
        }
    }
}

#[test]
fn all_pages_together_are_everything_once() {
    on_both(|instance| {
        smart(instance);
        let basket = instance.basket("Billing", 0);
        for text in sentences(40) {
            // Long ones, so that the budget ends pages before the limit does.
            let text = format!("{text} {}", "So much is known of it by now. ".repeat(60));
            instance.owner().add_stored(&text, &axis(0));
        }
        instance.fill_vectors();
        for question in [
            json!({"limit": 7}),
            json!({"limit": 200}),
            json!({"limit": 200, "format": "prose"}),
            json!({"limit": 1, "keywords": ["march"]}),
            json!({"limit": 9, "keywords": ["alpha3", "beta7", "known"], "basket_id": basket}),
        ] {
            let (ids, total) = pages(instance, &question);
            let different: BTreeSet<&String> = ids.iter().collect();
            assert_eq!(ids.len(), different.len(), "doubles for {question}");
            assert_eq!(ids.len() as u64, total, "{question}");
            assert!(total > 30 || question["keywords"].is_array(), "{question}: {total}");
        }
    });
}

#[test]
fn a_snapshot_id_stays_exactly_as_long_as_the_answer() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let other = instance.basket("Garden", 1);
        let questions = [
            json!({}),
            json!({"basket_id": basket}),
            json!({"basket_id": other}),
            json!({"basket_id": basket, "keywords": ["billing"]}),
            json!({"basket_id": basket, "keywords": ["billing", "topic"]}),
            json!({"basket_id": basket, "anchors": ["problem"]}),
            json!({"basket_id": basket, "limit": 1}),
            json!({"basket_id": basket, "limit": 1, "offset": 1}),
        ];
        let ids = || -> Vec<String> {
            let all = questions.iter();
            all.map(|q| text_of(&recall(instance, q.clone())["substrate_snapshot_id"])).collect()
        };
        instance.fill_vectors();
        let first = ids();
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), questions.len());
        assert_eq!(ids(), first);
        // Neither reading, nor what waits for a basket, nor another workspace changes anything.
        instance.owner().add("Nothing fits.", &axis(7));
        let neighbour = instance.create_workspace("Nebenan", "otto");
        instance.user(Some(&neighbour.token)).ok(
            "create_memory_from_chat",
            json!({"conversation_history": "User: Hello Ada, we decided to go.",
                   "session_fingerprint": {"embedding": axis(0)}}),
        );
        instance.clock.advance(1000);
        assert_eq!(ids(), first);
        let added = instance.owner().add_stored(KEPT, &axis(0));
        let second = ids();
        assert_eq!(second[2], first[2], "the other basket is as it was");
        for at in [0, 1, 3, 4, 5, 6, 7] {
            assert_ne!(second[at], first[at], "{}", questions[at]);
        }
        instance
            .engine
            .approve(&instance.operator(), &text_of(&added["proposal_id"]), None)
            .unwrap();
        assert_ne!(ids()[1], second[1]);
    });
}

#[test]
fn words_are_found_without_accents_case_or_number() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        instance
            .owner()
            .add_stored("A conexão com São Paulo caiu; os Orçamentos também.", &axis(0));
        for keyword in
            ["conexão", "CONEXAO", "conexa\u{303}o", "sao paulo", "orcamento", "Orçamentos"]
        {
            let found = recall(instance, json!({"keywords": [keyword]}));
            assert_eq!(found["total_count"], 1, "{keyword}: {found}");
        }
        for keyword in ["conex", "paul", "the", "", "\u{200b}", "\"", "*", "a OR b", "-conexao x"] {
            let found = recall(instance, json!({"keywords": [keyword]}));
            let expected = u64::from(keyword.contains("conexao"));
            assert_eq!(found["total_count"], expected, "{keyword:?}: {found}");
        }
    });
}

#[test]
fn anchors_find_what_speaks_to_them() {
    on_both(|instance| {
        smart(instance);
        let made = instance.owner().ok(
            "create_memory_from_chat",
            json!({"conversation_history": "User: Hello.", "basket_name_suggestion": "Shop",
                   "anchor_suggestions": {"customer": "small bakeries", "season": "winter sale"},
                   "session_fingerprint": {"embedding": axis(0)}}),
        );
        assert_eq!(made["created"], true);
        let said = "We decided to serve small bakeries in Oslo before 1 March.";
        instance.remember(said, &axis(0));
        instance.remember("Refunds must never take longer than five days.", &axis(0));
        instance.remember("The conversion rate of the shop is 14 percent.", &axis(0));
        let of = |anchor: &str| blocks(&recall(instance, json!({"anchors": [anchor]})));
        assert_eq!(of("customer"), [said]);
        assert_eq!(of(" Customer "), [said]);
        assert_eq!(of("constraint"), ["Refunds must never take longer than five days."]);
        assert_eq!(of("Metrics"), of("metric"));
        assert_eq!(of("metric").len(), 1);
        assert_eq!(of("season"), [] as [&str; 0]);
        assert_eq!(of("customer\u{0}"), [] as [&str; 0]);
    });
}

#[test]
fn prose_says_the_same_as_the_entries() {
    on_both(|instance| {
        smart(instance);
        instance.basket("Billing", 0);
        instance.owner().add_stored(KEPT, &axis(0));
        let found = recall(instance, json!({"format": "prose", "keywords": ["invoices"]}));
        let prose = text_of(&found["prose"]);
        assert_eq!(prose.lines().count(), list(&found["substrate"]).len());
        assert!(prose.contains(&format!("decision: {KEPT}")), "{prose}");
        assert_eq!(recall(instance, json!({}))["prose"], Value::Null);
    });
}

#[test]
fn a_sure_session_narrows_to_its_basket_and_an_unsure_one_does_not() {
    on_both(|instance| {
        let billing = instance.basket("Billing", 0);
        instance.basket("Garden", 1);
        let of =
            |at: usize| recall(instance, json!({"session_fingerprint": {"embedding": axis(at)}}));
        let sure = of(0);
        assert_eq!((&sure["basket_id"], &sure["total_count"]), (&json!(billing), &json!(1)));
        let unsure = of(6);
        assert_eq!((&unsure["basket_id"], &unsure["total_count"]), (&Value::Null, &json!(2)));
    });
}

#[test]
fn limits_out_of_range_are_refused_with_the_range() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        for (name, value) in [
            ("limit", json!(0)),
            ("limit", json!(-1)),
            ("limit", json!(201)),
            ("limit", json!(1_000_000_000)),
            ("limit", json!(1e300)),
            ("limit", json!(1.5)),
            ("limit", json!("many")),
            ("offset", json!(-1)),
            ("offset", json!(1_000_000_001)),
        ] {
            let body =
                instance.owner().fails("get_substrate", json!({name: value}), "INVALID_ARGUMENTS");
            assert!(body.to_string().contains(name), "{body}");
        }
        let far = recall(instance, json!({"offset": 1_000_000_000}));
        assert_eq!((&far["substrate"], &far["total_count"]), (&json!([]), &json!(1)));
        assert_eq!(far["next_offset"], Value::Null);
    });
}

#[test]
fn a_new_idea_is_held_against_what_is_approved() {
    on_both(|instance| {
        smart(instance);
        let basket = instance.basket("Billing", 0);
        instance.remember("Refunds must never take longer than five days.", &axis(0));
        let idea = json!({"new_idea": "Refunds may take longer than five days.",
                          "session_fingerprint": {"embedding": axis(0)}});
        let reply = instance.owner().call_ok("validate_against_substrate", idea);
        assert_eq!(reply.body["recommendation"], "revise", "{}", reply.body);
        assert_eq!(reply.body["conflicts"][0]["conflict_type"], "contradiction");
        assert_eq!(reply.body["basket_id"], json!(basket));
        assert_eq!(reply.meta("_basket_selection")["decision"], "auto");
        let unrelated = json!({"new_idea": "Elephants sleep standing up."});
        let nothing = instance.owner().ok("validate_against_substrate", unrelated);
        assert_eq!((&nothing["alignment_score"], &nothing["conflicts"]), (&json!(0.5), &json!([])));
    });
}

#[test]
fn an_idea_that_contradicts_everything_is_reported_within_the_budget() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let names =
            |number: usize| (0..35).map(|n| format!("Office{number}x{n}")).collect::<Vec<_>>();
        for number in 0..60 {
            let text =
                format!("Gateway{number} must support exports to {}.", names(number).join(", "));
            instance.remember_in(&basket, &text);
        }
        let idea: Vec<String> =
            (0..60).map(|n| format!("Gateway{n} must not support exports.")).collect();
        for evidence in [true, false] {
            let idea = idea.join(" ");
            let arguments = json!({"new_idea": idea, "return_evidence": evidence});
            let reply = instance.owner().ok("validate_against_substrate", arguments);
            assert!(list(&reply["conflicts"]).len() > 20, "{reply}");
        }
    });
}
