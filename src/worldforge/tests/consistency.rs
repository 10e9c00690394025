//! One continuity engine: `version.publish` refuses and `prompt.compose` warns of exactly what
//! `continuity.check` finds. The same world gives the same prompts.

use serde_json::{Value, json};
use worldforge::engine::Actor;

use crate::instance::{EngineOptions, Instance, list, on_both, text};
use crate::random_worlds::build;
use crate::user::TestUser;
use toolwright_testing::random::Random;

on_both! {
    check_publish_and_compose_agree
    composing_twice_gives_the_same_pack
    the_graph_in_pages_is_the_whole_graph
    the_sample_world_is_whole
}

fn issues(user: &TestUser, node: &str) -> Vec<Value> {
    list(&user.ok("continuity.check", json!({"nodeId": node}))["issues"]).to_vec()
}

fn check_publish_and_compose_agree(instance: &Instance) {
    let (admin, random) = (instance.admin(), &mut Random::seeded());
    let mut made = build(&admin, random, "world");
    // A contradiction on top of the random ones, and a participant that all scenes share.
    let who = made.of("CHARACTER")[0].clone();
    let cast = json!([{"entityId": who, "role": "PROTAGONIST"}]);
    for node in &made.nodes {
        admin.ok("storyNode.update", json!({"nodeId": node, "patch": {"participants": cast}}));
    }
    let dead = json!([{"key": format!("character.{who}.alive"), "op": "SET", "value": false}]);
    let dies = admin.node(json!({"nodeType": "SCENE", "title": "The fall", "time": {"order": 90},
        "worldStateDelta": dead}));
    let acts = admin.node(json!({"nodeType": "SCENE", "title": "Ashore", "time": {"order": 91},
        "participants": cast}));
    admin.edge(&dies, &acts, "LINEAR");
    made.nodes.extend([dies, acts]);
    let mut refusals = 0;
    let other = instance.user_on_other_server(&instance.fixture.admin, EngineOptions::default());
    for node in &made.nodes {
        let found = issues(&admin, node);
        assert_eq!(found, issues(&other, node), "another server says the same");
        let pack = admin.ok("prompt.compose", json!({"nodeId": node}))["promptPack"].clone();
        let notes: Vec<String> = list(&pack["continuityNotes"]).iter().map(text).collect();
        for issue in found.iter().filter(|issue| issue["severity"] != "INFO") {
            let message = text(&issue["message"]);
            assert!(
                notes.iter().any(|note| note.contains(&message)),
                "{message} is not in {notes:?}"
            );
        }
        let errors: Vec<&Value> =
            found.iter().filter(|issue| issue["severity"] == "ERROR").collect();
        let reply =
            admin.call("version.publish", &json!({"objectType": "STORY_NODE", "objectId": node}));
        match errors.is_empty() {
            true => assert!(!reply.is_error, "{}", reply.body),
            false => {
                refusals += 1;
                let body = reply.body;
                let refused: Vec<&Value> = list(&body["details"]["issues"]).iter().collect();
                assert_eq!((&body["code"], refused), (&json!("VALIDATION_ERROR"), errors));
            }
        }
    }
    assert!(refusals > 0);
}

fn composing_twice_gives_the_same_pack(instance: &Instance) {
    let (admin, random) = (instance.admin(), &mut Random::seeded());
    let made = build(&admin, random, "world");
    for node in &made.nodes {
        let compose = json!({"nodeId": node});
        let pack = admin.ok("prompt.compose", compose.clone())["promptPack"].clone();
        let before = instance.store_contents();
        assert_eq!(instance.editor().ok("prompt.compose", compose.clone())["promptPack"], pack);
        let other =
            instance.user_on_other_server(&instance.fixture.admin, EngineOptions::default());
        assert_eq!(other.ok("prompt.compose", compose.clone())["promptPack"], pack);
        assert_eq!(instance.store_contents(), before, "nothing new was written");
        shots_are_pairs(&pack);
        // Whatever changes the scene changes the input.
        admin.ok(
            "storyNode.update",
            json!({"nodeId": node, "patch": {"synopsis": "Something else."}}),
        );
        let changed = admin.ok("prompt.compose", compose)["promptPack"].clone();
        assert_ne!(changed["inputHash"], pack["inputHash"]);
        assert_ne!(changed["_id"], pack["_id"]);
    }
    // Shorter prompts are a pack of their own.
    let short =
        admin.ok("prompt.compose", json!({"nodeId": made.nodes[0], "maxChars": 600}))["promptPack"]
            .clone();
    assert!(list(&short["shots"]).iter().all(|shot| text(&shot["prompt"]).chars().count() <= 600));
}

