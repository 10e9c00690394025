//! Versions: canon, drafts, published copies, and the publication gate.

use serde_json::{Value, json};

use crate::instance::{EngineOptions, Instance, list, on_both, without_transactions};
use crate::user::TestUser;

on_both! {
    an_edit_makes_a_draft_of_the_same_number
    an_unchanged_publication_changes_nothing
    a_contradiction_is_not_published_unless_waived
    the_gate_can_warn_instead
    only_the_expected_revision_is_published
}
without_transactions! { an_edit_makes_a_draft_of_the_same_number }

fn an_edit_makes_a_draft_of_the_same_number(instance: &Instance) {
    let (admin, writer) = (instance.admin(), instance.writer());
    let ana = admin.entity_with(json!({"type": "CHARACTER", "name": "Ana", "summary": "First."}));
    let scene = admin.node(json!({"nodeType": "SCENE", "title": "Low tide", "synopsis": "First."}));
    assert_eq!(admin.get_entity(&ana)["version"], json!({"status": "DRAFT", "number": 1}));
    let edit =
        |object: usize, words: &str| match object {
            0 => writer.ok("entity.upsert", json!({"entity": {"entityId": ana, "summary": words}}))
                ["entity"]
                .clone(),
            _ => {
                writer
                    .ok("storyNode.update", json!({"nodeId": scene, "patch": {"synopsis": words}}))
                    ["node"]
                    .clone()
            }
        };
    for (object, (kind, id, field)) in
        [("ENTITY", &ana, "summary"), ("STORY_NODE", &scene, "synopsis")].into_iter().enumerate()
    {
        let first = admin.publish(kind, id);
        assert_eq!(first["version"], json!({"status": "PUBLISHED", "number": 2}));
        assert_eq!(first["audit"]["updatedBy"], json!(instance.fixture.admin));
        let draft = edit(object, "Second.");
        assert_eq!(draft["version"], json!({"status": "DRAFT", "number": 2}));
        assert_eq!(draft["audit"]["updatedBy"], json!(instance.fixture.writer));
        assert_eq!(draft["audit"]["createdBy"], json!(instance.fixture.admin));
        let second = admin.publish(kind, id);
        assert_eq!(second["version"], json!({"status": "PUBLISHED", "number": 3}));
        edit(object, "Third.");
        // Canon of each number, word for word, by people and by the export.
        for (number, published) in [(2, &first), (3, &second)] {
            let number = number.to_string();
            let shown =
                instance.run(&["history", "--number", &number, "Salt Road", id]).ok().stdout;
            let shown: Value = serde_json::from_str(&shown).unwrap();
            assert_eq!(&shown, published, "{number}");
        }
        assert_eq!(first[field], "First.");
        let listed = instance.run(&["history", "--json", "Salt Road", id]).ok().stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(list(&listed).iter().map(|one| &one["number"]).collect::<Vec<_>>(), [2, 3]);
        let ran = instance.run(&["history", "--number", "4", "Salt Road", id]);
        assert_eq!(ran.code, 1, "{ran:?}");
    }
    let bible = admin.ok("export.storyBible", json!({}))["json"].clone();
    assert_eq!(bible["canon"], json!({ana: 3, scene: 3}));
    assert_eq!(list(&bible["versions"]).len(), 4);
}

fn an_unchanged_publication_changes_nothing(instance: &Instance) {
    let admin = instance.admin();
    let ana = admin.entity("CHARACTER", "Ana");
    let published = admin.publish("ENTITY", &ana);
    let before = instance.store_contents();
    assert_eq!(admin.publish("ENTITY", &ana), published);
    // An edit without an effect changes nothing, and canon stays canon.
    let same = admin.ok("entity.upsert", json!({"entity": {"entityId": ana, "name": "Ana"}}));
    assert_eq!(same["entity"], published);
    assert_eq!(instance.store_contents(), before);
}

/// A scene in which the dead act.
pub(crate) fn contradiction(user: &TestUser) -> (String, String) {
    let bento = user.entity("CHARACTER", "Bento");
    let dies = user.node(json!({"nodeType": "SCENE", "title": "The fall", "time": {"order": 1},
        "worldStateDelta": [{"key": format!("character.{bento}.alive"), "op": "SET", "value": false}]}));
    let acts = user.node(json!({"nodeType": "SCENE", "title": "Ashore", "time": {"order": 2},
        "participants": [{"entityId": bento, "role": "PROTAGONIST"}]}));
    user.edge(&dies, &acts, "LINEAR");
    (bento, acts)
}

