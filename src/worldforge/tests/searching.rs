//! Search: case and accents are ignored, prefixes match, pages are stable with exact totals, and input
//! is never a query language. Both stores find the same.

use serde_json::{Value, json};

use crate::instance::{Instance, list, on_both, text};
use crate::random_worlds::sentence;
use crate::user::TestUser;
use toolwright_testing::random::Random;

on_both! {
    words_are_found_without_case_and_accents_by_their_beginning
    pages_have_no_doubles_and_no_gaps
    signs_and_operators_are_words
    types_filter
    long_answers_are_cut_at_whole_items
}

fn names(user: &TestUser, arguments: Value) -> Vec<String> {
    let found = user.ok("entity.search", arguments.clone());
    let names: Vec<String> = list(&found["items"]).iter().map(|item| text(&item["name"])).collect();
    if arguments.get("limit").is_none() {
        assert_eq!(found["total"], json!(names.len()), "{arguments}");
    }
    names
}

fn words_are_found_without_case_and_accents_by_their_beginning(instance: &Instance) {
    let user = instance.writer();
    for (name, summary, tags) in [
        ("Conexão Perdida", "Uma estação.", json!(["Órbita"])),
        ("ÉLODIE O’Brien", "Straße am Fluß.", json!([])),
        ("Łódź Station", "Where Conexão ends.", json!(["rail-way"])),
        ("İstanbul", "東京 twin.", json!([])),
    ] {
        user.entity_with(json!({"type": "LORE", "name": name, "summary": summary, "tags": tags}));
    }
    let editor = instance.editor();
    for (query, expected) in [
        ("conexao", vec!["Conexão Perdida", "Łódź Station"]),
        ("CONEXÃO", vec!["Conexão Perdida", "Łódź Station"]),
        ("cone", vec!["Conexão Perdida", "Łódź Station"]),
        ("perdida conexao", vec!["Conexão Perdida"]),
        ("per con", vec!["Conexão Perdida"]),
        ("orbita", vec!["Conexão Perdida"]),
        ("elodie", vec!["ÉLODIE O’Brien"]),
        ("brien", vec!["ÉLODIE O’Brien"]),
        ("strasse", vec!["ÉLODIE O’Brien"]),
        ("lodz", vec!["Łódź Station"]),
        ("way", vec!["Łódź Station"]),
        ("istanbul", vec!["İstanbul"]),
        ("東京", vec!["İstanbul"]),
        ("nexao", vec![]),
        ("conexao zeppelin", vec![]),
    ] {
        assert_eq!(names(&editor, json!({"query": query})), expected, "{query}");
    }
    // What changes is found anew, and no longer as before.
    let id = text(&editor.ok("entity.search", json!({"query": "lodz"}))["items"][0]["_id"]);
    user.ok("entity.upsert", json!({"entity": {"entityId": id, "name": "Kraków"}}));
    assert_eq!(names(&editor, json!({"query": "krakow"})), ["Kraków"]);
    assert_eq!(names(&editor, json!({"query": "lodz"})), Vec::<String>::new());
}

fn pages_have_no_doubles_and_no_gaps(instance: &Instance) {
    let (user, random) = (instance.writer(), &mut Random::seeded());
    let mut made: Vec<String> = (0..53)
        .map(|_| user.entity_with(json!({"type": "ITEM", "name": sentence(random, "common")})))
        .collect();
    for query in ["common", "", "comm"] {
        let mut seen = Vec::new();
        loop {
            let page = json!({"query": query, "limit": 7, "offset": seen.len()});
            let found = user.ok("entity.search", page);
            assert_eq!(found["total"], 53);
            let items = list(&found["items"]);
            assert!(items.len() <= 7);
            if items.is_empty() {
                break;
            }
            seen.extend(items.iter().map(|item| text(&item["_id"])));
        }
        let whole = user.ok("entity.search", json!({"query": query, "limit": 200}));
        let whole: Vec<String> =
            list(&whole["items"]).iter().map(|item| text(&item["_id"])).collect();
        assert_eq!(seen, whole, "pages are the whole in pieces");
        seen.sort();
        made.sort();
        assert_eq!(seen, made);
    }
    let beyond = user.ok("entity.search", json!({"query": "", "offset": 1_000_000}));
    assert_eq!(beyond, json!({"items": [], "total": 53}));
}

