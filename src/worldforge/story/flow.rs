//! The flow of world state: which nodes each node gets it from, and the evaluation order.
//!
//! Straight edges and time jumps pass the world on. A flashback does not: its segment is separate, and
//! the edge that leaves it passes on the world of the node that remembered. A node without an incoming
//! edge follows the previous node in the telling. Back edges of a cycle pass nothing on. Knows no
//! values.

mod explore;
mod sequence;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};

use super::dominators::Dominators;
use super::paths::Share;
use super::scene::{NodeIndex, Scene};
use super::time::StoryTime;
use crate::model::{EdgeType, NodeType};

/// An edge between nodes that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The number of the edge.
    pub(crate) way: usize,
    pub(crate) from: NodeIndex,
    pub(crate) to: NodeIndex,
    pub(crate) kind: EdgeType,
}

impl Link {
    /// Whether time runs on without a jump.
    pub(crate) fn straight(&self) -> bool {
        matches!(self.kind, EdgeType::Linear | EdgeType::Branch | EdgeType::Choice)
    }
}

/// How the world comes to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    /// Over an edge.
    Edge,
    /// Over an edge that leaves a flashback, from the node that remembered.
    Return,
    /// Into a flashback, from the node that remembers.
    Memory,
    /// No edge: from the previous node in the telling.
    Telling,
}

/// One source of a node's world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Predecessor {
    pub(crate) from: NodeIndex,
    pub(crate) link: Option<Link>,
    pub(crate) by: FlowKind,
}

impl Predecessor {
    /// Whether an edge on the way implies that story time may have passed.
    pub(crate) fn jumps(&self) -> bool {
        self.by == FlowKind::Return || self.link.is_some_and(|link| link.kind == EdgeType::Timejump)
    }
}

/// What a node is in the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Reached from a beginning.
    Main,
    /// In the flashback of this number.
    Memory(usize),
    /// A chapter that no edge touches.
    Heading,
    /// No beginning leads here.
    Lost,
}

/// What is known about the moment that a flashback goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// No date on the way to it can be compared with its own.
    Unknown,
    /// Before everything on the way to it.
    Beginning,
    /// After this node.
    After(NodeIndex),
}

/// The flow of a story.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// By number of node, in the order of the telling.
    pub(crate) predecessors: Vec<Vec<Predecessor>>,
    /// Where each node's world goes.
    onward: Vec<Vec<NodeIndex>>,
    pub(crate) place: Vec<Place>,
    /// Nodes without a way in that are not the beginning.
    pub(crate) unlinked: Vec<bool>,
    /// By number of flashback: the nodes that remember.
    sources: Vec<Vec<NodeIndex>>,
    /// Sources before targets.
    pub(crate) sequence: Vec<NodeIndex>,
    position: Vec<usize>,
    /// Edges that close a cycle of straight edges.
    pub(crate) closing: BTreeSet<usize>,
    /// Edges by the node that they leave, and by the node that they enter.
    pub(crate) leaving: Vec<Vec<Link>>,
    pub(crate) entering: Vec<Vec<Link>>,
    dominators: Dominators,
}

impl Flow {
    /// The flow of these nodes along these edges. `order` is the order of the telling.
    pub(crate) fn new(
        scenes: &[Scene],
        order: &[NodeIndex],
        rank: &[usize],
        links: &[Link],
    ) -> Self {
        let mut leaving = vec![Vec::new(); scenes.len()];
        let mut entering = vec![Vec::new(); scenes.len()];
        for link in links {
            leaving[link.from].push(*link);
            entering[link.to].push(*link);
        }
        let heading = |at: NodeIndex| {
            let chapter = scenes[at].node.node_type == NodeType::Chapter;
            chapter && leaving[at].is_empty() && entering[at].is_empty()
        };
        let (place, sources) = explore::explore(order, rank, &leaving, &entering, heading);
        let mut flow = Self { leaving, entering, place, sources, ..Self::default() };
        flow.link_predecessors(order, rank, links);
        let (sequence, closing) = sequence::sequence(&mut flow.predecessors, order, rank);
        flow.position = vec![0; scenes.len()];
        for (position, &at) in sequence.iter().enumerate() {
            flow.position[at] = position;
        }
        flow.sequence = sequence;
        flow.closing = closing;
        flow.onward = vec![Vec::new(); scenes.len()];
        for (at, predecessors) in flow.predecessors.iter().enumerate() {
            for predecessor in predecessors {
                flow.onward[predecessor.from].push(at);
            }
        }
        let when = |at: NodeIndex| scenes[at].when;
        flow.dominators = Dominators::new(&flow.sequence, &flow.predecessors, when);
        flow
    }

