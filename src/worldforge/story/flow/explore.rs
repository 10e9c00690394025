//! Which nodes the story reaches, and which of them are in flashbacks.
//!
//! Knows links only.

use std::collections::BTreeSet;

use super::{EdgeType, Link, Place};
use crate::story::scene::NodeIndex;

/// The place of every node, and the nodes that remember, by number of flashback.
pub(super) fn explore(
    order: &[NodeIndex],
    rank: &[usize],
    leaving: &[Vec<Link>],
    entering: &[Vec<Link>],
    heading: impl Fn(NodeIndex) -> bool,
) -> (Vec<Place>, Vec<Vec<NodeIndex>>) {
    let mut explorer = Explorer {
        rank,
        leaving,
        place: vec![Place::Lost; rank.len()],
        sources: Vec::new(),
        memories: BTreeSet::new(),
    };
    let linked = leaving.iter().any(|links| !links.is_empty());
    let mut begun = false;
    for &at in order {
        if linked && heading(at) {
            explorer.place[at] = Place::Heading;
        } else if entering[at].is_empty() || !begun {
            // The first node of the telling is a beginning, whatever leads back to it.
            explorer.main(at);
            begun = true;
        }
    }
    // The main line first: what it reaches without a flashback is not remembered.
    while let Some((_, _, from, to)) = explorer.memories.pop_first() {
        explorer.memory(from, to);
    }
    (explorer.place, explorer.sources)
}

struct Explorer<'a> {
    rank: &'a [usize],
    leaving: &'a [Vec<Link>],
    place: Vec<Place>,
    sources: Vec<Vec<NodeIndex>>,
    /// Flashbacks still to be followed, in the order of the telling.
    memories: BTreeSet<(usize, usize, NodeIndex, NodeIndex)>,
}

impl Explorer<'_> {
    fn main(&mut self, start: NodeIndex) {
        let mut nodes = vec![start];
        while let Some(node) = nodes.pop() {
            if self.place[node] == Place::Main {
                continue;
            }
            self.place[node] = Place::Main;
            for link in &self.leaving[node] {
                if link.kind == EdgeType::Flashback {
                    self.remember(link);
                } else {
                    nodes.push(link.to);
                }
            }
        }
    }

    fn remember(&mut self, link: &Link) {
        let Link { from, to, .. } = *link;
        self.memories.insert((self.rank[from], self.rank[to], from, to));
    }

    fn memory(&mut self, from: NodeIndex, to: NodeIndex) {
        match self.place[to] {
            Place::Memory(segment) => return self.sources[segment].push(from),
            Place::Main | Place::Heading => return,
            Place::Lost => {}
        }
        let segment = self.sources.len();
        self.sources.push(vec![from]);
        let (mut nodes, mut exits) = (vec![to], Vec::new());
        while let Some(node) = nodes.pop() {
            if self.place[node] != Place::Lost {
                continue;
            }
            self.place[node] = Place::Memory(segment);
            for link in &self.leaving[node] {
                match link.kind {
                    EdgeType::Flashback => self.remember(link),
                    EdgeType::Timejump => exits.push(link.to),
                    _ => nodes.push(link.to),
                }
            }
        }
        // A flashback within a flashback returns into the outer one.
        if let Place::Memory(outer) = self.place[from] {
            for exit in exits {
                self.continue_memory(outer, exit);
            }
        } else {
            exits.into_iter().for_each(|exit| self.main(exit));
        }
    }

    fn continue_memory(&mut self, segment: usize, start: NodeIndex) {
        let mut nodes = vec![start];
        while let Some(node) = nodes.pop() {
            if self.place[node] != Place::Lost {
                continue;
            }
            self.place[node] = Place::Memory(segment);
            for link in &self.leaving[node] {
                match link.kind {
                    EdgeType::Flashback => self.remember(link),
                    // Leaves the outer flashback too.
                    EdgeType::Timejump => self.main(link.to),
                    _ => nodes.push(link.to),
                }
            }
        }
    }
}
