//! Reads the documents of a project.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use super::ProjectRow;
use super::users::{all, first};
use crate::model::{Id, ObjectType, Project, PromptPack, Snapshot};
use crate::store::documents::Unsorted;
use crate::store::error::{Result, StoreError};
use crate::store::reader::{self, Reader};
use crate::store::served::{Extent, parsed};
use crate::store::{AuditEvent, Collection, Documents, Edition, Reading, shape};

pub(super) fn projects(reader: &Connection, tenant: &str) -> Result<Vec<Project>> {
    let sql = "SELECT json FROM projects WHERE tenant = ?1 ORDER BY title, id";
    all(reader, "project", sql, [tenant])
}

pub(super) fn project(reader: &Connection, project_row: ProjectRow) -> Result<Project> {
    first(reader, "project", "SELECT json FROM projects WHERE number = ?1", [project_row.number])?
        .ok_or_else(|| StoreError::missing("project"))
}

pub(super) fn whole_project(reader: &Connection, project_row: ProjectRow) -> Result<Value> {
    let text: String = reader
        .prepare_cached("SELECT json FROM projects WHERE number = ?1")?
        .query_row([project_row.number], |row| row.get(0))?;
    let value = parsed(&text).map_err(|error| StoreError::unreadable("project", error))?;
    reader::document("project", shape::PROJECT, value, Extent::All).map_err(StoreError::foreign)
}

/// Its table, its order, and the column that marks rows that need no inspection.
fn table(collection: Collection) -> (&'static str, &'static str, &'static str) {
    match collection {
        Collection::Entities => ("entities", "0, id", "plain"),
        Collection::Nodes => ("nodes", "place, id", "plain"),
        Collection::Edges => ("edges", "0, id", "plain"),
        Collection::Packs => ("packs", "created, id", "plain"),
        Collection::Versions => ("versions", "edition, type || object", "octet_length(json)"),
    }
}

/// A stored text, and how many bytes it had when it was written as it is served.
type Stored = (String, Option<i64>);

