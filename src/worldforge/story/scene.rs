//! A node and an edge in numbers: what the engine asks them over and over.
//!
//! Knows no order and no paths.

use super::condition::{Condition, Test};
use super::index::{Index, Who};
use super::paths::{Atom, Step};
use super::time::StoryTime;
use super::values::{ABSENT, ValueId, Values};
use crate::worldforge::model::{StoryEdge, StoryNode};

/// The number of a node.
pub(crate) type At = usize;

/// A node, with its references by number.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) node: StoryNode,
    pub(crate) when: Option<StoryTime>,
    /// As in `participants`.
    pub(crate) cast: Vec<Who>,
    /// As in `locations`.
    pub(crate) places: Vec<Who>,
    /// As in `worldStateDelta`.
    pub(crate) steps: Vec<Step>,
    /// As in `requires`.
    pub(crate) needs: Vec<(Who, ValueId)>,
}

impl Scene {
    pub(crate) fn new(node: StoryNode, index: &mut Index, values: &mut Values) -> Self {
        Self {
            when: node.time.in_world_date.as_deref().and_then(StoryTime::parse),
            cast: node.participants.iter().map(|one| index.who(&one.entity_id)).collect(),
            places: node.locations.iter().map(|id| index.who(id)).collect(),
            steps: node
                .world_state_delta
                .iter()
                .map(|delta| Step {
                    key: index.key(&delta.key),
                    op: delta.op,
                    value: values.intern(&delta.value),
                })
                .collect(),
            needs: node
                .requires
                .iter()
                .map(|need| (index.who(&need.entity_id), values.intern(&need.knows.clone().into())))
                .collect(),
            node,
        }
    }
}

/// An edge, with its conditions by number.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) edge: StoryEdge,
    /// The conditions, and which of the edge's texts each is.
    pub(crate) atoms: Vec<(usize, Atom)>,
    /// Which of the edge's texts are remarks.
    pub(crate) remarks: Vec<usize>,
}

impl Way {
    pub(crate) fn new(edge: StoryEdge, index: &mut Index, values: &mut Values) -> Self {
        let (mut atoms, mut remarks) = (Vec::new(), Vec::new());
        for (at, text) in edge.conditions.iter().enumerate() {
            match Condition::parse(text) {
                Some(condition) => atoms.push((at, atom(condition, index, values))),
                None => remarks.push(at),
            }
        }
        Self { edge, atoms, remarks }
    }
}

pub(crate) fn atom(condition: Condition, index: &mut Index, values: &mut Values) -> Atom {
    let literal = match &condition.test {
        Test::Compare(_, literal) => values.intern(literal),
        Test::Truthy | Test::Falsy => ABSENT,
    };
    Atom { key: index.key(&condition.key), test: condition.test, literal }
}
