//! Tests of the flow: flashbacks, cycles, unlinked nodes.

use super::*;
use crate::model::{StoryEdge, StoryNode};
use crate::story::Story;
use crate::story::testing::{With, edge, id, line, node};
use EdgeType::{Branch, Flashback, Linear, Timejump};

struct Seen(Story);

impl Seen {
    fn new(nodes: Vec<StoryNode>, edges: Vec<StoryEdge>) -> Self {
        Self(Story::owning(nodes, edges, Vec::new()))
    }

    fn at(&self, number: u32) -> NodeIndex {
        self.0.at(&id(number)).unwrap()
    }

    fn place(&self, number: u32) -> Place {
        self.0.flow.place[self.at(number)]
    }

    fn from(&self, number: u32) -> Vec<(String, FlowKind)> {
        let predecessors = self.0.flow.predecessors[self.at(number)].iter();
        predecessors.map(|one| (self.0.scenes[one.from].node.title.clone(), one.by)).collect()
    }

    fn sequence(&self) -> Vec<u64> {
        self.0.flow.sequence.iter().map(|at| self.0.scenes[*at].node.time.order).collect()
    }

    fn reaches(&self, from: u32, to: u32) -> bool {
        self.0.flow.reaches(self.at(from), &[self.at(to)])
    }
}

fn nodes(count: u32) -> Vec<StoryNode> {
    (1..=count).map(node).collect()
}

fn named(number: u32, by: FlowKind) -> (String, FlowKind) {
    (format!("Node {number}"), by)
}

#[test]
fn without_edges_the_telling_is_the_story() {
    let seen = Seen::new(nodes(3), Vec::new());
    assert_eq!(seen.from(3), [named(2, FlowKind::Telling)]);
    assert!(seen.0.flow.unlinked.iter().all(|unlinked| !unlinked));
    assert!(seen.reaches(1, 3));
}

#[test]
fn a_node_that_nothing_leads_to_follows_the_telling() {
    let seen = Seen::new(nodes(4), line(&[1, 2]).into_iter().chain(line(&[3, 4])).collect());
    assert_eq!(seen.from(3), [named(2, FlowKind::Telling)]);
    assert!(seen.0.flow.unlinked[seen.at(3)]);
    assert!(!seen.0.flow.unlinked[seen.at(1)]);
    assert!(seen.0.flow.exit_less(seen.at(2)));
}

#[test]
fn a_chapter_that_no_edge_touches_is_a_heading() {
    let mut nodes = nodes(4);
    nodes[0] = node(1).chapter();
    nodes[2] = node(3).chapter();
    let seen = Seen::new(nodes, line(&[2, 4]));
    assert_eq!(seen.place(1), Place::Heading);
    assert_eq!(seen.place(3), Place::Heading);
    assert!(seen.0.flow.unlinked.iter().all(|unlinked| !unlinked));
    assert_eq!(seen.from(3), [named(2, FlowKind::Telling)]);
    assert_eq!(seen.from(4), [named(2, FlowKind::Edge)]);
}

#[test]
fn what_leaves_a_flashback_comes_from_the_node_that_remembered() {
    // 1 → 2 ⇢ (3 → 4) ⇒ 5, and nothing leads from 2 to 5 directly.
    let mut edges = line(&[1, 2]);
    edges.push(edge(2, 3, Flashback));
    edges.extend(line(&[3, 4]));
    edges.push(edge(4, 5, Timejump));
    let seen = Seen::new(nodes(5), edges);
    assert_eq!(seen.place(3), Place::Memory(0));
    assert_eq!(seen.place(4), Place::Memory(0));
    assert_eq!(seen.place(5), Place::Main);
    assert_eq!(seen.from(3), [named(2, FlowKind::Memory)]);
    assert_eq!(seen.from(4), [named(3, FlowKind::Edge)]);
    assert_eq!(seen.from(5), [named(2, FlowKind::Return)]);
    // What the flashback shows comes before what follows it.
    assert!(seen.reaches(4, 5));
    assert!(seen.0.flow.always_before(seen.at(4), seen.at(5)));
    assert!(!seen.reaches(5, 4));
}

#[test]
fn a_flashback_may_stand_beside_the_main_line() {
    // 1 → 2 → 4; 1 ⇢ 3 → 4: the main line owns 4.
    let mut edges = line(&[1, 2, 4]);
    edges.push(edge(1, 3, Flashback));
    edges.push(edge(3, 4, Linear));
    let seen = Seen::new(nodes(4), edges);
    assert_eq!(seen.place(4), Place::Main);
    assert_eq!(seen.from(4), [named(1, FlowKind::Return), named(2, FlowKind::Edge)]);
}

