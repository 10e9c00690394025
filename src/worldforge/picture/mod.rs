//! Draws the story graph, with the continuity findings marked in it.
//!
//! Three formats: `dot` for Graphviz, `mermaid` for Markdown, `html` as a standalone page that needs
//! no network and no script. The same story gives the same bytes. Knows no store and no tool.

mod dot;
mod graph;
mod html;
mod labels;
mod layout;
mod mermaid;
mod svg;

#[cfg(test)]
mod tests;

use self::graph::Graph;
use self::labels::Labels;
use super::messages::Language;
use super::model::{Issue, Project};
use super::story::Story;

/// What a picture is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Graphviz.
    Dot,
    /// Mermaid.
    Mermaid,
    /// A page.
    Html,
}

impl Format {
    /// The format of a name: `dot`, `mermaid`, `html`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "dot" => Some(Self::Dot),
            "mermaid" => Some(Self::Mermaid),
            "html" => Some(Self::Html),
            _ => None,
        }
    }
}

/// Draws a story. `issues` are the continuity findings of its nodes.
pub(crate) fn draw(
    format: Format,
    project: &Project,
    story: &Story,
    issues: &[Issue],
    language: Language,
) -> String {
    let words = Labels::of(language);
    let graph = Graph::of(story, issues);
    match format {
        Format::Dot => dot::draw(&project.title, &graph, &words),
        Format::Mermaid => mermaid::draw(&project.title, &graph, &words),
        Format::Html => html::draw(project, &graph, &words),
    }
}
