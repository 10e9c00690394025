//! Partial changes: omitted fields stay, null clears, immutable fields are refused by name.

use serde_json::{Value, json};

use crate::instance::{Instance, on_both};
use crate::random_worlds::{RandomWorld, build, node, sentence};
use crate::user::pointers;
use toolwright_testing::random::Random;

on_both! {
    a_patch_keeps_omitted_fields
    an_upsert_keeps_omitted_fields
    null_clears
    immutable_fields_are_refused_by_name
    a_link_is_there_once
    a_patch_is_not_refused_for_fields_it_does_not_touch
}

/// What every object has, and no patch can change.
const FIXED: [&str; 5] = ["_id", "tenantId", "projectId", "version", "audit"];

/// Checks that exactly `patch` was put over `before`.
fn follows(before: &Value, patch: &Value, after: &Value) {
    let (before, after) = (before.as_object().unwrap(), after.as_object().unwrap());
    let fields = before.keys().chain(after.keys());
    for field in fields.filter(|field| !["version", "audit"].contains(&field.as_str())) {
        let (was, is) = (before.get(field), after.get(field));
        match (patch.get(field), field.as_str()) {
            (None, _) => assert_eq!(was, is, "{field} was left out of {patch}"),
            (Some(Value::Object(inner)), "goals" | "hooks" | "time") => {
                let (was, is) =
                    (was.unwrap().as_object().unwrap(), is.unwrap().as_object().unwrap());
                for name in was.keys().chain(is.keys()) {
                    match inner.get(name) {
                        None => {
                            assert_eq!(was.get(name), is.get(name), "{field}/{name} in {patch}")
                        }
                        Some(value) => assert_eq!(is.get(name), Some(value), "{field}/{name}"),
                    }
                }
            }
            (Some(_), "worldStateDelta") => {
                let reply: Vec<&Value> =
                    is.unwrap().as_array().unwrap().iter().map(|one| &one["key"]).collect();
                let meant: Vec<&Value> =
                    patch[field].as_array().unwrap().iter().map(|one| &one["key"]).collect();
                assert_eq!(reply, meant);
            }
            (Some(value), _) => assert_eq!(is, Some(value), "{field}"),
        }
    }
}

fn a_patch_keeps_omitted_fields(instance: &Instance) {
    let random = &mut Random::seeded();
    let writer = instance.writer();
    let made: RandomWorld = build(&instance.admin(), random, "patched");
    for round in 0..60 {
        let id = random.pick(&made.nodes).clone();
        let before = writer.get_node(&id);
        // Some of the fields of a whole other node.
        let order = random.below(40) as u64;
        let mut patch = node(random, &format!("round {round}"), &made, order);
        let fields: Vec<String> = patch.as_object().unwrap().keys().cloned().collect();
        for field in fields {
            if random.below(3) > 0 {
                patch.as_object_mut().unwrap().remove(&field);
            }
        }
        if random.yes() {
            patch["goals"] = json!({"conflict": sentence(random, "goal")});
        }
        if patch.as_object().unwrap().is_empty() {
            continue;
        }
        let reply =
            writer.ok("storyNode.update", json!({"nodeId": id, "patch": patch}))["node"].clone();
        assert_eq!(reply, writer.get_node(&id));
        follows(&before, &patch, &reply);
        let revision = before["audit"]["revision"].as_u64().unwrap();
        assert_eq!(reply["audit"]["createdBy"], before["audit"]["createdBy"]);
        assert!(reply["audit"]["revision"] == revision + 1 || reply == before, "{reply}");
    }
}

fn an_upsert_keeps_omitted_fields(instance: &Instance) {
    let random = &mut Random::seeded();
    let writer = instance.writer();
    let made = build(&instance.admin(), random, "patched");
    for round in 0..60 {
        let id = random.pick(&made.entities).0.clone();
        let before = writer.get_entity(&id);
        let kind = before["type"].as_str().unwrap();
        let mut fields = crate::random_worlds::entity(random, &format!("round {round}"), kind);
        for field in ["type", "name", "summary", "tags", "attributes"] {
            if random.yes() {
                fields.as_object_mut().unwrap().remove(field);
            }
        }
        let patch = fields.clone();
        fields["entityId"] = json!(id);
        let reply = writer.ok("entity.upsert", json!({"entity": fields}))["entity"].clone();
        assert_eq!(reply, writer.get_entity(&id));
        follows(&before, &patch, &reply);
    }
}

