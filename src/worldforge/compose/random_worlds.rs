//! Random worlds for tests: references wherever they are possible, texts that are hard to store,
//! values of the wrong type.

use serde_json::{Value, json};

use super::testing::{self, World, audit, id, pier};
use crate::model::{
    Delta, DeltaOp, EdgeType, EntityType, NodeType, ParticipantRole, Relationship, Requirement,
    StoryEdge, Waiver,
};

/// Numbers that look like chance and never change.
struct TestRandom(u64);

impl TestRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn text(&mut self) -> String {
        let words = [
            "tide",
            "Ação.",
            "霧。",
            "it's \"odd\"",
            "👩‍🚀",
            "a\nb",
            "{}",
            "",
            "#00000001",
            "null",
            "an extraordinarily long and winding sentence about the sea",
            "e\u{301}e\u{301}",
        ];
        (0..self.below(9)).map(|_| self.pick(&words)).collect::<Vec<_>>().join(" ")
    }

    fn value(&mut self, world: &World) -> Value {
        let text = self.text();
        let who = self.pick(&world.entities).id;
        self.pick(&[
            json!(text),
            json!(who),
            json!([who, text]),
            json!({"a": text}),
            json!(7),
            json!(null),
        ])
    }
}

/// The pier with more of everything.
pub(crate) fn odd(seed: u64) -> World {
    let mut random = TestRandom(seed);
    let mut world = pier();
    for _ in 0..random.below(8) {
        entity(&mut random, &mut world);
    }
    for _ in 0..random.below(10) {
        node(&mut random, &mut world);
    }
    for _ in 0..random.below(12) {
        edge(&mut random, &mut world);
    }
    world
}

fn number(random: &mut TestRandom) -> u32 {
    u32::try_from(random.below(1000) + 100).unwrap()
}

fn entity(random: &mut TestRandom, world: &mut World) {
    let kinds = [
        EntityType::Character,
        EntityType::Item,
        EntityType::Rule,
        EntityType::Lore,
        EntityType::Location,
        EntityType::Faction,
    ];
    // Two of the same name must not be mixed up.
    let attributes = json!({"n": 1.5, "deep": [{"x": null}], "home": world.project.id});
    let mut entity = testing::entity(number(random), random.pick(&kinds), "Twin", attributes);
    if world.entities.iter().any(|known| known.id == entity.id) {
        return;
    }
    entity.summary = random.text();
    entity.tags = vec![random.text()];
    let other = random.pick(&world.entities).id;
    entity.attributes.insert("travelHours".to_owned(), json!({other.clone(): 4}));
    entity.attributes.insert(random.text(), json!(format!("see {other}, {}", random.text())));
    for key in ["age", "hair", "outfit", "era", "weather", "detail", "media", "character"] {
        entity.attributes.insert(key.to_owned(), random.value(world));
    }
    entity.relationships =
        vec![Relationship { to_entity_id: other, rel_type: "ally_of".to_owned(), note: None }];
    world.entities.push(entity);
}

fn node(random: &mut TestRandom, world: &mut World) {
    let kind = random.pick(&[NodeType::Beat, NodeType::Scene, NodeType::Chapter]);
    let mut node = testing::node(number(random), kind, "Node");
    if world.nodes.iter().any(|known| known.id == node.id) {
        return;
    }
    node.synopsis = random.text();
    node.goals.turn = random.text();
    node.hooks.foreshadow = (0..random.below(4)).map(|_| random.text()).collect();
    // Equal orders: then ids decide.
    node.time.order = u64::try_from(random.below(3)).unwrap();
    node.time.in_world_date = (random.below(2) == 0).then(|| random.text());
    let (who, earlier) = (random.pick(&world.entities).id, random.pick(&world.nodes).id);
    let roles =
        [ParticipantRole::Support, ParticipantRole::Antagonist, ParticipantRole::Protagonist];
    for _ in 0..random.below(9) {
        let entity_id = random.pick(&world.entities).id;
        node.participants.push(crate::model::Participant { entity_id, role: random.pick(&roles) });
    }
    node.locations = vec![who.clone(), id('d', 999_999), random.pick(&world.entities).id];
    node.hooks.payoff_targets = vec![earlier.clone(), random.text()];
    node.chapter_node_id = (random.below(2) == 0).then(|| earlier.clone());
    node.requires = vec![Requirement { entity_id: who.clone(), knows: random.text() }];
    node.waivers =
        vec![Waiver { code: "X".to_owned(), entity_ids: vec![who.clone()], reason: random.text() }];
    node.cinematic_settings.insert("lens".to_owned(), random.value(world));
    node.cinematic_settings.insert("shotAngle".to_owned(), random.value(world));
    for what in
        ["knows", "inventory", "outfit", "injuries", "holder", "location", "status", "alive"]
    {
        let (kind, value) = (random.pick(&["character", "item"]), random.value(world));
        let key = format!("{kind}.{who}.{what}");
        node.world_state_delta.push(Delta { key, op: DeltaOp::Set, value });
    }
    node.world_state_delta.push(Delta { key: random.text(), op: DeltaOp::Inc, value: Value::Null });
    world.nodes.push(node);
}

fn edge(random: &mut TestRandom, world: &mut World) {
    let edge_id = id('f', number(random));
    let who = random.pick(&world.entities).id;
    let edge = StoryEdge {
        id: edge_id,
        tenant_id: id('a', 1),
        project_id: id('c', 1),
        from_node_id: random.pick(&world.nodes).id,
        to_node_id: random.pick(&world.nodes).id,
        edge_type: random.pick(&[EdgeType::Linear, EdgeType::Choice, EdgeType::Flashback]),
        conditions: vec![format!("item.{who}.status == \"{who}\""), random.text()],
        notes: random.text(),
        audit: audit(),
    };
    // There is one of a type between two nodes in every store.
    let way = |one: &StoryEdge| (one.from_node_id.clone(), one.to_node_id.clone(), one.edge_type);
    if world.edges.iter().all(|other| other.id != edge.id && way(other) != way(&edge)) {
        world.edges.push(edge);
    }
}
