//! Worlds of chance for tests: references in all places where there can be some, texts that are
//! hard to keep, values of the wrong type.

use serde_json::{Value, json};

use super::testing::{self, World, audit, id, pier};
use crate::model::{
    Delta, DeltaOp, EdgeType, EntityType, NodeType, ParticipantRole, Relationship, Requirement,
    StoryEdge, Waiver,
};

/// Numbers that look like chance and never change.
struct Dice(u64);

impl Dice {
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
    let mut dice = Dice(seed);
    let mut world = pier();
    for _ in 0..dice.below(8) {
        entity(&mut dice, &mut world);
    }
    for _ in 0..dice.below(10) {
        node(&mut dice, &mut world);
    }
    for _ in 0..dice.below(12) {
        edge(&mut dice, &mut world);
    }
    world
}

fn number(dice: &mut Dice) -> u32 {
    u32::try_from(dice.below(1000) + 100).unwrap()
}

fn entity(dice: &mut Dice, world: &mut World) {
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
    let mut entity = testing::entity(number(dice), dice.pick(&kinds), "Twin", attributes);
    if world.entities.iter().any(|known| known.id == entity.id) {
        return;
    }
    entity.summary = dice.text();
    entity.tags = vec![dice.text()];
    let other = dice.pick(&world.entities).id;
    entity.attributes.insert("travelHours".to_owned(), json!({other.clone(): 4}));
    entity.attributes.insert(dice.text(), json!(format!("see {other}, {}", dice.text())));
    for key in ["age", "hair", "outfit", "era", "weather", "detail", "media", "character"] {
        entity.attributes.insert(key.to_owned(), dice.value(world));
    }
    entity.relationships =
        vec![Relationship { to_entity_id: other, rel_type: "ally_of".to_owned(), note: None }];
    world.entities.push(entity);
}

fn node(dice: &mut Dice, world: &mut World) {
    let kind = dice.pick(&[NodeType::Beat, NodeType::Scene, NodeType::Chapter]);
    let mut node = testing::node(number(dice), kind, "Node");
    if world.nodes.iter().any(|known| known.id == node.id) {
        return;
    }
    node.synopsis = dice.text();
    node.goals.turn = dice.text();
    node.hooks.foreshadow = (0..dice.below(4)).map(|_| dice.text()).collect();
    // Equal orders: then ids decide.
    node.time.order = u64::try_from(dice.below(3)).unwrap();
    node.time.in_world_date = (dice.below(2) == 0).then(|| dice.text());
    let (who, earlier) = (dice.pick(&world.entities).id, dice.pick(&world.nodes).id);
    let roles =
        [ParticipantRole::Support, ParticipantRole::Antagonist, ParticipantRole::Protagonist];
    for _ in 0..dice.below(9) {
        let entity_id = dice.pick(&world.entities).id;
        node.participants.push(crate::model::Participant { entity_id, role: dice.pick(&roles) });
    }
    node.locations = vec![who.clone(), id('d', 999_999), dice.pick(&world.entities).id];
    node.hooks.payoff_targets = vec![earlier.clone(), dice.text()];
    node.chapter_node_id = (dice.below(2) == 0).then(|| earlier.clone());
    node.requires = vec![Requirement { entity_id: who.clone(), knows: dice.text() }];
    node.waivers =
        vec![Waiver { code: "X".to_owned(), entity_ids: vec![who.clone()], reason: dice.text() }];
    node.cinematic_settings.insert("lens".to_owned(), dice.value(world));
    node.cinematic_settings.insert("shotAngle".to_owned(), dice.value(world));
    for what in
        ["knows", "inventory", "outfit", "injuries", "holder", "location", "status", "alive"]
    {
        let (kind, value) = (dice.pick(&["character", "item"]), dice.value(world));
        let key = format!("{kind}.{who}.{what}");
        node.world_state_delta.push(Delta { key, op: DeltaOp::Set, value });
    }
    node.world_state_delta.push(Delta { key: dice.text(), op: DeltaOp::Inc, value: Value::Null });
    world.nodes.push(node);
}

fn edge(dice: &mut Dice, world: &mut World) {
    let edge_id = id('f', number(dice));
    let who = dice.pick(&world.entities).id;
    let edge = StoryEdge {
        id: edge_id,
        tenant_id: id('a', 1),
        project_id: id('c', 1),
        from_node_id: dice.pick(&world.nodes).id,
        to_node_id: dice.pick(&world.nodes).id,
        edge_type: dice.pick(&[EdgeType::Linear, EdgeType::Choice, EdgeType::Flashback]),
        conditions: vec![format!("item.{who}.status == \"{who}\""), dice.text()],
        notes: dice.text(),
        audit: audit(),
    };
    // There is one of a type between two nodes in every store.
    let way = |one: &StoryEdge| (one.from_node_id.clone(), one.to_node_id.clone(), one.edge_type);
    if world.edges.iter().all(|other| other.id != edge.id && way(other) != way(&edge)) {
        world.edges.push(edge);
    }
}
