//! Bad input: the declared code, the pointers in `details`, and nothing half-written.

use serde_json::{Value, json};

use crate::instance::{Instance, on_both};
use crate::user::{TestUser, pointers};

on_both! {
    malformed_ids_are_refused_by_name
    numbers_out_of_range_are_refused_by_name
    self_links_and_cycles_are_refused
    dangling_references_are_refused_by_name
    text_that_is_no_object_is_refused
    a_new_entity_has_no_revision_to_expect
}

/// A refusal that names exactly these places and leaves the store alone.
pub(crate) fn refused(
    instance: &Instance,
    user: &TestUser,
    tool: &str,
    arguments: Value,
    places: &[&str],
) {
    let before = instance.store_contents();
    let refused = user.fails(tool, arguments.clone(), "VALIDATION_ERROR");
    assert_eq!(pointers(&refused), places, "{tool} {arguments}: {refused}");
    for problem in refused["details"]["problems"].as_array().unwrap() {
        assert!(problem["message"].as_str().is_some_and(|text| !text.is_empty()), "{refused}");
    }
    assert_eq!(instance.store_contents(), before, "{tool} {arguments} wrote something");
}

fn malformed_ids_are_refused_by_name(instance: &Instance) {
    let admin = instance.admin();
    let (ana, scene) = (admin.entity("CHARACTER", "Ana"), admin.scene("Low tide", 1));
    for bad in [
        json!(""),
        json!("x"),
        json!("D00000000000000000000001"),
        json!("d0000000000000000000000"),
        json!("d000000000000000000000011"),
        json!("d0000000000000000000000\u{0}"),
        json!(" d0000000000000000000001"),
        json!("d00000000000000000000001\n"),
        json!({"$gt": ""}),
        json!({"$oid": "d00000000000000000000001"}),
        json!(null),
        json!(7),
        json!([]),
        json!("zzzzzzzzzzzzzzzzzzzzzzzz"),
    ] {
        for (tool, arguments, place) in [
            ("project.get", json!({"projectId": bad}), "/projectId"),
            ("project.get", json!({"tenantId": bad}), "/tenantId"),
            ("project.get", json!({"userId": bad}), "/userId"),
            ("entity.get", json!({"entityId": bad}), "/entityId"),
            ("storyNode.get", json!({"nodeId": bad}), "/nodeId"),
            ("storyNode.update", json!({"nodeId": bad, "patch": {"title": "x"}}), "/nodeId"),
            (
                "entity.link",
                json!({"fromEntityId": ana, "toEntityId": bad, "relType": "x"}),
                "/toEntityId",
            ),
            (
                "storyEdge.create",
                json!({"edge": {"fromNodeId": scene, "toNodeId": bad, "edgeType": "LINEAR"}}),
                "/edge/toNodeId",
            ),
            (
                "entity.upsert",
                json!({"entity": {"entityId": bad, "name": "x"}}),
                "/entity/entityId",
            ),
            (
                "storyNode.create",
                json!({"node": {"nodeType": "BEAT", "title": "x", "locations": [ana, bad]}}),
                "/node/locations/1",
            ),
            ("continuity.check", json!({"nodeId": bad}), "/nodeId"),
            ("prompt.compose", json!({"nodeId": bad}), "/nodeId"),
            ("version.publish", json!({"objectType": "ENTITY", "objectId": bad}), "/objectId"),
            ("export.shotPromptPack", json!({"chapterNodeId": bad}), "/chapterNodeId"),
        ] {
            refused(instance, &admin, tool, arguments, &[place]);
        }
    }
    // Missing arguments are reported too.
    let reply = admin.call_raw("project.get", "{}");
    let mut places = pointers(&reply.body);
    places.sort();
    assert_eq!(places, ["/projectId", "/tenantId", "/userId"], "{}", reply.body);
}