fn stored(
    reader: &Connection,
    project_row: ProjectRow,
    collection: Collection,
    id: &str,
) -> Result<Option<Stored>> {
    let (table, _, plain) = table(collection);
    let (from, to) = project_row.rows();
    Ok(reader
        .prepare_cached(&format!(
            "SELECT json, {plain} FROM {table} WHERE id = ?1 AND number BETWEEN ?2 AND ?3"
        ))?
        .query_row(params![id, from, to], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// Whether a text is as it is served.
pub(super) fn is_plain(text: &str, plain: Option<i64>) -> bool {
    plain.is_some() && plain == i64::try_from(text.len()).ok()
}

pub(super) fn value(collection: Collection, text: &str) -> Result<Value> {
    parsed(text).map_err(|error| StoreError::unreadable(collection.what(), error))
}

fn found(
    reader: &Connection,
    project_row: ProjectRow,
    collection: Collection,
    id: &str,
) -> Result<Stored> {
    let missing = || StoreError::missing(collection.what());
    match collection {
        Collection::Versions => Err(missing()),
        _ => stored(reader, project_row, collection, id)?.ok_or_else(missing),
    }
}

pub(super) fn document(
    reader: &Connection,
    project_row: ProjectRow,
    collection: Collection,
    id: &str,
) -> Result<String> {
    let (text, plain) = found(reader, project_row, collection, id)?;
    match is_plain(&text, plain) {
        true => Ok(text),
        false => {
            let read = reader::one(collection, value(collection, &text)?, Extent::Contract)?;
            Ok(read.to_string())
        }
    }
}

pub(super) fn all_of(
    reader: &Connection,
    project_row: ProjectRow,
    collection: Collection,
    id: &str,
) -> Result<Value> {
    let (text, _) = found(reader, project_row, collection, id)?;
    reader::one(collection, value(collection, &text)?, Extent::All)
}

pub(super) fn documents(
    reader: &Connection,
    project_row: ProjectRow,
    collection: Collection,
    ids: &[Id],
) -> Result<Documents> {
    let mut ids: Vec<&Id> = ids.iter().collect();
    ids.sort_unstable();
    ids.dedup();
    let mut texts = Vec::with_capacity(ids.len());
    let mut taken = Reader::default();
    for id in ids.into_iter().filter(|_| collection != Collection::Versions) {
        match stored(reader, project_row, collection, id)? {
            Some((text, plain)) if is_plain(&text, plain) => texts.push(text),
            Some((text, _)) => texts.extend(taken.take(collection, value(collection, &text)?)),
            None => {}
        }
    }
    Ok(texts.iter().map(String::as_str).collect())
}

pub(super) fn collections(
    reader: &Connection,
    project_row: ProjectRow,
    collections: &[Collection],
    all: bool,
) -> Result<Reading> {
    let mut taken = Reader::new(all);
    let collections = collections
        .iter()
        .map(|collection| whole(reader, project_row, *collection, &mut taken))
        .collect::<Result<_>>()?;
    let Reader { wholes, unreadable, .. } = taken;
    Ok(Reading { revision: project_row.revision, collections, wholes, unreadable })
}

/// Rows are read as they lie and put in order afterwards: quicker than looking each one up.
fn whole(
    reader: &Connection,
    project_row: ProjectRow,
    collection: Collection,
    taken: &mut Reader,
) -> Result<Documents> {
    let (table, order, plain) = table(collection);
    let (from, to) = project_row.rows();
    let mut statement = reader.prepare_cached(&format!(
        "SELECT {order}, json, {plain} FROM {table} WHERE number BETWEEN ?1 AND ?2"
    ))?;
    let mut rows = statement.query([from, to])?;
    let mut documents = Unsorted::new();
    while let Some(row) = rows.next()? {
        let key: (i64, String) = (row.get(0)?, row.get(1)?);
        // Versions by object first.
        let key = match collection {
            Collection::Versions => (0, key.1, key.0),
            _ => (key.0, key.1, 0),
        };
        let text = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        if is_plain(text, row.get(3)?) {
            documents.push(key, text);
        } else if let Some(text) = taken.take(collection, value(collection, text)?) {
            documents.push(key, &text);
        }
    }
    Ok(documents.sorted())
}

pub(super) fn pack_by_input(
    reader: &Connection,
    project_row: ProjectRow,
    node: &str,
    input_hash: &str,
) -> Result<Option<PromptPack>> {
    let sql = "SELECT json FROM packs WHERE project = ?1 AND node = ?2 AND input = ?3";
    first(reader, "prompt pack", sql, params![project_row.number, node, input_hash])
}

pub(super) fn latest_pack(
    reader: &Connection,
    project_row: ProjectRow,
    node: &str,
) -> Result<Option<PromptPack>> {
    let sql = "SELECT json FROM packs WHERE project = ?1 AND node = ?2
               ORDER BY created DESC, id DESC LIMIT 1";
    first(reader, "prompt pack", sql, params![project_row.number, node])
}

pub(super) fn history(
    reader: &Connection,
    project_row: ProjectRow,
    object: ObjectType,
    id: &str,
) -> Result<Vec<Edition>> {
    let sql = "SELECT json_remove(json, '$.snapshot') FROM versions
               WHERE project = ?1 AND type = ?2 AND object = ?3 ORDER BY edition";
    all(reader, "version", sql, params![project_row.number, object.name(), id])
}

pub(super) fn version(
    reader: &Connection,
    project_row: ProjectRow,
    object: ObjectType,
    id: &str,
    number: u64,
) -> Result<Snapshot> {
    let sql = "SELECT json FROM versions
               WHERE project = ?1 AND type = ?2 AND object = ?3 AND edition = ?4";
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    first(reader, "version", sql, params![project_row.number, object.name(), id, number])?
        .ok_or_else(|| StoreError::missing("version"))
}

pub(super) fn events(
    reader: &Connection,
    project_row: ProjectRow,
    object: Option<&str>,
    limit: u32,
) -> Result<Vec<AuditEvent>> {
    let (from, to) = project_row.rows();
    match object {
        Some(object) => all(
            reader,
            "audit event",
            "SELECT json FROM events WHERE project = ?1 AND object = ?2
             ORDER BY number DESC LIMIT ?3",
            params![project_row.number, object, limit],
        ),
        None => all(
            reader,
            "audit event",
            "SELECT json FROM events WHERE number BETWEEN ?1 AND ?2 ORDER BY number DESC LIMIT ?3",
            params![from, to, limit],
        ),
    }
}
