//! Large, deep and unusual values: stored exactly, or refused by pointer; nothing in between.

use serde_json::{Value, json};

use crate::bad_input::refused;
use crate::instance::{Instance, on_both, without_transactions};
use crate::user::pointers;
use toolwright_testing::ToolReply;

on_both! {
    too_large_and_too_deep_values_are_refused
    large_attributes_fit
    odd_characters_and_numbers_come_back_or_are_refused
    operator_documents_are_data
}
without_transactions! {
    too_large_and_too_deep_values_are_refused
    odd_characters_and_numbers_come_back_or_are_refused
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("deep"), |inner, level| {
        if level % 2 == 0 { json!([inner]) } else { json!({"in": inner}) }
    })
}

fn too_large_and_too_deep_values_are_refused(instance: &Instance) {
    let admin = instance.admin();
    let scene = admin.scene("Low tide", 1);
    let entity = |attributes: Value| json!({"entity": {"type": "LORE", "name": "x", "attributes": attributes}});
    let delta = |value: Value| json!([{"key": "k", "op": "SET", "value": value}]);
    for depth in [90, 120] {
        refused(
            instance,
            &admin,
            "entity.upsert",
            entity(json!({"x": nested(depth)})),
            &["/entity/attributes"],
        );
        let patch = json!({"nodeId": scene, "patch": {"worldStateDelta": delta(nested(depth))}});
        refused(instance, &admin, "storyNode.update", patch, &["/patch/worldStateDelta"]);
        let deltas = delta(nested(depth));
        let node = json!({"node": {"nodeType": "BEAT", "title": "x", "worldStateDelta": deltas}});
        refused(instance, &admin, "storyNode.create", node, &["/node/worldStateDelta"]);
        refused(
            instance,
            &admin,
            "project.create",
            json!({"title": "x", "styleBible": {"x": nested(depth)}}),
            &["/styleBible/x"],
        );
    }
    let huge = "x".repeat(3 << 20);
    refused(instance, &admin, "entity.upsert", entity(json!({"x": huge})), &["/entity/attributes"]);
    refused(
        instance,
        &admin,
        "project.create",
        json!({"title": "x", "styleBible": {"x": huge}}),
        &["/styleBible/x"],
    );
    // Deeper than any reader goes: refused as a text.
    let before = instance.store_contents();
    let [open, close] = ["[".repeat(200), "]".repeat(200)];
    let who = admin.with_scope("entity.upsert", &entity(json!({"x": "DEEP"}))).to_string();
    let reply =
        admin.call_raw("entity.upsert", &who.replace("\"DEEP\"", &format!("{open}{close}")));
    assert_eq!(
        (reply.is_error, &reply.body["code"]),
        (true, &json!("VALIDATION_ERROR")),
        "{}",
        reply.body
    );
    assert!(!pointers(&reply.body).is_empty(), "{}", reply.body);
    assert_eq!(instance.store_contents(), before);
    // Lists and texts that are too long are named.
    let tags: Vec<String> = (0..65).map(|n| format!("t{n}")).collect();
    refused(
        instance,
        &admin,
        "entity.upsert",
        json!({"entity": {"type": "LORE", "name": "x", "tags": tags}}),
        &["/entity/tags"],
    );
    let long =
        json!({"entity": {"type": "LORE", "name": "x".repeat(201), "summary": "x".repeat(8001)}});
    refused(instance, &admin, "entity.upsert", long, &["/entity/name", "/entity/summary"]);
    refused(instance, &admin, "entity.search", json!({"query": "x".repeat(501)}), &["/query"]);
}

fn large_attributes_fit(instance: &Instance) {
    let writer = instance.writer();
    let large =
        json!({"type": "LORE", "name": "Tome", "attributes": {"text": "é".repeat(512 << 10)}});
    let id = writer.entity_with(large.clone());
    assert_eq!(writer.get_entity(&id)["attributes"], large["attributes"]);
    assert_eq!(instance.admin().publish("ENTITY", &id)["version"]["number"], 2);
    let deep = json!({"x": nested(60)});
    let id = writer.entity_with(json!({"type": "LORE", "name": "Well", "attributes": deep}));
    assert_eq!(writer.get_entity(&id)["attributes"], deep);
    instance.admin().publish("ENTITY", &id);
    // Through a server as well.
    let reply = instance.session().ok("entity.get", json!({"entityId": id}));
    assert_eq!(reply["entity"]["attributes"], deep);
}

