//! A database that another release has indexed stays searchable.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::instance::{Instance, axis, engine, list, on_both, text_of};

const KEPT: &str = "We decided that Rosalind Franklin runs all deployments of Keukenhof. \
    Rosalind Franklin pays Keukenhof for every one of them.";

/// Kind and id of all that is found by a word, sorted.
fn found(instance: &Instance, word: &str) -> Vec<(String, String)> {
    let answer = instance
        .owner()
        .ok("get_substrate", json!({"keywords": [word], "match": "words", "limit": 100}));
    let mut found: Vec<_> = list(&answer["substrate"])
        .iter()
        .map(|entry: &Value| (text_of(&entry["type"]), text_of(&entry["id"])))
        .collect();
    found.sort();
    found
}

/// Takes out what the index holds, as if it had been made otherwise.
fn forget(instance: &Instance) {
    let words = match instance.url.starts_with("sqlite:") {
        true => "DELETE FROM substrate_words WHERE rowid > 0",
        false => "UPDATE substrate SET words = CAST('' AS tsvector)",
    };
    for statement in
        [words, "UPDATE blocks SET text_key = ''", "UPDATE block_bands SET band = band + 1"]
    {
        assert!(instance.execute(statement).unwrap() > 0, "{statement}");
    }
}

#[test]
fn what_an_earlier_release_indexed_is_indexed_anew_when_it_is_opened() {
    on_both(|instance| {
        instance.basket("Operations", 0);
        instance.remember(KEPT, &axis(0));
        let (by_stem, by_name) = (found(instance, "deployed"), found(instance, "keukenhof"));
        let kinds: BTreeSet<&str> = by_name.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(kinds.len(), 3, "a block, a name and a dump: {by_name:?}");
        assert_eq!(by_stem.len(), 2, "{by_stem:?}");
        let keys = || {
            let rows = instance.rows("SELECT band FROM block_bands ORDER BY block_id, band");
            let texts = instance.rows("SELECT text_key FROM blocks ORDER BY id");
            format!("{rows:?} {texts:?}")
        };
        let before = keys();

        forget(instance);
        engine(&instance.url, Arc::clone(&instance.clock)).ready().unwrap();
        assert_eq!(found(instance, "keukenhof"), [], "an index of this release is left as it is");

        instance.execute("UPDATE index_version SET version = 1").unwrap();
        engine(&instance.url, Arc::clone(&instance.clock)).ready().unwrap();
        assert_eq!((found(instance, "deployed"), found(instance, "keukenhof")), (by_stem, by_name));
        assert_eq!(keys(), before);
    });
}

#[test]
fn what_a_later_release_indexed_is_not_opened() {
    on_both(|instance| {
        instance.execute("UPDATE index_version SET version = 99").unwrap();
        let refused = engine(&instance.url, Arc::clone(&instance.clock)).ready().unwrap_err();
        assert!(refused.to_string().contains("created by a later release"), "{refused}");
    });
}
