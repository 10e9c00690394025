//! The story as a graph: telling order, chapters, and the world before and after each node.
//!
//! - `time`, `condition`, `index`, `world_rule`, `travel` parse what writers wrote: dates, conditions,
//!   keys, rules, travel times.
//! - `values`, `trie`, `paths` hold the world state along every path.
//! - `flow`, `dominators` determine where state flows and what lies on every path.
//! - `fold` caches the world around each node; `edit` invalidates what a change makes stale.
//!
//! A [`Story`] is cached between calls: the world around a node is computed on first use, and asking
//! again, or for a neighbour, is cheap. Knows no store, no tool and no continuity rule.

mod chapters;
mod condition;
mod dominators;
mod edit;
pub(crate) mod flow;
pub(crate) mod fold;
pub(crate) mod index;
mod moment;
pub(crate) mod paths;
pub(crate) mod scene;
mod shared;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod time;
pub(crate) mod travel;
mod trie;
pub(crate) mod values;
pub(crate) mod world_rule;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use index::{is_id, subject};
pub use moment::Moment;
pub(crate) use world_rule::constraint_error;

use crate::model::{Entity, EntityType, StoryEdge, StoryNode, VersionStatus};
use flow::{Flow, Link, Place};
use fold::{FoldInput, World};
use index::{EntityIndex, Field, Index, Key};
use paths::{Paths, State};
use scene::{CompiledEdge, NodeIndex, Scene};
pub(crate) use shared::Shared;
use values::Values;
use world_rule::WorldRule;

/// A story with its entities: all of one project.
#[derive(Debug)]
pub struct Story {
    pub(crate) index: Index,
    pub(crate) scenes: Vec<Scene>,
    pub(crate) ways: Vec<CompiledEdge>,
    numbers: HashMap<String, NodeIndex>,
    edge_numbers: HashMap<String, usize>,
    /// The telling.
    pub(crate) order: Vec<NodeIndex>,
    pub(crate) rank: Vec<usize>,
    /// The chapter of each node.
    chapters: Vec<Option<NodeIndex>>,
    /// Edges that lead from or to nothing, by the end that exists.
    pub(crate) dangling: BTreeMap<NodeIndex, Vec<usize>>,
    pub(crate) flow: Flow,
    pub(crate) shared: Shared,
    pub(crate) world_rules: Vec<WorldRule>,
    /// How many nodes are drafts.
    pub(crate) drafts: usize,
    world: Mutex<World>,
}

impl Story {
    /// The story of one project. Where an id comes twice the last one counts.
    pub fn new(nodes: &[StoryNode], edges: &[StoryEdge], entities: &[Entity]) -> Self {
        Self::owning(nodes.to_vec(), edges.to_vec(), entities.to_vec())
    }

