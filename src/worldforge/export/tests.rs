//! Exports and imports of small, unusual and random worlds.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::compose::random_worlds::odd;
use crate::compose::testing::{self, id, pier};
use crate::compose::{Target, compose};
use crate::model::{NodeType, ObjectType, PromptPack, Relationship, Snapshot, VersionStatus};
use crate::store::World;
use crate::story::Story;

fn world(small: testing::World) -> World {
    World {
        entities: small.entities,
        nodes: small.nodes,
        edges: small.edges,
        ..World::empty(small.project)
    }
}

fn story(world: &World) -> Story {
    Story::new(&world.nodes, &world.edges, &world.entities)
}

fn exported(world: &World) -> Value {
    story_bible(world, &story(world), 1_700_000_000_000)
}

fn importer() -> Importer {
    Importer {
        tenant_id: id('a', 7),
        project_id: id('c', 7),
        user_id: id('b', 7),
        at: 1_800_000_000_000,
    }
}

/// Ids that come in no order.
fn scrambled() -> impl FnMut() -> String {
    let mut state = 7u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:016x}{:08x}", state, state >> 40)
    }
}

fn reimported(bible: &Value) -> World {
    import(bible, &importer(), Ids::Fresh(&mut scrambled())).unwrap()
}

#[test]
fn a_bible_has_everything_in_its_order() {
    let mut world = world(pier());
    world.entities[0].relationships.push(Relationship {
        to_entity_id: id('d', 2),
        rel_type: "enemy_of".to_owned(),
        note: Some("since the flood".to_owned()),
    });
    world.entities[0].version.number = 2;
    let snapshot = published(&world, 0, 2);
    world.snapshots.push(snapshot);
    let bible = exported(&world);
    assert_eq!(bible["format"], STORY_BIBLE);
    assert_eq!(bible["formatVersion"], 1);
    assert_eq!(bible["project"]["title"], "Salt Road");
    let names: Vec<&str> = bible["entities"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entity| entity["name"].as_str())
        .collect();
    assert_eq!(names, ["Ana", "Bento", "Lighthouse", "Old Pier", "Brass Compass", "Lamp", "Probe"]);
    assert_eq!(
        bible["relationships"],
        json!([{
            "fromEntityId": id('d', 1), "fromName": "Ana", "relType": "enemy_of",
            "toEntityId": id('d', 2), "toName": "Bento", "note": "since the flood",
        }])
    );
    assert_eq!(bible["storyNodes"][1]["resolvedChapterNodeId"], id('e', 1));
    assert_eq!(bible["storyNodes"][0].get("resolvedChapterNodeId"), None);
    assert_eq!(bible["worldState"]["endings"][0]["nodeId"], id('e', 3));
    assert_eq!(bible["canon"], json!({id('d', 1): 2}));
    assert_eq!(bible["versions"][0]["snapshot"]["name"], "Ana");
    assert_eq!(
        bible["stats"],
        json!({
            "entities": {"CHARACTER": 2, "ITEM": 3, "LOCATION": 2},
            "storyNodes": {"CHAPTER": 1, "SCENE": 2},
            "storyEdges": {"LINEAR": 2},
            "published": 0,
        })
    );
    assert_eq!(bible["contentHash"], content_hash(&world));
}

fn published(world: &World, entity: usize, number: u64) -> Snapshot {
    let mut object = world.entities[entity].clone();
    object.version.number = number;
    object.version.status = VersionStatus::Published;
    Snapshot {
        tenant_id: world.project.tenant_id.clone(),
        project_id: world.project.id.clone(),
        object_type: ObjectType::Entity,
        object_id: object.id.clone(),
        number,
        content_hash: crate::store::content_hash(&object).unwrap(),
        snapshot: json!(object),
        published_by: id('b', 1),
        published_at: 1_700_000_000_000,
    }
}

#[test]
fn the_hash_follows_the_content_and_not_its_owner() {
    let before = content_hash(&world(pier()));
    let hash = |change: &dyn Fn(&mut World)| {
        let mut world = world(pier());
        change(&mut world);
        content_hash(&world)
    };
    let silent: [&dyn Fn(&mut World); 6] = [
        &|world| world.project.created_at += 1,
        &|world| world.nodes[0].audit.revision += 1,
        &|world| world.entities[0].audit.updated_by = id('b', 8),
        &|world| world.entities.reverse(),
        &|world| world.nodes.reverse(),
        &|world| world.project.tenant_id = id('a', 9),
    ];
    for (at, change) in silent.iter().enumerate() {
        assert_eq!(hash(*change), before, "{at}");
    }
    let telling: [&dyn Fn(&mut World); 7] = [
        &|world| world.project.title.push('!'),
        &|world| world.nodes[0].synopsis.push('!'),
        &|world| world.nodes[1].time.order += 1,
        &|world| world.entities[0].version.status = VersionStatus::Published,
        &|world| world.edges.truncate(1),
        &|world| world.nodes[1].participants.reverse(),
        &|world| world.nodes[1].locations = vec![id('d', 4)],
    ];
    for (at, change) in telling.iter().enumerate() {
        assert_ne!(hash(*change), before, "{at}");
    }
}

