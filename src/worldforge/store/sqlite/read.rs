//! Reading documents of a project.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Home;
use super::people::{all, first};
use crate::worldforge::model::{Id, ObjectType, Project, PromptPack, Snapshot};
use crate::worldforge::store::documents::Unsorted;
use crate::worldforge::store::fault::{Fault, Result};
use crate::worldforge::store::{AuditEvent, Collection, Documents, Edition, Reading};

pub(super) fn projects(reader: &Connection, tenant: &str) -> Result<Vec<Project>> {
    let sql = "SELECT json FROM projects WHERE tenant = ?1 ORDER BY title, id";
    all(reader, "project", sql, [tenant])
}

pub(super) fn project(reader: &Connection, home: Home) -> Result<Project> {
    first(reader, "project", "SELECT json FROM projects WHERE number = ?1", [home.number])?
        .ok_or_else(|| Fault::missing("project"))
}

/// Its table, what its documents are called, and how they are ordered.
fn table(collection: Collection) -> (&'static str, &'static str, &'static str) {
    match collection {
        Collection::Entities => ("entities", "entity", "0, id"),
        Collection::Nodes => ("nodes", "story node", "place, id"),
        Collection::Edges => ("edges", "story edge", "0, id"),
        Collection::Packs => ("packs", "prompt pack", "created, id"),
        Collection::Versions => ("versions", "version", "edition, type || object"),
    }
}

pub(super) fn document(
    reader: &Connection,
    home: Home,
    collection: Collection,
    id: &str,
) -> Result<String> {
    let (table, what, _) = table(collection);
    if collection == Collection::Versions {
        return Err(Fault::missing(what));
    }
    let (from, to) = home.rows();
    reader
        .prepare_cached(&format!(
            "SELECT json FROM {table} WHERE id = ?1 AND number BETWEEN ?2 AND ?3"
        ))?
        .query_row(params![id, from, to], |row| row.get(0))
        .optional()?
        .ok_or_else(|| Fault::missing(what))
}

pub(super) fn documents(
    reader: &Connection,
    home: Home,
    collection: Collection,
    ids: &[Id],
) -> Result<Documents> {
    let mut ids: Vec<&Id> = ids.iter().collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        match document(reader, home, collection, id) {
            Ok(text) => found.push(text),
            Err(fault) if fault.kind == super::Kind::NotFound => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(found.iter().map(String::as_str).collect())
}

pub(super) fn collections(
    reader: &Connection,
    home: Home,
    collections: &[Collection],
) -> Result<Reading> {
    let collections = collections
        .iter()
        .map(|collection| whole(reader, home, *collection))
        .collect::<Result<_>>()?;
    Ok(Reading { revision: home.revision, collections })
}

/// Rows are read as they lie and put in order afterwards: quicker than looking each one up.
fn whole(reader: &Connection, home: Home, collection: Collection) -> Result<Documents> {
    let (table, _, order) = table(collection);
    let (from, to) = home.rows();
    let mut statement = reader.prepare_cached(&format!(
        "SELECT {order}, json FROM {table} WHERE number BETWEEN ?1 AND ?2"
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
        documents.push(key, row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?);
    }
    Ok(documents.sorted())
}

pub(super) fn pack_by_input(
    reader: &Connection,
    home: Home,
    node: &str,
    input_hash: &str,
) -> Result<Option<PromptPack>> {
    let sql = "SELECT json FROM packs WHERE project = ?1 AND node = ?2 AND input = ?3";
    first(reader, "prompt pack", sql, params![home.number, node, input_hash])
}

pub(super) fn latest_pack(
    reader: &Connection,
    home: Home,
    node: &str,
) -> Result<Option<PromptPack>> {
    let sql = "SELECT json FROM packs WHERE project = ?1 AND node = ?2
               ORDER BY created DESC, id DESC LIMIT 1";
    first(reader, "prompt pack", sql, params![home.number, node])
}

pub(super) fn history(
    reader: &Connection,
    home: Home,
    object: ObjectType,
    id: &str,
) -> Result<Vec<Edition>> {
    let sql = "SELECT json_remove(json, '$.snapshot') FROM versions
               WHERE project = ?1 AND type = ?2 AND object = ?3 ORDER BY edition";
    all(reader, "version", sql, params![home.number, object.name(), id])
}

pub(super) fn version(
    reader: &Connection,
    home: Home,
    object: ObjectType,
    id: &str,
    number: u64,
) -> Result<Snapshot> {
    let sql = "SELECT json FROM versions
               WHERE project = ?1 AND type = ?2 AND object = ?3 AND edition = ?4";
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    first(reader, "version", sql, params![home.number, object.name(), id, number])?
        .ok_or_else(|| Fault::missing("version"))
}

pub(super) fn events(
    reader: &Connection,
    home: Home,
    object: Option<&str>,
    limit: u32,
) -> Result<Vec<AuditEvent>> {
    let (from, to) = home.rows();
    match object {
        Some(object) => all(
            reader,
            "audit event",
            "SELECT json FROM events WHERE project = ?1 AND object = ?2
             ORDER BY number DESC LIMIT ?3",
            params![home.number, object, limit],
        ),
        None => all(
            reader,
            "audit event",
            "SELECT json FROM events WHERE number BETWEEN ?1 AND ?2 ORDER BY number DESC LIMIT ?3",
            params![from, to, limit],
        ),
    }
}