/// 5 to 12 shots, each as A and B, which differ in one line only.
fn shots_are_pairs(pack: &Value) {
    let shots = list(&pack["shots"]);
    assert!((10..=24).contains(&shots.len()) && shots.len().is_multiple_of(2), "{}", shots.len());
    for pair in shots.chunks(2) {
        let [a, b] = [&pair[0], &pair[1]];
        assert_eq!((&a["variant"], &b["variant"]), (&json!("A"), &json!("B")));
        for same in ["shotId", "negative", "refs"] {
            assert_eq!(a[same], b[same]);
        }
        let (one, two) = (text(&a["prompt"]), text(&b["prompt"]));
        let (one, two): (Vec<&str>, Vec<&str>) = (one.lines().collect(), two.lines().collect());
        assert_eq!(one.len(), two.len());
        let differing: Vec<&str> =
            one.iter().zip(&two).filter(|(x, y)| x != y).map(|(x, _)| *x).collect();
        assert!(differing.len() == 1 && differing[0].starts_with("Camera:"), "{differing:?}");
    }
}

fn the_graph_in_pages_is_the_whole_graph(instance: &Instance) {
    let editor = instance.editor();
    build(&instance.admin(), &mut Random::seeded(), "world");
    let whole = editor.ok("storyGraph.get", json!({}));
    let orders: Vec<u64> =
        list(&whole["nodes"]).iter().map(|node| node["time"]["order"].as_u64().unwrap()).collect();
    assert!(orders.is_sorted());
    let (mut nodes, mut edges, mut outlines, mut offset) =
        (Vec::new(), Vec::new(), Vec::new(), json!(0));
    loop {
        let page = editor.ok("storyGraph.get", json!({"limit": 5, "offset": offset}));
        let short = editor
            .ok("storyGraph.get", json!({"limit": 5, "offset": offset, "projection": "compact"}));
        assert_eq!((&page["nodeTotal"], &page["edges"]), (&whole["nodeTotal"], &short["edges"]));
        nodes.extend(list(&page["nodes"]).to_vec());
        edges.extend(list(&page["edges"]).to_vec());
        outlines.extend(list(&short["nodes"]).to_vec());
        match page.get("nextOffset") {
            Some(next) => offset = next.clone(),
            None => break,
        }
    }
    assert_eq!(json!(nodes), whole["nodes"]);
    for (outline, node) in outlines.iter().zip(&nodes) {
        assert_eq!(
            (&outline["_id"], &outline["title"], &outline["order"]),
            (&node["_id"], &node["title"], &node["time"]["order"])
        );
        assert_eq!(
            (&outline["status"], &outline["revision"]),
            (&node["version"]["status"], &node["audit"]["revision"])
        );
    }
    let id = |edge: &Value| text(&edge["_id"]);
    edges.sort_by_key(id);
    let mut all = list(&whole["edges"]).to_vec();
    all.sort_by_key(id);
    assert_eq!(edges, all);
}

fn the_sample_world_is_whole(instance: &Instance) {
    let fixture = &instance.fixture;
    let actor = Actor {
        tenant: fixture.tenant.clone(),
        user: fixture.admin.clone(),
        action: "demo".into(),
    };
    let project = instance.engine.import_sample(&actor).unwrap();
    let admin = instance.admin().in_project(&project.id);
    let exported = admin.ok("export.storyBible", json!({}))["json"].clone();
    for node in list(&exported["storyNodes"]) {
        let id = text(&node["_id"]);
        let found = issues(&admin, &id);
        assert!(found.iter().all(|issue| issue["severity"] == "INFO"), "{found:?}");
        shots_are_pairs(&admin.ok("prompt.compose", json!({"nodeId": id}))["promptPack"]);
        assert_eq!(admin.publish("STORY_NODE", &id)["version"]["status"], "PUBLISHED");
    }
    for entity in list(&exported["entities"]) {
        admin.publish("ENTITY", &text(&entity["_id"]));
    }
    let canon = admin.ok("export.storyBible", json!({}))["json"].clone();
    let other = instance.create_tenant("Empty Studio");
    let importer =
        Actor { tenant: other.tenant.clone(), user: other.admin.clone(), action: "import".into() };
    for bible in [&exported, &canon] {
        let (copy, unchanged) = instance.engine.import(&importer, bible).unwrap();
        assert!(unchanged);
        let there = instance.user_of(&other, &other.admin).in_project(&copy.id);
        assert_eq!(
            there.ok("export.storyBible", json!({}))["json"]["contentHash"],
            bible["contentHash"]
        );
    }
}