#[test]
fn an_import_belongs_to_its_importer_and_keeps_the_story() {
    let original = world(pier());
    let copy = reimported(&exported(&original));
    let who = importer();
    assert_eq!((&copy.project.id, &copy.project.tenant_id), (&who.project_id, &who.tenant_id));
    assert_eq!(copy.project.created_at, who.at);
    let scopes = copy.entities.iter().map(|entity| (&entity.tenant_id, &entity.project_id));
    assert!(scopes.into_iter().all(|scope| scope == (&who.tenant_id, &who.project_id)));
    let text = serde_json::to_string(&(&copy.entities, &copy.nodes, &copy.edges)).unwrap();
    for old in original.entities.iter().map(|entity| &entity.id) {
        assert!(!text.contains(old.as_str()), "{old} is left over");
    }
    let ana = copy.entities.iter().find(|entity| entity.name == "Ana").unwrap();
    assert_eq!((ana.audit.created_by.as_str(), ana.audit.revision), (who.user_id.as_str(), 1));
    let scene = copy.nodes.iter().find(|node| node.title == "Low tide").unwrap();
    assert_eq!(scene.participants[1].entity_id, ana.id);
    assert!(is_unchanged(&exported(&original), &copy));
}

#[test]
fn ids_can_be_kept_for_a_store_that_has_never_seen_them() {
    let original = world(pier());
    let copy = import(&exported(&original), &importer(), Ids::Kept).unwrap();
    let ids =
        |world: &World| world.nodes.iter().map(|node| node.id.clone()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&copy), ids(&original));
    assert_eq!(content_hash(&copy), content_hash(&original));
}

/// A world of chance, some of it published.
fn published_oddly(seed: u64) -> World {
    let mut world = world(odd(seed));
    let some = usize::try_from(seed).unwrap() % (world.entities.len() + 1);
    world.snapshots = (0..some).map(|entity| published(&world, entity, 2)).collect();
    world
}

