//! Messages in Portuguese: the same codes and pointers, other text.

use serde_json::{Value, json};
use worldforge::continuity::CODES;
use worldforge::demo::planted;
use worldforge::engine::Actor;
use worldforge::export::story_bible;
use worldforge::messages::Language;
use worldforge::store::World;
use worldforge::story::Story;

use crate::instance::{EngineOptions, Instance, list, on_both, text};
use crate::user::TestUser;

on_both! { every_code_has_portuguese_messages findings_have_portuguese_messages }

fn portuguese(instance: &Instance, user: &str) -> TestUser {
    instance.user_on_other_server(
        user,
        EngineOptions { language: Language::Portuguese, ..EngineOptions::default() },
    )
}

/// The same failure in both languages: only words differ.
fn told_in_both(instance: &Instance, user: &str, tool: &str, arguments: &Value, code: &str) {
    let english = instance.user(user).fails(tool, arguments.clone(), code);
    let other = portuguese(instance, user).fails(tool, arguments.clone(), code);
    assert_ne!(english["message"], other["message"], "{tool} {arguments}: {other}");
    assert!(is_portuguese(&text(&other["message"])), "{tool}: {other}");
    let places = |failure: &Value| -> Vec<Value> {
        let problems = failure["details"]["problems"].as_array().cloned().unwrap_or_default();
        problems.into_iter().map(|problem| problem["pointer"].clone()).collect()
    };
    assert_eq!(places(&english), places(&other));
    let issues = |failure: &Value| -> Vec<Value> {
        let issues = failure["details"]["issues"].as_array().cloned().unwrap_or_default();
        issues.into_iter().map(|issue| issue["code"].clone()).collect()
    };
    assert_eq!(issues(&english), issues(&other));
}

/// Has words that only Portuguese has.
fn is_portuguese(message: &str) -> bool {
    let words = ["não", "é", "uma", "um", "da", "de", "já", "está", "são", "ao", "em", "que", "só"];
    message
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| words.contains(&word))
}

