//! Test stores, and the users and objects in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Map;
use tempfile::TempDir;

use crate::model::*;
use crate::store::tests::server::shared;
use crate::store::{AuditEvent, Change, Commit, Result, Scope, Store, World, open};

/// An empty store.
pub(crate) struct TestStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) url: String,
    pub(crate) name: String,
    _folder: Option<TempDir>,
}

impl TestStore {
    pub(crate) fn new(url: String, name: String, folder: Option<TempDir>) -> Self {
        let store = open(&url, &name, WAIT).expect("the store opens");
        Self { store, url, name, _folder: folder }
    }

    /// The same store, as another process sees it.
    pub(crate) fn again(&self) -> Arc<dyn Store> {
        open(&self.url, &self.name, WAIT).expect("the store opens again")
    }

    /// The first tenant with a user and an empty project.
    pub(crate) fn project(&self) -> Scope {
        self.project_of(1, 1)
    }

    /// A project of a tenant, which is created if it does not exist.
    pub(crate) fn project_of(&self, tenant: u64, number: u64) -> Scope {
        if self.store.tenant(&id(tenant)).is_err() {
            self.store.create_tenant(&self::tenant(tenant)).expect("a new tenant");
            self.store.add_user(&user(tenant, 1)).expect("a new user");
        }
        let scope = Scope::new(&id(tenant), &id(number));
        let world = World::empty(project(&scope));
        self.store.create_project(&world, &event(&scope)).expect("a new project");
        scope
    }

    /// Writes without conditions on the project.
    pub(crate) fn commit(&self, scope: &Scope, changes: Vec<Change>) -> Result<u64> {
        self.store.commit(scope, &Commit { at: None, changes, event: event(scope) })
    }
}

impl Drop for TestStore {
    fn drop(&mut self) {
        if self.url.starts_with("mongodb:")
            && let Ok(client) = mongodb::sync::Client::with_uri_str(&self.url)
        {
            let _ = client.database(&self.name).drop().run();
        }
    }
}

/// On a slow disk, who waits for others' writes to a file may wait for all of them.
const WAIT: Duration = Duration::from_secs(120);

pub(crate) fn sqlite() -> TestStore {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("worlds.db").display());
    TestStore::new(url, String::new(), Some(folder))
}

/// A database of the shared server. None where MongoDB is not to be had.
pub(crate) fn mongo(transactions: bool) -> Option<TestStore> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let url = shared(transactions)?;
    let name = format!("test{}", NEXT.fetch_add(1, Ordering::Relaxed));
    Some(TestStore::new(url, name, None))
}

/// The id with this number.
pub(crate) fn id(number: u64) -> Id {
    format!("{number:024x}")
}

/// An id that was not used before.
pub(crate) fn next_id() -> Id {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:08x}{:016x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn tenant(number: u64) -> Tenant {
    Tenant { id: id(number), name: format!("Studio {number}"), created_at: 1_700_000_000_123 }
}

pub(crate) fn user(tenant: u64, number: u64) -> User {
    User {
        id: id(tenant * 1000 + number),
        tenant_id: id(tenant),
        email: format!("user{number}@example.org"),
        roles: vec![Role::Admin, Role::Editor],
        created_at: 1_700_000_000_456,
    }
}

pub(crate) fn project(scope: &Scope) -> Project {
    Project {
        id: scope.project.clone(),
        tenant_id: scope.tenant.clone(),
        title: "Salt Road".into(),
        logline: "A smuggler looks for a harbour.".into(),
        style_bible: Map::new(),
        created_at: 1_700_000_001_000,
    }
}

pub(crate) fn event(scope: &Scope) -> AuditEvent {
    AuditEvent {
        id: next_id(),
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        user_id: id(1001),
        action: "entity.upsert".into(),
        object_id: None,
        at: 1_700_000_002_000,
        revision: 0,
    }
}

fn audit() -> Audit {
    Audit { created_by: id(1001), updated_by: id(1001), updated_at: 1_700_000_003_000, revision: 1 }
}

const DRAFT: Version = Version { status: VersionStatus::Draft, number: 1 };

pub(crate) fn entity(scope: &Scope, number: u64, name: &str) -> Entity {
    Entity {
        id: id(number),
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        kind: EntityType::Character,
        name: name.into(),
        summary: String::new(),
        tags: Vec::new(),
        attributes: Map::new(),
        relationships: Vec::new(),
        version: DRAFT,
        audit: audit(),
    }
}

pub(crate) fn node(scope: &Scope, number: u64, order: u64) -> StoryNode {
    StoryNode {
        id: id(number),
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        node_type: NodeType::Scene,
        title: format!("Scene {number}"),
        synopsis: String::new(),
        goals: Goals::default(),
        hooks: Hooks::default(),
        time: Time { in_world_date: None, order },
        participants: Vec::new(),
        locations: Vec::new(),
        world_state_delta: Vec::new(),
        chapter_node_id: None,
        requires: Vec::new(),
        cinematic_settings: Map::new(),
        waivers: Vec::new(),
        version: DRAFT,
        audit: audit(),
    }
}

pub(crate) fn edge(scope: &Scope, number: u64, from: u64, to: u64) -> StoryEdge {
    StoryEdge {
        id: id(number),
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        from_node_id: id(from),
        to_node_id: id(to),
        edge_type: EdgeType::Linear,
        conditions: Vec::new(),
        notes: String::new(),
        audit: audit(),
    }
}

pub(crate) fn pack(scope: &Scope, number: u64, node: u64, input: &str) -> PromptPack {
    PromptPack {
        id: id(number),
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        node_id: id(node),
        target: "HIGGSFIELD".into(),
        template: "CINEMATIC_V1".into(),
        template_revision: 1,
        input_hash: input.into(),
        shots: Vec::new(),
        continuity_notes: vec!["Keep the coat.".into()],
        created_at: 1_700_000_004_000,
        created_by: id(1001),
    }
}

/// A new one.
pub(crate) fn new_entity(entity: &Entity) -> Change {
    Change::Entity { document: Box::new(entity.clone()), replaces: None }
}

/// A new one.
pub(crate) fn new_node(node: &StoryNode) -> Change {
    Change::Node { document: Box::new(node.clone()), replaces: None }
}

/// The next revision of one that was read.
pub(crate) fn next_entity(mut entity: Entity, change: impl FnOnce(&mut Entity)) -> Change {
    let replaces = Some(Box::new(entity.clone()));
    change(&mut entity);
    entity.audit.revision += 1;
    Change::Entity { document: Box::new(entity), replaces }
}

/// The next revision of one that was read.
pub(crate) fn next_node(mut node: StoryNode, change: impl FnOnce(&mut StoryNode)) -> Change {
    let replaces = Some(Box::new(node.clone()));
    change(&mut node);
    node.audit.revision += 1;
    Change::Node { document: Box::new(node), replaces }
}