#[test]
fn whatever_is_exported_and_imported_has_the_same_hash_again() {
    let mut hashes = BTreeSet::new();
    for seed in 0..60 {
        let original = published_oddly(seed);
        let bible = exported(&original);
        // Through text, as a file would go.
        let bible: Value = serde_json::from_str(&bible.to_string()).unwrap();
        let copy = reimported(&bible);
        let again = exported(&copy);
        assert_eq!(bible["contentHash"], again["contentHash"], "seed {seed}");
        assert_eq!(bible["stats"], again["stats"]);
        let orders = |bible: &Value| -> Vec<Value> {
            bible["storyNodes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|node| node["synopsis"].clone())
                .collect()
        };
        assert_eq!(orders(&bible), orders(&again), "seed {seed}: the telling changed");
        let kept = import(&bible, &importer(), Ids::Kept).unwrap();
        assert_eq!(content_hash(&kept), content_hash(&original), "seed {seed}");
        for snapshot in &copy.snapshots {
            let hash = crate::store::content_hash(&snapshot.snapshot).unwrap();
            assert_eq!(snapshot.content_hash, hash);
        }
        hashes.insert(content_hash(&original));
    }
    assert!(hashes.len() > 40, "the worlds are too much alike: {}", hashes.len());
}

#[test]
fn all_problems_are_reported_with_their_place() {
    let mut bible = exported(&world(pier()));
    bible["entities"][0]["_id"] = json!("Ana");
    bible["entities"][2]["_id"] = bible["entities"][1]["_id"].clone();
    bible["storyEdges"][1]["toNodeId"] = json!(id('e', 99));
    let error = import(&bible, &importer(), Ids::Kept).unwrap_err();
    let places: Vec<&str> = error.problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(places, ["/entities/0/_id", "/entities/2/_id", "/storyEdges/1/toNodeId"]);

    let mut bible = exported(&world(pier()));
    bible["entities"][0]["type"] = json!("DRAGON");
    bible["entities"][1]["name"] = json!(" ");
    bible["storyNodes"][0]["time"] = json!({"order": -1});
    bible["project"]["title"] = json!("");
    bible["versions"] = json!([7]);
    let error = import(&bible, &importer(), Ids::Kept).unwrap_err();
    let places: Vec<&str> = error.problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(
        places,
        ["/project/title", "/entities/0", "/entities/1/name", "/storyNodes/0", "/versions/0"]
    );
    assert!(error.to_string().contains("/entities/0: unknown variant `DRAGON`"), "{error}");
}

#[test]
fn documents_other_than_story_bibles_are_refused() {
    for (bible, place) in [
        (json!(null), "/format"),
        (json!([]), "/format"),
        (json!({"format": SHOT_PROMPT_PACK}), "/format"),
        (json!({"format": STORY_BIBLE, "formatVersion": 2}), "/formatVersion"),
        (json!({"format": STORY_BIBLE}), "/formatVersion"),
    ] {
        let error = import(&bible, &importer(), Ids::Kept).unwrap_err();
        assert_eq!(error.problems[0].pointer, place, "{bible}");
    }
}

#[test]
fn an_edited_bible_is_imported_and_reported() {
    let mut bible = exported(&world(pier()));
    bible["project"]["title"] = json!("Another road");
    let copy = reimported(&bible);
    assert_eq!(copy.project.title, "Another road");
    assert!(!is_unchanged(&bible, &copy));
}

#[test]
fn ids_that_are_given_out_twice_do_not_mix_documents_up() {
    let bible = exported(&world(pier()));
    let error = import(&bible, &importer(), Ids::Fresh(&mut || id('e', 1))).unwrap_err();
    assert_eq!(error.problems[0].message, "there are not enough new ids");
}

fn pack(world: &World, node: u32, number: u32, created_at: i64) -> PromptPack {
    let story = story(world);
    let composed =
        compose(&world.project, &story, &id('e', node), &[], Target::HIGGSFIELD).unwrap();
    composed.into_pack(&world.project, &id('e', node), id('9', number), created_at, id('b', 1))
}

#[test]
fn packs_are_listed_by_chapter_and_the_latest_counts() {
    let mut world = world(pier());
    let mut prologue = testing::node(9, NodeType::Beat, "Prologue");
    prologue.time.order = 0;
    world.nodes.push(prologue);
    let packs = [
        pack(&world, 2, 1, 10),
        pack(&world, 2, 3, 20),
        pack(&world, 2, 2, 20),
        pack(&world, 9, 4, 5),
    ];
    let export = shot_prompt_pack(&world.project, &story(&world), &packs, None, 1).unwrap();
    assert_eq!(export["format"], SHOT_PROMPT_PACK);
    let chapters = export["chapters"].as_array().unwrap();
    assert_eq!(chapters.len(), 2);
    assert_eq!(chapters[0]["chapterNodeId"], Value::Null);
    assert_eq!(chapters[0]["scenes"][0]["title"], "Prologue");
    assert_eq!(chapters[1]["chapterNodeId"], id('e', 1));
    assert_eq!(chapters[1]["scenes"][0]["promptPack"]["_id"], id('9', 3));
    assert_eq!(chapters[1]["scenes"][1]["promptPack"], Value::Null);
    assert_eq!(export["missing"], json!([id('e', 3)]));

    let one =
        shot_prompt_pack(&world.project, &story(&world), &packs, Some(&id('e', 1)), 1).unwrap();
    assert_eq!(one["chapters"].as_array().unwrap().len(), 1);
    assert_eq!(one["missing"], json!([id('e', 3)]));
    assert_ne!(one["contentHash"], export["contentHash"]);
}

#[test]
fn packs_of_the_same_words_have_the_same_hash_wherever_they_were_made() {
    let original = world(pier());
    let hash = |world: &World, number, at| {
        let node = world.nodes.iter().find(|node| node.title == "Low tide").unwrap();
        let story = story(world);
        let composed = compose(&world.project, &story, &node.id, &[], Target::HIGGSFIELD).unwrap();
        let pack =
            composed.into_pack(&world.project, &node.id, id('9', number), at, id('b', number));
        shot_prompt_pack(&world.project, &story, &[pack], None, at).unwrap()["contentHash"].clone()
    };
    let copy = reimported(&exported(&original));
    assert_eq!(hash(&original, 1, 10), hash(&copy, 2, 99));
    let mut other = original.clone();
    other.nodes[1].goals.turn.push('!');
    assert_ne!(hash(&original, 1, 10), hash(&other, 1, 10));
}

#[test]
fn only_a_chapter_can_be_exported_alone() {
    let world = world(pier());
    let export =
        |chapter: &str| shot_prompt_pack(&world.project, &story(&world), &[], Some(chapter), 1);
    assert_eq!(export(&id('e', 99)), Err(NotAChapter::Unknown(id('e', 99))));
    assert_eq!(export(&id('e', 2)), Err(NotAChapter::Other(id('e', 2), NodeType::Scene)));
    assert!(export(&id('e', 1)).is_ok());
}
