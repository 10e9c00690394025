//! Chapters: which node belongs to which, by telling order.

use super::Story;
use super::scene::NodeIndex;
use crate::model::{NodeType, StoryNode};

impl Story {
    /// The chapter that a scene or beat belongs to; `None` for a chapter, and before the first one.
    ///
    /// A node that names its chapter belongs to it; others to the last chapter before them.
    pub fn chapter_of(&self, node_id: &str) -> Option<&StoryNode> {
        let chapter = self.chapter_at(self.at(node_id)?)?;
        Some(&self.scenes[chapter].node)
    }

    /// The scenes and beats of a chapter, in the order of the telling.
    pub fn nodes_of<'a>(&'a self, chapter_id: &str) -> impl Iterator<Item = &'a StoryNode> {
        let chapter = self.at(chapter_id);
        let owned =
            self.order.iter().filter(move |at| chapter.is_some() && self.chapters[**at] == chapter);
        owned.map(|at| &self.scenes[*at].node)
    }

    pub(crate) fn chapter_at(&self, at: NodeIndex) -> Option<NodeIndex> {
        self.chapters[at]
    }

    /// Gives every scene and beat to its chapter.
    pub(super) fn divide(&mut self) {
        let is_chapter = |at: NodeIndex| self.scenes[at].node.node_type == NodeType::Chapter;
        let mut chapters = vec![None; self.scenes.len()];
        let mut current = None;
        for &at in &self.order {
            if is_chapter(at) {
                current = Some(at);
                continue;
            }
            let named = self.scenes[at].node.chapter_node_id.as_deref();
            let named = named.and_then(|id| self.at(id)).filter(|at| is_chapter(*at));
            chapters[at] = named.or(current);
        }
        self.chapters = chapters;
    }
}
