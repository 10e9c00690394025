//! Canon and story bibles contain whole documents, including unknown fields.

use serde_json::{Value, json};

use super::values::ForeignValue;
use super::{ForeignWorld, ForeignWorldServer};
use crate::instance::{Instance, list, on_both, without_transactions};
use toolwright_testing::random::Random;

on_both! {
    canon_holds_everything_and_a_change_by_others_is_published_anew
    a_bible_carries_what_it_does_not_know
}
without_transactions! { canon_holds_everything_and_a_change_by_others_is_published_anew }

fn with_media(
    instance: &Instance,
    world: &ForeignWorld,
    url: &str,
    version: Value,
) -> ForeignValue {
    let media = ForeignValue::object(vec![
        ("face", ForeignValue::text(url)),
        ("size", ForeignValue::Odd(1)),
    ]);
    let version = vec![
        ("status", ForeignValue::Json(version["status"].clone())),
        ("number", ForeignValue::Json(version["number"].clone())),
    ];
    world.entity(
        instance,
        &world.ana,
        vec![("media", media), ("version", ForeignValue::object(version))],
    )
}

fn canon_holds_everything_and_a_change_by_others_is_published_anew(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let draft = json!({"status": "DRAFT", "number": 1});
    instance.plant("entities", &world.ana, &with_media(instance, &world, "one.png", draft));
    let server = &mut ForeignWorldServer::new(instance, &world);
    let object = json!({"objectType": "ENTITY", "objectId": world.ana});
    let reply = server.ok("version.publish", object.clone())["object"].clone();
    assert_eq!(reply["version"]["number"], 2);
    assert!(reply.get("media").is_none(), "answers have the fields of the contract: {reply}");
    let canon = |number: &str| -> Value {
        let shown = instance.run(&[
            "history",
            "--in",
            &instance.fixture.name,
            "--number",
            number,
            &world.project,
            &world.ana,
        ]);
        serde_json::from_str(&shown.ok().stdout).unwrap()
    };
    assert_eq!(canon("2")["media"]["face"], "one.png");
    // Unchanged, nothing is published again.
    server.changes_only("", &[], |server| {
        server.ok("version.publish", object.clone());
    });
    // Another program changes what only it knows, and leaves the status.
    let published = json!({"status": "PUBLISHED", "number": 2});
    instance.plant("entities", &world.ana, &with_media(instance, &world, "two.png", published));
    let reply = server.ok("version.publish", object)["object"].clone();
    assert_eq!(reply["version"], json!({"status": "PUBLISHED", "number": 3}));
    assert_eq!(
        (&canon("3")["media"]["face"], &canon("2")["media"]["face"]),
        (&json!("two.png"), &json!("one.png"))
    );
}

fn a_bible_carries_what_it_does_not_know(instance: &Instance) {
    let random = &mut Random::seeded();
    let world = ForeignWorld::new(instance, random);
    world.plant_with(instance, |collection, value| {
        world.with_all_fields(instance, random, collection, value)
    });
    let media = ForeignValue::object(vec![
        ("owner", ForeignValue::Id(world.bento.clone())),
        ("taken", ForeignValue::Date(1_700_000_000_123)),
        ("forms", ForeignValue::List((0..12).map(ForeignValue::Odd).collect())),
    ]);
    let link = ForeignValue::object(vec![
        ("toEntityId", ForeignValue::text(&world.bento)),
        ("relType", ForeignValue::text("ally_of")),
        ("strength", ForeignValue::Json(json!(3))),
    ]);
    let more = vec![("media", media), ("relationships", ForeignValue::List(vec![link]))];
    instance.plant("entities", &world.ana, &world.entity(instance, &world.ana, more));
    let server = &mut ForeignWorldServer::new(instance, &world);
    let bible = server.ok("export.storyBible", json!({}))["json"].clone();
    let shown = bible.to_string();
    for leak in ["$oid", "$date", "$numberDecimal", "$binary", "$numberLong"] {
        assert!(!shown.contains(leak), "{leak}: {shown}");
    }
    let ana = |bible: &Value| -> Value {
        let entities = list(&bible["entities"]).iter();
        let mut with_media = entities.filter(|one| one["media"]["owner"].is_string());
        with_media.next().cloned().unwrap_or_else(|| panic!("nobody has media: {bible}"))
    };
    assert_eq!(ana(&bible)["media"]["owner"], json!(world.bento));
    assert_eq!(ana(&bible)["relationships"][0]["strength"], 3);
    std::fs::write(instance.path("bible.json"), bible.to_string()).unwrap();
    let ran = instance.run(&["import", "--in", &instance.fixture.name, "bible.json"]);
    assert!(ran.stderr.is_empty(), "{ran:?}");
    let project = ran.into_line();
    let again = instance.run(&["export", "--in", &instance.fixture.name, &project]).ok().stdout;
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["contentHash"], bible["contentHash"]);
    let (old, new) = (ana(&bible), ana(&again));
    assert_eq!(new["media"]["forms"], old["media"]["forms"]);
    // Ids of the world are those of the new one, also in unknown fields.
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
    std::fs::write(instance.path("edited.json"), edited.to_string()).unwrap();
    let ran = instance.run(&["import", "--in", &instance.fixture.name, "edited.json"]);
    assert!(ran.stderr.contains("edited after its export"), "{ran:?}");
}