    fn link_predecessors(&mut self, order: &[NodeIndex], rank: &[usize], links: &[Link]) {
        self.predecessors = vec![Vec::new(); rank.len()];
        self.unlinked = vec![false; rank.len()];
        for &link in links {
            let Link { from, to, .. } = link;
            let link_predecessors = |from, by| Predecessor { from, link: Some(link), by };
            match (self.place[from], self.place[to]) {
                (_, Place::Memory(_)) if link.kind == EdgeType::Flashback => {
                    self.predecessors[to].push(link_predecessors(from, FlowKind::Memory));
                }
                _ if link.kind == EdgeType::Flashback => {}
                (Place::Memory(one), Place::Memory(other)) if link.straight() && one == other => {
                    self.predecessors[to].push(link_predecessors(from, FlowKind::Edge));
                }
                (Place::Memory(segment), place) => {
                    for source in self.returning(segment, place) {
                        self.predecessors[to].push(link_predecessors(source, FlowKind::Return));
                    }
                }
                (Place::Lost, place) if place != Place::Lost => {}
                _ => self.predecessors[to].push(link_predecessors(from, FlowKind::Edge)),
            }
        }
        // The beginning is the first node without a way in; others follow the telling.
        let (mut begun, mut before) = (false, None);
        let linked = !links.is_empty();
        for &at in order {
            let heading = self.place[at] == Place::Heading;
            if self.entering[at].is_empty() {
                self.unlinked[at] = begun && linked && !heading;
                let previous =
                    before.map(|from| Predecessor { from, link: None, by: FlowKind::Telling });
                self.predecessors[at].extend(previous);
            }
            if self.place[at] == Place::Main {
                before = Some(at);
                begun = true;
            }
        }
        for predecessors in &mut self.predecessors {
            predecessors.sort_by_key(|predecessor| rank[predecessor.from]);
            predecessors.dedup();
        }
    }

    /// The nodes whose world goes on where a flashback ends.
    fn returning(&self, segment: usize, to: Place) -> BTreeSet<NodeIndex> {
        let mut found = BTreeSet::new();
        let mut segments = vec![segment];
        let mut seen = HashSet::new();
        while let Some(segment) = segments.pop() {
            for &source in self.sources[segment].iter() {
                match self.place[source] {
                    Place::Memory(outer) if to != Place::Memory(outer) => {
                        if seen.insert(outer) {
                            segments.push(outer);
                        }
                    }
                    _ => {
                        found.insert(source);
                    }
                }
            }
        }
        found
    }

    /// Whether the story goes nowhere from a node: no edge leaves it that leads on.
    pub(crate) fn exit_less(&self, at: NodeIndex) -> bool {
        self.leaving[at].is_empty() && self.onward[at].iter().all(|next| !self.told_after(*next))
    }

    /// Whether a node only follows the telling.
    fn told_after(&self, at: NodeIndex) -> bool {
        self.place[at] != Place::Heading && !self.unlinked[at]
    }

    /// Whether a node is in a flashback.
    pub(crate) fn remembered(&self, at: NodeIndex) -> bool {
        matches!(self.place[at], Place::Memory(_))
    }

    /// The moment that the flashback at `to`, remembered at `from`, goes back to.
    pub(crate) fn anchor(&self, from: NodeIndex, to: Option<StoryTime>) -> Anchor {
        to.map_or(Anchor::Unknown, |date| self.dominators.anchor(from, date))
    }