fn null_clears(instance: &Instance) {
    let random = &mut Random::seeded();
    let writer = instance.writer();
    let made = build(&instance.admin(), random, "cleared");
    let mut fields = node(random, "full", &made, 3);
    let who = &made.of("CHARACTER")[0];
    fields["synopsis"] = json!("Full.");
    fields["time"]["inWorldDate"] = json!("Day 3");
    fields["requires"] = json!([{"entityId": who, "knows": "x"}]);
    fields["cinematicSettings"] = json!({"lens": "35 mm"});
    fields["waivers"] = json!([{"code": "CHAR_TELEPORT", "reason": "x"}]);
    fields["participants"] = json!([{"entityId": who, "role": "SUPPORT"}]);
    fields["chapterNodeId"] = json!(made.nodes[0]);
    let id = writer.node(fields);
    let all = [
        "synopsis",
        "goals",
        "hooks",
        "participants",
        "locations",
        "worldStateDelta",
        "chapterNodeId",
        "requires",
        "cinematicSettings",
        "waivers",
    ];
    for field in all {
        let before = writer.get_node(&id);
        let reply =
            writer.ok("storyNode.update", json!({"nodeId": id, "patch": {field: null}}))["node"]
                .clone();
        let empty = match reply.get(field) {
            None => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Object(members)) => {
                members.values().all(|value| *value == json!("") || *value == json!([]))
            }
            other => panic!("{other:?}"),
        };
        assert!(empty, "{field}: {reply}");
        for other in all.iter().filter(|other| **other != field) {
            assert_eq!(reply.get(other), before.get(other), "{other} after {field}");
        }
    }
    let reply = writer
        .ok("storyNode.update", json!({"nodeId": id, "patch": {"time": {"inWorldDate": null}}}));
    assert_eq!(reply["node"]["time"], json!({"order": 3}));
    // What must be there cannot be cleared.
    for field in ["title", "nodeType", "time"] {
        let refused = writer.fails(
            "storyNode.update",
            json!({"nodeId": id, "patch": {field: null}}),
            "VALIDATION_ERROR",
        );
        assert_eq!(pointers(&refused), [format!("/patch/{field}")]);
    }
    let ana = writer
        .entity_with(json!({"type": "CHARACTER", "name": "Ana", "summary": "x", "tags": ["x"],
        "attributes": {"age": 4}, "relationships": [{"toEntityId": who, "relType": "ally_of"}]}));
    for (field, empty) in [
        ("summary", json!("")),
        ("tags", json!([])),
        ("attributes", json!({})),
        ("relationships", json!([])),
    ] {
        let reply = writer.ok("entity.upsert", json!({"entity": {"entityId": ana, field: null}}));
        assert_eq!(reply["entity"][field], empty);
    }
    for field in ["name", "type"] {
        let refused = writer.fails(
            "entity.upsert",
            json!({"entity": {"entityId": ana, field: null}}),
            "VALIDATION_ERROR",
        );
        assert_eq!(pointers(&refused), [format!("/entity/{field}")]);
    }
}

fn immutable_fields_are_refused_by_name(instance: &Instance) {
    let writer = instance.writer();
    let (ana, scene) = (writer.entity("CHARACTER", "Ana"), writer.scene("Low tide", 1));
    let before = instance.store_contents();
    let (entity, node) = (writer.get_entity(&ana), writer.get_node(&scene));
    for field in FIXED.into_iter().chain(["nonsense", "parentNodeId", "__proto__", "$set"]) {
        let value = node.get(field).cloned().unwrap_or(json!("x"));
        let patch = json!({"nodeId": scene, "patch": {"title": "Ebb", field: value}});
        let refused = writer.fails("storyNode.update", patch, "VALIDATION_ERROR");
        assert_eq!(pointers(&refused), [format!("/patch/{field}")], "{refused}");
        let node = json!({"node": {"nodeType": "BEAT", "title": "x", field: value}});
        let refused = writer.fails("storyNode.create", node, "VALIDATION_ERROR");
        assert_eq!(pointers(&refused), [format!("/node/{field}")], "{refused}");
        let value = entity.get(field).cloned().unwrap_or(json!("x"));
        let fields = json!({"entity": {"entityId": ana, "summary": "x", field: value}});
        let refused = writer.fails("entity.upsert", fields, "VALIDATION_ERROR");
        assert_eq!(pointers(&refused), [format!("/entity/{field}")], "{refused}");
    }
    writer.fails("storyNode.update", json!({"nodeId": scene, "patch": {}}), "VALIDATION_ERROR");
    // Nor anything of a nested object that it does not have.
    let patch = json!({"nodeId": scene, "patch": {"goals": {"moral": "x"}, "time": {"zone": "x"}}});
    let refused = writer.fails("storyNode.update", patch, "VALIDATION_ERROR");
    assert_eq!(pointers(&refused), ["/patch/goals/moral", "/patch/time/zone"]);
    // An unknown entityId is refused, not created.
    let unknown =
        json!({"entity": {"entityId": "d0000000000000000000000f", "type": "ITEM", "name": "x"}});
    writer.fails("entity.upsert", unknown, "NOT_FOUND");
    assert_eq!(instance.store_contents(), before);
}

