//! Persistence of worlds: one trait, with SQLite (a file, no setup) and MongoDB behind it.
//!
//! Invariants of every store:
//! - everything is read and written in the [`Scope`] of a tenant and its project; foreign objects are
//!   not found, just like missing ones;
//! - [`Store::commit`] is the only way to change a project: all its changes happen or none, each only
//!   at the revision that its writer has seen. So concurrent writers lose nothing, and an object is
//!   never half published;
//! - a write changes exactly what it is asked to: unknown fields stay, and unchanged fields keep their
//!   form;
//! - an acknowledged write survives the end of this process and of the database's;
//! - a store that cannot be reached returns [`Kind::Unavailable`] and works again once it is back.
//!
//! Everything here blocks, like the modules that call it: a check and the write that depends on it
//! read as one piece of code. Call it from threads that may block. Knows no tool, no role, and nothing
//! about the meaning of a story; the writer checks references.

mod change;
mod difference;
mod documents;
mod error;
mod ids;
mod mongo;
mod project_locks;
mod publish;
mod reader;
mod search_terms;
mod served;
mod shape;
mod sqlite;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::change::{AuditEvent, Change, Commit, World};
pub(crate) use self::change::{NotStorable, is_id};
pub use self::documents::Documents;
pub use self::error::{Kind, Result, StoreError};
pub(crate) use self::ids::fresh_id;
pub(crate) use self::mongo::Mongo;
pub use self::project_locks::ProjectLocks;
pub(crate) use self::publish::{Publication, content_hash, publish, publish_state};
pub use self::reader::Unreadable;
pub(crate) use self::reader::{filled, with_unknown};
pub use self::search_terms::{Page, Search};
pub(crate) use self::sqlite::Sqlite;
use super::model::{
    Entity, EntityType, Id, Millis, ObjectType, Project, PromptPack, Snapshot, StoryEdge,
    StoryNode, Tenant, User,
};

/// A project of a tenant: whatever is asked is asked in one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    /// Whose it is.
    pub tenant: Id,
    /// Which world.
    pub project: Id,
}

impl Scope {
    /// A project of a tenant.
    pub fn new(tenant: &str, project: &str) -> Self {
        Self { tenant: tenant.to_owned(), project: project.to_owned() }
    }
}

/// What a project has many of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collection {
    /// By id.
    Entities,
    /// In the order of the telling, then by id.
    Nodes,
    /// By id.
    Edges,
    /// The oldest first.
    Packs,
    /// By type, object and number.
    Versions,
}

/// Whole collections at one revision of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The project's revision.
    pub revision: u64,
    /// As many as were asked for, in that order.
    pub collections: Vec<Documents>,
    /// By id, what a document holds beyond or without the fields of the contract: all of it. Only
    /// where that was asked for.
    pub wholes: BTreeMap<Id, Value>,
    /// What could not be read and is left out.
    pub unreadable: Vec<Unreadable>,
}

/// A story graph at one revision of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The project's revision.
    pub revision: u64,
    /// In the order of the telling.
    pub nodes: Documents,
    /// By id.
    pub edges: Documents,
}

/// A version of an object, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edition {
    /// Its number.
    pub number: u64,
    /// SHA-256 of its content.
    pub content_hash: String,
    /// Who published it.
    pub published_by: Id,
    /// When.
    pub published_at: Millis,
}

/// Persists worlds. See the module for the invariants.
pub trait Store: Send + Sync {
    /// Whether it answers now.
    fn ping(&self) -> Result<()>;

    /// Adds a tenant. Its name must be free.
    fn create_tenant(&self, tenant: &Tenant) -> Result<()>;
    /// All tenants by name.
    fn tenants(&self) -> Result<Vec<Tenant>>;
    /// A tenant.
    fn tenant(&self, id: &str) -> Result<Tenant>;
    /// Adds a user. Their e-mail must be free in the tenant.
    fn add_user(&self, user: &User) -> Result<()>;
    /// The tenant's users by e-mail.
    fn users(&self, tenant: &str) -> Result<Vec<User>>;
    /// A user of the tenant.
    fn user(&self, tenant: &str, id: &str) -> Result<User>;
    /// The tenant's user with this e-mail, in lower case.
    fn user_by_email(&self, tenant: &str, email: &str) -> Result<User>;

    /// Makes a project with everything that it starts with: all of it or, when this fails, nothing
    /// that can be seen. Its revision is 1 then.
    fn create_project(&self, world: &World, event: &AuditEvent) -> Result<()>;
    /// The tenant's projects by title.
    fn projects(&self, tenant: &str) -> Result<Vec<Project>>;
    /// A project.
    fn project(&self, scope: &Scope) -> Result<Project>;
    /// Grows with each change of the project's entities, nodes and edges; what was read at the
    /// same revision is still so.
    fn project_revision(&self, scope: &Scope) -> Result<u64>;

    /// A project with all that it holds, also what is not known here.
    fn whole_project(&self, scope: &Scope) -> Result<Value>;

