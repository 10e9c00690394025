//! `continuity.check`: one node against the story, with the world around it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Engine, EngineError, Result};
use crate::continuity;
use crate::model::{Issue, StoryNode, WorldState};
use crate::store::Scope;
use crate::story::{Moment, Story, subject};

/// How much of the world around a node is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum States {
    /// Nothing.
    None,
    /// Values about entities in the node.
    Scene,
    /// Everything.
    All,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The worst first.
    pub issues: Vec<Issue>,
    /// The world before the node, along the first path in the telling.
    pub before: WorldState,
    /// The world after it.
    pub after: WorldState,
    /// Keys on which the paths to the node disagree, with their values.
    pub divergent: BTreeMap<String, Vec<Value>>,
}

impl Engine {
    /// Checks one node.
    pub fn check(&self, scope: &Scope, node: &str, states: States) -> Result<Checked> {
        self.stories.with(self.store(), scope, |_, story| {
            let found = story.node(node).ok_or_else(|| EngineError::missing("story node"))?;
            let issues = continuity::check(story, node, self.language());
            let keep = KeyFilter::of(found, states);
            let moment = |moment: Option<Moment>| moment.unwrap_or_default();
            let (before, after) = match states {
                States::None => (Moment::default(), Moment::default()),
                _ => (moment(story.pre_state(node)), moment(story.post_state(node))),
            };
            let filtered = |state: WorldState| -> WorldState {
                state.into_iter().filter(|(key, _)| keep.wants(key)).collect()
            };
            let divergent =
                before.disagree.into_iter().filter(|(key, _)| keep.wants(key)).collect();
            let (before, after) = (filtered(before.state), filtered(after.state));
            Ok(Checked { issues, before, after, divergent })
        })
    }

    /// Checks every node, in the order of the telling.
    pub fn check_all(&self, scope: &Scope) -> Result<Vec<Issue>> {
        self.with_story(scope, |story| continuity::check_all(story, self.language()))
    }

    /// Asks something of the story as it is now.
    pub fn with_story<T>(&self, scope: &Scope, ask: impl FnOnce(&Story) -> T) -> Result<T> {
        self.stories.with(self.store(), scope, |_, story| Ok(ask(story)))
    }
}

/// Selects the keys to return.
enum KeyFilter {
    All,
    About { entities: BTreeSet<String>, keys: BTreeSet<String> },
}

impl KeyFilter {
    fn of(node: &StoryNode, states: States) -> Self {
        if states == States::All {
            return Self::All;
        }
        let mut entities: BTreeSet<String> = (node.participants.iter().map(|one| &one.entity_id))
            .chain(&node.locations)
            .cloned()
            .collect();
        let keys: BTreeSet<String> =
            node.world_state_delta.iter().map(|delta| delta.key.clone()).collect();
        entities.extend(keys.iter().filter_map(|key| subject(key)).map(|(_, id, _)| id.to_owned()));
        Self::About { entities, keys }
    }

    fn wants(&self, key: &str) -> bool {
        match self {
            Self::All => true,
            Self::About { entities, keys } => {
                keys.contains(key) || subject(key).is_some_and(|(_, id, _)| entities.contains(id))
            }
        }
    }
}