fn a_contradiction_is_not_published_unless_waived(instance: &Instance) {
    let admin = instance.admin();
    let (bento, acts) = contradiction(&admin);
    let before = instance.store_contents();
    let object = json!({"objectType": "STORY_NODE", "objectId": acts});
    let refused = admin.fails("version.publish", object, "VALIDATION_ERROR");
    let issues = list(&refused["details"]["issues"]);
    assert_eq!(issues.len(), 1, "{refused}");
    assert_eq!(
        (&issues[0]["code"], &issues[0]["severity"]),
        (&json!("CHAR_DEAD_ACTIVE"), &json!("ERROR"))
    );
    assert_eq!(instance.store_contents(), before);
    // A waiver of another code, or about another entity, does not help.
    let other = admin.entity("CHARACTER", "Ana");
    for waiver in [
        json!({"code": "CHAR_TELEPORT", "reason": "A dream."}),
        json!({"code": "CHAR_DEAD_ACTIVE", "entityIds": [other], "reason": "A dream."}),
    ] {
        admin.ok("storyNode.update", json!({"nodeId": acts, "patch": {"waivers": [waiver]}}));
        let object = json!({"objectType": "STORY_NODE", "objectId": acts});
        admin.fails("version.publish", object, "VALIDATION_ERROR");
    }
    let waiver = json!({"code": "CHAR_DEAD_ACTIVE", "entityIds": [bento], "reason": "A dream."});
    admin.ok("storyNode.update", json!({"nodeId": acts, "patch": {"waivers": [waiver]}}));
    let checked = admin.ok("continuity.check", json!({"nodeId": acts}));
    let waived =
        list(&checked["issues"]).iter().find(|issue| issue["code"] == "CHAR_DEAD_ACTIVE").unwrap();
    assert_eq!(waived["severity"], "INFO");
    assert!(waived["message"].as_str().unwrap().contains("A dream."), "{waived}");
    assert_eq!(admin.publish("STORY_NODE", &acts)["version"]["number"], 2);
}

fn the_gate_can_warn_instead(instance: &Instance) {
    let (_, acts) = contradiction(&instance.admin());
    let lenient = EngineOptions { publishes_contradictions: true, ..EngineOptions::default() };
    let admin = instance.user_on_other_server(&instance.fixture.admin, lenient);
    assert_eq!(
        admin.publish("STORY_NODE", &acts)["version"],
        json!({"status": "PUBLISHED", "number": 2})
    );
    let issues = admin.ok("continuity.check", json!({"nodeId": acts}))["issues"].to_string();
    assert!(issues.contains("CHAR_DEAD_ACTIVE"), "it is still said: {issues}");
    // As a setting of the program.
    instance.admin().ok("storyNode.update", json!({"nodeId": acts, "patch": {"synopsis": "Fog."}}));
    let object = json!({"objectType": "STORY_NODE", "objectId": acts});
    assert!(instance.session().call("version.publish", &object).is_error);
    let mut command = instance.command(&["mcp", "--publish-gate", "warn"]);
    command.env_remove("WORLDFORGE_PUBLISH_GATE");
    let published = instance.session_of(command).ok("version.publish", object);
    assert_eq!(published["object"]["version"]["number"], 3);
}

fn only_the_expected_revision_is_published(instance: &Instance) {
    let admin = instance.admin();
    let ana = admin.entity("CHARACTER", "Ana");
    admin.ok(
        "entity.upsert",
        json!({"entity": {"entityId": ana, "summary": "Later."}, "expectedRevision": 1}),
    );
    let before = instance.store_contents();
    let object = |revision: u64| json!({"objectType": "ENTITY", "objectId": ana, "expectedRevision": revision});
    let refused = admin.fails("version.publish", object(1), "CONFLICT");
    assert_eq!(refused["details"], json!({"expected": 1, "found": 2}));
    assert_eq!(instance.store_contents(), before);
    admin.ok("version.publish", object(2));
    // The type must fit.
    let scene = json!({"objectType": "STORY_NODE", "objectId": ana});
    admin.fails("version.publish", scene, "NOT_FOUND");
}
