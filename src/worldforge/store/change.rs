//! Writes: the changes of a project that are committed together, and the initial content of a project.
//!
//! Also checks what cannot be stored, so that every store refuses the same. Knows no store.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Scope;
use super::error::{Kind, Result};
use crate::model::{
    Audit, Entity, Id, Millis, Project, PromptPack, Snapshot, StoryEdge, StoryNode,
};

/// Levels of a document. MongoDB knows 100, and a snapshot takes some of them.
const DEEPEST: usize = 80;
/// Bytes of a document, as JSON.
const LARGEST: usize = 2 << 20;
/// Bytes of all documents of a commit. MongoDB takes 16 MiB, in which the words to find them by and
/// the project must have room, too.
const LARGEST_COMMIT: usize = 5 << 20;

/// Changes that happen together or not at all.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Only if the project is at this revision: what was checked still holds then.
    pub at: Option<u64>,
    /// In order.
    pub changes: Vec<Change>,
    /// Who did what.
    pub event: AuditEvent,
}

/// One change.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new entity, or the next revision of one.
    Entity {
        /// With the revision that it is to have.
        document: Box<Entity>,
        /// The entity as its writer has read it; none for a new one. The difference is written, and
        /// only if the entity is still so.
        replaces: Option<Box<Entity>>,
    },
    /// A new node, or the next revision of one.
    Node {
        /// With the revision that it is to have.
        document: Box<StoryNode>,
        /// The node as its writer has read it; none for a new one.
        replaces: Option<Box<StoryNode>>,
    },
    /// A new edge. There is one of a type between two nodes.
    Edge(StoryEdge),
    /// The edge goes.
    RemoveEdge(Id),
    /// A new pack. There is one of an input for a node.
    Pack(PromptPack),
    /// A new version. There is one of a number for an object.
    Snapshot(Snapshot),
}

/// Who did what: one for each commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id,
    /// Whose it is.
    pub tenant_id: Id,
    /// In which world.
    pub project_id: Id,
    /// Who.
    pub user_id: Id,
    /// What: a tool's name.
    pub action: String,
    /// To which object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_id: Option<Id>,
    /// When.
    pub at: Millis,
    /// The project's revision afterwards; set by the store.
    #[serde(default)]
    pub revision: u64,
}

/// A project and what is in it from the start.
#[derive(Debug, Clone)]
pub struct World {
    /// The project.
    pub project: Project,
    /// Its entities.
    pub entities: Vec<Entity>,
    /// Its nodes.
    pub nodes: Vec<StoryNode>,
    /// Its edges.
    pub edges: Vec<StoryEdge>,
    /// Its packs.
    pub packs: Vec<PromptPack>,
    /// Its versions.
    pub snapshots: Vec<Snapshot>,
    /// By id, documents that hold more than is known here: all of it. The project may be one.
    pub wholes: BTreeMap<Id, Value>,
}

impl World {
    /// A project with nothing in it.
    pub fn empty(project: Project) -> Self {
        Self {
            project,
            entities: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            packs: Vec::new(),
            snapshots: Vec::new(),
            wholes: BTreeMap::new(),
        }
    }

    /// A document with all that it holds.
    pub fn whole(&self, id: &str, document: &impl Serialize) -> Value {
        match self.wholes.get(id) {
            Some(whole) => whole.clone(),
            None => serde_json::to_value(document).unwrap_or_default(),
        }
    }

    pub(super) fn scope(&self) -> Scope {
        Scope::new(&self.project.tenant_id, &self.project.id)
    }

    /// Everything but the project, as new.
    pub(super) fn changes(&self) -> impl Iterator<Item = Change> {
        let entities = self.entities.iter().cloned().map(Box::new);
        let nodes = self.nodes.iter().cloned().map(Box::new);
        (entities.map(|document| Change::Entity { document, replaces: None }))
            .chain(nodes.map(|document| Change::Node { document, replaces: None }))
            .chain(self.edges.iter().cloned().map(Change::Edge))
            .chain(self.packs.iter().cloned().map(Change::Pack))
            .chain(self.snapshots.iter().cloned().map(Change::Snapshot))
    }

    /// Refuses what cannot be stored.
    pub(super) fn check(&self, event: &AuditEvent) -> Result<()> {
        let scope = self.scope();
        valid_id("project", &scope.project)?;
        valid_id("tenant", &scope.tenant)?;
        storable("project", &self.project)?;
        self.wholes.values().try_for_each(|whole| storable("document", whole).map(drop))?;
        owned("audit event", &scope, &event.tenant_id, &event.project_id)?;
        self.changes().try_for_each(|change| change.check(&scope).map(drop))
    }
}

impl Commit {
    /// Whether the story changes: packs and snapshots by themselves leave it as it is.
    pub(super) fn changes_the_story(&self) -> bool {
        !self.changes.iter().all(|change| matches!(change, Change::Pack(_) | Change::Snapshot(_)))
    }

    /// Refuses what cannot be stored.
    pub(super) fn check(&self, scope: &Scope) -> Result<()> {
        owned("audit event", scope, &self.event.tenant_id, &self.event.project_id)?;
        valid_id("audit event", &self.event.id)?;
        let (mut size, mut seen) = (0, BTreeSet::new());
        for change in &self.changes {
            size += change.check(scope)?;
            if !change.places().into_iter().all(|place| seen.insert(place)) {
                return Err(Kind::Conflict
                    .because("A commit changes one object twice; nothing was written."));
            }
            let revisions = match change {
                Change::Entity { document, replaces } => {
                    Some((&document.audit, replaces.as_ref().map(|before| before.audit.revision)))
                }
                Change::Node { document, replaces } => {
                    Some((&document.audit, replaces.as_ref().map(|before| before.audit.revision)))
                }
                _ => None,
            };
            if let Some((Audit { revision, .. }, replaces)) = revisions
                && *revision != replaces.map_or(1, |replaced| replaced + 1)
            {
                return Err(Kind::Broken.because(format!(
                    "The revision of a written object must be the next one, not {revision}."
                )));
            }
        }
        match size > LARGEST_COMMIT {
            false => Ok(()),
            true => Err(Kind::Refused.because(format!(
                "The change has {size} bytes; at most {LARGEST_COMMIT} can be written at once."
            ))),
        }
    }
}

