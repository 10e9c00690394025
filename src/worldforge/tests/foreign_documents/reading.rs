//! Reading: missing fields are filled in, unusual forms are read, unreadable parts are reported.

use serde_json::json;

use super::values::ForeignValue;
use super::{ForeignWorld, ForeignWorldServer};
use crate::instance::{Instance, list, on_both, without_transactions};
use toolwright_testing::random::Random;

on_both! {
    missing_fields_are_filled_in_by_every_answer
    odd_forms_are_read_as_what_they_mean
    one_document_that_cannot_be_read_breaks_nothing_else
    elements_that_cannot_be_read_are_left_out_and_kept
}
without_transactions! { missing_fields_are_filled_in_by_every_answer }

fn missing_fields_are_filled_in_by_every_answer(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let server = &mut ForeignWorldServer::new(instance, &world);
    // Every answer of this build is validated against the advertised schema.
    server.changes_only("", &[], |server| {
        let audit = json!({"createdBy": "", "updatedBy": "", "updatedAt": 0, "revision": 0});
        let version = json!({"status": "DRAFT", "number": 1});
        let entity = server.ok("entity.get", json!({"entityId": world.ana}))["entity"].clone();
        assert_eq!((&entity["audit"], &entity["version"]), (&audit, &version));
        assert_eq!((&entity["tags"], &entity["attributes"]), (&json!([]), &json!({})));
        let node = server.ok("storyNode.get", json!({"nodeId": world.scene}))["node"].clone();
        assert_eq!((&node["audit"], &node["time"]), (&audit, &json!({"order": 0})));
        assert_eq!(node["hooks"], json!({"hook": "", "foreshadow": [], "payoffTargets": []}));
        let found = server.ok("entity.search", json!({}));
        assert_eq!((list(&found["items"]).len(), &found["total"]), (3, &json!(3)));
        let graph = server.ok("storyGraph.get", json!({}));
        assert_eq!((list(&graph["nodes"]).len(), &graph["nodeTotal"]), (3, &json!(3)));
        assert_eq!(
            (&graph["edges"][0]["audit"], &graph["edges"][0]["notes"]),
            (&audit, &json!(""))
        );
        let outline = server.ok("storyGraph.get", json!({"projection": "compact", "limit": 2}));
        assert_eq!(outline["nodes"][0]["status"], "DRAFT");
        assert_eq!(server.ok("project.get", json!({}))["project"]["logline"], "");
        server.ok("continuity.check", json!({"nodeId": world.scene}));
        let bible = server.ok("export.storyBible", json!({}))["json"].clone();
        assert_eq!(bible["entities"][0]["audit"], audit);
        let packs = server.ok("export.shotPromptPack", json!({}))["json"].clone();
        let shown = packs.to_string();
        assert!(shown.contains(&world.pack) && shown.contains("\"variant\":\"A\""), "{shown}");
    });
    server.ok("prompt.compose", json!({"nodeId": world.scene}));
    for (kind, id) in [("ENTITY", &world.ana), ("STORY_NODE", &world.next)] {
        let object = json!({"objectType": kind, "objectId": id, "expectedRevision": 0});
        let reply = server.ok("version.publish", object)["object"].clone();
        assert_eq!(reply["version"], json!({"status": "PUBLISHED", "number": 2}));
        assert_eq!(
            (&reply["audit"]["createdBy"], &reply["audit"]["revision"]),
            (&json!(""), &json!(1))
        );
    }
    let entity =
        json!({"entity": {"entityId": world.bento, "summary": "x"}, "expectedRevision": 0});
    assert_eq!(server.ok("entity.upsert", entity)["entity"]["audit"]["revision"], 1);
}

