//! Reading: what is missing is filled in, odd forms are read, and what cannot be read is told.

use serde_json::json;

use super::foreign::Thing;
use super::{Beside, Cast};
use crate::harness::{Stage, list, on_both, without_transactions};
use toolwright_testing::random::Random;

on_both! {
    what_is_missing_is_filled_in_by_every_answer
    odd_forms_are_read_as_what_they_mean
    one_document_that_cannot_be_read_breaks_nothing_else
    elements_that_cannot_be_read_are_left_out_and_kept
}
without_transactions! { what_is_missing_is_filled_in_by_every_answer }

fn what_is_missing_is_filled_in_by_every_answer(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let beside = &mut Beside::new(stage, &cast);
    // Every answer of this build is validated against the advertised schema.
    beside.changes_only("", &[], |beside| {
        let audit = json!({"createdBy": "", "updatedBy": "", "updatedAt": 0, "revision": 0});
        let version = json!({"status": "DRAFT", "number": 1});
        let entity = beside.ok("entity.get", json!({"entityId": cast.ana}))["entity"].clone();
        assert_eq!((&entity["audit"], &entity["version"]), (&audit, &version));
        assert_eq!((&entity["tags"], &entity["attributes"]), (&json!([]), &json!({})));
        let node = beside.ok("storyNode.get", json!({"nodeId": cast.scene}))["node"].clone();
        assert_eq!((&node["audit"], &node["time"]), (&audit, &json!({"order": 0})));
        assert_eq!(node["hooks"], json!({"hook": "", "foreshadow": [], "payoffTargets": []}));
        let found = beside.ok("entity.search", json!({}));
        assert_eq!((list(&found["items"]).len(), &found["total"]), (3, &json!(3)));
        let graph = beside.ok("storyGraph.get", json!({}));
        assert_eq!((list(&graph["nodes"]).len(), &graph["nodeTotal"]), (3, &json!(3)));
        assert_eq!(
            (&graph["edges"][0]["audit"], &graph["edges"][0]["notes"]),
            (&audit, &json!(""))
        );
        let outline = beside.ok("storyGraph.get", json!({"projection": "compact", "limit": 2}));
        assert_eq!(outline["nodes"][0]["status"], "DRAFT");
        assert_eq!(beside.ok("project.get", json!({}))["project"]["logline"], "");
        beside.ok("continuity.check", json!({"nodeId": cast.scene}));
        let bible = beside.ok("export.storyBible", json!({}))["json"].clone();
        assert_eq!(bible["entities"][0]["audit"], audit);
        let packs = beside.ok("export.shotPromptPack", json!({}))["json"].clone();
        let shown = packs.to_string();
        assert!(shown.contains(&cast.pack) && shown.contains("\"variant\":\"A\""), "{shown}");
    });
    beside.ok("prompt.compose", json!({"nodeId": cast.scene}));
    for (kind, id) in [("ENTITY", &cast.ana), ("STORY_NODE", &cast.next)] {
        let object = json!({"objectType": kind, "objectId": id, "expectedRevision": 0});
        let told = beside.ok("version.publish", object)["object"].clone();
        assert_eq!(told["version"], json!({"status": "PUBLISHED", "number": 2}));
        assert_eq!(
            (&told["audit"]["createdBy"], &told["audit"]["revision"]),
            (&json!(""), &json!(1))
        );
    }
    let entity = json!({"entity": {"entityId": cast.bento, "summary": "x"}, "expectedRevision": 0});
    assert_eq!(beside.ok("entity.upsert", entity)["entity"]["audit"]["revision"], 1);
}

fn odd_forms_are_read_as_what_they_mean(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let null = || Thing::Json(json!(null));
    let more = vec![
        ("tags", Thing::text("a,b")),
        ("summary", null()),
        ("relationships", null()),
        ("version", Thing::object(vec![("status", Thing::text("ARCHIVED"))])),
        ("audit", Thing::object(vec![("updatedAt", Thing::text("2026-01-01T00:00:00Z"))])),
    ];
    stage.plant("entities", &cast.ana, &cast.entity(stage, &cast.ana, more));
    let more = vec![
        ("goals", null()),
        ("hooks", Thing::object(vec![("hook", null()), ("foreshadow", Thing::text("storm"))])),
        ("time", Thing::object(vec![("order", Thing::Json(json!(4.0))), ("inWorldDate", null())])),
        ("chapterNodeId", null()),
        ("participants", null()),
        ("version", null()),
        ("audit", null()),
    ];
    stage.plant("storyNodes", &cast.scene, &cast.node(stage, &cast.scene, more));
    let beside = &mut Beside::new(stage, &cast);
    let entity = beside.ok("entity.get", json!({"entityId": cast.ana}))["entity"].clone();
    assert_eq!((&entity["tags"], &entity["summary"]), (&json!(["a,b"]), &json!("")));
    assert_eq!(entity["version"], json!({"status": "DRAFT", "number": 1}));
    assert_eq!(entity["audit"]["updatedAt"], 1_767_225_600_000_i64);
    let node = beside.ok("storyNode.get", json!({"nodeId": cast.scene}))["node"].clone();
    assert_eq!((&node["time"], &node["participants"]), (&json!({"order": 4}), &json!([])));
    assert_eq!(node["hooks"]["foreshadow"], json!(["storm"]));
    // What was read so and is not changed stays as it is.
    beside.changes_only(&cast.ana, &["/summary"], |beside| {
        beside.ok("entity.upsert", json!({"entity": {"entityId": cast.ana, "summary": "x"}}));
    });
    beside.changes_only(&cast.scene, &["/goals", "/time/inWorldDate"], |beside| {
        let patch = json!({"goals": {"turn": "x"}, "time": {"inWorldDate": "Day 2"}});
        beside.ok("storyNode.update", json!({"nodeId": cast.scene, "patch": patch}));
    });
}