fn numbers_out_of_range_are_refused_by_name(instance: &Instance) {
    let admin = instance.admin();
    let scene = admin.scene("Low tide", 1);
    for limit in [
        json!(0),
        json!(-1),
        json!(1_000_000_000),
        json!(1.5),
        json!("5"),
        json!(1e300),
        json!(null),
    ] {
        refused(instance, &admin, "entity.search", json!({"limit": limit}), &["/limit"]);
        refused(instance, &admin, "storyGraph.get", json!({"limit": limit}), &["/limit"]);
    }
    for offset in [json!(-1), json!(1e18), json!(0.5)] {
        refused(instance, &admin, "entity.search", json!({"offset": offset}), &["/offset"]);
        refused(instance, &admin, "storyGraph.get", json!({"offset": offset}), &["/offset"]);
    }
    for order in [json!(-1), json!(1_000_000_001_u64), json!(1.25), json!("1"), json!(u64::MAX)] {
        let patch = json!({"nodeId": scene, "patch": {"time": {"order": order}}});
        refused(instance, &admin, "storyNode.update", patch, &["/patch/time/order"]);
        let node = json!({"node": {"nodeType": "BEAT", "title": "x", "time": {"order": order}}});
        refused(instance, &admin, "storyNode.create", node, &["/node/time/order"]);
    }
    for revision in [json!(-1), json!("1"), json!(1.5)] {
        let patch = json!({"nodeId": scene, "patch": {"title": "x"}, "expectedRevision": revision});
        refused(instance, &admin, "storyNode.update", patch, &["/expectedRevision"]);
    }
    for most in [json!(0), json!(599), json!(8001), json!(-1)] {
        refused(
            instance,
            &admin,
            "prompt.compose",
            json!({"nodeId": scene, "maxChars": most}),
            &["/maxChars"],
        );
    }
    // A whole number may be written with a point.
    let reply = admin.call("entity.search", &json!({"limit": 5.0}));
    assert!(!reply.is_error, "{}", reply.body);
    let reply = admin
        .call("storyNode.update", &json!({"nodeId": scene, "patch": {"time": {"order": 7.0}}}));
    assert!(!reply.is_error, "{}", reply.body);
    assert_eq!(reply.body["node"]["time"]["order"], 7);
}

fn self_links_and_cycles_are_refused(instance: &Instance) {
    let writer = instance.writer();
    let ana = writer.entity("CHARACTER", "Ana");
    let link = json!({"fromEntityId": ana, "toEntityId": ana, "relType": "ally_of"});
    refused(instance, &writer, "entity.link", link, &["/toEntityId"]);
    let links = json!([{"toEntityId": ana, "relType": "x"}]);
    let own = json!({"entity": {"entityId": ana, "relationships": links}});
    refused(instance, &writer, "entity.upsert", own, &["/entity/relationships/0"]);

    let nodes: Vec<String> = (0..4).map(|n| writer.scene(&format!("Scene {n}"), n)).collect();
    let edge = |from: usize, to: usize, kind: &str| {
        let (from, to) = (&nodes[from], &nodes[to]);
        json!({"edge": {"fromNodeId": from, "toNodeId": to, "edgeType": kind}})
    };
    for kind in ["LINEAR", "BRANCH", "CHOICE", "FLASHBACK", "TIMEJUMP"] {
        refused(instance, &writer, "storyEdge.create", edge(1, 1, kind), &["/edge/toNodeId"]);
    }
    for (from, kind) in [(0, "LINEAR"), (1, "BRANCH"), (2, "CHOICE")] {
        writer.ok("storyEdge.create", edge(from, from + 1, kind));
    }
    for (from, to) in [(1, 0), (2, 0), (3, 0), (3, 1), (2, 1)] {
        for kind in ["LINEAR", "BRANCH", "CHOICE"] {
            refused(
                instance,
                &writer,
                "storyEdge.create",
                edge(from, to, kind),
                &["/edge/toNodeId"],
            );
        }
    }
    // Time may lead back.
    writer.ok("storyEdge.create", edge(3, 0, "TIMEJUMP"));
    writer.ok("storyEdge.create", edge(2, 0, "FLASHBACK"));
    let before = instance.store_contents();
    writer.fails("storyEdge.create", edge(0, 1, "LINEAR"), "CONFLICT");
    assert_eq!(instance.store_contents(), before);
    // Another type between the same two is another edge.
    writer.ok("storyEdge.create", edge(0, 1, "CHOICE"));
}

