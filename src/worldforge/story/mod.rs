//! The story as a graph: order of the telling, chapters, and the world before and after each node.
//!
//! Knows no store, no tool and no rule of continuity.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::worldforge::model::{DeltaOp, Entity, NodeType, StoryEdge, StoryNode, WorldState};

/// The world at a moment of the story.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// Along the path that always comes from the node told first.
    pub state: WorldState,
    /// Keys on which the paths to this moment disagree, with every value; null where unset.
    pub disagree: BTreeMap<String, Vec<Value>>,
    /// Whether there were too many paths to keep apart, so that some of these values may not go
    /// together.
    pub widened: bool,
    /// Whether any path leads here.
    pub reachable: bool,
}

/// A story with its entities.
#[derive(Debug)]
pub struct Story {
    nodes: Vec<StoryNode>,
    edges: Vec<StoryEdge>,
    entities: Vec<Entity>,
}

impl Story {
    /// The story of one project.
    pub fn new(nodes: &[StoryNode], edges: &[StoryEdge], entities: &[Entity]) -> Self {
        let mut nodes = nodes.to_vec();
        nodes.sort_by(|a, b| (a.time.order, &a.id).cmp(&(b.time.order, &b.id)));
        Self { nodes, edges: edges.to_vec(), entities: entities.to_vec() }
    }

    /// Every node, in the order of the telling.
    pub fn in_order(&self) -> impl Iterator<Item = &StoryNode> {
        self.nodes.iter()
    }

    /// Every edge, by id.
    pub fn edges(&self) -> impl Iterator<Item = &StoryEdge> {
        self.edges.iter()
    }

    /// Every entity, by id.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.entities.iter()
    }

    /// A node.
    pub fn node(&self, id: &str) -> Option<&StoryNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// An entity.
    pub fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.id == id)
    }

    /// The chapter that a scene or beat belongs to; `None` for a chapter, and before the first one.
    pub fn chapter_of(&self, node_id: &str) -> Option<&StoryNode> {
        let at = self.nodes.iter().position(|node| node.id == node_id)?;
        if self.nodes[at].node_type == NodeType::Chapter {
            return None;
        }
        let named = self.nodes[at].chapter_node_id.as_deref().and_then(|id| self.node(id));
        named.filter(|node| node.node_type == NodeType::Chapter).or_else(|| {
            self.nodes[..at].iter().rev().find(|node| node.node_type == NodeType::Chapter)
        })
    }

    /// The scenes and beats of a chapter, in the order of the telling.
    pub fn nodes_of<'a>(&'a self, chapter_id: &'a str) -> impl Iterator<Item = &'a StoryNode> {
        self.nodes
            .iter()
            .filter(move |node| self.chapter_of(&node.id).is_some_and(|c| c.id == chapter_id))
    }

    /// The world before a node.
    pub fn pre_state(&self, node_id: &str) -> Option<Moment> {
        let at = self.nodes.iter().position(|node| node.id == node_id)?;
        Some(self.folded(at))
    }

    /// The world after a node.
    pub fn post_state(&self, node_id: &str) -> Option<Moment> {
        let at = self.nodes.iter().position(|node| node.id == node_id)?;
        Some(self.folded(at + 1))
    }

    /// The world before a node, as far as it says something about these entities.
    pub fn pre_state_about(&self, node_id: &str, entity_ids: &[&str]) -> Option<Moment> {
        let mut moment = self.pre_state(node_id)?;
        moment.state.retain(|key, _| {
            key.split('.').nth(1).is_some_and(|subject| entity_ids.contains(&subject))
        });
        Some(moment)
    }

    /// The nodes with which the story ends, and the world after each.
    pub fn endings(&self) -> Vec<(&StoryNode, Moment)> {
        self.nodes
            .last()
            .and_then(|node| Some((node, self.post_state(&node.id)?)))
            .into_iter()
            .collect()
    }

    fn folded(&self, until: usize) -> Moment {
        let mut moment = Moment { reachable: true, ..Moment::default() };
        for delta in self.nodes[..until].iter().flat_map(|node| &node.world_state_delta) {
            if delta.op == DeltaOp::Set {
                moment.state.insert(delta.key.clone(), delta.value.clone());
            }
        }
        moment
    }
}