    /// Whether every path to `at` comes through `earlier`.
    pub(crate) fn always_before(&self, earlier: NodeIndex, at: NodeIndex) -> bool {
        self.told_before(earlier, |earlier| earlier != at && self.dominators.dominates(earlier, at))
    }

    /// Whether some path leads from one node to one of others; what a flashback shows is told where
    /// it is remembered.
    pub(crate) fn reaches(&self, from: NodeIndex, to: &[NodeIndex]) -> bool {
        let to: Vec<NodeIndex> = to.iter().copied().filter(|to| *to != from).collect();
        self.told_before(from, |from| self.leads(from, &to))
    }

    fn told_before(&self, from: NodeIndex, holds: impl Fn(NodeIndex) -> bool) -> bool {
        let mut nodes = vec![from];
        let mut seen = HashSet::new();
        while let Some(node) = nodes.pop() {
            if holds(node) {
                return true;
            }
            if let Place::Memory(segment) = self.place[node]
                && seen.insert(segment)
            {
                nodes.extend(&self.sources[segment]);
            }
        }
        false
    }

    fn leads(&self, from: NodeIndex, to: &[NodeIndex]) -> bool {
        let below =
            |node: NodeIndex, to: NodeIndex| node != to && self.dominators.dominates(node, to);
        if to.iter().any(|to| below(from, *to)) {
            return true;
        }
        let Some(last) = to.iter().map(|to| self.position[*to]).max() else { return false };
        let wanted: HashSet<NodeIndex> = to.iter().copied().collect();
        let mut nodes = vec![from];
        let mut seen = HashSet::new();
        while let Some(node) = nodes.pop() {
            for &next in &self.onward[node] {
                if wanted.contains(&next) {
                    return true;
                }
                if self.position[next] >= last || !seen.insert(next) {
                    continue;
                }
                if let [only] = to
                    && below(next, *only)
                {
                    return true;
                }
                nodes.push(next);
            }
        }
        false
    }

    /// On how many paths to `at` none of `nodes` comes before.
    pub(crate) fn untold(&self, nodes: &[NodeIndex], at: NodeIndex) -> Share {
        if nodes.iter().any(|node| *node == at || self.always_before(*node, at)) {
            return Share::None;
        }
        // Who passes the node that remembers has seen the flashback.
        let mut previous: HashSet<NodeIndex> = HashSet::new();
        let mut open = nodes.to_vec();
        while let Some(node) = open.pop() {
            if node != at
                && previous.insert(node)
                && let Place::Memory(segment) = self.place[node]
            {
                open.extend(&self.sources[segment]);
            }
        }
        // Every path comes through the common dominator, and none of the nodes lies before it.
        let top = previous.iter().try_fold(at, |top, node| self.dominators.common(top, *node));
        let (mut around, mut through) = (false, false);
        let mut seen = HashSet::from([at]);
        open.push(at);
        while let Some(node) = open.pop() {
            if Some(node) == top || self.predecessors[node].is_empty() {
                around = true;
                continue;
            }
            for predecessor in &self.predecessors[node] {
                if previous.contains(&predecessor.from) {
                    through = true;
                } else if seen.insert(predecessor.from) {
                    open.push(predecessor.from);
                }
            }
        }
        match (around, through) {
            (false, _) => Share::None,
            (true, true) => Share::Some,
            (true, false) => Share::All,
        }
    }

    /// The nodes whose world depends on that of the given ones, and these themselves.
    pub(crate) fn downstream(&self, nodes: impl IntoIterator<Item = NodeIndex>) -> Vec<NodeIndex> {
        let mut found: Vec<NodeIndex> = nodes.into_iter().collect();
        let mut seen: HashSet<NodeIndex> = found.iter().copied().collect();
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            found.extend(self.onward[node].iter().copied().filter(|node| seen.insert(*node)));
        }
        found
    }
}
