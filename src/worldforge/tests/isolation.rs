//! Tenants of one store are isolated: calls with ids of another tenant are answered as if the object
//! did not exist, and no answer contains foreign data.

use serde_json::{Value, json};

use crate::instance::{Instance, on_both, without_transactions};
use crate::random_worlds::{RandomWorld, build};
use crate::user::TestUser;
use toolwright_testing::random::Random;

on_both! { tenants_never_meet projects_of_one_tenant_never_meet }
without_transactions! { tenants_never_meet }

const OURS: &str = "oursonly";
const THEIRS: &str = "theirsonly";

/// Every call with places for ids: a project, an entity, another one, a node, another one.
fn calls([project, entity, link, node, to]: [&str; 5]) -> Vec<(&'static str, Value)> {
    let p = project;
    let mut calls = vec![
        ("project.get", json!({"projectId": p})),
        ("entity.upsert", json!({"projectId": p, "entity": {"entityId": entity, "summary": "x"}})),
        (
            "entity.upsert",
            json!({"projectId": p, "entity": {"type": "ITEM", "name": "x",
            "relationships": [{"toEntityId": link, "relType": "of"}]}}),
        ),
        ("entity.get", json!({"projectId": p, "entityId": entity})),
        (
            "entity.link",
            json!({"projectId": p, "fromEntityId": entity, "toEntityId": link, "relType": "of"}),
        ),
        (
            "storyNode.create",
            json!({"projectId": p, "node": {"nodeType": "BEAT", "title": "x",
            "participants": [{"entityId": entity, "role": "SUPPORT"}], "locations": [link],
            "requires": [{"entityId": entity, "knows": "x"}], "chapterNodeId": node,
            "waivers": [{"code": "CHAR_TELEPORT", "entityIds": [entity], "reason": "x"}],
            "worldStateDelta": [{"key": format!("character.{entity}.alive"), "op": "SET", "value": true}]}}),
        ),
        (
            "storyNode.update",
            json!({"projectId": p, "nodeId": node, "patch": {"locations": [link]}}),
        ),
        ("storyNode.get", json!({"projectId": p, "nodeId": node})),
        (
            "storyEdge.create",
            json!({"projectId": p, "edge": {"fromNodeId": node, "toNodeId": to, "edgeType": "TIMEJUMP"}}),
        ),
        ("continuity.check", json!({"projectId": p, "nodeId": node, "states": "all"})),
        ("prompt.compose", json!({"projectId": p, "nodeId": node})),
        ("version.publish", json!({"projectId": p, "objectType": "ENTITY", "objectId": entity})),
        ("version.publish", json!({"projectId": p, "objectType": "STORY_NODE", "objectId": node})),
        ("export.shotPromptPack", json!({"projectId": p, "chapterNodeId": node})),
    ];
    calls.push(("entity.search", json!({"projectId": p, "query": ""})));
    for tool in ["storyGraph.get", "export.storyBible", "export.shotPromptPack"] {
        calls.push((tool, json!({"projectId": p})));
    }
    calls
}

/// Calls with another's ids and with ids that nobody has: the answers are the same, byte for byte,
/// but for the ids that the caller has written itself.
fn same_as_unknown(us: &TestUser, random: &mut Random, foreign: [Option<&str>; 5], own: [&str; 5]) {
    let unknown: Vec<String> = (0..5).map(|_| random.id()).collect();
    let ids = |other: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..5)
            .map(|at| if foreign[at].is_some() { other(at) } else { own[at].to_owned() })
            .collect()
    };
    let theirs = ids(&|at| foreign[at].unwrap_or_default().to_owned());
    let nobodys = ids(&|at| unknown[at].clone());
    let array = |ids: &[String]| -> Vec<(&'static str, Value)> {
        calls([&ids[0], &ids[1], &ids[2], &ids[3], &ids[4]])
    };
    for ((tool, foreign_call), (_, unknown_call)) in array(&theirs).into_iter().zip(array(&nobodys))
    {
        // Only calls that contain a foreign id.
        if foreign_call == unknown_call {
            continue;
        }
        let reply = us.call(tool, &foreign_call);
        let unknown = us.call(tool, &unknown_call);
        assert_eq!(
            reply.response.to_string(),
            unknown.response.to_string(),
            "{tool} {foreign_call}"
        );
        assert!(reply.is_error, "{tool} {foreign_call}: {}", reply.body);
        let code = reply.body["code"].clone();
        let expected = foreign[0].is_some()
            || !["storyNode.create", "entity.upsert", "storyNode.update"].contains(&tool);
        match expected {
            true => assert_eq!(code, "NOT_FOUND", "{tool} {foreign_call}: {}", reply.body),
            // Dangling references of a new document are reported by their place.
            false => {
                assert!(code == "NOT_FOUND" || code == "VALIDATION_ERROR", "{tool}: {}", reply.body)
            }
        }
        assert!(!reply.response.to_string().contains(THEIRS), "{tool}: {}", reply.body);
    }
}

