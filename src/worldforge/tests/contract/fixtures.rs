//! The worlds of the states, with fixed ids for the examples.

use serde_json::{Value, json};
use worldforge::model::Project;
use worldforge::store::World;

/// Creation time of everything, in epoch milliseconds.
pub(super) const NOW: i64 = 1_700_000_000_000;
/// The tenant that examples act for.
pub(super) const HERE: u32 = 1;
/// Another one.
pub(super) const ELSEWHERE: u32 = 2;
/// The user who may do everything.
pub(super) const ADMIN: u32 = 1;

/// An id: a letter for its kind, and a number.
pub(super) fn id(kind: char, number: u32) -> String {
    format!("{kind}{number:023}")
}

/// A project with nothing in it.
pub(super) fn empty() -> World {
    project(HERE, 1, "Salt Road")
}

/// What another tenant has.
pub(super) fn elsewhere() -> World {
    let mut world = project(ELSEWHERE, 2, "Glass Hill");
    world.entities =
        read([document(ELSEWHERE, 2, 'd', 8, json!({"type": "CHARACTER", "name": "Ana"}))]);
    world
}

/// Two characters, two places, a chapter and its two scenes, which fit together.
pub(super) fn studio() -> World {
    let mut world = empty();
    let entities = [
        (
            1,
            json!({"type": "CHARACTER", "name": "Ana", "summary": "A pilot.",
            "attributes": {"age": 34, "hair": "black, cropped", "outfit": "an oilskin coat"}}),
        ),
        (2, json!({"type": "CHARACTER", "name": "Bento", "summary": "A smuggler."})),
        (3, json!({"type": "LOCATION", "name": "Old Pier", "attributes": {"weather": "drizzle"}})),
        (4, json!({"type": "LOCATION", "name": "Lighthouse"})),
        (5, json!({"type": "ITEM", "name": "Brass Compass"})),
        (7, json!({"type": "FACTION", "name": "Harbour Guild"})),
    ];
    world.entities = read(entities.map(|(number, fields)| document(HERE, 1, 'd', number, fields)));
    world.nodes = read([
        node(1, json!({"nodeType": "CHAPTER", "title": "The harbour", "time": {"order": 1}})),
        node(
            2,
            json!({"nodeType": "SCENE", "title": "Low tide",
            "synopsis": "Ana waits for Bento. He wants the compass.",
            "goals": goals("Keep the compass.", "Bento has a knife.", "He knows her name."),
            "time": {"order": 2, "inWorldDate": "Day 1"},
            "participants": [cast(1, "PROTAGONIST"), cast(2, "ANTAGONIST")],
            "locations": [id('d', 3)],
            "worldStateDelta": [at(1, 3), at(2, 3)]}),
        ),
        node(
            3,
            json!({"nodeType": "SCENE", "title": "The lamp",
            "synopsis": "Ana climbs to the lamp.",
            "goals": goals("Light the lamp.", "There is no oil.", "A ship answers."),
            "time": {"order": 3, "inWorldDate": "Day 2"},
            "participants": [cast(1, "PROTAGONIST")],
            "locations": [id('d', 4)],
            "worldStateDelta": [at(1, 4)]}),
        ),
    ]);
    world.edges = read([edge(1, 1, 2), edge(2, 2, 3)]);
    world
}

/// The same, and a scene with a dead participant.
pub(super) fn contradiction() -> World {
    let mut world = studio();
    let dead =
        json!({"key": format!("character.{}.alive", id('d', 2)), "op": "SET", "value": false});
    let lamp = world.nodes.last_mut().expect("the lamp");
    lamp.world_state_delta.push(serde_json::from_value(dead).expect("a change"));
    world.nodes.extend(read([node(
        4,
        json!({"nodeType": "SCENE", "title": "Ashore",
        "synopsis": "Bento comes ashore.",
        "goals": goals("Find the pilot.", "Nobody speaks.", "The guild lets him pass."),
        "time": {"order": 4, "inWorldDate": "Day 3"},
        "participants": [cast(2, "PROTAGONIST")],
        "locations": [id('d', 3)],
        "worldStateDelta": [at(2, 3)]}),
    )]));
    world.edges.extend(read([edge(3, 3, 4)]));
    world
}

fn project(tenant: u32, number: u32, title: &str) -> World {
    World::empty(Project {
        id: id('c', number),
        tenant_id: id('a', tenant),
        title: title.to_owned(),
        logline: String::new(),
        style_bible: serde_json::Map::new(),
        created_at: NOW,
    })
}

/// A draft at its first revision.
fn document(tenant: u32, project: u32, kind: char, number: u32, mut fields: Value) -> Value {
    let user = id('b', ADMIN);
    fields["_id"] = json!(id(kind, number));
    fields["tenantId"] = json!(id('a', tenant));
    fields["projectId"] = json!(id('c', project));
    fields["version"] = json!({"status": "DRAFT", "number": 1});
    fields["audit"] =
        json!({"createdBy": user, "updatedBy": user, "updatedAt": NOW, "revision": 1});
    fields
}

fn node(number: u32, fields: Value) -> Value {
    document(HERE, 1, 'e', number, fields)
}

fn edge(number: u32, from: u32, to: u32) -> Value {
    let ends = json!({"fromNodeId": id('e', from), "toNodeId": id('e', to), "edgeType": "LINEAR"});
    document(HERE, 1, 'f', number, ends)
}

fn goals(goal: &str, conflict: &str, turn: &str) -> Value {
    json!({"dramaticGoal": goal, "conflict": conflict, "turn": turn})
}

fn cast(entity: u32, role: &str) -> Value {
    json!({"entityId": id('d', entity), "role": role})
}

/// A character is set to a place.
fn at(who: u32, place: u32) -> Value {
    let key = format!("character.{}.location", id('d', who));
    json!({"key": key, "op": "SET", "value": id('d', place)})
}

fn read<T: serde::de::DeserializeOwned>(documents: impl IntoIterator<Item = Value>) -> Vec<T> {
    let read = |document| serde_json::from_value(document).expect("a document of the model");
    documents.into_iter().map(read).collect()
}
