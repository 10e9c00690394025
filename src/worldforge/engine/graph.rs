//! The story graph: whole, as stored, or as an outline.

use serde::{Deserialize, Serialize};

use super::{Engine, Result};
use crate::model::{NodeType, StoryEdge, Time, Version};
use crate::store::{Documents, Scope};

/// How much of a node is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// All of it.
    Full,
    /// Id, type, title, order and status.
    Compact,
}

/// A part of the graph.
#[derive(Debug, Clone)]
pub struct GraphPage {
    /// JSON array, in the order of the telling.
    pub nodes: String,
    /// JSON array: the edges that start in one of these nodes.
    pub edges: String,
    /// Nodes of the project.
    pub total: usize,
    /// Where the next page starts.
    pub next: Option<usize>,
}

/// A node in short.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    #[serde(rename = "_id")]
    id: String,
    node_type: NodeType,
    title: String,
    order: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_world_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chapter_node_id: Option<String>,
    status: crate::model::VersionStatus,
    revision: u64,
}

/// The fields of a node that an outline needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(rename = "_id")]
    id: String,
    node_type: NodeType,
    title: String,
    #[serde(default)]
    time: Time,
    version: Version,
    audit: crate::model::Audit,
}

impl Engine {
    /// The graph, or a page of it.
    pub fn graph(
        &self,
        scope: &Scope,
        projection: Projection,
        limit: Option<usize>,
        offset: usize,
    ) -> Result<GraphPage> {
        let graph = self.store().graph(scope)?;
        let total = graph.nodes.len();
        let all = limit.is_none() && offset == 0;
        let nodes: Documents = match all {
            true => graph.nodes,
            false => graph.nodes.iter().skip(offset).take(limit.unwrap_or(usize::MAX)).collect(),
        };
        let edges = match all {
            true => graph.edges.into_array(),
            false => starting_in(&graph.edges, &nodes)?,
        };
        let end = offset.saturating_add(nodes.len());
        Ok(GraphPage {
            next: (end < total && !nodes.is_empty()).then_some(end),
            nodes: match projection {
                Projection::Full => nodes.into_array(),
                Projection::Compact => self.outline(scope, &nodes)?,
            },
            edges,
            total,
        })
    }

    fn outline(&self, scope: &Scope, nodes: &Documents) -> Result<String> {
        let heads: Vec<Head> = nodes.parse()?;
        self.stories.with(self.store(), scope, |_, story| {
            let outlines: Vec<Outline> = heads
                .into_iter()
                .map(|head| Outline {
                    chapter_node_id: story.chapter_of(&head.id).map(|node| node.id.clone()),
                    id: head.id,
                    node_type: head.node_type,
                    title: head.title,
                    order: head.time.order,
                    in_world_date: head.time.in_world_date,
                    status: head.version.status,
                    revision: head.audit.revision,
                })
                .collect();
            Ok(serde_json::to_string(&outlines).unwrap_or_default())
        })
    }
}

fn starting_in(edges: &Documents, nodes: &Documents) -> Result<String> {
    #[derive(Deserialize)]
    struct Known {
        #[serde(rename = "_id")]
        id: String,
    }
    let known: Vec<Known> = nodes.parse()?;
    let known: std::collections::BTreeSet<String> = known.into_iter().map(|one| one.id).collect();
    let parsed: Vec<StoryEdge> = edges.parse()?;
    let kept: Documents = edges
        .iter()
        .zip(&parsed)
        .filter(|(_, edge)| known.contains(&edge.from_node_id))
        .map(|(text, _)| text)
        .collect();
    Ok(kept.into_array())
}
