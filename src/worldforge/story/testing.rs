//! Small stories for tests: nodes and entities by number.

use serde_json::{Map, Value};

use crate::model::{
    Audit, Delta, DeltaOp, EdgeType, Entity, EntityType, NodeType, StoryEdge, StoryNode, Time,
    Version, VersionStatus,
};

/// The id of a number.
pub(crate) fn id(number: u32) -> String {
    format!("{number:024x}")
}

fn audit() -> Audit {
    Audit { created_by: id(1), updated_by: id(1), updated_at: 0, revision: 1 }
}

const VERSION: Version = Version { status: VersionStatus::Published, number: 2 };

/// An entity with nothing but a name.
pub(crate) fn entity(number: u32, kind: EntityType, name: &str) -> Entity {
    Entity {
        id: id(number),
        tenant_id: id(1),
        project_id: id(2),
        kind,
        name: name.to_owned(),
        summary: String::new(),
        tags: Vec::new(),
        attributes: Map::new(),
        relationships: Vec::new(),
        version: VERSION,
        audit: audit(),
    }
}

/// A beat whose order is its number.
pub(crate) fn node(number: u32) -> StoryNode {
    StoryNode {
        id: id(number),
        tenant_id: id(1),
        project_id: id(2),
        node_type: NodeType::Beat,
        title: format!("Node {number}"),
        synopsis: String::new(),
        goals: Default::default(),
        hooks: Default::default(),
        time: Time { in_world_date: None, order: number.into() },
        participants: Vec::new(),
        locations: Vec::new(),
        world_state_delta: Vec::new(),
        chapter_node_id: None,
        requires: Vec::new(),
        cinematic_settings: Map::new(),
        waivers: Vec::new(),
        version: VERSION,
        audit: audit(),
    }
}

/// What a test changes in a node.
pub(crate) trait With: Sized {
    /// Happens then.
    fn on(self, date: &str) -> Self;
    /// Sets a key.
    fn sets(self, key: &str, value: impl Into<Value>) -> Self {
        self.does(key, DeltaOp::Set, value)
    }
    /// Changes a key.
    fn does(self, key: &str, op: DeltaOp, value: impl Into<Value>) -> Self;
    /// Has this order.
    fn order(self, order: u64) -> Self;
    /// Is a chapter.
    fn chapter(self) -> Self;
}

impl With for StoryNode {
    fn on(mut self, date: &str) -> Self {
        self.time.in_world_date = Some(date.to_owned());
        self
    }

    fn does(mut self, key: &str, op: DeltaOp, value: impl Into<Value>) -> Self {
        self.world_state_delta.push(Delta { key: key.to_owned(), op, value: value.into() });
        self
    }

    fn order(mut self, order: u64) -> Self {
        self.time.order = order;
        self
    }

    fn chapter(mut self) -> Self {
        self.node_type = NodeType::Chapter;
        self
    }
}

/// An edge; its id follows from its ends.
pub(crate) fn edge(from: u32, to: u32, edge_type: EdgeType) -> StoryEdge {
    StoryEdge {
        id: id(from << 16 | to),
        tenant_id: id(1),
        project_id: id(2),
        from_node_id: id(from),
        to_node_id: id(to),
        edge_type,
        conditions: Vec::new(),
        notes: String::new(),
        audit: audit(),
    }
}

/// Straight edges along these nodes.
pub(crate) fn line(nodes: &[u32]) -> Vec<StoryEdge> {
    nodes.windows(2).map(|pair| edge(pair[0], pair[1], EdgeType::Linear)).collect()
}

/// An edge with a condition.
pub(crate) fn when(from: u32, to: u32, edge_type: EdgeType, condition: &str) -> StoryEdge {
    StoryEdge { conditions: vec![condition.to_owned()], ..edge(from, to, edge_type) }
}
