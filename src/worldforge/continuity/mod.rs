//! Finds contradictions in a story.
//!
//! Every rule checks one node and the world around it, on every path; [`CODES`] lists the codes. A
//! finding that holds on some paths only counts one level less; a waived finding becomes INFO. The
//! tool, the publication gate, the notes of prompt packs and the marks in graphs share this check.
//! Knows no store and no tool.

mod appearance;
mod characters;
mod chronology;
mod code;
mod deltas;
mod finding;
mod graph;
mod incoming_edges;
mod item_holders;
mod items;
mod knowledge;
mod movement;
mod promises;
mod references;
mod relations;
mod scope;
mod structure;
#[cfg(test)]
mod tests;
mod wording;
mod world_rules;

use serde::Serialize;

pub use code::{CODES, Code, CodeInfo};

use self::finding::Finding;
use self::scope::{Incoming, Scope};
use crate::messages::Language;
use crate::model::Issue;
use crate::story::fold::World;
use crate::story::paths::KeyId;
use crate::story::scene::NodeIndex;
use crate::story::{Moment, Story};

/// The result of checking one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The worst first.
    pub issues: Vec<Issue>,
    /// The world before the node: what it says about entities in the node and keys it changes.
    pub pre_state: Moment,
    /// The same after it.
    pub post_state: Moment,
}

const RULES: [fn(&Scope<'_>, &mut Vec<Finding>); 15] = [
    characters::check,
    movement::check,
    items::check,
    item_holders::check,
    appearance::check,
    knowledge::check,
    promises::check,
    chronology::check,
    incoming_edges::check,
    graph::check,
    references::check,
    deltas::check,
    world_rules::check,
    relations::check,
    structure::check,
];

/// Checks one node, the worst first; nothing where the story has no such node.
pub fn check(story: &Story, node_id: &str, language: Language) -> Vec<Issue> {
    let Some(at) = story.at(node_id) else { return Vec::new() };
    let mut world = story.world();
    world.fold_to(story.input(), at);
    checked(story, &mut world, at, language)
}

/// Checks one node and shows the world around it; `None` where the story has no such node.
pub fn answer(story: &Story, node_id: &str, language: Language) -> Option<Answer> {
    let at = story.at(node_id)?;
    let mut world = story.world();
    world.fold_to(story.input(), at);
    let issues = checked(story, &mut world, at, language);
    let around = world.around(at)?;
    let keys = concerning(story, at);
    let moment = |state| Moment::about(&story.index, &world.paths, state, keys.iter().copied());
    Some(Answer { issues, pre_state: moment(around.pre), post_state: moment(around.post) })
}

/// Checks every node, in the order of the telling; folds the story once.
pub fn check_all(story: &Story, language: Language) -> Vec<Issue> {
    story.fold();
    let mut world = story.world();
    let mut issues = Vec::new();
    for &at in &story.order {
        issues.append(&mut checked(story, &mut world, at, language));
    }
    issues
}

/// Checks a node whose world is folded.
fn checked(story: &Story, world: &mut World, at: NodeIndex, language: Language) -> Vec<Issue> {
    let input = story.input();
    let predecessors = &story.flow.predecessors[at];
    let mut incoming = Vec::with_capacity(predecessors.len());
    for &predecessor in predecessors {
        let (state, closed_by) = world.incoming(input, at, &predecessor);
        incoming.push(Incoming { predecessor, state, closed_by });
    }
    let Some(around) = world.around(at) else { return Vec::new() };
    let scene = &story.scenes[at];
    let scope = Scope { story, world, at, scene, around, incoming: &incoming };
    let mut found = Vec::new();
    for rule in RULES {
        rule(&scope, &mut found);
    }
    wording::issues(story, at, found, language)
}

/// Keys about the node's participants and locations, and those that the node changes.
fn concerning(story: &Story, at: NodeIndex) -> Vec<KeyId> {
    let scene = &story.scenes[at];
    let who = scene.cast.iter().chain(&scene.places);
    let mut keys: Vec<KeyId> = who
        .flat_map(|who| story.index.known[*who].keys.iter().copied())
        .chain(scene.steps.iter().map(|step| step.key))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
