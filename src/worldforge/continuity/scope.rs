//! One node and the world around it, as rules look at them.
//!
//! Knows no rule.

use std::collections::HashSet;

use super::code::Code;
use crate::model::{DeltaOp, EntityType};
use crate::story::Story;
use crate::story::flow::{Arrival, By};
use crate::story::fold::{Around, World};
use crate::story::index::{Field, Known, Who};
use crate::story::paths::{KeyId, Share, State, Step};
use crate::story::scene::{At, Scene};
use crate::story::values::{ABSENT, UNKNOWN, ValueId, Values};

/// A way into the node, and the world that comes along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Incoming {
    pub(super) arrival: Arrival,
    pub(super) state: State,
    /// Which of the edge's conditions lets nothing through.
    pub(super) closed_by: Option<usize>,
}

/// One node and the world around it.
pub(super) struct Scope<'a> {
    pub(super) story: &'a Story,
    pub(super) world: &'a World,
    pub(super) at: At,
    pub(super) scene: &'a Scene,
    pub(super) around: &'a Around,
    pub(super) incoming: &'a [Incoming],
}

impl<'a> Scope<'a> {
    pub(super) fn values(&self) -> &'a Values {
        &self.world.paths.values
    }

    pub(super) fn known(&self, who: Who) -> &'a Known {
        &self.story.index.known[who]
    }

    pub(super) fn name(&self, who: Who) -> &'a str {
        self.known(who).name()
    }

    pub(super) fn key(&self, who: Who, field: Field) -> Option<KeyId> {
        self.known(who).key(field)
    }

    pub(super) fn title(&self, at: At) -> &'a str {
        &self.story.scenes[at].node.title
    }

    /// The participants of a type.
    pub(super) fn cast(&self, kind: EntityType) -> impl Iterator<Item = Who> {
        self.scene.cast.iter().copied().filter(move |who| self.known(*who).is(kind))
    }

    pub(super) fn plays(&self, who: Who) -> bool {
        self.scene.cast.contains(&who)
    }

    /// On how many paths the value of an entity's field is such before the node.
    pub(super) fn before(
        &self,
        who: Who,
        field: Field,
        such: impl FnMut(&Values, ValueId) -> bool,
    ) -> Share {
        let state = self.around.pre;
        self.key(who, field).map_or(Share::None, |key| self.world.paths.share(state, key, such))
    }

    /// The node's changes of a field, with the entity that they are about.
    pub(super) fn steps(&self, field: Field) -> impl Iterator<Item = (Who, &'a Step)> {
        self.scene.steps.iter().filter_map(move |step| {
            let key = &self.story.index.keys[step.key as usize];
            let (_, who) = key.about.filter(|_| key.field == Some(field))?;
            Some((who, step))
        })
    }

    /// Whether the node sets an entity's field.
    pub(super) fn sets(&self, who: Who, field: Field) -> bool {
        let key = self.key(who, field);
        self.scene.steps.iter().any(|step| Some(step.key) == key && step.op == DeltaOp::Set)
    }

    /// The entity that a value names by its id.
    pub(super) fn named(&self, value: ValueId) -> Option<Who> {
        self.story.index.find(self.values().text(value)?)
    }

    /// Whether a value names an entity, by its id or its name.
    pub(super) fn names(&self, value: ValueId, who: Who) -> bool {
        let known = self.known(who);
        self.values().text(value).is_some_and(|text| text == known.id || text == known.name())
    }

    /// Whether a value names one of the node's locations.
    pub(super) fn is_here(&self, value: ValueId) -> bool {
        self.scene.places.iter().any(|place| self.names(value, *place))
    }

    /// A value for people: names instead of ids.
    pub(super) fn shown(&self, value: ValueId) -> String {
        match value {
            ABSENT => "-".to_owned(),
            UNKNOWN => "?".to_owned(),
            _ => show(self.story, &self.values().json(value)),
        }
    }

    /// A key for people: a name instead of the id.
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
        let mut permits = self.story.laws.iter().flat_map(|law| &law.permits);
        permits.any(|permitted| permitted == code.name())
    }

    /// The last nodes on the way here of which `found` is true, and whether an edge since then says
    /// that time passes. Does not look out of a flashback.
    pub(super) fn last(&self, found: impl Fn(&Scene) -> bool) -> Vec<(At, bool)> {
        let mut ends = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![(self.at, false)];
        while let Some((node, jumped)) = open.pop() {
            for arrival in &self.story.flow.arrivals[node] {
                let next = (arrival.from, jumped || arrival.jumps());
                if arrival.by == By::Memory || !seen.insert(next) {
                    continue;
                }
                match found(&self.story.scenes[arrival.from]) {
                    true => ends.push(next),
                    false => open.push(next),
                }
            }
        }
        ends
    }

    /// The world after another node.
    pub(super) fn after(&self, at: At) -> State {
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
