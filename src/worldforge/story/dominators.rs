//! What lies on every path to a node.
//!
//! A dominator tree: the parent of a node is the last one that no path to it avoids. Shortcuts towards
//! the root make every query logarithmic. Knows dates, but no values.

use super::flow::{Anchor, Predecessor};
use super::scene::NodeIndex;
use super::time::StoryTime;

/// No node.
const NONE: NodeIndex = NodeIndex::MAX;

#[derive(Debug, Clone, Copy)]
struct TreeNode {
    parent: NodeIndex,
    /// Some node above the parent.
    shortcut: NodeIndex,
    depth: usize,
    date: Option<StoryTime>,
    /// By calendar: the earliest end of a date here or above.
    earliest: [i64; 3],
}

/// The tree.
#[derive(Debug, Default)]
pub(crate) struct Dominators {
    nodes: Vec<TreeNode>,
}

impl Dominators {
    /// The tree of nodes in a sequence that puts sources before targets.
    pub(crate) fn new(
        sequence: &[NodeIndex],
        predecessors: &[Vec<Predecessor>],
        when: impl Fn(NodeIndex) -> Option<StoryTime>,
    ) -> Self {
        let unset = TreeNode {
            parent: NONE,
            shortcut: NONE,
            depth: 0,
            date: None,
            earliest: [i64::MAX; 3],
        };
        let mut tree = Self { nodes: vec![unset; predecessors.len()] };
        for &at in sequence {
            let mut sources = predecessors[at].iter().map(|predecessor| predecessor.from);
            let first = sources.next();
            let parent = sources.fold(first, |parent, from| tree.common(parent?, from));
            tree.hang(at, parent, when(at));
        }
        tree
    }

    fn hang(&mut self, at: NodeIndex, parent: Option<NodeIndex>, date: Option<StoryTime>) {
        let mut node = TreeNode { date, ..self.nodes[at] };
        if let Some(parent) = parent {
            let above = self.nodes[parent];
            node.parent = parent;
            node.depth = above.depth + 1;
            node.earliest = above.earliest;
            node.shortcut = parent;
            // A shortcut twice as long wherever two of one length meet.
            if above.shortcut != NONE {
                let further = self.nodes[above.shortcut];
                let even = further.shortcut != NONE
                    && above.depth - further.depth
                        == further.depth - self.nodes[further.shortcut].depth;
                if even {
                    node.shortcut = further.shortcut;
                }
            }
        }
        if let Some(date) = date {
            let earliest = &mut node.earliest[date.calendar as usize];
            *earliest = (*earliest).min(date.until);
        }
        self.nodes[at] = node;
    }

    /// Whether every path to `at` comes through `above`; true for a node itself.
    pub(crate) fn dominates(&self, above: NodeIndex, at: NodeIndex) -> bool {
        self.up_to(at, self.nodes[above].depth) == above
    }

    /// The last node that every path to either comes through.
    pub(crate) fn common(&self, one: NodeIndex, other: NodeIndex) -> Option<NodeIndex> {
        let depth = self.nodes[one].depth.min(self.nodes[other].depth);
        let (mut one, mut other) = (self.up_to(one, depth), self.up_to(other, depth));
        while one != other {
            let (a, b) = (self.nodes[one], self.nodes[other]);
            (one, other) = if a.shortcut != b.shortcut {
                (a.shortcut, b.shortcut)
            } else {
                (a.parent, b.parent)
            };
        }
        (one != NONE).then_some(one)
    }

    fn up_to(&self, mut at: NodeIndex, depth: usize) -> NodeIndex {
        while at != NONE && self.nodes[at].depth > depth {
            let node = self.nodes[at];
            let shorter = node.shortcut != NONE && self.nodes[node.shortcut].depth >= depth;
            at = if shorter { node.shortcut } else { node.parent };
        }
        at
    }

    /// The moment of a date on the way to a node.
    pub(crate) fn anchor(&self, from: NodeIndex, date: StoryTime) -> Anchor {
        match self.nodes[from].earliest[date.calendar as usize] {
            i64::MAX => return Anchor::Unknown,
            earliest if earliest > date.from => return Anchor::Beginning,
            _ => {}
        }
        let mut at = from;
        while at != NONE {
            if self.nodes[at].date.is_some_and(|earlier| earlier.before(&date)) {
                return Anchor::After(at);
            }
            at = self.nodes[at].parent;
        }
        Anchor::Beginning
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow::FlowKind;
    use super::*;

    /// A tree of nodes 0, 1, 2 … with these sources and dates.
    fn tree(sources: &[&[NodeIndex]], dates: &[&str]) -> Dominators {
        let link_predecessors =
            |from: &NodeIndex| Predecessor { from: *from, link: None, by: FlowKind::Edge };
        let predecessors: Vec<Vec<Predecessor>> =
            sources.iter().map(|from| from.iter().map(link_predecessors).collect()).collect();
        let sequence: Vec<NodeIndex> = (0..sources.len()).collect();
        Dominators::new(&sequence, &predecessors, |at| StoryTime::parse(dates.get(at)?))
    }

    #[test]
    fn a_node_after_a_branch_hangs_below_the_fork() {
        // 0 → 1 → {2, 3 → 4} → 5 → 6
        let tree = tree(&[&[], &[0], &[1], &[1], &[3], &[2, 4], &[5]], &[]);
        for (above, at, expected) in [
            (0, 6, true),
            (1, 5, true),
            (2, 5, false),
            (3, 4, true),
            (4, 5, false),
            (5, 6, true),
            (6, 5, false),
            (5, 5, true),
        ] {
            assert_eq!(tree.dominates(above, at), expected, "{above} {at}");
        }
        assert_eq!(tree.common(2, 4), Some(1));
        assert_eq!(tree.common(4, 6), Some(1));
        assert_eq!(tree.common(6, 5), Some(5));
    }

    #[test]
    fn two_beginnings_have_nothing_in_common() {
        let tree = tree(&[&[], &[], &[0, 1], &[2]], &[]);
        assert_eq!(tree.common(0, 1), None);
        assert!(!tree.dominates(0, 2));
        assert!(tree.dominates(2, 3));
    }

    #[test]
    fn long_ways_are_short() {
        let sources: Vec<Vec<NodeIndex>> =
            (0..5000).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
        let sources: Vec<&[NodeIndex]> = sources.iter().map(Vec::as_slice).collect();
        let tree = tree(&sources, &[]);
        for (above, at) in [(0, 4999), (17, 3000), (2999, 3000), (4999, 4999)] {
            assert!(tree.dominates(above, at));
            assert_eq!(tree.common(above, at), Some(above));
            assert!(above == at || !tree.dominates(at, above));
        }
    }

    #[test]
    fn an_anchor_is_the_last_node_before_the_date() {
        let tree = tree(&[&[], &[0], &[1], &[2]], &["Day 3", "Day 5", "long ago", "Day 9"]);
        let at = |date: &str| tree.anchor(3, StoryTime::parse(date).unwrap());
        assert_eq!(at("Day 1"), Anchor::Beginning);
        assert_eq!(at("Day 3"), Anchor::Beginning);
        assert_eq!(at("Day 4"), Anchor::After(0));
        assert_eq!(at("Day 8"), Anchor::After(1));
        assert_eq!(at("Day 12"), Anchor::After(3));
        assert_eq!(at("Year 2"), Anchor::Unknown);
    }
}