/// Nothing of the others is in anything that can be read.
fn sees_nothing(us: &TestUser, theirs: &RandomWorld, own: &RandomWorld) {
    let mut seen = String::new();
    for (tool, arguments) in [
        ("project.get", json!({})),
        ("entity.search", json!({"query": THEIRS})),
        ("entity.search", json!({"query": "", "limit": 200})),
        ("storyGraph.get", json!({})),
        ("storyGraph.get", json!({"projection": "compact"})),
        ("export.storyBible", json!({})),
        ("export.shotPromptPack", json!({})),
    ] {
        let reply = us.call(tool, &arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.body);
        seen += &reply.response.to_string();
    }
    for node in &own.nodes {
        let states = json!({"nodeId": node, "states": "all"});
        seen += &us.call("continuity.check", &states).response.to_string();
        seen += &us.call("prompt.compose", &json!({"nodeId": node})).response.to_string();
    }
    assert!(seen.contains(OURS) && !seen.contains(THEIRS));
    let ids = theirs.entities.iter().map(|(id, _)| id).chain(&theirs.nodes).chain(&theirs.edges);
    for id in ids {
        assert!(!seen.contains(id.as_str()), "{id}");
    }
    assert_eq!(us.ok("entity.search", json!({"query": THEIRS}))["total"], 0);
}

fn never_meet(instance: &Instance, us: &TestUser, them: &TestUser) {
    let random = &mut Random::seeded();
    let (ours, theirs) = (build(us, random, OURS), build(them, random, THEIRS));
    let before = instance.store_contents();
    for _ in 0..4 {
        let entity =
            |random: &mut Random, made: &RandomWorld| random.pick(&made.entities).0.clone();
        let (e1, e2) = (entity(random, &theirs), entity(random, &theirs));
        let (n1, n2) = (random.pick(&theirs.nodes).clone(), random.pick(&theirs.nodes).clone());
        let (o1, o2) = (ours.entities[0].0.clone(), ours.entities[1].0.clone());
        let (m1, m2) = (ours.nodes[0].clone(), ours.nodes[1].clone());
        if e1 == e2 || n1 == n2 {
            continue;
        }
        let own = [us.project.as_str(), &o1, &o2, &m1, &m2];
        // All of theirs, their project with our objects, and their objects in our project.
        same_as_unknown(
            us,
            random,
            [Some(&them.project), Some(&e1), Some(&e2), Some(&n1), Some(&n2)],
            own,
        );
        same_as_unknown(us, random, [Some(&them.project), None, None, None, None], own);
        same_as_unknown(us, random, [None, Some(&e1), None, None, None], own);
        same_as_unknown(us, random, [None, None, Some(&e2), None, None], own);
        same_as_unknown(us, random, [None, None, None, Some(&n1), None], own);
        same_as_unknown(us, random, [None, None, None, None, Some(&n2)], own);
    }
    assert_eq!(instance.store_contents(), before, "nothing was written");
    sees_nothing(us, &theirs, &ours);
}

fn tenants_never_meet(instance: &Instance) {
    let other = instance.create_tenant("Other Studio");
    never_meet(instance, &instance.admin(), &instance.user_of(&other, &other.admin));
}

fn projects_of_one_tenant_never_meet(instance: &Instance) {
    let admin = instance.admin();
    let made = admin.ok("project.create", json!({"title": THEIRS}));
    let there = admin.clone().in_project(made["project"]["_id"].as_str().unwrap());
    let random = &mut Random::seeded();
    let (ours, theirs) = (build(&admin, random, OURS), build(&there, random, THEIRS));
    let before = instance.store_contents();
    let own = [
        admin.project.as_str(),
        &ours.entities[0].0,
        &ours.entities[1].0,
        &ours.nodes[0],
        &ours.nodes[1],
    ];
    let (e1, e2) = (&theirs.entities[0].0, &theirs.entities[1].0);
    let (n1, n2) = (&theirs.nodes[0], &theirs.nodes[1]);
    same_as_unknown(&admin, random, [None, Some(e1), Some(e2), Some(n1), Some(n2)], own);
    same_as_unknown(&admin, random, [None, None, Some(e2), None, Some(n2)], own);
    assert_eq!(instance.store_contents(), before, "nothing was written");
    sees_nothing(&admin, &theirs, &ours);
}
