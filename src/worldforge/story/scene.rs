//! Nodes and edges compiled to numbers, for the questions the engine asks repeatedly.
//!
//! Knows no order and no paths.

use serde_json::Value;

use super::condition::{Condition, Test};
use super::index::{EntityIndex, Field, Index, is_id};
use super::paths::{Atom, KeyId, Step};
use super::time::StoryTime;
use super::values::{ABSENT, ValueId, Values};
use crate::model::{DeltaOp, EntityType, StoryEdge, StoryNode};

/// The number of a node.
pub(crate) type NodeIndex = usize;

/// A node, with its references by number.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) node: StoryNode,
    pub(crate) when: Option<StoryTime>,
    /// As in `participants`.
    pub(crate) cast: Vec<EntityIndex>,
    /// As in `locations`.
    pub(crate) places: Vec<EntityIndex>,
    /// As in `worldStateDelta`.
    pub(crate) steps: Vec<Step>,
    /// As in `requires`.
    pub(crate) needs: Vec<(EntityIndex, ValueId)>,
    /// Entities that the values of changes name.
    pub(crate) mentions: Vec<Mention>,
    /// Items that changes add to inventories.
    pub(crate) gains: Vec<Gain>,
}

/// An entity that the value of a change names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mention {
    pub(crate) who: EntityIndex,
    field: Field,
}

impl Mention {
    /// Whether an entity of a type can be named there.
    pub(crate) fn fits(&self, kind: EntityType) -> bool {
        match self.field {
            Field::Location => kind == EntityType::Location,
            Field::Inventory => kind == EntityType::Item,
            _ => !matches!(kind, EntityType::Rule | EntityType::Lore),
        }
    }
}

/// An item that a change puts into an inventory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gain {
    pub(crate) item: EntityIndex,
    /// The key of the inventory.
    pub(crate) inventory: KeyId,
}

impl Scene {
    pub(crate) fn new(node: StoryNode, index: &mut Index, values: &mut Values) -> Self {
        let mut scene = Self {
            when: node.time.in_world_date.as_deref().and_then(StoryTime::parse),
            cast: node.participants.iter().map(|one| index.who(&one.entity_id)).collect(),
            places: node.locations.iter().map(|id| index.who(id)).collect(),
            steps: Vec::with_capacity(node.world_state_delta.len()),
            needs: node
                .requires
                .iter()
                .map(|need| (index.who(&need.entity_id), values.intern(&need.knows.clone().into())))
                .collect(),
            mentions: Vec::new(),
            gains: Vec::new(),
            node,
        };
        for delta in &scene.node.world_state_delta {
            let key = index.key(&delta.key);
            let value = values.intern(&delta.value);
            scene.steps.push(Step { key, op: delta.op, value });
            let field = index.keys[key as usize].field;
            let Some(field @ (Field::Location | Field::Holder | Field::Inventory)) = field else {
                continue;
            };
            for one in elements(&delta.value).filter(|text| is_id(text)) {
                let who = index.who(one);
                scene.mentions.push(Mention { who, field });
                if field == Field::Inventory && delta.op != DeltaOp::Remove {
                    scene.gains.push(Gain { item: who, inventory: key });
                }
            }
        }
        scene
    }
}

/// The texts in a value: the value itself, or those in a list.
fn elements(value: &Value) -> impl Iterator<Item = &str> {
    let several = value.as_array().map_or(&[][..], Vec::as_slice);
    value.as_str().into_iter().chain(several.iter().filter_map(Value::as_str))
}

/// An edge, with its conditions by number.
#[derive(Debug)]
pub(crate) struct CompiledEdge {
    pub(crate) edge: StoryEdge,
    /// The conditions, and which of the edge's texts each is.
    pub(crate) atoms: Vec<(usize, Atom)>,
    /// Which of the edge's texts are remarks.
    pub(crate) remarks: Vec<usize>,
}

impl CompiledEdge {
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
