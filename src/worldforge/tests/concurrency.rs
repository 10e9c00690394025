//! Concurrent calls: no update is lost, no cycle closes, and several servers on one store see each
//! other's edits at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::instance::{EngineOptions, Instance, list, on_both, text, without_transactions};
use toolwright_testing::ToolReply;
use toolwright_testing::random::Random;

on_both! {
    eight_writers_lose_no_update
    writers_at_one_server_lose_no_update
    edges_at_once_close_no_cycle
    the_same_edge_at_once_is_there_once
    servers_see_each_others_edits_at_once
    publications_at_once_give_each_number_once
}
without_transactions! { writers_at_one_server_lose_no_update edges_at_once_close_no_cycle }

const WRITERS: usize = 8;

/// Appends a mark to one of a few objects, on the revision that was read, until it works.
fn append(call: &dyn Fn(&str, &Value) -> ToolReply, entity: &str, mark: &str) -> usize {
    for conflicts in 0.. {
        let reply = call("entity.get", &json!({"entityId": entity})).body;
        let read = &reply["entity"];
        let mut marks = list(&read["attributes"]["marks"]).to_vec();
        marks.push(json!(mark));
        let fields = json!({"entityId": entity, "attributes": {"marks": marks}});
        let edit = json!({"entity": fields, "expectedRevision": read["audit"]["revision"]});
        let reply = call("entity.upsert", &edit);
        if !reply.is_error {
            return conflicts;
        }
        assert_eq!(reply.body["code"], "CONFLICT", "{}", reply.body);
    }
    unreachable!("the numbers do not end")
}

fn lose_no_update(instance: &Instance, apart: bool, edits: usize) {
    let admin = instance.admin();
    let new = |name: &str| {
        admin.entity_with(json!({"type": "ITEM", "name": name, "attributes": {"marks": []}}))
    };
    let entities = ["Rope", "Lamp", "Chart", "Sail"].map(new);
    let conflicts = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for writer in 0..WRITERS {
            let (entities, conflicts) = (&entities, &conflicts);
            // Each with a studio of its own, as if it were another server, or all at one.
            let user = match apart {
                true => instance
                    .user_on_other_server(&instance.fixture.writer, EngineOptions::default()),
                false => instance.writer(),
            };
            threads.spawn(move || {
                for edit in 0..edits / WRITERS {
                    let entity = &entities[(writer + edit) % entities.len()];
                    let call = |tool: &str, arguments: &Value| user.call(tool, arguments);
                    let met = append(&call, entity, &format!("{writer}-{edit}"));
                    conflicts.fetch_add(met, Ordering::Relaxed);
                }
            });
        }
    });
    let mut marks = Vec::new();
    for entity in &entities {
        let read = admin.get_entity(entity);
        let its = list(&read["attributes"]["marks"]);
        assert_eq!(read["audit"]["revision"], json!(its.len() + 1), "each edit is one revision");
        marks.extend(its.iter().map(text));
    }
    marks.sort();
    marks.dedup();
    assert_eq!(marks.len(), edits, "every mark is there once");
    let events = instance.store().events(&instance.fixture.scope(), None, u32::MAX).unwrap();
    let upserts = events.iter().filter(|event| event.action == "entity.upsert").count();
    assert_eq!(upserts, edits + entities.len(), "and one event for each");
    eprintln!("{} conflicts", conflicts.load(Ordering::Relaxed));
}

fn eight_writers_lose_no_update(instance: &Instance) {
    lose_no_update(instance, true, 1000);
}

fn writers_at_one_server_lose_no_update(instance: &Instance) {
    lose_no_update(instance, false, 240);
}

fn edges_at_once_close_no_cycle(instance: &Instance) {
    const NODES: usize = 6;
    let writer = instance.writer();
    let nodes: Vec<String> =
        (0..NODES).map(|n| writer.scene(&format!("Scene {n}"), n as u64)).collect();
    let seed = Random::seeded().number();
    let studios: Vec<_> = (0..4)
        .map(|_| instance.user_on_other_server(&instance.fixture.writer, EngineOptions::default()))
        .collect();
    std::thread::scope(|threads| {
        for (thread, user) in studios.iter().enumerate() {
            let nodes = &nodes;
            threads.spawn(move || {
                let pairs = (0..NODES * NODES).map(|n| (n / NODES, n % NODES));
                let mut all: Vec<(usize, usize)> = pairs.collect();
                // Every thread has its own order.
                all.sort_by_key(|(from, to)| {
                    (from * 31 + to * 17 + thread * 7).wrapping_mul(seed as usize | 1) >> 7
                });
                for (from, to) in all.into_iter().filter(|(from, to)| from != to) {
                    let (from, to) = (&nodes[from], &nodes[to]);
                    let edge = json!({"fromNodeId": from, "toNodeId": to, "edgeType": "LINEAR"});
                    let reply = user.call("storyEdge.create", &json!({"edge": edge}));
                    let code = reply.body["code"].clone();
                    let fine = !reply.is_error || code == "VALIDATION_ERROR" || code == "CONFLICT";
                    assert!(fine, "{}", reply.body);
                }
            });
        }
    });
    let graph = writer.ok("storyGraph.get", json!({}));
    let edges: Vec<(usize, usize)> = list(&graph["edges"])
        .iter()
        .map(|edge| {
            let at = |end: &str| nodes.iter().position(|id| edge[end] == json!(id)).unwrap();
            (at("fromNodeId"), at("toNodeId"))
        })
        .collect();
    // Everybody tried everything: all pairs are connected, in one direction each.
    assert_eq!(edges.len(), NODES * (NODES - 1) / 2, "{edges:?}");
    for node in &nodes {
        let issues = writer.ok("continuity.check", json!({"nodeId": node}))["issues"].clone();
        assert!(!issues.to_string().contains("GRAPH_CYCLE"), "{issues}");
    }
}

