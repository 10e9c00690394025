//! Story edges: no self loop, no duplicate, no cycle unless a time jump or flashback breaks it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Actor, Edit, Engine, EngineError, Result, begun};
use crate::model::{EdgeType, StoryEdge};
use crate::store::{Change, Collection, Kind, Scope};
use crate::story::Story;

/// A way from one node to another.
#[derive(Debug, Clone)]
pub struct NewEdge {
    /// From here.
    pub from: String,
    /// To there.
    pub to: String,
    /// How.
    pub kind: EdgeType,
    /// All must hold.
    pub conditions: Vec<String>,
    /// A remark.
    pub notes: String,
}

impl Engine {
    /// Connects two nodes.
    pub fn create_edge(&self, actor: &Actor, scope: &Scope, edge: &NewEdge) -> Result<StoryEdge> {
        if edge.from == edge.to {
            let message = self
                .language()
                .pick("a node cannot follow itself", "um nó não pode suceder a si mesmo");
            return Err(EngineError::invalid("/edge/toNodeId", message));
        }
        self.edit(actor, scope, |_| {
            let ends = [edge.from.clone(), edge.to.clone()];
            if self.store().documents(scope, Collection::Nodes, &ends)?.len() < ends.len() {
                return Err(EngineError::missing("story node"));
            }
            self.stories.with(self.store(), scope, |_, story| self.fits(story, edge))?;
            let (_, audit) = begun(actor, self.now());
            let made = StoryEdge {
                id: self.id(),
                tenant_id: scope.tenant.clone(),
                project_id: scope.project.clone(),
                from_node_id: edge.from.clone(),
                to_node_id: edge.to.clone(),
                edge_type: edge.kind,
                conditions: edge.conditions.clone(),
                notes: edge.notes.clone(),
                audit,
            };
            let object = made.id.clone();
            Ok(Edit { done: made.clone(), changes: vec![Change::Edge(made)], object })
        })
    }

    fn fits(&self, story: &Story, edge: &NewEdge) -> Result<()> {
        let same = |other: &StoryEdge| {
            (&other.from_node_id, &other.to_node_id, other.edge_type)
                == (&edge.from, &edge.to, edge.kind)
        };
        if story.edges().any(same) {
            let message = self.language().pick(
                "This edge already exists; nothing was written.",
                "Essa aresta já existe; nada foi escrito.",
            );
            return Err(Kind::Conflict.because(message).into());
        }
        if !breaks_cycles(edge.kind) && reaches(story, &edge.to, &edge.from) {
            let message = self.language().pick(
                "this would close a cycle; use TIMEJUMP or FLASHBACK to go back",
                "a história andaria em círculo; use TIMEJUMP ou FLASHBACK para voltar",
            );
            return Err(EngineError::invalid("/edge/toNodeId", message));
        }
        Ok(())
    }
}

/// Time passes, or the past is shown: no cycle.
fn breaks_cycles(kind: EdgeType) -> bool {
    matches!(kind, EdgeType::Timejump | EdgeType::Flashback)
}

/// Whether one node leads to another without a leap in time.
fn reaches(story: &Story, from: &str, to: &str) -> bool {
    let mut ways: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in story.edges().filter(|edge| !breaks_cycles(edge.edge_type)) {
        ways.entry(&edge.from_node_id).or_default().push(&edge.to_node_id);
    }
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        for &next in ways.get(node).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}
