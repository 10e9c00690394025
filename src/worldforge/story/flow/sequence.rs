//! An order in which every node comes after those that its world comes from.
//!
//! Ways that lead back in a circle are taken out of the flow. Knows arrivals only.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::{Arrival, By};
use crate::story::scene::At;

/// The sequence, and the edges that close a circle of straight edges.
pub(super) fn sequence(
    arrivals: &mut [Vec<Arrival>],
    order: &[At],
    rank: &[usize],
) -> (Vec<At>, BTreeSet<usize>) {
    let sequence = sorted(arrivals, order, rank);
    if sequence.len() == order.len() {
        return (sequence, BTreeSet::new());
    }
    let straight = |arrival: &Arrival| {
        arrival.by == By::Edge && arrival.link.is_some_and(|link| link.straight())
    };
    let closing = returns(arrivals, order, rank, straight);
    let closing = closing
        .into_iter()
        .filter_map(|(from, to)| {
            let closes = |arrival: &&Arrival| arrival.from == from && straight(arrival);
            arrivals[to].iter().find(closes)?.link.map(|link| link.way)
        })
        .collect();
    for (from, to) in returns(arrivals, order, rank, |_| true) {
        arrivals[to].retain(|arrival| arrival.from != from);
    }
    (sorted(arrivals, order, rank), closing)
}

/// Sources before targets, and in the order of the telling where that leaves a choice. Leaves out
/// circles and what comes after them.
fn sorted(arrivals: &[Vec<Arrival>], order: &[At], rank: &[usize]) -> Vec<At> {
    let mut waiting: Vec<usize> = arrivals.iter().map(Vec::len).collect();
    let onward = onward(arrivals, rank, |_| true);
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
    arrivals: &[Vec<Arrival>],
    rank: &[usize],
    counts: impl Fn(&Arrival) -> bool,
) -> Vec<Vec<At>> {
    let mut onward = vec![Vec::new(); arrivals.len()];
    for (to, arrivals) in arrivals.iter().enumerate() {
        for arrival in arrivals.iter().filter(|arrival| counts(arrival)) {
            onward[arrival.from].push(to);
        }
    }
    for targets in &mut onward {
        targets.sort_by_key(|at| rank[*at]);
    }
    onward
}

/// Ways from a node to one that leads to it, seen by going through the story depth first.
fn returns(
    arrivals: &[Vec<Arrival>],
    order: &[At],
    rank: &[usize],
    counts: impl Fn(&Arrival) -> bool,
) -> Vec<(At, At)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let onward = onward(arrivals, rank, counts);
    let mut mark = vec![Mark::New; arrivals.len()];
    let mut found = Vec::new();
    // Beginnings first, so that a circle is closed by the way back to where it was entered.
    let (first, rest): (Vec<At>, Vec<At>) = order.iter().partition(|at| arrivals[**at].is_empty());
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
