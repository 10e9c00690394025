//! Commits without transactions: the changes are stored in the project's document until they are
//! applied.
//!
//! The project's document is replaced in one step, from one write count to the next, and only while
//! nothing is pending. Before that step nothing has happened; after it everything has, even if the
//! writer dies: the next reader or writer of the project applies the changes. Several processes may
//! thus apply them at once, or a stalled writer may apply them late; see `ops` for why that is safe.

use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{
    Binary, Bson, Document, RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf, cstr, doc,
};

use super::Connected;
use super::error::store_error;
use super::ops::Op;
use super::state::State;
use crate::store::error::{Kind, Result, StoreError};

/// Makes the writes happen, if the project stands where `state` says. False where it does not.
pub(super) fn commit(
    connected: &Connected,
    project: Document,
    state: &State,
    revision: i64,
    ops: &[Op],
) -> Result<bool> {
    if !promise(connected, project.clone(), state, revision, ops)? {
        return Ok(false);
    }
    // It has happened. Who cannot carry it out now leaves that to the next one.
    let _ = carry_out(connected, project, state.next_writes(), ops);
    Ok(true)
}

/// The one step: before it nothing has happened, after it everything has.
pub(super) fn promise(
    connected: &Connected,
    mut project: Document,
    state: &State,
    revision: i64,
    ops: &[Op],
) -> Result<bool> {
    let writes = state.next_writes();
    project.insert("_writes", state.writes());
    project.insert("_pending", doc! {"$exists": false});
    let bytes = Binary { subtype: BinarySubtype::Generic, bytes: keep(ops).into_bytes() };
    let next = doc! {"$set": {
        "_revision": revision, "_writes": writes, "_pending": {"writes": writes, "ops": bytes},
    }};
    let moved = connected.projects().update_one(project, next).run().map_err(|error| {
        let error = store_error(error);
        // The server may have done it before the connection broke.
        StoreError { in_doubt: error.kind == Kind::Unavailable, ..error }
    })?;
    Ok(moved.matched_count == 1)
}

/// Carries out what is pending in the project's document. Whether there was something.
pub(super) fn finish(connected: &Connected, project: &RawDocument) -> Result<bool> {
    let damaged = |error: &dyn std::fmt::Display| StoreError::unreadable("pending commit", error);
    let Ok(pending) = project.get_document("_pending") else { return Ok(false) };
    let ops = pending.get_binary("ops").map_err(|error| damaged(&error))?;
    let ops = load(ops.bytes)?;
    let writes = pending.get_i64("writes").map_err(|error| damaged(&error))?;
    let id = project.get("_id").map_err(|error| damaged(&error))?;
    let id = id.and_then(|id| Bson::try_from(id).ok());
    carry_out(connected, doc! {"_id": id}, writes, &ops)?;
    Ok(true)
}

fn carry_out(connected: &Connected, mut project: Document, writes: i64, ops: &[Op]) -> Result<()> {
    ops.iter().try_for_each(|op| op.redo(connected))?;
    project.insert("_pending.writes", writes);
    let done = doc! {"$unset": {"_pending": ""}};
    connected.projects().update_one(project, done).run().map_err(store_error)?;
    Ok(())
}

fn keep(ops: &[Op]) -> RawDocumentBuf {
    let mut list = RawArrayBuf::new();
    for op in ops {
        list.push(op.store());
    }
    let mut kept = RawDocumentBuf::new();
    kept.append(cstr!("ops"), list);
    kept
}

fn load(bytes: &[u8]) -> Result<Vec<Op>> {
    let damaged = |error| StoreError::unreadable("pending commit", error);
    let kept = RawDocument::from_bytes(bytes).map_err(damaged)?;
    let mut ops = Vec::new();
    for op in kept.get_array("ops").map_err(damaged)? {
        if let RawBsonRef::Document(op) = op.map_err(damaged)? {
            ops.push(Op::load(op)?);
        }
    }
    Ok(ops)
}