fn odd_forms_are_read_as_what_they_mean(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let null = || ForeignValue::Json(json!(null));
    let more = vec![
        ("tags", ForeignValue::text("a,b")),
        ("summary", null()),
        ("relationships", null()),
        ("version", ForeignValue::object(vec![("status", ForeignValue::text("ARCHIVED"))])),
        (
            "audit",
            ForeignValue::object(vec![("updatedAt", ForeignValue::text("2026-01-01T00:00:00Z"))]),
        ),
    ];
    instance.plant("entities", &world.ana, &world.entity(instance, &world.ana, more));
    let more = vec![
        ("goals", null()),
        (
            "hooks",
            ForeignValue::object(vec![
                ("hook", null()),
                ("foreshadow", ForeignValue::text("storm")),
            ]),
        ),
        (
            "time",
            ForeignValue::object(vec![
                ("order", ForeignValue::Json(json!(4.0))),
                ("inWorldDate", null()),
            ]),
        ),
        ("chapterNodeId", null()),
        ("participants", null()),
        ("version", null()),
        ("audit", null()),
    ];
    instance.plant("storyNodes", &world.scene, &world.node(instance, &world.scene, more));
    let server = &mut ForeignWorldServer::new(instance, &world);
    let entity = server.ok("entity.get", json!({"entityId": world.ana}))["entity"].clone();
    assert_eq!((&entity["tags"], &entity["summary"]), (&json!(["a,b"]), &json!("")));
    assert_eq!(entity["version"], json!({"status": "DRAFT", "number": 1}));
    assert_eq!(entity["audit"]["updatedAt"], 1_767_225_600_000_i64);
    let node = server.ok("storyNode.get", json!({"nodeId": world.scene}))["node"].clone();
    assert_eq!((&node["time"], &node["participants"]), (&json!({"order": 4}), &json!([])));
    assert_eq!(node["hooks"]["foreshadow"], json!(["storm"]));
    // What was read so and is not changed stays as it is.
    server.changes_only(&world.ana, &["/summary"], |server| {
        server.ok("entity.upsert", json!({"entity": {"entityId": world.ana, "summary": "x"}}));
    });
    server.changes_only(&world.scene, &["/goals", "/time/inWorldDate"], |server| {
        let patch = json!({"goals": {"turn": "x"}, "time": {"inWorldDate": "Day 2"}});
        server.ok("storyNode.update", json!({"nodeId": world.scene, "patch": patch}));
    });
}

fn one_document_that_cannot_be_read_breaks_nothing_else(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let more = vec![("attributes", ForeignValue::text("tall"))];
    instance.plant("entities", &world.bento, &world.entity(instance, &world.bento, more));
    let mut saga = world.node(instance, &world.next, vec![]);
    if let ForeignValue::Object(members) = &mut saga {
        for (name, value) in members.iter_mut().filter(|(name, _)| name == "nodeType") {
            assert_eq!(name, "nodeType");
            *value = ForeignValue::text("SAGA");
        }
    }
    instance.plant("storyNodes", &world.next, &saga);
    let server = &mut ForeignWorldServer::new(instance, &world);
    server.changes_only("", &[], |server| {
        let reply = server.fails("entity.get", json!({"entityId": world.bento}), "INTERNAL_ERROR");
        let shown = reply.to_string();
        assert!(shown.contains(&world.bento) && shown.contains("/attributes"), "{shown}");
        let reply = server.fails("storyNode.get", json!({"nodeId": world.next}), "INTERNAL_ERROR");
        let shown = reply.to_string();
        assert!(shown.contains(&world.next) && shown.contains("/nodeType"), "{shown}");
        let patch = json!({"nodeId": world.next, "patch": {"title": "x"}});
        server.fails("storyNode.update", patch, "INTERNAL_ERROR");
        let entity = json!({"entity": {"entityId": world.bento, "summary": "x"}});
        server.fails("entity.upsert", entity, "INTERNAL_ERROR");
        // The rest goes on without them.
        let graph = server.ok("storyGraph.get", json!({}));
        assert_eq!((list(&graph["nodes"]).len(), &graph["nodeTotal"]), (2, &json!(2)));
        assert_eq!(list(&server.ok("entity.search", json!({}))["items"]).len(), 2);
        server.ok("continuity.check", json!({"nodeId": world.scene}));
        server.ok("export.shotPromptPack", json!({}));
        let bible = server.ok("export.storyBible", json!({}))["json"].clone();
        let left_out: Vec<_> =
            list(&bible["unreadable"]).iter().map(|one| one["_id"].clone()).collect();
        assert_eq!(left_out, [json!(world.bento), json!(world.next)]);
        assert_eq!(list(&bible["storyNodes"]).len(), 2);
    });
    server.ok("entity.upsert", json!({"entity": {"entityId": world.ana, "summary": "x"}}));
    server.ok("prompt.compose", json!({"nodeId": world.scene}));
}

fn elements_that_cannot_be_read_are_left_out_and_kept(instance: &Instance) {
    let world = ForeignWorld::new(instance, &mut Random::seeded());
    world.plant(instance);
    let person = |id: &str, role: &str| {
        ForeignValue::object(vec![
            ("entityId", ForeignValue::text(id)),
            ("role", ForeignValue::text(role)),
        ])
    };
    let cast_of_it = vec![person(&world.bento, "NARRATOR"), person(&world.ana, "SUPPORT")];
    let more = vec![("participants", ForeignValue::List(cast_of_it))];
    instance.plant("storyNodes", &world.scene, &world.node(instance, &world.scene, more));
    let server = &mut ForeignWorldServer::new(instance, &world);
    let node = server.ok("storyNode.get", json!({"nodeId": world.scene}))["node"].clone();
    assert_eq!(node["participants"], json!([{"entityId": world.ana, "role": "SUPPORT"}]));
    server.changes_only(&world.scene, &["/participants/1"], |server| {
        let patch = json!({"participants": []});
        server.ok("storyNode.update", json!({"nodeId": world.scene, "patch": patch}));
    });
}
