//! What was forgotten is in no file of the database any more, and in no dump of a server.

use std::path::Path;

use serde_json::json;
use yarnnn::engine::Edit;

use crate::instance::{Instance, axis, text_of};
use crate::postgres::postgres;

/// Words that nothing else has; short, because an index may store the ends of words only.
const WORDS: [&str; 4] = ["uibblewick", "anzibarrier", "ordaunter", "ickleburgh"];
const TEXT: &str = "We decided that Quibblewick pays 4711 guilders to Zanzibarrier every week.";

/// Says things in every way that leaves a record, then forgets them all.
fn say_and_forget(instance: &Instance) {
    let garden = instance.basket("Garden", 0);
    let other = instance.basket("Billing", 1);
    let owner = instance.owner();
    let session = |embedding: Vec<f64>| {
        json!({"embedding": embedding, "summary": "Quibblewick owes Zanzibarrier money.",
               "entities": ["Quibblewick"], "keywords": ["zanzibarrier"]})
    };
    let say = |text: &str, more: serde_json::Value| {
        let mut arguments = json!({"content": text, "metadata": {"note": "Mordaunter"},
                                   "session_fingerprint": session(axis(0))});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        owner.call("add_to_substrate", &arguments).body
    };
    let operator = instance.operator();
    let engine = &instance.engine;
    // Edited and approved, then said again in other words.
    let added = say(TEXT, json!({"basket_id": garden}));
    let id = text_of(&added["proposal_id"]);
    let content = "Quibblewick pays 4712 guilders to Nickleburgh every week.";
    let edit = Edit { content, title: Some("Nickleburgh"), semantic_type: None, seen: None };
    engine.edit(&operator, &id, 0, &edit).unwrap();
    engine.approve(&operator, &id, Some("Mordaunter says so")).unwrap();
    let later = say(
        "Quibblewick pays 4713 guilders to Zanzibarrier every week.",
        json!({"basket_id": garden}),
    );
    engine.approve(&operator, &text_of(&later["proposal_id"]), None).unwrap();
    // Rejected.
    let wrong =
        say("Zanzibarrier must move to Nickleburgh in March.", json!({"basket_id": garden}));
    engine.reject(&operator, &text_of(&wrong["proposal_id"]), Some("No Nickleburgh.")).unwrap();
    // Queued and dismissed, with the text of the first; queued and assigned; moved.
    let far = json!({"session_fingerprint": session(axis(7))});
    let dismissed = say(TEXT, far.clone());
    engine.dismiss(&operator, &text_of(&dismissed["capture_id"])).unwrap();
    let queued = say("Zanzibarrier wants Quibblewick to pay on Mondays.", far);
    engine.assign(&operator, &text_of(&queued["capture_id"]), &other).unwrap();
    let moved = say("Mordaunter was told that Quibblewick is late.", json!({"basket_id": garden}));
    engine.misrouted(&operator, &text_of(&moved["raw_dump_id"]), Some(&other)).unwrap();
    // A basket whose name is made of the text.
    owner.ok(
        "create_memory_from_chat",
        json!({"conversation_history": "User: Quibblewick met Zanzibarrier in Nickleburgh.",
               "new_basket": true, "anchor_suggestions": {"customer": "Quibblewick"},
               "session_fingerprint": session(axis(3))}),
    );
    // Reads are recorded, too.
    owner.ok("get_substrate", json!({"session_fingerprint": session(axis(0))}));
    owner.ok("validate_against_substrate", json!({"new_idea": "Quibblewick pays nothing."}));
    let said = "raw_dumps WHERE body_md LIKE '%Quibblewick%' OR body_md LIKE '%Zanzibarrier%'";
    assert!(instance.count(said) >= 6);
    while instance.count(said) > 0 {
        let dump: String = instance.value(&format!("SELECT min(id) AS x FROM {said}"));
        engine.forget(&operator, &dump, "asked to").unwrap();
    }
    let recalled = owner
        .ok("get_substrate", json!({"keywords": ["guilders", "Quibblewick"], "match": "words"}));
    assert_eq!(recalled["total_count"], 0, "{recalled}");
}

fn found(bytes: &[u8], word: &str) -> usize {
    let lower = bytes.to_ascii_lowercase();
    lower.windows(word.len()).filter(|window| *window == word.as_bytes()).count()
}

fn holds(folder: &Path, word: &str) -> Vec<(String, usize)> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let counts = files.map(|file| {
        let bytes = std::fs::read(file.path()).expect("a file");
        (file.file_name().to_string_lossy().into_owned(), found(&bytes, word))
    });
    counts.filter(|(_, count)| *count > 0).collect()
}

#[test]
fn no_file_holds_a_forgotten_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("yarnnn.db").display());
    let instance = Instance::new(&url, tempfile::tempdir().expect("a folder"));
    // Free pages and the log of a release that did not overwrite what it deleted.
    instance.execute_outside(
        "PRAGMA secure_delete = OFF; CREATE TABLE old (text TEXT);
         INSERT INTO old SELECT 'Quibblewick of old' FROM sqlite_schema; DROP TABLE old;",
    );
    assert!(!holds(folder.path(), WORDS[0]).is_empty(), "the search finds what is there");
    say_and_forget(&instance);
    crate::integrity::is_whole(&instance);
    let log = folder.path().join("yarnnn.db-wal");
    assert_eq!(std::fs::metadata(&log).map_or(0, |log| log.len()), 0, "the log is empty at once");
    for word in WORDS {
        assert_eq!(holds(folder.path(), word), [], "{word}, while it is open");
    }
    drop(instance);
    for word in WORDS {
        assert_eq!(holds(folder.path(), word), [], "{word}, after shutdown");
    }
}

#[test]
fn no_dump_of_a_server_holds_a_forgotten_text() {
    let Some(url) = postgres() else { return };
    let instance = Instance::new(&url, tempfile::tempdir().expect("a folder"));
    say_and_forget(&instance);
    crate::integrity::is_whole(&instance);
    let tables = instance.rows(
        "SELECT tablename AS x FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename",
    );
    assert!(tables.len() > 15);
    for table in &tables {
        let table: String = table.get("x").expect("a name");
        for row in instance.rows(&format!("SELECT CAST(t.* AS TEXT) AS x FROM \"{table}\" t")) {
            let row: String = row.get("x").expect("text");
            for word in WORDS {
                assert_eq!(found(row.as_bytes(), word), 0, "{word} in {table}: {row}");
            }
        }
    }
}
