//! Projects that come with everything in them.
//!
//! Such a world can be larger than a transaction may be. The project is written first, hidden
//! behind `_importing`; then everything in it; taking that field away is the one step in which it
//! all appears. What a dead import left is hidden, too; the next import of that project takes over.

use mongodb::bson::oid::ObjectId;
use mongodb::bson::{Document, RawDocumentBuf, cstr, doc};

use super::bson::{document, id};
use super::error::fault;
use super::ops::Op;
use super::{Ready, users};
use crate::store::change::{AuditEvent, Change, World};
use crate::store::error::{Fault, Kind, Result};

/// Documents that are sent at a time, and their bytes.
const BATCH: (usize, usize) = (1000, 8 << 20);
/// What a world is spread over.
const COLLECTIONS: &[&str] =
    &["entities", "storyNodes", "storyEdges", "promptPacks", "versions", "auditEvents"];

pub(super) fn create_project(ready: &Ready, world: &World, event: &AuditEvent) -> Result<()> {
    users::tenant(ready, &world.project.tenant_id)?;
    let missing = || Fault::missing("project");
    let project = id(&world.project.id).ok_or_else(missing)?;
    // Tells this import from others of the same project.
    let import = ObjectId::new();
    reserve(ready, world, project, import)?;
    if let Err(fault) = fill(ready, world, event, import) {
        // Nobody sees it; the next import clears it away if this cannot.
        let _ = clear(ready, project, import);
        let _ = ready.projects().delete_one(doc! {"_id": project, "_importing": import}).run();
        return Err(fault);
    }
    let show = doc! {"$unset": {"_importing": ""}};
    let shown = ready
        .projects()
        .update_one(doc! {"_id": project, "_importing": import}, show)
        .run()
        .map_err(fault)
        .map_err(|fault| Fault { in_doubt: fault.kind == Kind::Unavailable, ..fault })?;
    match shown.matched_count {
        0 => Err(Fault::taken("a project")),
        _ => Ok(()),
    }
}

/// Writes the hidden project, or takes over that of an import that came to nothing.
fn reserve(ready: &Ready, world: &World, project: ObjectId, import: ObjectId) -> Result<()> {
    let mut document = document(&world.whole(&world.project.id, &world.project))?;
    document.append(cstr!("_revision"), 1_i64);
    document.append(cstr!("_writes"), 1_i64);
    document.append(cstr!("_importing"), import);
    let left = ready.projects().find_one(doc! {"_id": project}).run().map_err(fault)?;
    let Some(left) = left else {
        return ready.projects().insert_one(document).run().map(drop).map_err(fault);
    };
    let Ok(dead) = left.get_object_id("_importing") else { return Err(Fault::taken("a project")) };
    let filter = doc! {"_id": project, "_importing": dead};
    let taken = ready.projects().replace_one(filter, document).run().map_err(fault)?;
    match taken.matched_count {
        0 => Err(Fault::taken("a project")),
        _ => clear(ready, project, dead),
    }
}

fn fill(ready: &Ready, world: &World, event: &AuditEvent, import: ObjectId) -> Result<()> {
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
            send(ready, &collection, &batch)?;
            (collection, bytes) = (op.collection().to_owned(), 0);
            batch.clear();
        }
        let Some(document) = op.document() else { continue };
        let mut document = document.to_owned();
        document.append(cstr!("_import"), import);
        bytes += document.as_bytes().len();
        batch.push(document);
    }
    send(ready, &collection, &batch)
}

fn send(ready: &Ready, collection: &str, batch: &[RawDocumentBuf]) -> Result<()> {
    match batch.is_empty() {
        true => Ok(()),
        false => ready.documents(collection).insert_many(batch).run().map(drop).map_err(fault),
    }
}

/// Removes what an import has written.
fn clear(ready: &Ready, project: ObjectId, import: ObjectId) -> Result<()> {
    let written: Document = doc! {"projectId": project, "_import": import};
    for collection in COLLECTIONS {
        ready.documents(collection).delete_many(written.clone()).run().map_err(fault)?;
    }
    Ok(())
}
