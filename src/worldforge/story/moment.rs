//! The world at one moment, in readable form.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::index::Index;
use super::paths::{KeyId, Paths, State};
use super::values::{ABSENT, UNKNOWN, ValueId};
use crate::model::WorldState;

/// The world at a moment of the story.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// Along the first path in the telling.
    pub state: WorldState,
    /// Keys on which the paths to this moment disagree, with every value; null where unset. Of more
    /// than a few lists, what all have and what any has; nothing where there are too many values.
    pub disagree: BTreeMap<String, Vec<Value>>,
    /// Whether there were too many paths to keep apart, so that some of these values may not go
    /// together.
    pub widened: bool,
    /// Whether any path leads here.
    pub reachable: bool,
}

impl Moment {
    /// All that is known.
    pub(crate) fn whole(index: &Index, paths: &Paths, state: State) -> Self {
        let mut moment = Self { reachable: state.possible, ..Self::default() };
        paths.each(state, |key, values| moment.note(index, paths, key, &values));
        moment.widened = state.widened && !moment.disagree.is_empty();
        moment
    }

    /// What is known about some keys.
    pub(crate) fn about(
        index: &Index,
        paths: &Paths,
        state: State,
        keys: impl IntoIterator<Item = KeyId>,
    ) -> Self {
        let mut moment = Self { reachable: state.possible, ..Self::default() };
        for key in keys {
            let mut values: Vec<ValueId> = Vec::new();
            for value in paths.values_of(state, key) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            moment.note(index, paths, key, &values);
        }
        moment.widened = state.widened && !moment.disagree.is_empty();
        moment
    }

    fn note(&mut self, index: &Index, paths: &Paths, key: KeyId, values: &[ValueId]) {
        let text = &index.keys[key as usize].text;
        let known = |value: &&ValueId| !matches!(**value, ABSENT | UNKNOWN);
        if let Some(&first) = values.first().filter(known) {
            self.state.insert(text.clone(), paths.values.json(first));
        }
        let values: Vec<Value> = match values {
            [UNKNOWN] => Vec::new(),
            [one] => match paths.values.extremes(*one) {
                Some(extremes) => extremes.into(),
                None => return,
            },
            several => several.iter().map(|value| paths.values.json(*value)).collect(),
        };
        self.disagree.insert(text.clone(), values);
    }
}
