//! What in a story contradicts itself.
//!
//! Knows no store and no tool.

use serde::Serialize;

use crate::worldforge::messages::Language;
use crate::worldforge::model::{Issue, WorldState};
use crate::worldforge::story::Story;

/// What a check of one node says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The worst first.
    pub issues: Vec<Issue>,
    /// The world before the node, as far as the node is concerned with it.
    pub pre_state: WorldState,
    /// The same after it.
    pub post_state: WorldState,
}

/// Checks one node; nothing where the story has no such node.
pub fn check(_story: &Story, _node_id: &str, _language: Language) -> Vec<Issue> {
    Vec::new()
}

/// Checks one node and shows the world around it; `None` where the story has no such node.
pub fn answer(story: &Story, node_id: &str, language: Language) -> Option<Answer> {
    Some(Answer {
        issues: check(story, node_id, language),
        pre_state: story.pre_state(node_id)?.state,
        post_state: story.post_state(node_id)?.state,
    })
}

/// Checks every node, in the order of the telling.
pub fn check_all(story: &Story, language: Language) -> Vec<Issue> {
    story.in_order().flat_map(|node| check(story, &node.id, language)).collect()
}
