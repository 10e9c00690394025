//! What nodes promise and keep, and who is where when: found by what they share.
//!
//! Knows no paths.

use std::collections::HashMap;

use super::index::Who;
use super::paths::KeyId;
use super::scene::{At, Scene};
use super::time::StoryTime;

/// Nodes by what they share with others.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// By label of a promise.
    pub(crate) setups: HashMap<String, Vec<At>>,
    /// By label, or by id of a node.
    pub(crate) payoffs: HashMap<String, Vec<At>>,
    /// By participant and minute.
    pub(crate) meetings: HashMap<(Who, StoryTime), Vec<At>>,
    /// By item: the keys of inventories that it was ever put into.
    pub(crate) inventories: HashMap<Who, Vec<KeyId>>,
}

impl Shared {
    /// Takes a node in.
    pub(crate) fn add(&mut self, at: At, scene: &Scene) {
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

    /// Takes a node out. Inventories stay: they only say where to look.
    pub(crate) fn remove(&mut self, at: At, scene: &Scene) {
        let hooks = &scene.node.hooks;
        let forget = |nodes: Option<&mut Vec<At>>| {
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

    /// The nodes under a name; none where nobody uses it.
    pub(crate) fn of<'a>(map: &'a HashMap<String, Vec<At>>, name: &str) -> &'a [At] {
        map.get(name).map_or(&[], Vec::as_slice)
    }
}
