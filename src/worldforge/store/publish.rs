//! Publication: the snapshot, the status and the next number in one commit.
//!
//! The caller decides whether an object may be published. Knows no store.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::change::{AuditEvent, Change, Commit};
use super::error::{Result, StoreError};
use super::{Collection, Scope, Store};
use crate::canonical;
use crate::model::{
    Audit, Entity, Id, Millis, ObjectType, Snapshot, StoryNode, Version, VersionStatus,
};

/// What is to be published, by whom.
#[derive(Debug, Clone)]
pub(crate) struct Publication {
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

/// The state of an object before a publication.
#[derive(Debug, Clone)]
pub(crate) struct PublishState {
    /// All of it, also what is not known here.
    whole: Value,
    hash: String,
    /// Its revision.
    pub revision: u64,
    /// Whether there is something to publish: it is a draft, or another program changed it after it
    /// was published here.
    pub is_due: bool,
}

/// Reads the state of an object.
pub(crate) fn publish_state(
    store: &dyn Store,
    scope: &Scope,
    object: ObjectType,
    id: &str,
) -> Result<PublishState> {
    let collection = match object {
        ObjectType::Entity => Collection::Entities,
        ObjectType::StoryNode => Collection::Nodes,
    };
    let whole = store.whole(scope, collection, id)?;
    let hash = content_hash(&whole)?;
    let number = |pointer: &str| whole.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    let is_due = match whole.pointer("/version/status").and_then(Value::as_str) {
        Some("PUBLISHED") => {
            let last = store.history(scope, object, id)?.pop();
            last.is_some_and(|last| last.content_hash != hash)
        }
        _ => true,
    };
    Ok(PublishState { hash, revision: number("/audit/revision"), is_due, whole })
}

/// Publishes an object as it stands and answers it, as JSON. One that is published as it stands is
/// left alone. The first publication gets number 2.
pub(crate) fn publish(
    store: &dyn Store,
    scope: &Scope,
    publication: &Publication,
) -> Result<Value> {
    let publish_state = publish_state(store, scope, publication.object, &publication.id)?;
    match publication.object {
        ObjectType::Entity => {
            let before: Entity = typed(&publish_state)?;
            let mut entity = before.clone();
            if publish_state.is_due {
                next(&mut entity.version, &mut entity.audit, publication);
                let snapshot =
                    snapshot(scope, publication, publish_state, entity.version, &entity.audit)?;
                let (document, replaces) = (Box::new(entity.clone()), Some(Box::new(before)));
                write(store, scope, publication, Change::Entity { document, replaces }, snapshot)?;
            }
            value(&entity)
        }
        ObjectType::StoryNode => {
            let before: StoryNode = typed(&publish_state)?;
            let mut node = before.clone();
            if publish_state.is_due {
                next(&mut node.version, &mut node.audit, publication);
                let snapshot =
                    snapshot(scope, publication, publish_state, node.version, &node.audit)?;
                let (document, replaces) = (Box::new(node.clone()), Some(Box::new(before)));
                write(store, scope, publication, Change::Node { document, replaces }, snapshot)?;
            }
            value(&node)
        }
    }
}

fn typed<T: DeserializeOwned>(publish_state: &PublishState) -> Result<T> {
    serde_json::from_value(publish_state.whole.clone())
        .map_err(|error| StoreError::unreadable("document", error))
}

/// SHA-256 of an object's content, without version and audit.
pub(crate) fn content_hash(object: &impl Serialize) -> Result<String> {
    let mut content = value(object)?;
    if let Value::Object(fields) = &mut content {
        for field in ["version", "audit"] {
            fields.remove(field);
        }
    }
    Ok(canonical::hash(&content))
}

fn value(object: &impl Serialize) -> Result<Value> {
    serde_json::to_value(object).map_err(|error| StoreError::unreadable("document", error))
}

fn next(version: &mut Version, audit: &mut Audit, publication: &Publication) {
    *version = Version { status: VersionStatus::Published, number: version.number + 1 };
    audit.updated_by.clone_from(&publication.by);
    audit.updated_at = publication.at;
    audit.revision += 1;
}

/// All of the object, as it is published.
fn snapshot(
    scope: &Scope,
    publication: &Publication,
    publish_state: PublishState,
    version: Version,
    audit: &Audit,
) -> Result<Snapshot> {
    let PublishState { mut whole, hash, .. } = publish_state;
    for (name, new) in [("version", value(&version)?), ("audit", value(audit)?)] {
        if let (Some(members), Value::Object(new)) =
            (whole.get_mut(name).and_then(Value::as_object_mut), new)
        {
            members.extend(new);
        }
    }
    Ok(Snapshot {
        tenant_id: scope.tenant.clone(),
        project_id: scope.project.clone(),
        object_type: publication.object,
        object_id: publication.id.clone(),
        number: version.number,
        content_hash: hash,
        snapshot: whole,
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