fn one_document_that_cannot_be_read_breaks_nothing_else(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let more = vec![("attributes", Thing::text("tall"))];
    stage.plant("entities", &cast.bento, &cast.entity(stage, &cast.bento, more));
    let mut saga = cast.node(stage, &cast.next, vec![]);
    if let Thing::Object(members) = &mut saga {
        for (name, value) in members.iter_mut().filter(|(name, _)| name == "nodeType") {
            assert_eq!(name, "nodeType");
            *value = Thing::text("SAGA");
        }
    }
    stage.plant("storyNodes", &cast.next, &saga);
    let beside = &mut Beside::new(stage, &cast);
    beside.changes_only("", &[], |beside| {
        let told = beside.fails("entity.get", json!({"entityId": cast.bento}), "INTERNAL_ERROR");
        let shown = told.to_string();
        assert!(shown.contains(&cast.bento) && shown.contains("/attributes"), "{shown}");
        let told = beside.fails("storyNode.get", json!({"nodeId": cast.next}), "INTERNAL_ERROR");
        let shown = told.to_string();
        assert!(shown.contains(&cast.next) && shown.contains("/nodeType"), "{shown}");
        let patch = json!({"nodeId": cast.next, "patch": {"title": "x"}});
        beside.fails("storyNode.update", patch, "INTERNAL_ERROR");
        let entity = json!({"entity": {"entityId": cast.bento, "summary": "x"}});
        beside.fails("entity.upsert", entity, "INTERNAL_ERROR");
        // The rest goes on without them.
        let graph = beside.ok("storyGraph.get", json!({}));
        assert_eq!((list(&graph["nodes"]).len(), &graph["nodeTotal"]), (2, &json!(2)));
        assert_eq!(list(&beside.ok("entity.search", json!({}))["items"]).len(), 2);
        beside.ok("continuity.check", json!({"nodeId": cast.scene}));
        beside.ok("export.shotPromptPack", json!({}));
        let bible = beside.ok("export.storyBible", json!({}))["json"].clone();
        let left_out: Vec<_> =
            list(&bible["unreadable"]).iter().map(|one| one["_id"].clone()).collect();
        assert_eq!(left_out, [json!(cast.bento), json!(cast.next)]);
        assert_eq!(list(&bible["storyNodes"]).len(), 2);
    });
    beside.ok("entity.upsert", json!({"entity": {"entityId": cast.ana, "summary": "x"}}));
    beside.ok("prompt.compose", json!({"nodeId": cast.scene}));
}

fn elements_that_cannot_be_read_are_left_out_and_kept(stage: &Stage) {
    let cast = Cast::new(stage, &mut Random::seeded());
    cast.plant(stage);
    let person = |id: &str, role: &str| {
        Thing::object(vec![("entityId", Thing::text(id)), ("role", Thing::text(role))])
    };
    let cast_of_it = vec![person(&cast.bento, "NARRATOR"), person(&cast.ana, "SUPPORT")];
    let more = vec![("participants", Thing::List(cast_of_it))];
    stage.plant("storyNodes", &cast.scene, &cast.node(stage, &cast.scene, more));
    let beside = &mut Beside::new(stage, &cast);
    let node = beside.ok("storyNode.get", json!({"nodeId": cast.scene}))["node"].clone();
    assert_eq!(node["participants"], json!([{"entityId": cast.ana, "role": "SUPPORT"}]));
    beside.changes_only(&cast.scene, &["/participants/1"], |beside| {
        let patch = json!({"participants": []});
        beside.ok("storyNode.update", json!({"nodeId": cast.scene, "patch": patch}));
    });
}
