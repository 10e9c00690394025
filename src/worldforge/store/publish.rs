//! Making canon: a snapshot, the status and the next number in one commit.
//!
//! Whether an object may be published is decided by whoever calls. Knows no store.

use serde::Serialize;
use serde_json::Value;

use super::change::{AuditEvent, Change, Commit};
use super::fault::{Fault, Result};
use super::{Scope, Store};
use crate::worldforge::canonical;
use crate::worldforge::model::{Audit, Id, Millis, ObjectType, Snapshot, Version, VersionStatus};

/// What is to be published, by whom.
#[derive(Debug, Clone)]
pub struct Publication {
    /// An entity or a node.
    pub object: ObjectType,
    /// Which one.
    pub id: Id,
    /// Who.
    pub by: Id,
    /// When.
    pub at: Millis,
    /// Only if the project is at this revision: that at which the object was found fit.
    pub project_revision: Option<u64>,
    /// For the record.
    pub event: AuditEvent,
}

/// Publishes an object as it stands and answers it, as JSON. One that is published as it stands is
/// left alone. The first publication gets number 2.
pub fn publish(store: &dyn Store, scope: &Scope, publication: &Publication) -> Result<Value> {
    match publication.object {
        ObjectType::Entity => {
            let mut entity = store.entity(scope, &publication.id)?;
            let replaces = entity.audit.revision;
            let hash = content_hash(&entity)?;
            if next(&mut entity.version, &mut entity.audit, publication) {
                let snapshot = snapshot(scope, publication, entity.version, hash, &entity)?;
                let document = Box::new(entity.clone());
                let put = Change::Entity { document, replaces: Some(replaces) };
                write(store, scope, publication, put, snapshot)?;
            }
            value(&entity)
        }
        ObjectType::StoryNode => {
            let mut node = store.node(scope, &publication.id)?;
            let replaces = node.audit.revision;
            let hash = content_hash(&node)?;
            if next(&mut node.version, &mut node.audit, publication) {
                let snapshot = snapshot(scope, publication, node.version, hash, &node)?;
                let document = Box::new(node.clone());
                let put = Change::Node { document, replaces: Some(replaces) };
                write(store, scope, publication, put, snapshot)?;
            }
            value(&node)
        }
    }
}

/// SHA-256 of what an object says, without version and audit.
pub fn content_hash(object: &impl Serialize) -> Result<String> {
    let mut content = value(object)?;
    if let Value::Object(fields) = &mut content {
        for field in ["version", "audit"] {
            fields.remove(field);
        }
    }
    Ok(canonical::hash(&content))
}

fn value(object: &impl Serialize) -> Result<Value> {
    serde_json::to_value(object).map_err(|error| Fault::unreadable("document", error))
}

/// Whether there is something to publish: every edit turns an object into a draft.
fn next(version: &mut Version, audit: &mut Audit, publication: &Publication) -> bool {
    if version.status == VersionStatus::Published {
        return false;
    }
    *version = Version { status: VersionStatus::Published, number: version.number + 1 };
    audit.updated_by.clone_from(&publication.by);
    audit.updated_at = publication.at;
    audit.revision += 1;
    true
}

fn snapshot(
    scope: &Scope,
    publication: &Publication,
    version: Version,
    content_hash: String,
    object: &impl Serialize,
) -> Result<Snapshot> {
    Ok(Snapshot {
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        object_type: publication.object,
        object_id: publication.id.clone(),
        number: version.number,
        content_hash,
        snapshot: value(object)?,
        published_by: publication.by.clone(),
        published_at: publication.at,
    })
}

fn write(
    store: &dyn Store,
    scope: &Scope,
    publication: &Publication,
    put: Change,
    snapshot: Snapshot,
) -> Result<u64> {
    let changes = vec![put, Change::Snapshot(snapshot)];
    let event = publication.event.clone();
    store.commit(scope, &Commit { at: publication.project_revision, changes, event })
}
