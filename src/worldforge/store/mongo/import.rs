//! Creates projects together with their content.
//!
//! Such a world can exceed the size of a transaction. The project is written first, hidden by
//! `_importing`, then its content; removing that field is the one step in which everything appears.
//! The leftovers of a dead import are hidden too; the next import of that project takes over.

use mongodb::bson::oid::ObjectId;
use mongodb::bson::{Document, RawDocumentBuf, cstr, doc};

use super::bson::{document, id};
use super::error::store_error;
use super::ops::Op;
use super::{Connected, users};
use crate::store::change::{AuditEvent, Change, World};
use crate::store::error::{Kind, Result, StoreError};

/// Documents that are sent at a time, and their bytes.
const BATCH: (usize, usize) = (1000, 8 << 20);
/// What a world is spread over.
const COLLECTIONS: &[&str] =
    &["entities", "storyNodes", "storyEdges", "promptPacks", "versions", "auditEvents"];

pub(super) fn create_project(
    connected: &Connected,
    world: &World,
    event: &AuditEvent,
) -> Result<()> {
    users::tenant(connected, &world.project.tenant_id)?;
    let missing = || StoreError::missing("project");
    let project = id(&world.project.id).ok_or_else(missing)?;
    // Tells this import from others of the same project.
    let import = ObjectId::new();
    reserve(connected, world, project, import)?;
    if let Err(error) = fill(connected, world, event, import) {
        // It is hidden; the next import removes it if this cannot.
        let _ = clear(connected, project, import);
        let _ = connected.projects().delete_one(doc! {"_id": project, "_importing": import}).run();
        return Err(error);
    }
    let show = doc! {"$unset": {"_importing": ""}};
    let shown = connected
        .projects()
        .update_one(doc! {"_id": project, "_importing": import}, show)
        .run()
        .map_err(store_error)
        .map_err(|error| StoreError { in_doubt: error.kind == Kind::Unavailable, ..error })?;
    match shown.matched_count {
        0 => Err(StoreError::taken("a project")),
        _ => Ok(()),
    }
}

/// Writes the hidden project, or takes over that of an import that came to nothing.
fn reserve(
    connected: &Connected,
    world: &World,
    project: ObjectId,
    import: ObjectId,
) -> Result<()> {
    let mut document = document(&world.whole(&world.project.id, &world.project))?;
    document.append(cstr!("_revision"), 1_i64);
    document.append(cstr!("_writes"), 1_i64);
    document.append(cstr!("_importing"), import);
    let left = connected.projects().find_one(doc! {"_id": project}).run().map_err(store_error)?;
    let Some(left) = left else {
        return connected.projects().insert_one(document).run().map(drop).map_err(store_error);
    };
    let Ok(dead) = left.get_object_id("_importing") else {
        return Err(StoreError::taken("a project"));
    };
    let filter = doc! {"_id": project, "_importing": dead};
    let taken = connected.projects().replace_one(filter, document).run().map_err(store_error)?;
    match taken.matched_count {
        0 => Err(StoreError::taken("a project")),
        _ => clear(connected, project, dead),
    }
}

fn fill(connected: &Connected, world: &World, event: &AuditEvent, import: ObjectId) -> Result<()> {
    let scope = world.scope();
    let mut batch: Vec<RawDocumentBuf> = Vec::new();
    let (mut collection, mut bytes) = (String::new(), 0);
    let record = std::iter::once_with(|| Op::record(event, 1));
    let op = |change: Change| {
        let whole = match change {
            Change::Snapshot(_) => None,
            _ => world.wholes.get(change.id()),
        };
        Op::new(&scope, &change, whole)
    };
    for op in world.changes().map(op).chain(record) {
        let op = op?;
        if op.collection() != collection || batch.len() == BATCH.0 || bytes > BATCH.1 {
            send(connected, &collection, &batch)?;
            (collection, bytes) = (op.collection().to_owned(), 0);
            batch.clear();
        }
        let Some(document) = op.document() else { continue };
        let mut document = document.to_owned();
        document.append(cstr!("_import"), import);
        bytes += document.as_bytes().len();
        batch.push(document);
    }
    send(connected, &collection, &batch)
}

fn send(connected: &Connected, collection: &str, batch: &[RawDocumentBuf]) -> Result<()> {
    match batch.is_empty() {
        true => Ok(()),
        false => {
            connected.documents(collection).insert_many(batch).run().map(drop).map_err(store_error)
        }
    }
}

/// Removes what an import has written.
fn clear(connected: &Connected, project: ObjectId, import: ObjectId) -> Result<()> {
    let written: Document = doc! {"projectId": project, "_import": import};
    for collection in COLLECTIONS {
        connected.documents(collection).delete_many(written.clone()).run().map_err(store_error)?;
    }
    Ok(())
}