    /// The same, without copying.
    pub fn owning(nodes: Vec<StoryNode>, edges: Vec<StoryEdge>, entities: Vec<Entity>) -> Self {
        let (mut index, mut values) = (Index::default(), Values::new());
        for entity in entities {
            index.put(entity);
        }
        let mut numbers = HashMap::with_capacity(nodes.len());
        let mut scenes: Vec<Scene> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let at = *numbers.entry(node.id.clone()).or_insert(scenes.len());
            let scene = Scene::new(node, &mut index, &mut values);
            match scenes.get_mut(at) {
                Some(place) => *place = scene,
                None => scenes.push(scene),
            }
        }
        let mut edge_numbers = HashMap::with_capacity(edges.len());
        let mut ways: Vec<CompiledEdge> = Vec::with_capacity(edges.len());
        for edge in edges {
            let at = *edge_numbers.entry(edge.id.clone()).or_insert(ways.len());
            let way = CompiledEdge::new(edge, &mut index, &mut values);
            match ways.get_mut(at) {
                Some(place) => *place = way,
                None => ways.push(way),
            }
        }
        let mut story = Self {
            world: Mutex::new(World::new(Paths::new(values, 0), 0)),
            index,
            scenes,
            ways,
            numbers,
            edge_numbers,
            order: Vec::new(),
            rank: Vec::new(),
            chapters: Vec::new(),
            dangling: BTreeMap::new(),
            flow: Flow::default(),
            shared: Shared::default(),
            world_rules: Vec::new(),
            drafts: 0,
        };
        for at in 0..story.scenes.len() {
            story.count_in(at);
        }
        story.compile_world_rules();
        story.order_telling();
        story.flow = story.new_flow();
        story.make_room();
        story
    }

    fn count_in(&mut self, at: NodeIndex) {
        let scene = &self.scenes[at];
        self.shared.add(at, scene);
        for step in &scene.steps {
            self.index.keys[step.key as usize].writers += 1;
        }
        self.drafts += usize::from(scene.node.version.status == VersionStatus::Draft);
    }

    fn count_out(&mut self, at: NodeIndex) {
        let scene = &self.scenes[at];
        self.shared.remove(at, scene);
        for step in &scene.steps {
            self.index.keys[step.key as usize].writers -= 1;
        }
        self.drafts -= usize::from(scene.node.version.status == VersionStatus::Draft);
    }

    fn compile_world_rules(&mut self) {
        let world = self.world.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.world_rules.clear();
        for who in 0..self.index.known.len() {
            // Reading a law may number keys, so the entity is taken out meanwhile.
            let Some(entity) = self.index.known[who].entity.take() else { continue };
            let rule = WorldRule::new(who, &entity, &mut self.index, &mut world.paths.values);
            self.index.known[who].entity = Some(entity);
            self.world_rules.extend(rule);
        }
    }

    fn order_telling(&mut self) {
        self.order = (0..self.scenes.len()).collect();
        self.order.sort_by_key(|at| {
            let node = &self.scenes[*at].node;
            (node.time.order, node.id.as_str())
        });
        self.rank = vec![0; self.order.len()];
        for (rank, &at) in self.order.iter().enumerate() {
            self.rank[at] = rank;
        }
        self.divide();
    }

    fn new_flow(&mut self) -> Flow {
        let mut links = Vec::with_capacity(self.ways.len());
        self.dangling.clear();
        for (way, edge) in self.ways.iter().map(|way| &way.edge).enumerate() {
            let end = |id: &str| self.numbers.get(id).copied();
            match (end(&edge.from_node_id), end(&edge.to_node_id)) {
                (Some(from), Some(to)) => {
                    links.push(Link { way, from, to, kind: edge.edge_type });
                }
                (Some(at), None) | (None, Some(at)) => {
                    self.dangling.entry(at).or_default().push(way);
                }
                (None, None) => {}
            }
        }
        // By id, so that nothing depends on the order in which edges came.
        links.sort_by_key(|link| &self.ways[link.way].edge.id);
        Flow::new(&self.scenes, &self.order, &self.rank, &links)
    }

    /// Keys that are read together with others.
    fn bound(&self) -> Vec<bool> {
        let shared = |key: &Key| match (key.field, key.about) {
            (Some(Field::Holder | Field::Inventory), _) => true,
            (Some(Field::Location), Some((kind, _))) => kind == EntityType::Item,
            _ => false,
        };
        let mut bound: Vec<bool> = self.index.keys.iter().map(shared).collect();
        let ways = self.ways.iter().flat_map(|way| &way.atoms).map(|(_, atom)| atom.key);
        let world_rules = self.world_rules.iter().flat_map(WorldRule::keys);
        ways.chain(world_rules).for_each(|key| bound[key as usize] = true);
        bound.truncate(bound.iter().rposition(|bound| *bound).map_or(0, |last| last + 1));
        bound
    }

    /// Room for every node and key; what was folded is lost where keys did not fit, or where other
    /// keys are read together now.
    fn make_room(&mut self) {
        let keys = self.index.keys.len();
        let nodes = self.scenes.len();
        let bound = self.bound();
        let world = self.world.get_mut().unwrap_or_else(PoisonError::into_inner);
        world.grow(nodes);
        if keys > world.paths.capacity() {
            let values = std::mem::replace(&mut world.paths.values, Values::new());
            *world = World::new(Paths::new(values, 2 * keys), nodes);
        }
        world.bind(bound);
    }

    /// Every node, in the order of the telling.
    pub fn in_order(&self) -> impl DoubleEndedIterator<Item = &StoryNode> + ExactSizeIterator {
        self.order.iter().map(|at| &self.scenes[*at].node)
    }

    /// Every edge.
    pub fn edges(&self) -> impl Iterator<Item = &StoryEdge> {
        self.ways.iter().map(|way| &way.edge)
    }

    /// Every entity.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.index.known.iter().filter_map(|known| known.entity.as_ref())
    }

    /// A node.
    pub fn node(&self, id: &str) -> Option<&StoryNode> {
        self.at(id).map(|at| &self.scenes[at].node)
    }

    /// An entity.
    pub fn entity(&self, id: &str) -> Option<&Entity> {
        self.index.known[self.index.find(id)?].entity.as_ref()
    }

    pub(crate) fn at(&self, id: &str) -> Option<NodeIndex> {
        self.numbers.get(id).copied()
    }

    pub(crate) fn input(&self) -> FoldInput<'_> {
        FoldInput { index: &self.index, scenes: &self.scenes, ways: &self.ways, flow: &self.flow }
    }

    /// What was folded so far. Held for the length of one question.
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works the world out around every node, going through the story once. Whoever asks for one
    /// node only need not call it.
    pub fn fold(&self) {
        self.world().fold_all(self.input());
    }

    /// The world before a node.
    pub fn pre_state(&self, node_id: &str) -> Option<Moment> {
        self.moment(node_id, false)
    }

    /// The world after a node.
    pub fn post_state(&self, node_id: &str) -> Option<Moment> {
        self.moment(node_id, true)
    }

    fn moment(&self, node_id: &str, after: bool) -> Option<Moment> {
        let at = self.at(node_id)?;
        let mut world = self.world();
        world.fold_to(self.input(), at);
        let around = world.around(at)?;
        let state = if after { around.post } else { around.pre };
        Some(Moment::whole(&self.index, &world.paths, state))
    }

    /// The world before a node, limited to these entities.
    pub fn pre_state_about(&self, node_id: &str, entity_ids: &[&str]) -> Option<Moment> {
        let at = self.at(node_id)?;
        let mut world = self.world();
        world.fold_to(self.input(), at);
        let about: BTreeSet<EntityIndex> =
            entity_ids.iter().filter_map(|id| self.index.find(id)).collect();
        let keys = about.iter().flat_map(|who| self.index.known[*who].keys.iter().copied());
        Some(Moment::about(&self.index, &world.paths, world.around(at)?.pre, keys))
    }

    /// The nodes with which the story ends, in the order of the telling, and the world after each.
    pub fn endings(&self) -> Vec<(&StoryNode, Moment)> {
        let mut world = self.world();
        let mut endings = Vec::new();
        for &at in self.order.iter().filter(|at| self.ends(**at)) {
            world.fold_to(self.input(), at);
            let state = world.around(at).map_or(State::CLOSED, |around| around.post);
            let moment = Moment::whole(&self.index, &world.paths, state);
            endings.push((&self.scenes[at].node, moment));
        }
        endings
    }

    /// Whether the story comes to a node and goes nowhere from there.
    fn ends(&self, at: NodeIndex) -> bool {
        self.flow.place[at] == Place::Main && self.flow.exit_less(at)
    }
}
