//! The world before and after every node that was asked for, kept until something upstream changes.
//!
//! Knows no rules and no texts.

use super::flow::{Anchor, Arrival, By, Flow, Place};
use super::index::Index;
use super::paths::{Paths, Share, State};
use super::scene::{At, Scene, Way};
use super::values::Fault;

/// The world around one node.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    pub(crate) pre: State,
    pub(crate) post: State,
    /// Whether so many paths meet here that they could not be kept apart.
    pub(crate) widens: bool,
    /// Changes of the node that met a fault: which, what, and on how many paths.
    pub(crate) faults: Vec<(usize, Fault, Share)>,
}

/// All that is needed to fold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) index: &'a Index,
    pub(crate) scenes: &'a [Scene],
    pub(crate) ways: &'a [Way],
    pub(crate) flow: &'a Flow,
}

/// What was folded so far.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) paths: Paths,
    around: Vec<Option<Around>>,
}

impl World {
    pub(crate) fn new(paths: Paths, nodes: usize) -> Self {
        Self { paths, around: vec![None; nodes] }
    }

    /// Says which keys are read together with others.
    pub(crate) fn bind(&mut self, bound: Vec<bool>) {
        if self.paths.bind(bound) {
            self.around.fill(None);
        }
    }

    /// Makes room for a new node.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.around.resize(nodes, None);
    }

    /// Forgets what was folded for these nodes.
    pub(crate) fn forget(&mut self, nodes: impl IntoIterator<Item = At>) {
        for at in nodes {
            self.around[at] = None;
        }
    }

    /// Forgets everything that was folded, and gives the memory back.
    pub(crate) fn start_again(&mut self) {
        self.around.fill(None);
        self.paths.start_again();
    }

    /// The world around a node that was folded.
    pub(crate) fn around(&self, at: At) -> Option<&Around> {
        self.around[at].as_ref()
    }

    /// Folds all that a node's world comes from, and the node.
    pub(crate) fn fold_to(&mut self, ground: Ground<'_>, at: At) {
        let mut stack = vec![at];
        while let Some(&node) = stack.last() {
            if self.around[node].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for arrival in &ground.flow.arrivals[node] {
                let needed = needed(ground, node, arrival);
                stack.extend(needed.filter(|needed| self.around[*needed].is_none()));
            }
            if stack.len() == before {
                stack.pop();
                self.fold(ground, node);
            }
        }
    }

    /// Folds every node once.
    pub(crate) fn fold_all(&mut self, ground: Ground<'_>) {
        let missing = |at: &&At| self.around[**at].is_none();
        let missing: Vec<At> = ground.flow.sequence.iter().filter(missing).copied().collect();
        self.paths.reserve(missing.iter().map(|at| ground.scenes[*at].steps.len()).sum());
        for at in missing {
            self.fold(ground, at);
        }
    }

    fn fold(&mut self, ground: Ground<'_>, at: At) {
        let arrivals = &ground.flow.arrivals[at];
        let mut pre = match ground.flow.place[at] {
            Place::Lost => State::CLOSED,
            _ if arrivals.is_empty() => State::START,
            _ => State::CLOSED,
        };
        let mut widens = false;
        for arrival in arrivals {
            let (arriving, _) = self.arriving(ground, at, arrival);
            let (joined, now) = self.paths.join(pre, arriving);
            pre = joined;
            widens |= now;
        }
        let (post, faults) = match pre.possible {
            true => self.paths.advance(pre, &ground.scenes[at].steps),
            false => (pre, Vec::new()),
        };
        self.around[at] = Some(Around { pre, post, widens, faults });
    }

    /// The world that comes to a node from one source, which is folded; and which condition of the
    /// edge lets nothing through, if one does.
    pub(crate) fn arriving(
        &mut self,
        ground: Ground<'_>,
        at: At,
        arrival: &Arrival,
    ) -> (State, Option<usize>) {
        let after = |world: &Self, at: At| world.around(at).map_or(State::CLOSED, |one| one.post);
        if arrival.by == By::Memory {
            let state = match ground.flow.anchor(arrival.from, ground.scenes[at].when) {
                Anchor::After(anchor) => after(self, anchor),
                Anchor::Unknown | Anchor::Beginning => State::START,
            };
            return (state, None);
        }
        let mut state = after(self, arrival.from);
        if arrival.by == By::Telling && !state.possible {
            // That no path leads to the node told before says nothing about this one.
            state = State::START;
        }
        let Some(link) = arrival.link.filter(|_| state.possible) else { return (state, None) };
        for (text, atom) in &ground.ways[link.way].atoms {
            // Nobody can say whether a condition holds when nothing ever writes its key.
            if ground.index.keys[atom.key as usize].writers == 0 {
                continue;
            }
            state = self.paths.filter(state, atom);
            if !state.possible {
                return (state, Some(*text));
            }
        }
        (state, None)
    }
}

/// The nodes whose world an arrival asks for.
fn needed(ground: Ground<'_>, at: At, arrival: &Arrival) -> impl Iterator<Item = At> {
    let anchor = (arrival.by == By::Memory)
        .then(|| ground.flow.anchor(arrival.from, ground.scenes[at].when));
    match anchor {
        None => Some(arrival.from),
        Some(Anchor::After(anchor)) => Some(anchor),
        Some(Anchor::Unknown | Anchor::Beginning) => None,
    }
    .into_iter()
}
