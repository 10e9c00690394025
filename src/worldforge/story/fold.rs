//! The world before and after every requested node, cached until something upstream changes.
//!
//! Knows no rules and no texts.

use super::flow::{Anchor, Flow, FlowKind, Place, Predecessor};
use super::index::Index;
use super::paths::{Paths, Share, State};
use super::scene::{CompiledEdge, NodeIndex, Scene};
use super::values::DeltaError;

/// The world around one node.
#[derive(Debug, Clone)]
pub(crate) struct NodeStates {
    pub(crate) pre: State,
    pub(crate) post: State,
    /// Whether so many paths meet here that they could not be kept apart.
    pub(crate) widens: bool,
    /// Changes of the node that met a fault: which, what, and on how many paths.
    pub(crate) errors: Vec<(usize, DeltaError, Share)>,
}

/// All that is needed to fold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoldInput<'a> {
    pub(crate) index: &'a Index,
    pub(crate) scenes: &'a [Scene],
    pub(crate) ways: &'a [CompiledEdge],
    pub(crate) flow: &'a Flow,
}

/// What was folded so far.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) paths: Paths,
    around: Vec<Option<NodeStates>>,
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

    /// Grows the tables for a new node.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.around.resize(nodes, None);
    }

    /// Forgets what was folded for these nodes.
    pub(crate) fn forget(&mut self, nodes: impl IntoIterator<Item = NodeIndex>) {
        for at in nodes {
            self.around[at] = None;
        }
    }

    /// Forgets everything that was folded, and frees the memory.
    pub(crate) fn start_again(&mut self) {
        self.around.fill(None);
        self.paths.start_again();
    }

    /// The world around a node that was folded.
    pub(crate) fn around(&self, at: NodeIndex) -> Option<&NodeStates> {
        self.around[at].as_ref()
    }

    /// Folds all that a node's world comes from, and the node.
    pub(crate) fn fold_to(&mut self, input: FoldInput<'_>, at: NodeIndex) {
        let mut stack = vec![at];
        while let Some(&node) = stack.last() {
            if self.around[node].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for predecessor in &input.flow.predecessors[node] {
                let needed = needed(input, node, predecessor);
                stack.extend(needed.filter(|needed| self.around[*needed].is_none()));
            }
            if stack.len() == before {
                stack.pop();
                self.fold(input, node);
            }
        }
    }

    /// Folds every node once.
    pub(crate) fn fold_all(&mut self, input: FoldInput<'_>) {
        let missing = |at: &&NodeIndex| self.around[**at].is_none();
        let missing: Vec<NodeIndex> = input.flow.sequence.iter().filter(missing).copied().collect();
        self.paths.reserve(missing.iter().map(|at| input.scenes[*at].steps.len()).sum());
        for at in missing {
            self.fold(input, at);
        }
    }

    fn fold(&mut self, input: FoldInput<'_>, at: NodeIndex) {
        let predecessors = &input.flow.predecessors[at];
        let mut pre = match input.flow.place[at] {
            Place::Lost => State::CLOSED,
            _ if predecessors.is_empty() => State::START,
            _ => State::CLOSED,
        };
        let mut widens = false;
        for predecessor in predecessors {
            let (incoming, _) = self.incoming(input, at, predecessor);
            let (joined, now) = self.paths.join(pre, incoming);
            pre = joined;
            widens |= now;
        }
        let (post, errors) = match pre.possible {
            true => self.paths.advance(pre, &input.scenes[at].steps),
            false => (pre, Vec::new()),
        };
        self.around[at] = Some(NodeStates { pre, post, widens, errors });
    }

    /// The world that comes to a node from one source, which is folded; and which condition of the
    /// edge lets nothing through, if one does.
    pub(crate) fn incoming(
        &mut self,
        input: FoldInput<'_>,
        at: NodeIndex,
        predecessor: &Predecessor,
    ) -> (State, Option<usize>) {
        let after =
            |world: &Self, at: NodeIndex| world.around(at).map_or(State::CLOSED, |one| one.post);
        if predecessor.by == FlowKind::Memory {
            let state = match input.flow.anchor(predecessor.from, input.scenes[at].when) {
                Anchor::After(anchor) => after(self, anchor),
                Anchor::Unknown | Anchor::Beginning => State::START,
            };
            return (state, None);
        }
        let mut state = after(self, predecessor.from);
        if predecessor.by == FlowKind::Telling && !state.possible {
            // An unreachable previous node implies nothing about this one.
            state = State::START;
        }
        let Some(link) = predecessor.link.filter(|_| state.possible) else { return (state, None) };
        for (text, atom) in &input.ways[link.way].atoms {
            // A condition is undecidable if no node writes its key.
            if input.index.keys[atom.key as usize].writers == 0 {
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
fn needed(
    input: FoldInput<'_>,
    at: NodeIndex,
    predecessor: &Predecessor,
) -> impl Iterator<Item = NodeIndex> {
    let anchor = (predecessor.by == FlowKind::Memory)
        .then(|| input.flow.anchor(predecessor.from, input.scenes[at].when));
    match anchor {
        None => Some(predecessor.from),
        Some(Anchor::After(anchor)) => Some(anchor),
        Some(Anchor::Unknown | Anchor::Beginning) => None,
    }
    .into_iter()
}
