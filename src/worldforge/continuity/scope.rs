//! One node and the world around it, as the rules see them.
//!
//! Knows no rule.

use std::collections::HashSet;

use super::code::Code;
use crate::model::{DeltaOp, EntityType};
use crate::story::Story;
use crate::story::flow::{FlowKind, Predecessor};
use crate::story::fold::{NodeStates, World};
use crate::story::index::{EntityIndex, Field, Known};
use crate::story::paths::{KeyId, Share, State, Step};
use crate::story::scene::{NodeIndex, Scene};
use crate::story::values::{ABSENT, UNKNOWN, ValueId, Values};

/// A way into the node, and the world that comes along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Incoming {
    pub(super) predecessor: Predecessor,
    pub(super) state: State,
    /// Which of the edge's conditions lets nothing through.
    pub(super) closed_by: Option<usize>,
}

/// One node and the world around it.
pub(super) struct Scope<'a> {
    pub(super) story: &'a Story,
    pub(super) world: &'a World,
    pub(super) at: NodeIndex,
    pub(super) scene: &'a Scene,
    pub(super) around: &'a NodeStates,
    pub(super) incoming: &'a [Incoming],
}

impl<'a> Scope<'a> {
    pub(super) fn values(&self) -> &'a Values {
        &self.world.paths.values
    }

    pub(super) fn known(&self, who: EntityIndex) -> &'a Known {
        &self.story.index.known[who]
    }

    pub(super) fn name(&self, who: EntityIndex) -> &'a str {
        self.known(who).name()
    }

    pub(super) fn key(&self, who: EntityIndex, field: Field) -> Option<KeyId> {
        self.known(who).key(field)
    }

    pub(super) fn title(&self, at: NodeIndex) -> &'a str {
        &self.story.scenes[at].node.title
    }

    /// The participants of a type.
    pub(super) fn cast(&self, kind: EntityType) -> impl Iterator<Item = EntityIndex> {
        self.scene.cast.iter().copied().filter(move |who| self.known(*who).is(kind))
    }

    pub(super) fn plays(&self, who: EntityIndex) -> bool {
        self.scene.cast.contains(&who)
    }

    /// On how many paths the value of an entity's field is such before the node.
    pub(super) fn before(
        &self,
        who: EntityIndex,
        field: Field,
        such: impl FnMut(&Values, ValueId) -> bool,
    ) -> Share {
        let state = self.around.pre;
        self.key(who, field).map_or(Share::None, |key| self.world.paths.share(state, key, such))
    }

    /// The node's changes of a field, with the entity that they are about.
    pub(super) fn steps(&self, field: Field) -> impl Iterator<Item = (EntityIndex, &'a Step)> {
        self.scene.steps.iter().filter_map(move |step| {
            let key = &self.story.index.keys[step.key as usize];
            let (_, who) = key.about.filter(|_| key.field == Some(field))?;
            Some((who, step))
        })
    }

    /// Whether the node sets an entity's field.
    pub(super) fn sets(&self, who: EntityIndex, field: Field) -> bool {
        let key = self.key(who, field);
        self.scene.steps.iter().any(|step| Some(step.key) == key && step.op == DeltaOp::Set)
    }

    /// The entity that a value names by its id.
    pub(super) fn named(&self, value: ValueId) -> Option<EntityIndex> {
        self.story.index.find(self.values().text(value)?)
    }

    /// Whether a value names an entity, by its id or its name.
    pub(super) fn names(&self, value: ValueId, who: EntityIndex) -> bool {
        let known = self.known(who);
        self.values().text(value).is_some_and(|text| text == known.id || text == known.name())
    }

    /// Whether a value names one of the node's locations.
    pub(super) fn is_here(&self, value: ValueId) -> bool {
        self.scene.places.iter().any(|place| self.names(value, *place))
    }

    /// A readable value: names instead of ids.
    pub(super) fn shown(&self, value: ValueId) -> String {
        match value {
            ABSENT => "-".to_owned(),
            UNKNOWN => "?".to_owned(),
            _ => show(self.story, &self.values().json(value)),
        }
    }

    /// A readable key: a name instead of the id.
    pub(super) fn shown_key(&self, key: KeyId) -> String {
        let key = &self.story.index.keys[key as usize];
        match key.about {
            Some((_, who)) => {
                let field = key.text.splitn(3, '.').nth(2).unwrap_or_default();
                format!("{}.{field}", self.name(who))
            }
            None => key.text.clone(),
        }
    }

    /// The names of the node's locations.
    pub(super) fn places(&self) -> String {
        let names: Vec<&str> = self.scene.places.iter().map(|place| self.name(*place)).collect();
        names.join(", ")
    }

    /// Whether a rule of the world permits what a code reports.
    pub(super) fn permitted(&self, code: Code) -> bool {
        let mut permits = self.story.world_rules.iter().flat_map(|rule| &rule.permits);
        permits.any(|permitted| permitted == code.name())
    }

    /// The last nodes on the way here of which `found` is true, and whether an edge since then says
    /// that time passes. Does not look out of a flashback.
    pub(super) fn last(&self, found: impl Fn(&Scene) -> bool) -> Vec<(NodeIndex, bool)> {
        let mut ends = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![(self.at, false)];
        while let Some((node, jumped)) = open.pop() {
            for predecessor in &self.story.flow.predecessors[node] {
                let next = (predecessor.from, jumped || predecessor.jumps());
                if predecessor.by == FlowKind::Memory || !seen.insert(next) {
                    continue;
                }
                match found(&self.story.scenes[predecessor.from]) {
                    true => ends.push(next),
                    false => open.push(next),
                }
            }
        }
        ends
    }

    /// The world after another node.
    pub(super) fn after(&self, at: NodeIndex) -> State {
        self.world.around(at).map_or(State::CLOSED, |around| around.post)
    }
}

fn show(story: &Story, value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::String(text) => story.entity(text).map_or(text, |entity| &entity.name).clone(),
        Value::Array(elements) => {
            elements.iter().map(|each| show(story, each)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
