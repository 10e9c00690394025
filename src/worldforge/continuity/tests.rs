//! Tests of the rules: what each must find, and what it must not.

mod entities;
mod graph;
mod telling;
mod tone;

use serde_json::{Value, json};

use super::*;
use crate::model::{
    DeltaOp, EdgeType, Entity, EntityType, NodeType, Participant, ParticipantRole, Relationship,
    Requirement, Severity, StoryEdge, StoryNode, VersionStatus, Waiver,
};
use crate::story::testing::{With, edge, entity, id, line, node, when};

const ANA: u32 = 0xa1;
const BIA: u32 = 0xa2;
const DOCK: u32 = 0xb1;
const MILL: u32 = 0xb2;
const RING: u32 = 0xc1;
const LAW: u32 = 0xd1;
const GANG: u32 = 0xe1;
const TALE: u32 = 0xf1;

/// A story with a small cast.
struct TestStory {
    nodes: Vec<StoryNode>,
    edges: Vec<StoryEdge>,
    entities: Vec<Entity>,
}

impl TestStory {
    /// Nodes in a line.
    fn of(nodes: impl IntoIterator<Item = StoryNode>) -> Self {
        let nodes: Vec<StoryNode> = nodes.into_iter().collect();
        let edges = nodes
            .windows(2)
            .map(|pair| {
                let number = |node: &StoryNode| u32::from_str_radix(&node.id, 16).unwrap();
                edge(number(&pair[0]), number(&pair[1]), EdgeType::Linear)
            })
            .collect();
        Self::with(nodes, edges)
    }

    fn with(nodes: Vec<StoryNode>, edges: Vec<StoryEdge>) -> Self {
        let entities = vec![
            entity(ANA, EntityType::Character, "Ana"),
            entity(BIA, EntityType::Character, "Bia"),
            entity(DOCK, EntityType::Location, "Dock"),
            entity(MILL, EntityType::Location, "Mill"),
            entity(RING, EntityType::Item, "Ring"),
            entity(LAW, EntityType::Rule, "Law"),
            entity(GANG, EntityType::Faction, "Gang"),
            entity(TALE, EntityType::Lore, "Tale"),
        ];
        Self { nodes, edges, entities }
    }

    fn jumping(mut self, at: usize) -> Self {
        self.edges[at].edge_type = EdgeType::Timejump;
        self
    }

    fn entity(&mut self, number: u32) -> &mut Entity {
        let id = id(number);
        self.entities.iter_mut().find(|entity| entity.id == id).unwrap()
    }

    fn story(&self) -> Story {
        Story::new(&self.nodes, &self.edges, &self.entities)
    }

    fn check(&self, number: u32) -> Vec<Issue> {
        check(&self.story(), &id(number), Language::English)
    }

    /// The severities of a code at a node.
    fn found(&self, number: u32, code: Code) -> Vec<Severity> {
        let issues = self.check(number).into_iter();
        issues.filter(|issue| issue.code == code.name()).map(|issue| issue.severity).collect()
    }
}

const NOTHING: [Severity; 0] = [];

fn who(number: u32, field: &str) -> String {
    format!("character.{}.{field}", id(number))
}

fn item(number: u32, field: &str) -> String {
    format!("item.{}.{field}", id(number))
}

/// More of what a test writes into a node.
trait NodeFixture: With {
    fn cast(self, numbers: &[u32]) -> Self;
    fn at(self, number: u32) -> Self;
    fn moves(self, number: u32, to: u32) -> Self {
        self.sets(&who(number, "location"), id(to))
    }
    fn adds(self, key: &str, value: impl Into<Value>) -> Self {
        self.does(key, DeltaOp::Add, value)
    }
    fn removes(self, key: &str, value: impl Into<Value>) -> Self {
        self.does(key, DeltaOp::Remove, value)
    }
}

impl NodeFixture for StoryNode {
    fn cast(mut self, numbers: &[u32]) -> Self {
        self.participants.extend(numbers.iter().map(|number| Participant {
            entity_id: id(*number),
            role: ParticipantRole::Protagonist,
        }));
        self
    }

    fn at(mut self, number: u32) -> Self {
        self.locations.push(id(number));
        self
    }
}

/// 1 → {2, 3} → 4
fn diamond(nodes: [StoryNode; 4]) -> TestStory {
    let edges = [(1, 2), (1, 3), (2, 4), (3, 4)];
    TestStory::with(nodes.to_vec(), edges.map(|(a, b)| edge(a, b, EdgeType::Branch)).to_vec())
}