    /// One entity, node, edge or pack, as JSON: the fields of the contract, and what is missing
    /// filled in.
    fn document(&self, scope: &Scope, collection: Collection, id: &str) -> Result<String>;
    /// Those of the ids that are there, by id.
    fn documents(&self, scope: &Scope, collection: Collection, ids: &[Id]) -> Result<Documents>;
    /// The same with all that it holds, also what is not known here.
    fn whole(&self, scope: &Scope, collection: Collection, id: &str) -> Result<Value>;
    /// Whole collections, all at one revision of the project.
    fn read(&self, scope: &Scope, collections: &[Collection]) -> Result<Reading>;
    /// The same, with what is not known here.
    fn read_whole(&self, scope: &Scope, collections: &[Collection]) -> Result<Reading>;
    /// Finds entities.
    fn search(&self, scope: &Scope, search: &Search) -> Result<Page>;
    /// The pack of this node for this input.
    fn pack_by_input(
        &self,
        scope: &Scope,
        node: &str,
        input_hash: &str,
    ) -> Result<Option<PromptPack>>;
    /// The latest pack of the node.
    fn latest_pack(&self, scope: &Scope, node: &str) -> Result<Option<PromptPack>>;
    /// Versions of an object, the first one first. None when it was never published.
    fn history(&self, scope: &Scope, object: ObjectType, id: &str) -> Result<Vec<Edition>>;
    /// An object as it was published.
    fn version(&self, scope: &Scope, object: ObjectType, id: &str, number: u64)
    -> Result<Snapshot>;
    /// Who did what in the project, or to one object: the latest first, at most so many.
    fn events(&self, scope: &Scope, object: Option<&str>, limit: u32) -> Result<Vec<AuditEvent>>;

    /// Writes; answers the project's revision afterwards.
    fn commit(&self, scope: &Scope, commit: &Commit) -> Result<u64>;
    /// Whose turn it is to edit; for `edit`.
    fn locks(&self) -> &ProjectLocks;
}

/// How often an edit is repeated when other processes write to the project all the time.
const ATTEMPTS: u32 = 100;

impl dyn Store + '_ {
    /// Checks and writes as one: `work` looks at the project, which is at the given revision, and
    /// says what to write. That is written if the project has not moved meanwhile; otherwise
    /// `work` runs again. In this process one edit of a project runs at a time, so `work` must not
    /// edit the same project itself.
    pub fn edit<T>(
        &self,
        scope: &Scope,
        mut work: impl FnMut(u64) -> Result<(T, Vec<Change>, AuditEvent)>,
    ) -> Result<T> {
        let _lock = self.locks().lock(scope);
        let mut tries = 0;
        loop {
            let revision = self.project_revision(scope)?;
            let (done, changes, event) = work(revision)?;
            if changes.is_empty() {
                return Ok(done);
            }
            match self.commit(scope, &Commit { at: Some(revision), changes, event }) {
                Ok(_) => return Ok(done),
                Err(error) if error.kind == Kind::Moved && tries < ATTEMPTS => tries += 1,
                Err(error) if error.kind == Kind::Moved => {
                    return Err(Kind::Unavailable
                        .because("The project is being written to constantly. Try again later.")
                        .internal(error));
                }
                Err(error) => return Err(error),
            }
            std::thread::sleep(Duration::from_millis(tries.min(20).into()));
        }
    }

    /// An entity.
    pub fn entity(&self, scope: &Scope, id: &str) -> Result<Entity> {
        parse("entity", &self.document(scope, Collection::Entities, id)?)
    }

    /// A node.
    pub fn node(&self, scope: &Scope, id: &str) -> Result<StoryNode> {
        parse("story node", &self.document(scope, Collection::Nodes, id)?)
    }

    /// An edge.
    pub fn edge(&self, scope: &Scope, id: &str) -> Result<StoryEdge> {
        parse("story edge", &self.document(scope, Collection::Edges, id)?)
    }

    /// What those of the ids are that are entities of the project.
    pub fn entity_types(&self, scope: &Scope, ids: &[Id]) -> Result<BTreeMap<Id, EntityType>> {
        #[derive(Deserialize)]
        struct Typed {
            #[serde(rename = "_id")]
            id: Id,
            #[serde(rename = "type")]
            kind: EntityType,
        }
        let found = self.documents(scope, Collection::Entities, ids)?.parse::<Typed>()?;
        Ok(found.into_iter().map(|entity| (entity.id, entity.kind)).collect())
    }

    /// The whole graph.
    pub fn graph(&self, scope: &Scope) -> Result<Graph> {
        let reading = self.read(scope, &[Collection::Nodes, Collection::Edges])?;
        let mut collections = reading.collections.into_iter();
        let mut next = || collections.next().unwrap_or_default();
        Ok(Graph { revision: reading.revision, nodes: next(), edges: next() })
    }
}

/// Opens `mongodb://…` or `mongodb+srv://…`, with `name` for the database if the URL has none, or
/// the SQLite file named by a path or `sqlite:path`, which is created if it does not exist.
pub fn open(url: &str, name: &str, wait: Duration) -> Result<Arc<dyn Store>> {
    Ok(match url.split_once(':') {
        Some(("mongodb" | "mongodb+srv", _)) => Arc::new(Mongo::open(url, name, wait)?),
        Some(("sqlite", path)) => {
            let path = path.strip_prefix("//").unwrap_or(path);
            Arc::new(Sqlite::open(path.as_ref(), wait)?)
        }
        Some((scheme, rest)) if rest.starts_with("//") => {
            return Err(Kind::Broken.because(format!(
                "The database URL starts with `{scheme}:`, which is not known. Use \
                 `mongodb://host/name`, `sqlite:path` or a path."
            )));
        }
        _ => Arc::new(Sqlite::open(url.as_ref(), wait)?),
    })
}

/// Whether a MongoDB answers. Creates nothing there, not even an index.
pub(super) fn reach(url: &str, name: &str, wait: Duration) -> Result<()> {
    Mongo::open(url, name, wait)?.reach()
}

fn parse<T: DeserializeOwned>(what: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::unreadable(what, error))
}