/// Kept exactly, or refused by name; nothing in between.
fn kept_or_refused(instance: &Instance, value: &str) {
    let writer = instance.writer();
    let before = instance.store_contents();
    let whole = writer.with_scope(
        "entity.upsert",
        &json!({"entity": {"type": "LORE", "name": "Odd", "attributes": {"x": "VALUE"}}}),
    );
    let reply: ToolReply =
        writer.call_raw("entity.upsert", &whole.to_string().replace("\"VALUE\"", value));
    let body = reply.body;
    if reply.is_error {
        assert_eq!(body["code"], "VALIDATION_ERROR", "{value}: {body}");
        assert!(!pointers(&body).is_empty(), "{value}: {body}");
        assert_eq!(instance.store_contents(), before, "{value}");
        return;
    }
    let meant: Value = serde_json::from_str(value).unwrap();
    assert_eq!(body["entity"]["attributes"]["x"], meant);
    let id = body["entity"]["_id"].as_str().unwrap();
    assert_eq!(writer.get_entity(id)["attributes"]["x"], meant, "{value}");
    instance.admin().publish("ENTITY", id);
}

fn odd_characters_and_numbers_come_back_or_are_refused(instance: &Instance) {
    for value in [
        "\"a\\u0000b\"",
        "{\"a\\u0000b\": 1}",
        "\"\\ud83d\\ude00\"",
        "\"\\u202e\\u0007\"",
        "{\"\": 1}",
        "{\"$set\": {\"a.b\": 1}}",
        "{\"a.b\": 1, \"$\": 2, \"__proto__\": {}}",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "18446744073709551615",
        "1e308",
        "-0.0",
        "0.1",
        "1e-320",
        "123456789012345678901234567890",
        "1e400",
        "{\"_id\": \"x\"}",
    ] {
        kept_or_refused(instance, value);
    }
    let writer = instance.writer();
    // Texts of the contract's own fields.
    for name in ["a\u{0}b", "\u{0}", "\u{1f468}\u{200d}\u{1f469}", "\u{202e}abc", "a\nb"] {
        let reply = writer.call(
            "entity.upsert",
            &json!({"entity": {"type": "LORE", "name": name, "summary": name, "tags": [name]}}),
        );
        match reply.is_error {
            true => {
                assert_eq!(reply.body["code"], "VALIDATION_ERROR", "{name:?}: {}", reply.body)
            }
            false => {
                let id = reply.body["entity"]["_id"].as_str().unwrap().to_owned();
                assert_eq!(writer.get_entity(&id)["summary"], json!(name));
            }
        }
        let reply = writer.call(
            "storyNode.create",
            &json!({"node": {"nodeType": "BEAT", "title": name, "synopsis": name,
            "worldStateDelta": [{"key": name, "op": "SET", "value": name}]}}),
        );
        assert!(
            !reply.is_error || reply.body["code"] == "VALIDATION_ERROR",
            "{name:?}: {}",
            reply.body
        );
    }
    // What was taken can be read and exported.
    instance.admin().ok("export.storyBible", json!({}));
    writer.ok("storyGraph.get", json!({}));
    // Half a character is no text at all.
    let whole =
        writer.with_scope("entity.upsert", &json!({"entity": {"type": "LORE", "name": "VALUE"}}));
    let reply = writer.call_raw("entity.upsert", &whole.to_string().replace("VALUE", "\\ud800"));
    assert_eq!(reply.body["code"], "VALIDATION_ERROR", "{}", reply.body);
}

fn operator_documents_are_data(instance: &Instance) {
    let writer = instance.writer();
    let operators = json!({"$gt": "", "$where": "1", "a.b": {"$inc": 1},
        "$set": {"version": {"status": "PUBLISHED"}}});
    let name = "{\"$gt\": \"\"}";
    let id = writer.entity_with(
        json!({"type": "LORE", "name": name, "summary": "$ne", "attributes": operators}),
    );
    let read = writer.get_entity(&id);
    assert_eq!((&read["attributes"], &read["name"]), (&operators, &json!("{\"$gt\": \"\"}")));
    assert_eq!(read["version"]["status"], "DRAFT");
    let node = writer.node(json!({"nodeType": "BEAT", "title": "$where", "worldStateDelta": [
        {"key": "$set", "op": "SET", "value": operators},
        {"key": "a.$b", "op": "SET", "value": {"$gt": ""}}]}));
    assert_eq!(writer.get_node(&node)["worldStateDelta"][0]["value"], operators);
    let state =
        writer.ok("continuity.check", json!({"nodeId": node, "states": "all"}))["postState"]
            .clone();
    assert_eq!(state["$set"], operators);
    // Instead of an id, a type or a text they are refused.
    for (tool, arguments, place) in [
        ("entity.get", json!({"entityId": {"$ne": null}}), "/entityId"),
        ("entity.search", json!({"type": {"$ne": null}}), "/type"),
        (
            "storyNode.update",
            json!({"nodeId": node, "patch": {"title": {"$set": 1}}}),
            "/patch/title",
        ),
        (
            "storyNode.update",
            json!({"nodeId": node, "patch": {"$set": {"title": 1}}}),
            "/patch/$set",
        ),
        (
            "entity.link",
            json!({"fromEntityId": id, "toEntityId": {"$gt": ""}, "relType": "x"}),
            "/toEntityId",
        ),
    ] {
        refused(instance, &writer, tool, arguments, &[place]);
    }
}