fn dangling_references_are_refused_by_name(instance: &Instance) {
    let writer = instance.writer();
    let (ana, pier) = (writer.entity("CHARACTER", "Ana"), writer.entity("LOCATION", "Pier"));
    let (rule, scene) = (writer.entity("RULE", "Law"), writer.scene("Low tide", 1));
    let nobody = "d0000000000000000000000f";
    let fields = json!({"nodeType": "SCENE", "title": "Fog",
        "participants": [{"entityId": ana, "role": "SUPPORT"},
            {"entityId": nobody, "role": "SUPPORT"},
            {"entityId": rule, "role": "SUPPORT"}, {"entityId": ana, "role": "ANTAGONIST"}],
        "locations": [pier, nobody, ana],
        "worldStateDelta": [
            {"key": format!("character.{nobody}.alive"), "op": "SET", "value": true},
            {"key": format!("item.{ana}.status"), "op": "SET", "value": "LOST"},
            {"key": "free.flag", "op": "INC"}],
        "requires": [{"entityId": nobody, "knows": "x"}],
        "waivers": [{"code": "NO_SUCH_CODE", "entityIds": [nobody], "reason": "x"}],
        "chapterNodeId": scene});
    let places = |base: &str| -> Vec<String> {
        [
            "/participants/1/entityId",
            "/participants/2/entityId",
            "/participants/3/entityId",
            "/locations/1",
            "/locations/2",
            "/requires/0/entityId",
            "/worldStateDelta/0/key",
            "/worldStateDelta/1/key",
            "/waivers/0/code",
            "/waivers/0/entityIds/0",
            "/chapterNodeId",
        ]
        .map(|place| format!("{base}{place}"))
        .into()
    };
    let node = places("/node");
    let node: Vec<&str> = node.iter().map(String::as_str).collect();
    refused(instance, &writer, "storyNode.create", json!({"node": fields}), &node);
    let patch = places("/patch");
    let patch: Vec<&str> = patch.iter().map(String::as_str).collect();
    refused(
        instance,
        &writer,
        "storyNode.update",
        json!({"nodeId": scene, "patch": fields}),
        &patch,
    );
    let related = json!({"entity": {"type": "ITEM", "name": "x", "relationships": [
        {"toEntityId": ana, "relType": "of"}, {"toEntityId": nobody, "relType": "of"}]}});
    refused(instance, &writer, "entity.upsert", related, &["/entity/relationships/1/toEntityId"]);
    refused(
        instance,
        &writer,
        "entity.upsert",
        json!({"entity": {}}),
        &["/entity/type", "/entity/name"],
    );
    let rule =
        json!({"entity": {"type": "RULE", "name": "x", "attributes": {"constraint": {"when": 7}}}});
    refused(instance, &writer, "entity.upsert", rule, &["/entity/attributes/constraint"]);
    let stray = json!([{"key": "k", "op": "SET", "valeu": 1}]);
    let stray = json!({"node": {"nodeType": "BEAT", "title": "x", "worldStateDelta": stray}});
    refused(instance, &writer, "storyNode.create", stray, &["/node/worldStateDelta/0/valeu"]);
    for name in ["", "   ", "\t\n"] {
        refused(
            instance,
            &writer,
            "entity.upsert",
            json!({"entity": {"type": "ITEM", "name": name}}),
            &["/entity/name"],
        );
        refused(
            instance,
            &writer,
            "storyNode.update",
            json!({"nodeId": scene, "patch": {"title": name}}),
            &["/patch/title"],
        );
        refused(instance, &instance.admin(), "project.create", json!({"title": name}), &["/title"]);
    }
    // What a call names itself is not found.
    let before = instance.store_contents();
    for (tool, arguments) in [
        ("entity.link", json!({"fromEntityId": ana, "toEntityId": nobody, "relType": "of"})),
        (
            "storyEdge.create",
            json!({"edge": {"fromNodeId": scene, "toNodeId": nobody, "edgeType": "LINEAR"}}),
        ),
        (
            "storyEdge.create",
            json!({"edge": {"fromNodeId": scene, "toNodeId": ana, "edgeType": "LINEAR"}}),
        ),
    ] {
        writer.fails(tool, arguments, "NOT_FOUND");
    }
    assert_eq!(instance.store_contents(), before);
}

fn text_that_is_no_object_is_refused(instance: &Instance) {
    let admin = instance.admin();
    let before = instance.store_contents();
    for arguments in ["[]", "null", "7", "\"x\"", "true"] {
        for tool in ["project.get", "entity.upsert", "storyGraph.get"] {
            let reply = admin.call_raw(tool, arguments);
            assert_eq!(
                reply.body["code"], "VALIDATION_ERROR",
                "{tool} {arguments}: {}",
                reply.body
            );
        }
    }
    for entity in [json!(null), json!([]), json!("x"), json!(7)] {
        refused(instance, &admin, "entity.upsert", json!({"entity": entity}), &["/entity"]);
        refused(instance, &admin, "storyNode.create", json!({"node": entity}), &["/node"]);
        refused(instance, &admin, "storyEdge.create", json!({"edge": entity}), &["/edge"]);
    }
    refused(instance, &admin, "project.get", json!({"nonsense": 1}), &["/nonsense"]);
    assert_eq!(instance.store_contents(), before);
}

fn a_new_entity_has_no_revision_to_expect(instance: &Instance) {
    let arguments = json!({"entity": {"type": "ITEM", "name": "Rope"}, "expectedRevision": 1});
    refused(instance, &instance.admin(), "entity.upsert", arguments, &["/expectedRevision"]);
}
