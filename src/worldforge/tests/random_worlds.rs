//! Random worlds, created through the tools: every kind of entity, node and edge, every field.

use serde_json::{Value, json};

use crate::instance::text;
use crate::user::TestUser;
use toolwright_testing::random::Random;

const KINDS: [&str; 6] = ["CHARACTER", "LOCATION", "FACTION", "ITEM", "RULE", "LORE"];
const WORDS: [&str; 10] = [
    "harbour",
    "São João",
    "lamp",
    "ash",
    "CONEXÃO",
    "compass",
    "winter",
    "órbita",
    "salt",
    "oath",
];

/// A random world.
#[derive(Debug, Clone, Default)]
pub(crate) struct RandomWorld {
    /// Id and type.
    pub(crate) entities: Vec<(String, &'static str)>,
    pub(crate) nodes: Vec<String>,
    pub(crate) edges: Vec<String>,
}

impl RandomWorld {
    pub(crate) fn of(&self, kind: &str) -> Vec<String> {
        let of_kind = self.entities.iter().filter(|(_, found)| *found == kind);
        of_kind.map(|(id, _)| id.clone()).collect()
    }
}

/// Creates a world; `mark` is in all its texts.
pub(crate) fn build(admin: &TestUser, random: &mut Random, mark: &str) -> RandomWorld {
    let mut made = RandomWorld::default();
    for round in 0..18 {
        let kind = KINDS[round % KINDS.len()];
        made.entities.push((admin.entity_with(entity(random, mark, kind)), kind));
    }
    for _ in 0..14 {
        let (from, to) =
            (random.pick(&made.entities).0.clone(), random.pick(&made.entities).0.clone());
        if from != to {
            let rel = *random.pick(&["ally_of", "member_of", "mentor_of", "enemy_of"]);
            let mut link = json!({"fromEntityId": from, "toEntityId": to, "relType": rel});
            if random.yes() {
                link["note"] = json!(sentence(random, mark));
            }
            admin.ok("entity.link", link);
        }
    }
    for order in 0..12_u64 {
        let fields = node(random, mark, &made, order);
        made.nodes.push(admin.node(fields));
    }
    for _ in 0..20 {
        let (from, to) = (random.below(made.nodes.len()), random.below(made.nodes.len()));
        let kind = match from.cmp(&to) {
            std::cmp::Ordering::Less => *random.pick(&["LINEAR", "BRANCH", "CHOICE", "TIMEJUMP"]),
            std::cmp::Ordering::Equal => continue,
            std::cmp::Ordering::Greater => *random.pick(&["FLASHBACK", "TIMEJUMP"]),
        };
        let mut edge = json!({"fromNodeId": made.nodes[from], "toNodeId": made.nodes[to],
            "edgeType": kind, "notes": sentence(random, mark)});
        if random.yes() {
            let item = random.pick(&made.of("ITEM")).clone();
            edge["conditions"] = json!([format!("item.{item}.status == \"PRESENT\""), "storm"]);
        }
        let reply = admin.call("storyEdge.create", &json!({"edge": edge}));
        match reply.is_error {
            false => made.edges.push(text(&reply.body["edge"]["_id"])),
            true => assert_eq!(reply.body["code"], "CONFLICT", "{}", reply.body),
        }
    }
    for index in 0..5 {
        admin.publish("ENTITY", &made.entities[index * 3].0);
        // A node that contradicts the story stays a draft.
        let object = json!({"objectType": "STORY_NODE", "objectId": made.nodes[index * 2]});
        admin.call("version.publish", &object);
        admin.ok("prompt.compose", json!({"nodeId": made.nodes[index * 2]}));
        if random.yes() {
            let fields =
                json!({"entityId": made.entities[index * 3].0, "summary": sentence(random, mark)});
            admin.ok("entity.upsert", json!({"entity": fields}));
        }
    }
    made
}

pub(crate) fn sentence(random: &mut Random, mark: &str) -> String {
    format!("{} {mark} {} {}.", random.pick(&WORDS), random.pick(&WORDS), random.below(1000))
}

/// Fields of an entity.
pub(crate) fn entity(random: &mut Random, mark: &str, kind: &str) -> Value {
    let mut fields = json!({"type": kind, "name": sentence(random, mark)});
    if random.yes() {
        fields["summary"] = json!(sentence(random, mark));
    }
    if random.yes() {
        fields["tags"] = json!([mark, random.pick(&WORDS)]);
    }
    if random.yes() {
        fields["attributes"] = json!({"age": random.below(90), "hair": random.pick(&WORDS),
            "deep": {"list": [1, 2.5, null, true, {"x": "\u{1f600}"}], "$gt": ""}});
    }
    fields
}

/// Fields of a node.
pub(crate) fn node(random: &mut Random, mark: &str, made: &RandomWorld, order: u64) -> Value {
    let kind = if order.is_multiple_of(5) { "CHAPTER" } else { *random.pick(&["SCENE", "BEAT"]) };
    let mut fields = json!({"nodeType": kind, "title": sentence(random, mark),
        "time": {"order": order}});
    let (characters, places, items) = (made.of("CHARACTER"), made.of("LOCATION"), made.of("ITEM"));
    let (who, place) = (random.pick(&characters).clone(), random.pick(&places).clone());
    let item = random.pick(&items).clone();
    let mut maybe = |name: &str, value: Value, yes: bool| {
        if yes {
            fields[name] = value;
        }
    };
    maybe("synopsis", json!(sentence(random, mark)), random.yes());
    let goals = json!({"dramaticGoal": sentence(random, mark), "turn": sentence(random, mark)});
    maybe("goals", goals, random.yes());
    maybe(
        "hooks",
        json!({"hook": sentence(random, mark), "foreshadow": ["the storm"]}),
        random.yes(),
    );
    let cast =
        json!([{"entityId": who, "role": "PROTAGONIST"}, {"entityId": item, "role": "SUPPORT"}]);
    maybe("participants", cast, random.yes());
    maybe("locations", json!([place]), random.yes());
    let deltas = json!([
        {"key": format!("character.{who}.location"), "op": "SET", "value": place},
        {"key": format!("item.{item}.status"), "op": "SET", "value": "PRESENT"},
        {"key": "storm", "op": "SET", "value": {"$gt": "", "list": [1, null]}},
        {"key": "count", "op": "INC"},
    ]);
    maybe("worldStateDelta", deltas, random.yes());
    maybe("requires", json!([{"entityId": who, "knows": "the code"}]), random.below(4) == 0);
    maybe("cinematicSettings", json!({"weather": "fog", "lens": "35 mm"}), random.yes());
    let waiver =
        json!([{"code": "CHAR_TELEPORT", "entityIds": [who], "reason": sentence(random, mark)}]);
    maybe("waivers", waiver, random.below(4) == 0);
    if random.yes() {
        fields["time"]["inWorldDate"] = json!(format!("Day {}", order + 1));
    }
    fields
}
