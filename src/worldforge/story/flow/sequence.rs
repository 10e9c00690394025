//! An order in which every node comes after its predecessors.
//!
//! Back edges of a cycle are removed from the flow. Knows predecessors only.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::{FlowKind, Predecessor};
use crate::story::scene::NodeIndex;

/// The sequence, and the edges that close a cycle of straight edges.
pub(super) fn sequence(
    predecessors: &mut [Vec<Predecessor>],
    order: &[NodeIndex],
    rank: &[usize],
) -> (Vec<NodeIndex>, BTreeSet<usize>) {
    let sequence = sorted(predecessors, order, rank);
    if sequence.len() == order.len() {
        return (sequence, BTreeSet::new());
    }
    let straight = |predecessor: &Predecessor| {
        predecessor.by == FlowKind::Edge && predecessor.link.is_some_and(|link| link.straight())
    };
    let closing = returns(predecessors, order, rank, straight);
    let closing = closing
        .into_iter()
        .filter_map(|(from, to)| {
            let closes =
                |predecessor: &&Predecessor| predecessor.from == from && straight(predecessor);
            predecessors[to].iter().find(closes)?.link.map(|link| link.way)
        })
        .collect();
    for (from, to) in returns(predecessors, order, rank, |_| true) {
        predecessors[to].retain(|predecessor| predecessor.from != from);
    }
    (sorted(predecessors, order, rank), closing)
}

/// Sources before targets, and in the order of the telling where that leaves a choice. Leaves out
/// circles and what comes after them.
fn sorted(
    predecessors: &[Vec<Predecessor>],
    order: &[NodeIndex],
    rank: &[usize],
) -> Vec<NodeIndex> {
    let mut waiting: Vec<usize> = predecessors.iter().map(Vec::len).collect();
    let onward = onward(predecessors, rank, |_| true);
    let mut ready: BinaryHeap<Reverse<usize>> =
        order.iter().filter(|at| waiting[**at] == 0).map(|at| Reverse(rank[*at])).collect();
    let mut sequence = Vec::with_capacity(order.len());
    while let Some(Reverse(next)) = ready.pop() {
        let at = order[next];
        sequence.push(at);
        for &to in &onward[at] {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(Reverse(rank[to]));
            }
        }
    }
    sequence
}

fn onward(
    predecessors: &[Vec<Predecessor>],
    rank: &[usize],
    counts: impl Fn(&Predecessor) -> bool,
) -> Vec<Vec<NodeIndex>> {
    let mut onward = vec![Vec::new(); predecessors.len()];
    for (to, predecessors) in predecessors.iter().enumerate() {
        for predecessor in predecessors.iter().filter(|predecessor| counts(predecessor)) {
            onward[predecessor.from].push(to);
        }
    }
    for targets in &mut onward {
        targets.sort_by_key(|at| rank[*at]);
    }
    onward
}

/// Ways from a node to one that leads to it, seen by going through the story depth first.
fn returns(
    predecessors: &[Vec<Predecessor>],
    order: &[NodeIndex],
    rank: &[usize],
    counts: impl Fn(&Predecessor) -> bool,
) -> Vec<(NodeIndex, NodeIndex)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let onward = onward(predecessors, rank, counts);
    let mut mark = vec![Mark::New; predecessors.len()];
    let mut found = Vec::new();
    // Beginnings first, so that a cycle is closed by the edge back to where it was entered.
    let (first, rest): (Vec<NodeIndex>, Vec<NodeIndex>) =
        order.iter().partition(|at| predecessors[**at].is_empty());
    for start in first.into_iter().chain(rest) {
        if mark[start] != Mark::New {
            continue;
        }
        mark[start] = Mark::Open;
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.pop() {
            let Some(&to) = onward[node].get(next) else {
                mark[node] = Mark::Done;
                continue;
            };
            stack.push((node, next + 1));
            match mark[to] {
                Mark::New => {
                    mark[to] = Mark::Open;
                    stack.push((to, 0));
                }
                Mark::Open => found.push((node, to)),
                Mark::Done => {}
            }
        }
    }
    found
}
