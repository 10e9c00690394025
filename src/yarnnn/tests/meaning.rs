//! Search by meaning, and reading raw dumps: what is found, what is not, and what is erased.

use std::sync::Arc;

use serde_json::{Value, json};
use yarnnn::governance::{Mode, Settings};

use crate::instance::{Instance, axis, engine, list, on_both, text_of};

const KEPT: &str = "We keep all invoices of Acme for ten years.";
const ASKED: &str = "What is the retention period of bills?";

fn recall(instance: &Instance, arguments: Value) -> Value {
    instance.owner().ok("get_substrate", arguments)
}

fn blocks(found: &Value) -> Vec<String> {
    let blocks = list(&found["substrate"]).iter().filter(|entry| entry["type"] == "block");
    blocks.map(|entry| text_of(&entry["content"])).collect()
}

fn smart(instance: &Instance) {
    instance.set_governance(&Settings { manual_edit: Mode::Hybrid, ..Settings::default() });
}

#[test]
fn a_question_without_any_common_word_finds_the_statement() {
    on_both(|instance| {
        smart(instance);
        instance.basket("Office", 0);
        instance.remember(KEPT, &axis(0));
        instance.remember("The kitchen walls become sage green.", &axis(0));
        instance.fill_vectors();
        for how in ["both", "meaning"] {
            let found = recall(instance, json!({"keywords": [ASKED], "match": how}));
            assert_eq!(blocks(&found).first().map(String::as_str), Some(KEPT), "{how}: {found}");
            assert_eq!(found["matched"], how);
        }
        let words = recall(instance, json!({"keywords": [ASKED], "match": "words"}));
        assert_eq!((&words["substrate"], &words["matched"]), (&json!([]), &json!("words")));
        assert_eq!(recall(instance, json!({}))["matched"], Value::Null);
        // Only in its own basket and by its anchors.
        let other = instance.basket("Garden", 1);
        let elsewhere = json!({"keywords": [ASKED], "basket_id": other});
        assert_eq!(blocks(&recall(instance, elsewhere)), [] as [&str; 0]);
        let anchored = json!({"keywords": [ASKED], "anchors": ["no such anchor"]});
        assert_eq!(recall(instance, anchored)["total_count"], 0);
    });
}

#[test]
fn a_question_in_another_language_is_answered_by_words_which_the_answer_says() {
    on_both(|instance| {
        instance.basket("Office", 0);
        instance.owner().add_stored("Wir bewahren die Rechnungen zehn Jahre auf.", &axis(0));
        let asked = json!({"keywords": ["Wie lange bewahren wir die Rechnungen auf?"]});
        let found = recall(instance, asked);
        assert_eq!((&found["matched"], &found["total_count"]), (&json!("words"), &json!(1)));
    });
}

#[test]
fn vectors_go_with_what_they_stand_for() {
    on_both(|instance| {
        smart(instance);
        instance.basket("Office", 0);
        let dump = instance.remember(KEPT, &axis(0));
        instance.fill_vectors();
        let before = instance.count("substrate_vectors");
        instance.engine.forget(&instance.operator(), &dump, "asked for").unwrap();
        assert_eq!(instance.count("substrate_vectors"), before - 2, "the dump and its block");
        let found = recall(instance, json!({"keywords": [ASKED]}));
        assert!(!found.to_string().contains("invoices"), "{found}");
    });
}

#[test]
fn another_server_finds_what_this_one_adds_and_removes() {
    on_both(|instance| {
        smart(instance);
        instance.basket("Office", 0);
        let other = engine(&instance.url, Arc::clone(&instance.clock));
        let asked = || {
            let found = instance.user_of(&other).ok("get_substrate", json!({"keywords": [ASKED]}));
            blocks(&found)
        };
        assert_eq!(asked(), [] as [&str; 0]);
        let dump = instance.remember(KEPT, &axis(0));
        instance.fill_vectors();
        assert_eq!(asked(), [KEPT]);
        instance.engine.misrouted(&instance.operator(), &dump, None).unwrap();
        assert_eq!(asked(), [] as [&str; 0]);
    });
}

#[test]
fn what_has_no_vector_yet_gets_one_when_memory_is_searched() {
    on_both(|instance| {
        smart(instance);
        instance.basket("Office", 0);
        instance.remember(KEPT, &axis(0));
        instance.execute("DELETE FROM substrate_vectors").unwrap();
        let again = engine(&instance.url, Arc::clone(&instance.clock));
        instance.fill_vectors();
        assert_eq!(
            instance.count("substrate_vectors"),
            instance.count("substrate WHERE kind <> 'item'")
        );
        let found = instance.user_of(&again).ok("get_substrate", json!({"keywords": [ASKED]}));
        assert_eq!(blocks(&found), [KEPT]);
        instance.execute("DELETE FROM substrate_vectors").unwrap();
        instance.remember("The kitchen walls become sage green.", &axis(0));
        // By itself, while others search.
        while blocks(&recall(instance, json!({"keywords": [ASKED]}))) != [KEPT] {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    });
}

#[test]
fn a_long_raw_dump_is_read_whole_in_parts() {
    on_both(|instance| {
        instance.basket("Office", 0);
        let said: Vec<String> =
            (0..2_500).map(|n| format!("\"Größe\" {n}:\tKäthe misst 値段 {n} m.\n")).collect();
        let text = said.concat();
        let added = instance.owner().add_stored(&text, &axis(0));
        let id = text_of(&added["raw_dump_id"]);
        let listed = recall(instance, json!({"keywords": ["käthe"], "match": "words"}));
        let entry = list(&listed["substrate"]).iter().find(|entry| entry["id"] == id.as_str());
        assert_eq!(entry.unwrap()["metadata"]["cut"], true);
        let (mut whole, mut offset, mut parts) = (String::new(), 0, 0);
        loop {
            let part = recall(instance, json!({"raw_dump_id": id, "offset": offset}));
            assert_eq!(part["total_count"], 1);
            assert_eq!(part["substrate"][0]["metadata"]["cut"], Value::Null);
            whole.push_str(&text_of(&part["substrate"][0]["content"]));
            parts += 1;
            match part["next_offset"].as_u64() {
                Some(next) => offset = next,
                None => break,
            }
            assert_eq!(whole.chars().count() as u64, offset);
        }
        assert!(parts > 2, "{parts}");
        assert_eq!(whole, text);
        let past = recall(instance, json!({"raw_dump_id": id, "offset": 1_000_000_000}));
        assert_eq!(
            (&past["substrate"][0]["content"], &past["next_offset"]),
            (&json!(""), &Value::Null)
        );
        // Neither another workspace nor a withdrawn dump can be read.
        let neighbour = instance.create_workspace("Nebenan", "otto");
        let asked = json!({"raw_dump_id": id});
        let other = instance.user(Some(&neighbour.token));
        other.fails("get_substrate", asked.clone(), "RAW_DUMP_NOT_FOUND");
        instance.engine.misrouted(&instance.operator(), &id, None).unwrap();
        instance.owner().fails("get_substrate", asked, "RAW_DUMP_NOT_FOUND");
    });
}