fn a_link_is_there_once(instance: &Instance) {
    let writer = instance.writer();
    let (ana, guild) = (writer.entity("CHARACTER", "Ana"), writer.entity("FACTION", "Guild"));
    let link = |note: Option<&str>| {
        let mut link = json!({"fromEntityId": ana, "toEntityId": guild, "relType": "member_of"});
        if let Some(note) = note {
            link["note"] = json!(note);
        }
        writer.ok("entity.link", link)["entity"].clone()
    };
    let first = link(Some("Since the flood."));
    assert_eq!(first["audit"]["revision"], 2);
    assert_eq!(link(Some("Since the flood.")), first);
    assert_eq!(link(None), first, "no note is no new note");
    let noted = link(Some("Since the storm."));
    assert_eq!(
        noted["relationships"],
        json!([{"toEntityId": guild, "relType": "member_of", "note": "Since the storm."}])
    );
    assert_eq!(
        writer.get_entity(&guild)["relationships"],
        json!([]),
        "the other direction is its own"
    );
    let twice =
        json!([{"toEntityId": guild, "relType": "x"}, {"toEntityId": guild, "relType": "x"}]);
    let refused = writer.fails(
        "entity.upsert",
        json!({"entity": {"entityId": ana, "relationships": twice}}),
        "VALIDATION_ERROR",
    );
    assert_eq!(pointers(&refused), ["/entity/relationships/1"]);
}

/// A place becomes an item, a chapter a scene: what referred to them can still be edited.
fn a_patch_is_not_refused_for_fields_it_does_not_touch(instance: &Instance) {
    let writer = instance.writer();
    let (pier, pilot) = (writer.entity("LOCATION", "Pier"), writer.entity("CHARACTER", "Ana"));
    let chapter = writer.node(json!({"nodeType": "CHAPTER", "title": "One"}));
    let scene = writer.node(json!({"nodeType": "SCENE", "title": "Low tide", "locations": [pier],
        "participants": [{"entityId": pilot, "role": "SUPPORT"}], "chapterNodeId": chapter,
        "worldStateDelta": [{"key": format!("character.{pilot}.alive"), "op": "SET", "value": true}]}));
    writer.ok("entity.upsert", json!({"entity": {"entityId": pier, "type": "ITEM"}}));
    writer.ok("entity.upsert", json!({"entity": {"entityId": pilot, "type": "LORE"}}));
    writer.ok("storyNode.update", json!({"nodeId": chapter, "patch": {"nodeType": "SCENE"}}));
    let codes = writer.ok("continuity.check", json!({"nodeId": scene}))["issues"].to_string();
    assert!(codes.contains("REF_WRONG_TYPE"), "{codes}");
    let update =
        |patch: Value| writer.call("storyNode.update", &json!({"nodeId": scene, "patch": patch}));
    let reply = update(json!({"title": "Ebb"}));
    assert!(!reply.is_error, "{}", reply.body);
    // Mended one by one; what is touched must fit.
    for (patch, place) in [
        (json!({"title": "x", "locations": [pier]}), "/patch/locations/0"),
        (json!({"chapterNodeId": chapter}), "/patch/chapterNodeId"),
    ] {
        assert_eq!(pointers(&update(patch).body), [place]);
    }
    for field in ["locations", "participants", "chapterNodeId", "worldStateDelta"] {
        let reply = update(json!({field: null}));
        assert!(!reply.is_error, "{}", reply.body);
    }
    // A law that only becomes one by its type must be readable.
    let odd =
        writer.entity_with(json!({"type": "LORE", "name": "Law", "attributes": {"constraint": 7}}));
    let refused = writer.fails(
        "entity.upsert",
        json!({"entity": {"entityId": odd, "type": "RULE"}}),
        "VALIDATION_ERROR",
    );
    assert_eq!(pointers(&refused), ["/entity/attributes/constraint"]);
}
