//! Nodes and edges of a drawing: by position instead of id, with their findings.

use std::collections::BTreeMap;

use super::labels::Labels;
use crate::model::{Issue, NodeType, Severity, StoryEdge, StoryNode};
use crate::story::Story;

/// A story to be drawn.
pub(super) struct Graph<'a> {
    /// In the order of the telling.
    pub(super) nodes: Vec<Node<'a>>,
    /// Those whose ends are both there.
    pub(super) edges: Vec<Edge<'a>>,
}

/// A node.
pub(super) struct Node<'a> {
    pub(super) node: &'a StoryNode,
    /// Position of the chapter that owns it.
    pub(super) chapter: Option<usize>,
    /// The worst first.
    pub(super) issues: Vec<&'a Issue>,
}

/// An edge between two positions.
pub(super) struct Edge<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: &'a StoryEdge,
}

impl<'a> Graph<'a> {
    /// Puts a story and its findings together.
    pub(super) fn of(story: &'a Story, issues: &'a [Issue]) -> Self {
        let at: BTreeMap<&str, usize> =
            story.in_order().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
        let mut found: BTreeMap<&str, Vec<&Issue>> = BTreeMap::new();
        for issue in issues {
            found.entry(&issue.node_id).or_default().push(issue);
        }
        let nodes = story
            .in_order()
            .map(|node| {
                let mut issues = found.remove(node.id.as_str()).unwrap_or_default();
                issues.sort_by(|a, b| {
                    let (one, other) = ((&a.code, &a.message), (&b.code, &b.message));
                    b.severity.cmp(&a.severity).then(one.cmp(&other))
                });
                let chapter = story.chapter_of(&node.id);
                Node {
                    node,
                    chapter: chapter.and_then(|chapter| at.get(chapter.id.as_str()).copied()),
                    issues,
                }
            })
            .collect();
        let mut edges: Vec<Edge<'_>> = story
            .edges()
            .filter_map(|edge| {
                let (from, to) = (&edge.from_node_id, &edge.to_node_id);
                Some(Edge { from: *at.get(from.as_str())?, to: *at.get(to.as_str())?, edge })
            })
            .collect();
        edges.sort_by_key(|edge| (edge.from, edge.to, &edge.edge.id));
        Self { nodes, edges }
    }

    /// Findings of a severity in the whole story.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.nodes.iter().map(|node| node.count(severity)).sum()
    }
}

impl Node<'_> {
    /// Findings of a severity.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.issues.iter().filter(|issue| issue.severity == severity).count()
    }

    /// The worst finding that is more than worth knowing.
    pub(super) fn worst(&self) -> Option<Severity> {
        self.issues.iter().map(|issue| issue.severity).max().filter(|worst| *worst > Severity::Info)
    }

    /// `2 errors, 1 warning`; empty where there is neither.
    pub(super) fn mark(&self, words: &Labels) -> String {
        [Severity::Error, Severity::Warn]
            .into_iter()
            .map(|severity| (severity, self.count(severity)))
            .filter(|(_, count)| *count > 0)
            .map(|(severity, count)| words.count(severity, count))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// `Scene · 12 · Day 3`
    pub(super) fn about(&self, words: &Labels) -> String {
        let mut about = format!("{} · {}", words.node(self.node.node_type), self.node.time.order);
        if let Some(date) = &self.node.time.in_world_date {
            about.push_str(" · ");
            about.push_str(date);
        }
        about
    }

    /// It is a chapter.
    pub(super) fn is_chapter(&self) -> bool {
        self.node.node_type == NodeType::Chapter
    }
}

impl Edge<'_> {
    /// How it goes on, and under which conditions.
    pub(super) fn label(&self, words: &Labels) -> String {
        let mut parts: Vec<&str> = vec![words.edge(self.edge.edge_type)];
        parts.extend(self.edge.conditions.iter().map(String::as_str));
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }
}
