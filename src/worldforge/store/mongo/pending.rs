//! Commits without transactions: the changes are kept in the project's document until they are
//! carried out.
//!
//! The project's document is replaced in one step, from one count of writes to the next, and only
//! while nothing is pending. Before that step nothing has happened; after it everything has, even
//! if the writer dies: whoever looks at the project next carries it out. Writes may thus be done
//! by several at once, or late by a writer that was stopped for a while; see `ops` for why that
//! does no harm.

use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{
    Binary, Bson, Document, RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf, cstr, doc,
};

use super::Ready;
use super::error::fault;
use super::ops::Op;
use super::state::State;
use crate::store::error::{Fault, Kind, Result};

/// Makes the writes happen, if the project stands where `state` says. False where it does not.
pub(super) fn commit(
    ready: &Ready,
    project: Document,
    state: &State,
    revision: i64,
    ops: &[Op],
) -> Result<bool> {
    if !promise(ready, project.clone(), state, revision, ops)? {
        return Ok(false);
    }
    // It has happened. Who cannot carry it out now leaves that to the next one.
    let _ = carry_out(ready, project, state.next_writes(), ops);
    Ok(true)
}

/// The one step: before it nothing has happened, after it everything has.
pub(super) fn promise(
    ready: &Ready,
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
    let moved = ready.projects().update_one(project, next).run().map_err(|error| {
        let fault = fault(error);
        // The server may have done it before the connection broke.
        Fault { in_doubt: fault.kind == Kind::Unavailable, ..fault }
    })?;
    Ok(moved.matched_count == 1)
}

/// Carries out what is pending in the project's document. Whether there was something.
pub(super) fn finish(ready: &Ready, project: &RawDocument) -> Result<bool> {
    let damaged = |error: &dyn std::fmt::Display| Fault::unreadable("pending commit", error);
    let Ok(pending) = project.get_document("_pending") else { return Ok(false) };
    let ops = pending.get_binary("ops").map_err(|error| damaged(&error))?;
    let ops = load(ops.bytes)?;
    let writes = pending.get_i64("writes").map_err(|error| damaged(&error))?;
    let id = project.get("_id").map_err(|error| damaged(&error))?;
    let id = id.and_then(|id| Bson::try_from(id).ok());
    carry_out(ready, doc! {"_id": id}, writes, &ops)?;
    Ok(true)
}

fn carry_out(ready: &Ready, mut project: Document, writes: i64, ops: &[Op]) -> Result<()> {
    ops.iter().try_for_each(|op| op.redo(ready))?;
    project.insert("_pending.writes", writes);
    let done = doc! {"$unset": {"_pending": ""}};
    ready.projects().update_one(project, done).run().map_err(fault)?;
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
    let damaged = |error| Fault::unreadable("pending commit", error);
    let kept = RawDocument::from_bytes(bytes).map_err(damaged)?;
    let mut ops = Vec::new();
    for op in kept.get_array("ops").map_err(damaged)? {
        if let RawBsonRef::Document(op) = op.map_err(damaged)? {
            ops.push(Op::load(op)?);
        }
    }
    Ok(ops)
}
