//! Canon and bibles hold all of a document, also what is not known here.

use serde_json::{Value, json};

use super::foreign::Thing;
use super::{Beside, Cast};
use crate::harness::{Stage, list, on_both, without_transactions};
use toolwright_testing::random::Random;

on_both! {
    canon_holds_everything_and_a_change_by_others_is_published_anew
    a_bible_carries_what_it_does_not_know
}
without_transactions! { canon_holds_everything_and_a_change_by_others_is_published_anew }

fn with_media(stage: &Stage, cast: &Cast, url: &str, version: Value) -> Thing {
    let media = Thing::object(vec![("face", Thing::text(url)), ("size", Thing::Odd(1))]);
    let version = vec![
        ("status", Thing::Json(version["status"].clone())),
        ("number", Thing::Json(version["number"].clone())),
    ];
    cast.entity(stage, &cast.ana, vec![("media", media), ("version", Thing::object(version))])
}

fn canon_holds_everything_and_a_change_by_others_is_published_anew(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let draft = json!({"status": "DRAFT", "number": 1});
    stage.plant("entities", &cast.ana, &with_media(stage, &cast, "one.png", draft));
    let beside = &mut Beside::new(stage, &cast);
    let object = json!({"objectType": "ENTITY", "objectId": cast.ana});
    let told = beside.ok("version.publish", object.clone())["object"].clone();
    assert_eq!(told["version"]["number"], 2);
    assert!(told.get("media").is_none(), "answers have the fields of the contract: {told}");
    let canon = |number: &str| -> Value {
        let shown = stage.ran(&[
            "history",
            "--in",
            &stage.home.name,
            "--number",
            number,
            &cast.project,
            &cast.ana,
        ]);
        serde_json::from_str(&shown.good()).unwrap()
    };
    assert_eq!(canon("2")["media"]["face"], "one.png");
    // As it stands, nothing is published again.
    beside.changes_only("", &[], |beside| {
        beside.ok("version.publish", object.clone());
    });
    // Another program changes what only it knows, and leaves the status.
    let published = json!({"status": "PUBLISHED", "number": 2});
    stage.plant("entities", &cast.ana, &with_media(stage, &cast, "two.png", published));
    let told = beside.ok("version.publish", object)["object"].clone();
    assert_eq!(told["version"], json!({"status": "PUBLISHED", "number": 3}));
    assert_eq!(
        (&canon("3")["media"]["face"], &canon("2")["media"]["face"]),
        (&json!("two.png"), &json!("one.png"))
    );
}

fn a_bible_carries_what_it_does_not_know(stage: &Stage) {
    let random = &mut Random::seeded();
    let cast = Cast::new(stage, random);
    cast.plant_with(stage, |shelf, thing| cast.whole(stage, random, shelf, thing));
    let media = Thing::object(vec![
        ("owner", Thing::Id(cast.bento.clone())),
        ("taken", Thing::Date(1_700_000_000_123)),
        ("forms", Thing::List((0..12).map(Thing::Odd).collect())),
    ]);
    let link = Thing::object(vec![
        ("toEntityId", Thing::text(&cast.bento)),
        ("relType", Thing::text("ally_of")),
        ("strength", Thing::Json(json!(3))),
    ]);
    let more = vec![("media", media), ("relationships", Thing::List(vec![link]))];
    stage.plant("entities", &cast.ana, &cast.entity(stage, &cast.ana, more));
    let beside = &mut Beside::new(stage, &cast);
    let bible = beside.ok("export.storyBible", json!({}))["json"].clone();
    let shown = bible.to_string();
    for leak in ["$oid", "$date", "$numberDecimal", "$binary", "$numberLong"] {
        assert!(!shown.contains(leak), "{leak}: {shown}");
    }
    let ana = |bible: &Value| -> Value {
        let entities = list(&bible["entities"]).iter();
        let mut with_media = entities.filter(|one| one["media"]["owner"].is_string());
        with_media.next().cloned().unwrap_or_else(|| panic!("nobody has media: {bible}"))
    };
    assert_eq!(ana(&bible)["media"]["owner"], json!(cast.bento));
    assert_eq!(ana(&bible)["relationships"][0]["strength"], 3);
    std::fs::write(stage.path("bible.json"), bible.to_string()).unwrap();
    let ran = stage.ran(&["import", "--in", &stage.home.name, "bible.json"]);
    assert!(ran.talk.is_empty(), "{ran:?}");
    let project = ran.line();
    let again = stage.ran(&["export", "--in", &stage.home.name, &project]).good();
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["contentHash"], bible["contentHash"]);
    let (old, new) = (ana(&bible), ana(&again));
    assert_eq!(new["media"]["forms"], old["media"]["forms"]);
    // Ids of the world are those of the new one, also where nobody knows what they are for.
    let bento = |bible: &Value, id: &Value| -> bool {
        list(&bible["entities"]).iter().any(|one| one["_id"] == *id)
    };
    assert!(bento(&again, &new["media"]["owner"]) && !bento(&bible, &new["media"]["owner"]));
    // A change of what is not known is a change of the content.
    let mut edited = bible.clone();
    for entity in edited["entities"].as_array_mut().unwrap() {
        if entity.get("media").is_some_and(|media| media["owner"].is_string()) {
            entity["media"]["taken"] = json!(5);
        }
    }
    std::fs::write(stage.path("edited.json"), edited.to_string()).unwrap();
    let ran = stage.ran(&["import", "--in", &stage.home.name, "edited.json"]);
    assert!(ran.talk.contains("edited after its export"), "{ran:?}");
}
