//! A small test world: two characters, two places and three items on a pier.

use serde_json::{Map, Value, json};

use crate::model::{
    Audit, Delta, DeltaOp, Entity, EntityType, Goals, Hooks, NodeType, Participant,
    ParticipantRole, Project, StoryEdge, StoryNode, Time, Version, VersionStatus,
};
use crate::story::Story;

/// 24 digits with a letter in front.
pub(crate) fn id(letter: char, number: u32) -> String {
    format!("{letter}{number:023}")
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub(crate) fn audit() -> Audit {
    Audit {
        created_by: id('b', 1),
        updated_by: id('b', 1),
        updated_at: 1_700_000_000_000,
        revision: 1,
    }
}

pub(crate) fn draft() -> Version {
    Version { status: VersionStatus::Draft, number: 1 }
}

pub(crate) fn entity(number: u32, kind: EntityType, name: &str, attributes: Value) -> Entity {
    Entity {
        id: id('d', number),
        tenant_id: id('a', 1),
        project_id: id('c', 1),
        kind,
        name: name.to_owned(),
        summary: String::new(),
        tags: Vec::new(),
        attributes: object(attributes),
        relationships: Vec::new(),
        version: draft(),
        audit: audit(),
    }
}

pub(crate) fn node(number: u32, node_type: NodeType, title: &str) -> StoryNode {
    StoryNode {
        id: id('e', number),
        tenant_id: id('a', 1),
        project_id: id('c', 1),
        node_type,
        title: title.to_owned(),
        synopsis: String::new(),
        goals: Goals::default(),
        hooks: Hooks::default(),
        time: Time { in_world_date: None, order: u64::from(number) },
        participants: Vec::new(),
        locations: Vec::new(),
        world_state_delta: Vec::new(),
        chapter_node_id: None,
        requires: Vec::new(),
        cinematic_settings: Map::new(),
        waivers: Vec::new(),
        version: draft(),
        audit: audit(),
    }
}

pub(crate) fn set(key: String, value: Value) -> Delta {
    Delta { key, op: DeltaOp::Set, value }
}

pub(crate) fn with(number: u32, role: ParticipantRole) -> Participant {
    Participant { entity_id: id('d', number), role }
}

/// A world that tests change before they build a story from it.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) project: Project,
    pub(crate) entities: Vec<Entity>,
    pub(crate) nodes: Vec<StoryNode>,
    pub(crate) edges: Vec<StoryEdge>,
}

impl World {
    pub(crate) fn story(&self) -> Story {
        Story::new(&self.nodes, &self.edges, &self.entities)
    }

    pub(crate) fn entity(&mut self, number: u32) -> &mut Entity {
        self.entities.iter_mut().find(|entity| entity.id == id('d', number)).unwrap()
    }

    pub(crate) fn node(&mut self, number: u32) -> &mut StoryNode {
        self.nodes.iter_mut().find(|node| node.id == id('e', number)).unwrap()
    }
}

/// Ana (1), Bento (2), Old Pier (3), Lighthouse (4), Brass Compass (5), Probe (6), Lamp (7); a
/// chapter (1) and two scenes (2, 3).
pub(crate) fn pier() -> World {
    let mut ana = entity(
        1,
        EntityType::Character,
        "Ana",
        json!({
            "age": 34, "hair": "short black hair", "eyes": "grey", "outfit": "oilskin coat",
            "marks": ["scar on the chin"], "secret": {"never": "in a prompt"},
            "media": {"face": "https://pictures.example/ana.png", "thumbnail": "file:///etc/passwd"},
        }),
    );
    ana.summary = "A pilot without a boat. She owes the guild.".to_owned();
    let mut bento = entity(
        2,
        EntityType::Character,
        "Bento",
        json!({"character": {"age": "sixty", "build": "heavy"}}),
    );
    bento.version.number = 3;
    let pier = entity(
        3,
        EntityType::Location,
        "Old Pier",
        json!({
            "era": "1921", "mood": "deserted", "weather": "fog", "timeOfDay": "dusk",
            "detail": "a rusted mooring ring",
        }),
    );
    let lighthouse = entity(4, EntityType::Location, "Lighthouse", json!({"era": "1921"}));
    let mut compass = entity(5, EntityType::Item, "Brass Compass", json!({}));
    compass.summary = "Dented, with a cracked glass.".to_owned();
    let probe = entity(6, EntityType::Item, "Probe", json!({}));
    let lamp = entity(7, EntityType::Item, "Lamp", json!({"material": "green glass"}));

    let mut chapter = node(1, NodeType::Chapter, "Ebb");
    chapter.world_state_delta = vec![
        set(format!("item.{}.status", id('d', 6)), json!("DESTROYED")),
        set(format!("item.{}.holder", id('d', 6)), json!(id('d', 1))),
        set(format!("item.{}.holder", id('d', 5)), json!(id('d', 1))),
        set(format!("item.{}.location", id('d', 7)), json!(id('d', 3))),
        set(format!("character.{}.injuries", id('d', 1)), json!(["a bandaged left hand"])),
    ];
    let mut scene = node(2, NodeType::Scene, "Low tide");
    scene.synopsis =
        "Ana waits for the boat at low tide. Bento comes instead. Nobody speaks.".to_owned();
    scene.goals = Goals {
        dramatic_goal: "Ana wants the boat back.".to_owned(),
        conflict: "Bento has sold it.".to_owned(),
        turn: "She sees the guild's seal on his ring.".to_owned(),
    };
    scene.hooks = Hooks {
        hook: "Why does the needle point inland?".to_owned(),
        foreshadow: vec!["the_guild_seal".to_owned()],
        payoff_targets: Vec::new(),
    };
    scene.time.in_world_date = Some("Day 3".to_owned());
    // The antagonist is named first: roles decide, not the order.
    scene.participants =
        vec![with(2, ParticipantRole::Antagonist), with(1, ParticipantRole::Protagonist)];
    scene.locations = vec![id('d', 3)];
    let mut last = node(3, NodeType::Scene, "The lamp");
    last.locations = vec![id('d', 4)];
    let edge = |number, from, to| StoryEdge {
        id: id('f', number),
        tenant_id: id('a', 1),
        project_id: id('c', 1),
        from_node_id: id('e', from),
        to_node_id: id('e', to),
        edge_type: crate::model::EdgeType::Linear,
        conditions: Vec::new(),
        notes: String::new(),
        audit: audit(),
    };
    World {
        project: Project {
            id: id('c', 1),
            tenant_id: id('a', 1),
            title: "Salt Road".to_owned(),
            logline: "A pilot learns the sea by losing it.".to_owned(),
            style_bible: object(json!({
                "palette": "slate and brass", "lighting": "overcast skylight", "filmGrain": "fine",
                "aspectRatio": "2.39:1", "fps": 24, "cameraDefaults": {"lenses": [28, 40, 75]},
                "negative": ["lens flare"], "notes": {"internal": ["never in a prompt"]},
            })),
            created_at: 1_700_000_000_000,
        },
        entities: vec![ana, bento, pier, lighthouse, compass, probe, lamp],
        nodes: vec![chapter, scene, last],
        edges: vec![edge(1, 1, 2), edge(2, 2, 3)],
    }
}
