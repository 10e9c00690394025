//! Cross-references between nodes: setups and payoffs, simultaneous appearances, inventories.
//!
//! Knows no paths.

use std::collections::HashMap;

use super::index::EntityIndex;
use super::paths::KeyId;
use super::scene::{NodeIndex, Scene};
use super::time::StoryTime;

/// Nodes by what they share with others.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// By label of a promise.
    pub(crate) setups: HashMap<String, Vec<NodeIndex>>,
    /// By label, or by id of a node.
    pub(crate) payoffs: HashMap<String, Vec<NodeIndex>>,
    /// By participant and minute.
    pub(crate) meetings: HashMap<(EntityIndex, StoryTime), Vec<NodeIndex>>,
    /// By item: the keys of inventories that ever contained it.
    pub(crate) inventories: HashMap<EntityIndex, Vec<KeyId>>,
}

impl Shared {
    /// Takes a node in.
    pub(crate) fn add(&mut self, at: NodeIndex, scene: &Scene) {
        let hooks = &scene.node.hooks;
        for label in &hooks.foreshadow {
            self.setups.entry(label.clone()).or_default().push(at);
        }
        for target in &hooks.payoff_targets {
            self.payoffs.entry(target.clone()).or_default().push(at);
        }
        if let Some(when) = scene.when.filter(StoryTime::exact) {
            for &who in &scene.cast {
                self.meetings.entry((who, when)).or_default().push(at);
            }
        }
        for gain in &scene.gains {
            let keys = self.inventories.entry(gain.item).or_default();
            if !keys.contains(&gain.inventory) {
                keys.push(gain.inventory);
            }
        }
    }

    /// Removes a node. Inventories stay: they are only hints.
    pub(crate) fn remove(&mut self, at: NodeIndex, scene: &Scene) {
        let hooks = &scene.node.hooks;
        let forget = |nodes: Option<&mut Vec<NodeIndex>>| {
            if let Some(nodes) = nodes {
                nodes.retain(|other| *other != at);
            }
        };
        hooks.foreshadow.iter().for_each(|label| forget(self.setups.get_mut(label)));
        hooks.payoff_targets.iter().for_each(|target| forget(self.payoffs.get_mut(target)));
        if let Some(when) = scene.when {
            scene.cast.iter().for_each(|who| forget(self.meetings.get_mut(&(*who, when))));
        }
    }

    /// The nodes under a name, if any.
    pub(crate) fn of<'a>(map: &'a HashMap<String, Vec<NodeIndex>>, name: &str) -> &'a [NodeIndex] {
        map.get(name).map_or(&[], Vec::as_slice)
    }
}