#[test]
fn a_flashback_within_a_flashback_returns_into_the_outer_one() {
    // 1 ⇢ 2 ⇢ 3 ⇒ 4 ⇒ 5
    let kinds = [Flashback, Flashback, Timejump, Timejump];
    let edges = (1..).zip(kinds).map(|(from, kind)| edge(from, from + 1, kind)).collect();
    let seen = Seen::new(nodes(5), edges);
    let places: Vec<Place> = (1..=5).map(|number| seen.place(number)).collect();
    let (outer, inner) = (Place::Memory(0), Place::Memory(1));
    assert_eq!(places, [Place::Main, outer, inner, outer, Place::Main]);
    assert_eq!(seen.from(4), [named(2, FlowKind::Return)]);
    assert_eq!(seen.from(5), [named(1, FlowKind::Return)]);
}

#[test]
fn a_flashback_to_what_was_told_changes_nothing() {
    let mut edges = line(&[1, 2, 3]);
    edges.push(edge(3, 1, Flashback));
    let seen = Seen::new(nodes(3), edges);
    assert_eq!(seen.place(1), Place::Main);
    assert!(seen.from(1).is_empty());
    assert_eq!(seen.from(2), [named(1, FlowKind::Edge)]);
}

#[test]
fn a_cycle_closes_at_its_back_edge() {
    let mut edges = line(&[1, 2, 3, 4]);
    edges.push(edge(3, 2, Branch));
    let seen = Seen::new(nodes(4), edges);
    assert_eq!(seen.sequence(), [1, 2, 3, 4]);
    let closing: Vec<&str> = seen
        .0
        .flow
        .closing
        .iter()
        .map(|way| seen.0.ways[*way].edge.from_node_id.as_str())
        .collect();
    assert_eq!(closing, [id(3)]);
    assert_eq!(seen.from(2), [named(1, FlowKind::Edge)]);
}

#[test]
fn a_time_loop_is_not_a_cycle() {
    let mut edges = line(&[1, 2, 3]);
    edges.push(edge(3, 2, Timejump));
    let seen = Seen::new(nodes(3), edges);
    assert!(seen.0.flow.closing.is_empty());
    assert_eq!(seen.from(2), [named(1, FlowKind::Edge)]);
}

#[test]
fn an_unreachable_cycle_is_lost() {
    let mut edges = line(&[1, 2]);
    edges.extend([edge(3, 4, Linear), edge(4, 3, Timejump), edge(4, 5, Linear)]);
    let seen = Seen::new(nodes(5), edges);
    for number in 3..=5 {
        assert_eq!(seen.place(number), Place::Lost, "{number}");
    }
    assert_eq!(seen.sequence().len(), 5);
}

#[test]
fn a_self_edge_closes_a_cycle() {
    let seen = Seen::new(nodes(2), vec![edge(1, 2, Linear), edge(2, 2, Linear)]);
    assert_eq!(seen.0.flow.closing.len(), 1);
    assert_eq!(seen.from(2), [named(1, FlowKind::Edge)]);
}

#[test]
fn ways_around_are_found() {
    // 1 → {2, 3} → 4 → {5, 6} → 7
    let mut edges = Vec::new();
    for (from, to) in [(1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (6, 7)] {
        edges.push(edge(from, to, Branch));
    }
    let seen = Seen::new(nodes(7), edges);
    let untold = |of: &[u32], to: u32| {
        let of: Vec<NodeIndex> = of.iter().map(|number| seen.at(*number)).collect();
        seen.0.flow.untold(&of, seen.at(to))
    };
    assert_eq!(untold(&[2], 7), Share::Some);
    assert_eq!(untold(&[2, 3], 7), Share::None);
    assert_eq!(untold(&[4], 7), Share::None);
    assert_eq!(untold(&[2, 5], 7), Share::Some);
    assert_eq!(untold(&[5], 7), Share::Some);
    assert_eq!(untold(&[2], 3), Share::All);
    assert_eq!(untold(&[7], 4), Share::All);
    assert_eq!(untold(&[7], 7), Share::None);
    assert_eq!(untold(&[2, 7], 4), Share::Some);
    assert!(seen.reaches(2, 7));
    assert!(!seen.reaches(2, 3));
    assert!(!seen.reaches(7, 1));
    assert!(seen.0.flow.always_before(seen.at(1), seen.at(7)));
    assert!(!seen.0.flow.always_before(seen.at(5), seen.at(7)));
    assert_eq!(seen.0.flow.downstream([seen.at(4)]).len(), 4);
}