impl Change {
    /// What it is about, in a word.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Self::Entity { .. } => "entity",
            Self::Node { .. } => "story node",
            Self::Edge(_) | Self::RemoveEdge(_) => "story edge",
            Self::Pack(_) => "prompt pack",
            Self::Snapshot(_) => "version",
        }
    }

    /// Id of a new document.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Entity { document, .. } => &document.id,
            Self::Node { document, .. } => &document.id,
            Self::Edge(edge) => &edge.id,
            Self::RemoveEdge(id) => id,
            Self::Pack(pack) => &pack.id,
            Self::Snapshot(version) => &version.object_id,
        }
    }

    /// What no other change of the same commit may take.
    fn places(&self) -> Vec<[&str; 4]> {
        match self {
            Self::Entity { document, .. } => vec![["entity", &document.id, "", ""]],
            Self::Node { document, .. } => vec![["node", &document.id, "", ""]],
            Self::Edge(edge) => {
                let way = [&*edge.from_node_id, &*edge.to_node_id, edge.edge_type.name()];
                vec![["edge", &edge.id, "", ""], ["way", way[0], way[1], way[2]]]
            }
            Self::RemoveEdge(id) => vec![["edge", id, "", ""]],
            Self::Pack(pack) => {
                vec![["pack", &pack.id, "", ""], ["input", &pack.node_id, &pack.input_hash, ""]]
            }
            Self::Snapshot(version) => {
                vec![["version", version.object_type.name(), &version.object_id, ""]]
            }
        }
    }

    fn check(&self, scope: &Scope) -> Result<usize> {
        let what = self.what();
        let owners = |id: &str, tenant: &str, project: &str| {
            valid_id(what, id)?;
            owned(what, scope, tenant, project)
        };
        match self {
            Self::Entity { document, .. } => {
                owners(&document.id, &document.tenant_id, &document.project_id)?;
                storable(what, document)
            }
            Self::Node { document, .. } => {
                owners(&document.id, &document.tenant_id, &document.project_id)?;
                storable(what, document)
            }
            Self::Edge(edge) => {
                owners(&edge.id, &edge.tenant_id, &edge.project_id)?;
                storable(what, edge)
            }
            Self::RemoveEdge(id) => valid_id(what, id).map(|()| 0),
            Self::Pack(pack) => {
                owners(&pack.id, &pack.tenant_id, &pack.project_id)?;
                storable(what, pack)
            }
            Self::Snapshot(version) => {
                owners(&version.object_id, &version.tenant_id, &version.project_id)?;
                storable(what, version)
            }
        }
    }
}

/// Whether `id` has the form of one: 24 lower-case hexadecimal digits.
pub(crate) fn is_id(id: &str) -> bool {
    id.len() == 24 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn valid_id(what: &str, id: &str) -> Result<()> {
    match is_id(id) {
        true => Ok(()),
        false => Err(Kind::Refused
            .because(format!("The id of the {what} must be 24 lower-case hexadecimal digits."))),
    }
}

fn owned(what: &str, scope: &Scope, tenant: &str, project: &str) -> Result<()> {
    match tenant == scope.tenant && project == scope.project {
        true => Ok(()),
        false => Err(Kind::Broken.because(format!(
            "The {what} belongs to a different tenant or project than the one it is written to."
        ))),
    }
}

/// Why not every store can hold something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotStorable {
    /// It is nested too deep.
    #[error("it is nested more than {DEEPEST} levels deep")]
    Deep,
    /// A field's name holds a NUL character.
    #[error("a field's name holds a NUL character")]
    Name,
    /// A whole number is too large.
    #[error("a whole number is larger than {}", i64::MAX)]
    Number,
    /// It has so many bytes.
    #[error("it has {0} bytes, {LARGEST} are allowed")]
    Large(usize),
}

impl NotStorable {
    /// Why a field of a document cannot be kept, if so.
    pub(crate) fn of(field: &Value) -> Option<Self> {
        depth(field, DEEPEST - 1).and_then(|()| size(field)).err()
    }
}

/// Refuses what not every store can hold; answers how large it is.
pub(super) fn storable(what: &str, document: &impl Serialize) -> Result<usize> {
    let unfit = |why: String| Kind::Refused.because(format!("The {what} cannot be stored: {why}."));
    let value = serde_json::to_value(document).map_err(|error| unfit(error.to_string()))?;
    depth(&value, DEEPEST).and_then(|()| size(&value)).map_err(|why| unfit(why.to_string()))
}

fn size(value: &Value) -> std::result::Result<usize, NotStorable> {
    let size = value.to_string().len();
    if size > LARGEST { Err(NotStorable::Large(size)) } else { Ok(size) }
}

fn depth(value: &Value, left: usize) -> std::result::Result<(), NotStorable> {
    let left = left.checked_sub(1).ok_or(NotStorable::Deep)?;
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| depth(item, left)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            if name.contains('\0') {
                return Err(NotStorable::Name);
            }
            depth(value, left)
        }),
        Value::Number(number) if number.is_u64() && !number.is_i64() => Err(NotStorable::Number),
        _ => Ok(()),
    }
}