fn every_code_has_portuguese_messages(instance: &Instance) {
    let admin = instance.admin();
    let fixture = &instance.fixture;
    let (ana, bento) = (admin.entity("CHARACTER", "Ana"), admin.entity("CHARACTER", "Bento"));
    let (low, high) = (admin.scene("Low tide", 1), admin.scene("High tide", 2));
    admin.edge(&low, &high, "LINEAR");
    let dead = json!([{"key": format!("character.{bento}.alive"), "op": "SET", "value": false}]);
    admin.ok("storyNode.update", json!({"nodeId": low, "patch": {"worldStateDelta": dead}}));
    let cast = json!([{"entityId": bento, "role": "SUPPORT"}]);
    admin.ok("storyNode.update", json!({"nodeId": high, "patch": {"participants": cast}}));
    let nobody = "d0000000000000000000000f";
    let edge = |from: &str, to: &str| json!({"edge": {"fromNodeId": from, "toNodeId": to, "edgeType": "LINEAR"}});
    for (tool, arguments, code) in [
        ("project.get", json!({"userId": nobody}), "UNAUTHORIZED"),
        ("project.get", json!({"projectId": nobody}), "NOT_FOUND"),
        ("entity.get", json!({"entityId": nobody}), "NOT_FOUND"),
        ("storyNode.get", json!({"nodeId": nobody}), "NOT_FOUND"),
        ("continuity.check", json!({"nodeId": nobody}), "NOT_FOUND"),
        (
            "entity.link",
            json!({"fromEntityId": ana, "toEntityId": nobody, "relType": "x"}),
            "NOT_FOUND",
        ),
        ("project.get", json!({"projectId": "x"}), "VALIDATION_ERROR"),
        ("project.create", json!({"title": "  "}), "VALIDATION_ERROR"),
        ("entity.upsert", json!({"entity": {"type": "ITEM"}}), "VALIDATION_ERROR"),
        (
            "entity.upsert",
            json!({"entity": {"type": "ITEM", "name": "x", "relationships":
                [{"toEntityId": nobody, "relType": "x"}]}}),
            "VALIDATION_ERROR",
        ),
        (
            "entity.upsert",
            json!({"entity": {"type": "ITEM", "name": "x", "attributes": {"x": u64::MAX}}}),
            "VALIDATION_ERROR",
        ),
        (
            "entity.upsert",
            json!({"entity": {"type": "RULE", "name": "x", "attributes": {"constraint": {"when": 7}}}}),
            "VALIDATION_ERROR",
        ),
        (
            "entity.link",
            json!({"fromEntityId": ana, "toEntityId": ana, "relType": "x"}),
            "VALIDATION_ERROR",
        ),
        (
            "storyNode.create",
            json!({"node": {"nodeType": "SCENE", "title": "x", "locations": [ana]}}),
            "VALIDATION_ERROR",
        ),
        (
            "storyNode.create",
            json!({"node": {"nodeType": "SCENE", "title": "x", "chapterNodeId": low}}),
            "VALIDATION_ERROR",
        ),
        (
            "storyNode.create",
            json!({"node": {"nodeType": "SCENE", "title": "x", "waivers":
                [{"code": "X", "reason": "x"}]}}),
            "VALIDATION_ERROR",
        ),
        ("storyEdge.create", edge(&low, &low), "VALIDATION_ERROR"),
        ("storyEdge.create", edge(&high, &low), "VALIDATION_ERROR"),
        ("storyEdge.create", edge(&low, &high), "CONFLICT"),
        ("export.shotPromptPack", json!({"chapterNodeId": low}), "VALIDATION_ERROR"),
        (
            "version.publish",
            json!({"objectType": "STORY_NODE", "objectId": high}),
            "VALIDATION_ERROR",
        ),
        (
            "version.publish",
            json!({"objectType": "ENTITY", "objectId": ana, "expectedRevision": 7}),
            "CONFLICT",
        ),
        (
            "storyNode.update",
            json!({"nodeId": low, "patch": {"title": "x"}, "expectedRevision": 7}),
            "CONFLICT",
        ),
    ] {
        told_in_both(instance, &fixture.admin, tool, &arguments, code);
    }
    told_in_both(instance, &fixture.writer, "project.create", &json!({"title": "x"}), "FORBIDDEN");
    told_in_both(instance, &fixture.nobody, "project.get", &json!({}), "FORBIDDEN");
    let reads = EngineOptions {
        read_only: true,
        language: Language::Portuguese,
        ..EngineOptions::default()
    };
    let reply = instance.user_on_other_server(&fixture.admin, reads).fails(
        "project.create",
        json!({"title": "x"}),
        "FORBIDDEN",
    );
    assert_eq!(reply["message"], "Este servidor só lê.");
    // A store that is not there.
    let mut command = instance.command(&["mcp", "--language", "pt"]);
    command
        .env("WORLDFORGE_DATABASE_URL", "mongodb://127.0.0.1:1/")
        .env("WORLDFORGE_DATABASE_TIMEOUT_MS", "200");
    let reply = instance.session_of(command).call("project.get", &json!({})).body;
    assert_eq!(reply["code"], "INTERNAL_ERROR");
    assert!(is_portuguese(&text(&reply["message"])), "{reply}");
}

fn findings_have_portuguese_messages(instance: &Instance) {
    let fixture = &instance.fixture;
    let actor = Actor {
        tenant: fixture.tenant.clone(),
        user: fixture.admin.clone(),
        action: "import".into(),
    };
    let other = portuguese(instance, &fixture.admin);
    for info in CODES {
        let demo = planted(info.code, &fixture.tenant, &fixture.admin, 0).demo;
        let world = World {
            entities: demo.entities,
            nodes: demo.nodes,
            edges: demo.edges,
            ..World::empty(demo.project)
        };
        let story = Story::new(&world.nodes, &world.edges, &world.entities);
        let (project, _) = instance.engine.import(&actor, &story_bible(&world, &story, 0)).unwrap();
        let (admin, other) =
            (instance.admin().in_project(&project.id), other.clone().in_project(&project.id));
        let mut seen = false;
        for node in list(&admin.ok("storyGraph.get", json!({"projection": "compact"}))["nodes"]) {
            let check = json!({"nodeId": node["_id"], "states": "none"});
            let (english, reply) =
                (admin.ok("continuity.check", check.clone()), other.ok("continuity.check", check));
            for (one, two) in list(&english["issues"]).iter().zip(list(&reply["issues"])) {
                for same in ["code", "severity", "nodeId", "entityIds"] {
                    assert_eq!(one.get(same), two.get(same), "{one} {two}");
                }
                assert_ne!(one["message"], two["message"], "{two}");
                assert_ne!(one["suggestion"], two["suggestion"], "{two}");
                seen |= one["code"] == info.name;
            }
            assert_eq!(list(&english["issues"]).len(), list(&reply["issues"]).len());
        }
        assert!(seen, "{} is found through the tools", info.name);
    }
}
