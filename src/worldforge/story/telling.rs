//! Chapters: who owns whom in the order of the telling.

use super::Story;
use super::scene::At;
use crate::worldforge::model::{NodeType, StoryNode};

impl Story {
    /// The chapter that a scene or beat belongs to; `None` for a chapter, and before the first one.
    ///
    /// A node that names its chapter belongs to it; others to the last chapter told before them.
    pub fn chapter_of(&self, node_id: &str) -> Option<&StoryNode> {
        let chapter = self.chapter_at(self.at(node_id)?)?;
        Some(&self.scenes[chapter].node)
    }

    /// The scenes and beats of a chapter, in the order of the telling.
    pub fn nodes_of<'a>(&'a self, chapter_id: &str) -> impl Iterator<Item = &'a StoryNode> {
        let chapter = self.at(chapter_id).filter(|at| self.is_chapter(*at));
        let (mut current, mut owned) = (None, Vec::new());
        for &at in &self.order {
            if self.is_chapter(at) {
                current = Some(at);
            } else if chapter.is_some() && self.named_chapter(at).or(current) == chapter {
                owned.push(at);
            }
        }
        owned.into_iter().map(|at| &self.scenes[at].node)
    }

    pub(crate) fn chapter_at(&self, at: At) -> Option<At> {
        if self.is_chapter(at) {
            return None;
        }
        let told_before = || {
            let before = &self.order[..self.rank[at]];
            before.iter().rev().copied().find(|at| self.is_chapter(*at))
        };
        self.named_chapter(at).or_else(told_before)
    }

    fn named_chapter(&self, at: At) -> Option<At> {
        let named = self.scenes[at].node.chapter_node_id.as_deref()?;
        self.at(named).filter(|at| self.is_chapter(*at))
    }

    fn is_chapter(&self, at: At) -> bool {
        self.scenes[at].node.node_type == NodeType::Chapter
    }
}