fn signs_and_operators_are_words(instance: &Instance) {
    let user = instance.writer();
    user.entity("ITEM", "Rope and anchor");
    user.entity("ITEM", "gt 100% cotton");
    let editor = instance.editor();
    for query in [
        "{\"$gt\": \"\"}",
        "$where",
        "{\"$regex\": \".*\"}",
        "'; DROP TABLE entities; --",
        "\"",
        "'",
        "*",
        "rope*",
        "ro*",
        "name:rope",
        "rope NEAR anchor",
        "^rope",
        "(rope",
        "rope)",
        "rope OR zeppelin",
        "NOT rope",
        "-rope",
        "rope\u{0}",
        "\\",
        "%",
        "_",
        ".*",
        "rope AND anchor",
        "\u{202e}rope",
        "rope\"anchor",
        "\u{fffd}",
        "\u{1f600}",
        "++",
        "{}",
        "[]",
        "null",
        "rope -anchor",
    ] {
        let reply = editor.call("entity.search", &json!({"query": query}));
        assert!(!reply.is_error, "{query:?}: {}", reply.body);
    }
    assert_eq!(names(&editor, json!({"query": "{\"$gt\": \"\"}"})), ["gt 100% cotton"]);
    assert_eq!(names(&editor, json!({"query": "rope*"})), ["Rope and anchor"]);
    assert_eq!(names(&editor, json!({"query": "rope AND anchor"})), ["Rope and anchor"]);
    assert_eq!(names(&editor, json!({"query": "rope OR zeppelin"})), Vec::<String>::new());
    assert_eq!(names(&editor, json!({"query": "NOT rope"})), Vec::<String>::new());
    assert_eq!(
        names(&editor, json!({"query": "*"})),
        Vec::<String>::new(),
        "only signs find nothing"
    );
    assert_eq!(names(&editor, json!({"query": "   "})).len(), 2, "blanks find everything");
    // An operator document where a text is wanted is refused.
    for query in [json!({"$gt": ""}), json!(["rope"]), json!(1), json!(null)] {
        let refused = editor.fails("entity.search", json!({"query": query}), "VALIDATION_ERROR");
        assert_eq!(crate::user::pointers(&refused), ["/query"]);
    }
}

fn types_filter(instance: &Instance) {
    let user = instance.writer();
    for kind in ["CHARACTER", "LOCATION", "FACTION", "ITEM", "RULE", "LORE"] {
        user.entity(kind, &format!("Salt {}", kind.to_lowercase()));
        user.entity(kind, &format!("Ash {}", kind.to_lowercase()));
    }
    for kind in ["CHARACTER", "LOCATION", "FACTION", "ITEM", "RULE", "LORE"] {
        let expected = [format!("Salt {}", kind.to_lowercase())];
        assert_eq!(names(&user, json!({"query": "salt", "type": kind})), expected);
        assert_eq!(names(&user, json!({"type": kind})).len(), 2);
    }
    assert_eq!(names(&user, json!({"query": "salt"})).len(), 6);
    user.fails("entity.search", json!({"type": "GHOST"}), "VALIDATION_ERROR");
}

fn long_answers_are_cut_at_whole_items(instance: &Instance) {
    let user = instance.writer();
    for number in 0..20 {
        let (name, summary) = (format!("Tome {number}"), "word ".repeat(1500));
        user.entity_with(json!({"type": "LORE", "name": name, "summary": summary}));
    }
    let (mut seen, mut pages) = (Vec::new(), 0);
    while seen.len() < 20 {
        let found =
            user.ok("entity.search", json!({"query": "tome", "limit": 200, "offset": seen.len()}));
        assert_eq!(found["total"], 20);
        let items = list(&found["items"]);
        assert!(!items.is_empty(), "there is always a next one");
        seen.extend(items.iter().map(|item| text(&item["_id"])));
        pages += 1;
    }
    assert!(pages > 1);
    // One that is larger than an answer should be is found all the same.
    let huge =
        json!({"type": "LORE", "name": "Codex", "attributes": {"text": "x".repeat(200_000)}});
    user.entity_with(huge);
    assert_eq!(names(&user, json!({"query": "codex"})), ["Codex"]);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 20);
}

#[test]
fn both_stores_find_the_same() {
    let Some(other) = Instance::mongo(true) else { return };
    let stages = [Instance::sqlite(), other];
    let random = &mut Random::seeded();
    let mut words = Vec::new();
    for round in 0..40 {
        let fields = json!({"type": (*random.pick(&["ITEM", "LORE"])), "name": format!("{} {round}", sentence(random, "same")),
            "summary": sentence(random, "both"), "tags": [sentence(random, "tag")]});
        words.extend(text(&fields["name"]).split(' ').map(str::to_owned));
        stages.iter().for_each(|instance| drop(instance.writer().entity_with(fields.clone())));
    }
    for _ in 0..150 {
        let mut query = random.pick(&words).clone();
        if random.yes() {
            let letters = 1 + random.below(query.chars().count());
            query = query.chars().take(letters).collect();
        }
        if random.yes() {
            query = format!("{query} {}", random.pick(&words));
        }
        let search =
            json!({"query": query, "limit": 1 + random.below(9), "offset": random.below(4)});
        let [one, two] = [0, 1].map(|at: usize| {
            let found = stages[at].editor().ok("entity.search", search.clone());
            let names: Vec<String> =
                list(&found["items"]).iter().map(|item| text(&item["name"])).collect();
            (names, found["total"].clone())
        });
        assert_eq!(one, two, "{search}");
    }
}
