//! Applies changes to a cached story: invalidates what they make stale, keeps the rest.

use std::sync::PoisonError;

use super::Story;
use super::scene::{CompiledEdge, NodeIndex, Scene};
use crate::model::{Entity, StoryEdge, StoryNode};

/// So many branches of states, some 128 MB, are held before those of forgotten nodes are dropped.
const MAX_BRANCHES: usize = 1 << 21;

impl Story {
    /// Adds a node, or changes the one with its id.
    pub fn put_node(&mut self, node: StoryNode) {
        let id = node.id.clone();
        let values = &mut self.world.get_mut().unwrap_or_else(PoisonError::into_inner).paths.values;
        let scene = Scene::new(node, &mut self.index, values);
        let Some(&at) = self.numbers.get(&id) else {
            let at = self.scenes.len();
            self.numbers.insert(id, at);
            self.scenes.push(scene);
            self.count_in(at);
            return self.reflow([at]);
        };
        self.count_out(at);
        let old = std::mem::replace(&mut self.scenes[at], scene);
        let written = self.written(&old, at);
        self.count_in(at);
        let new = &self.scenes[at];
        let moved = old.node.time.order != new.node.time.order
            || old.node.node_type != new.node.node_type
            || old.node.chapter_node_id != new.node.chapter_node_id
            || old.when != new.when;
        // A key that is written for the first time, or no longer, changes what edges let through.
        let asking = self.asking(&written);
        if moved {
            self.reflow(asking.into_iter().chain([at]));
        } else {
            self.make_room();
            self.forget(asking.into_iter().chain([at]));
        }
    }

    /// Adds an edge, or changes the one with its id.
    pub fn put_edge(&mut self, edge: StoryEdge) {
        let id = edge.id.clone();
        let values = &mut self.world.get_mut().unwrap_or_else(PoisonError::into_inner).paths.values;
        let way = CompiledEdge::new(edge, &mut self.index, values);
        let at = *self.edge_numbers.entry(id).or_insert(self.ways.len());
        match self.ways.get_mut(at) {
            Some(old) => *old = way,
            None => self.ways.push(way),
        }
        let stale = self.entered_by(at);
        self.reflow(stale);
    }

    /// Adds an entity, or changes the one with its id. The world stays as it is.
    pub fn put_entity(&mut self, entity: Entity) {
        self.index.put(entity);
        self.compile_world_rules();
        self.make_room();
    }

    /// Takes an edge out; whether there was one.
    pub fn remove_edge(&mut self, id: &str) -> bool {
        self.without(
            |story| story.ways.iter().position(|way| way.edge.id == id),
            |parts, at| {
                parts.1.remove(at);
            },
        )
    }

    /// Takes a node out, and leaves its edges dangling; whether there was one.
    pub fn remove_node(&mut self, id: &str) -> bool {
        self.without(
            |story| story.at(id),
            |parts, at| {
                parts.0.remove(at);
            },
        )
    }

    /// Takes an entity out; whether there was one.
    pub fn remove_entity(&mut self, id: &str) -> bool {
        let Some(who) = self.index.find(id) else { return false };
        self.index.known[who].relations.clear();
        let found = self.index.known[who].entity.take().is_some();
        self.compile_world_rules();
        found
    }

    /// Removals are rare, so the story is built again.
    fn without(
        &mut self,
        find: impl Fn(&Self) -> Option<usize>,
        take: impl Fn(&mut (Vec<StoryNode>, Vec<StoryEdge>), usize),
    ) -> bool {
        let Some(at) = find(self) else { return false };
        let nodes = self.scenes.drain(..).map(|scene| scene.node).collect();
        let edges = self.ways.drain(..).map(|way| way.edge).collect();
        let entities = self.index.known.drain(..).filter_map(|known| known.entity).collect();
        let mut parts = (nodes, edges);
        take(&mut parts, at);
        *self = Self::owning(parts.0, parts.1, entities);
        true
    }

    /// Keys that only one of the two versions of a node writes, and no other node.
    fn written(&self, old: &Scene, at: NodeIndex) -> Vec<u32> {
        let new = &self.scenes[at];
        let unwritten = |key: &u32| self.index.keys[*key as usize].writers == 0;
        let writes = |scene: &Scene, key: u32| scene.steps.iter().any(|step| step.key == key);
        let keys = old.steps.iter().chain(&new.steps).map(|step| step.key).filter(unwritten);
        keys.filter(|key| writes(old, *key) != writes(new, *key)).collect()
    }

    /// Nodes that are entered by an edge with a condition on one of these keys.
    fn asking(&self, keys: &[u32]) -> Vec<NodeIndex> {
        if keys.is_empty() {
            return Vec::new();
        }
        let asks = |way: &CompiledEdge| way.atoms.iter().any(|(_, atom)| keys.contains(&atom.key));
        let ways = self.ways.iter().enumerate().filter(|(_, way)| asks(way));
        ways.flat_map(|(way, _)| self.entered_by(way)).collect()
    }

    fn entered_by(&self, way: usize) -> Vec<NodeIndex> {
        let uses = |at: &NodeIndex| {
            let mut links =
                self.flow.predecessors[*at].iter().filter_map(|predecessor| predecessor.link);
            links.any(|link| link.way == way)
        };
        (0..self.flow.predecessors.len()).filter(uses).collect()
    }

    /// Works the flow out again, and forgets the world where it comes from elsewhere now.
    fn reflow(&mut self, stale: impl IntoIterator<Item = NodeIndex>) {
        self.order_telling();
        let flow = self.new_flow();
        let old = std::mem::replace(&mut self.flow, flow);
        let mut stale: Vec<NodeIndex> = stale.into_iter().collect();
        for (at, predecessors) in self.flow.predecessors.iter().enumerate() {
            let same = old.predecessors.get(at) == Some(predecessors)
                && old.place[at] == self.flow.place[at];
            if !same || self.flow.remembered(at) {
                stale.push(at);
            }
        }
        self.make_room();
        self.forget(stale);
    }

    fn forget(&mut self, stale: impl IntoIterator<Item = NodeIndex>) {
        let nodes = self.flow.downstream(stale);
        let world = self.world.get_mut().unwrap_or_else(PoisonError::into_inner);
        world.forget(nodes);
        if world.paths.size() > MAX_BRANCHES {
            world.start_again();
        }
    }
}