fn the_same_edge_at_once_is_there_once(instance: &Instance) {
    let writer = instance.writer();
    let (from, to) = (writer.scene("Low tide", 1), writer.scene("High tide", 2));
    let made = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..WRITERS {
            let user =
                instance.user_on_other_server(&instance.fixture.writer, EngineOptions::default());
            let (from, to, made) = (&from, &to, &made);
            threads.spawn(move || {
                let edge = json!({"fromNodeId": from, "toNodeId": to, "edgeType": "LINEAR"});
                let reply = user.call("storyEdge.create", &json!({"edge": edge}));
                match reply.is_error {
                    false => drop(made.fetch_add(1, Ordering::Relaxed)),
                    true => assert_eq!(reply.body["code"], "CONFLICT", "{}", reply.body),
                }
            });
        }
    });
    assert_eq!(made.load(Ordering::Relaxed), 1);
    assert_eq!(list(&writer.ok("storyGraph.get", json!({}))["edges"]).len(), 1);
}

/// Two processes in turn: what one writes the other's very next check takes into account.
fn servers_see_each_others_edits_at_once(instance: &Instance) {
    let admin = instance.admin();
    let ana = admin.entity("CHARACTER", "Ana");
    let pier = admin.entity("LOCATION", "Old Pier");
    let cast = json!([{"entityId": ana, "role": "PROTAGONIST"}]);
    let scene = |title: &str, order: u64| {
        admin.node(json!({"nodeType": "SCENE", "title": title, "time": {"order": order},
            "participants": cast, "locations": [pier]}))
    };
    let (first, second) = (scene("Low tide", 1), scene("High tide", 2));
    let (mut one, mut two) = (instance.session(), instance.session());
    let edge = json!({"fromNodeId": first, "toNodeId": second, "edgeType": "LINEAR"});
    one.ok("storyEdge.create", json!({"edge": edge}));
    for round in 0..10 {
        let dead = round % 2 == 0;
        let deltas =
            json!([{"key": format!("character.{ana}.alive"), "op": "SET", "value": !dead}]);
        let patch = json!({"nodeId": first, "patch": {"worldStateDelta": deltas}});
        one.ok("storyNode.update", patch);
        let issues = two.ok("continuity.check", json!({"nodeId": second}))["issues"].to_string();
        assert_eq!(issues.contains("CHAR_DEAD_ACTIVE"), dead, "round {round}: {issues}");
        // And the other way, with a name that findings mention.
        let name = format!("Ana {round}");
        two.ok("entity.upsert", json!({"entity": {"entityId": ana, "name": name}}));
        let issues = one.ok("continuity.check", json!({"nodeId": second}))["issues"].to_string();
        assert_eq!(issues.contains(&name), dead, "round {round}: {issues}");
        let reply =
            two.ok("prompt.compose", json!({"nodeId": second}))["promptPack"]["shots"].to_string();
        assert!(reply.contains(&name), "{reply}");
        // A second cycle is seen by both.
        let back = json!({"fromNodeId": second, "toNodeId": first, "edgeType": "LINEAR"});
        assert_eq!(
            two.call("storyEdge.create", &json!({"edge": back})).body["code"],
            "VALIDATION_ERROR"
        );
    }
}

fn publications_at_once_give_each_number_once(instance: &Instance) {
    let admin = instance.admin();
    let ana = admin.entity("CHARACTER", "Ana");
    let rounds = 5;
    for round in 0..rounds {
        admin.ok(
            "entity.upsert",
            json!({"entity": {"entityId": ana, "summary": format!("{round}")}}),
        );
        std::thread::scope(|threads| {
            for _ in 0..4 {
                let user = instance
                    .user_on_other_server(&instance.fixture.admin, EngineOptions::default());
                let ana = &ana;
                threads.spawn(move || {
                    let object = json!({"objectType": "ENTITY", "objectId": ana});
                    let reply = user.call("version.publish", &object);
                    assert!(!reply.is_error, "{}", reply.body);
                    assert_eq!(reply.body["object"]["version"]["number"], round + 2);
                });
            }
        });
    }
    let bible = admin.ok("export.storyBible", json!({}))["json"].clone();
    let numbers: Vec<u64> =
        list(&bible["versions"]).iter().filter_map(|one| one["number"].as_u64()).collect();
    assert_eq!(numbers, (2..rounds + 2).collect::<Vec<u64>>());
}
