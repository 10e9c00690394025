//! Writes: new projects with their content, and commits.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;
use serde_json::Value;

use super::ProjectRow;
use super::users::{json, tenant};
use crate::model::{Entity, StoryNode};
use crate::store::change::{AuditEvent, Change, Commit, World};
use crate::store::difference::Difference;
use crate::store::error::{Result, StoreError};
use crate::store::search_terms::Terms;
use crate::store::served::{Extent, parsed};
use crate::store::{reader, text};

pub(super) fn create_project(writer: &Connection, world: &World, event: &AuditEvent) -> Result<()> {
    let project = &world.project;
    tenant(writer, &project.tenant_id)?;
    writer.execute(
        "INSERT INTO projects (id, tenant, title, revision, json) VALUES (?1, ?2, ?3, 1, ?4)",
        params![
            project.id,
            project.tenant_id,
            project.title,
            Text::new(project, world.wholes.get(&project.id))?.json
        ],
    )?;
    let project_row = ProjectRow { number: writer.last_insert_rowid(), revision: 1 };
    for change in world.changes() {
        let whole = match change {
            Change::Snapshot(_) => None,
            _ => world.wholes.get(change.id()),
        };
        apply(writer, project_row, &change, whole)?;
    }
    record(writer, project_row, event)
}

pub(super) fn commit(writer: &Connection, project_row: ProjectRow, commit: &Commit) -> Result<u64> {
    if let Some(at) = commit.at
        && at != project_row.revision
    {
        return Err(StoreError::moved(at, project_row.revision));
    }
    for change in &commit.changes {
        apply(writer, project_row, change, None)?;
    }
    let revision = project_row.revision + u64::from(commit.changes_the_story());
    writer
        .prepare_cached("UPDATE projects SET revision = ?1 WHERE number = ?2")?
        .execute(params![revision, project_row.number])?;
    record(writer, ProjectRow { revision, ..project_row }, &commit.event)?;
    Ok(revision)
}

fn record(writer: &Connection, project_row: ProjectRow, event: &AuditEvent) -> Result<()> {
    let event = AuditEvent { revision: project_row.revision, ..event.clone() };
    writer
        .prepare_cached(
            "INSERT INTO events (number, id, project, object, json) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            free(writer, project_row, "events")?,
            event.id,
            project_row.number,
            event.object_id,
            json(&event)?
        ])?;
    Ok(())
}

/// The next number of the project's rows in a table.
fn free(writer: &Connection, project_row: ProjectRow, table: &str) -> Result<i64> {
    let (from, to) = project_row.rows();
    let sql = format!("SELECT max(number) FROM {table} WHERE number BETWEEN ?1 AND ?2");
    let last: Option<i64> = writer.prepare_cached(&sql)?.query_row([from, to], |row| row.get(0))?;
    Ok(last.map_or(from, |last| last + 1))
}

/// A text to be written.
struct Text {
    json: String,
    /// Its bytes, where it is as it is served.
    plain: Option<i64>,
}

impl Text {
    /// A new document, with all that it holds where that is more.
    fn new(document: &impl Serialize, whole: Option<&Value>) -> Result<Self> {
        match whole {
            Some(whole) => Ok(Self { json: json(whole)?, plain: None }),
            None => Ok(Self::plain(json(document)?)),
        }
    }

    fn plain(json: String) -> Self {
        Self { plain: i64::try_from(json.len()).ok(), json }
    }
}

fn apply(
    writer: &Connection,
    project_row: ProjectRow,
    change: &Change,
    whole: Option<&Value>,
) -> Result<()> {
    match change {
        Change::Entity { document, .. } => entity(writer, project_row, change, document, whole),
        Change::Node { document, .. } => node(writer, project_row, change, document, whole),
        Change::Edge(edge) => {
            let number = free(writer, project_row, "edges")?;
            let sql = "INSERT INTO edges (number, id, project, source, target, type, json, plain)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let (from, to, kind) = (&edge.from_node_id, &edge.to_node_id, edge.edge_type.name());
            let Text { json, plain } = Text::new(edge, whole)?;
            let values = params![number, edge.id, project_row.number, from, to, kind, json, plain];
            Ok(writer.prepare_cached(sql)?.execute(values).map(drop)?)
        }
        Change::RemoveEdge(id) => {
            let sql = "DELETE FROM edges WHERE id = ?1 AND project = ?2";
            match writer.prepare_cached(sql)?.execute(params![id, project_row.number])? {
                0 => Err(StoreError::missing(change.what())),
                _ => Ok(()),
            }
        }
        Change::Pack(pack) => {
            let number = free(writer, project_row, "packs")?;
            let sql = "INSERT INTO packs (number, id, project, node, input, created, json, plain)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let (node, input, created) = (&pack.node_id, &pack.input_hash, pack.created_at);
            let Text { json, plain } = Text::new(pack, whole)?;
            let values =
                params![number, pack.id, project_row.number, node, input, created, json, plain];
            Ok(writer.prepare_cached(sql)?.execute(values).map(drop)?)
        }
        Change::Snapshot(version) => {
            let number = free(writer, project_row, "versions")?;
            let sql = "INSERT INTO versions (number, project, type, object, edition, json)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let (kind, id) = (version.object_type.name(), &version.object_id);
            let values =
                params![number, project_row.number, kind, id, version.number, json(version)?];
            Ok(writer.prepare_cached(sql)?.execute(values).map(drop)?)
        }
    }
}

fn entity(
    writer: &Connection,
    project_row: ProjectRow,
    change: &Change,
    entity: &Entity,
    whole: Option<&Value>,
) -> Result<()> {
    let (id, revision) = (&entity.id, entity.audit.revision);
    let terms = Terms::of(entity);
    let number = match Difference::of(change)? {
        None => {
            let number = free(writer, project_row, "entities")?;
            let Text { json, plain } = Text::new(entity, whole)?;
            writer
                .prepare_cached(
                    "INSERT INTO entities (number, id, revision, json, plain)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![number, id, revision, json, plain])?;
            number
        }
        Some(difference) => {
            let (number, Text { json, plain }) =
                edited(writer, project_row, "entities", id, &difference)?;
            writer
                .prepare_cached(
                    "UPDATE entities SET revision = ?1, json = ?2, plain = ?3 WHERE number = ?4",
                )?
                .execute(params![revision, json, plain, number])?;
            number
        }
    };
    writer
        .prepare_cached(
            "INSERT OR REPLACE INTO entity_keys (number, project, type, name, id, updated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            number,
            project_row.number,
            entity.kind.name(),
            terms.name,
            id,
            entity.audit.updated_at
        ])?;
    let words: Vec<&str> = terms.all.iter().map(String::as_str).collect();
    writer
        .prepare_cached("INSERT OR REPLACE INTO entity_words (rowid, words) VALUES (?1, ?2)")?
        .execute(params![number, words.join(" ")])?;
    Ok(())
}

fn node(
    writer: &Connection,
    project_row: ProjectRow,
    change: &Change,
    node: &StoryNode,
    whole: Option<&Value>,
) -> Result<()> {
    let (id, place, revision) = (&node.id, node.time.order, node.audit.revision);
    match Difference::of(change)? {
        None => {
            let Text { json, plain } = Text::new(node, whole)?;
            writer
                .prepare_cached(
                    "INSERT INTO nodes (number, id, place, revision, json, plain)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    free(writer, project_row, "nodes")?,
                    id,
                    place,
                    revision,
                    json,
                    plain
                ])?
        }
        Some(difference) => {
            let (number, Text { json, plain }) =
                edited(writer, project_row, "nodes", id, &difference)?;
            writer
                .prepare_cached(
                    "UPDATE nodes SET place = ?1, revision = ?2, json = ?3, plain = ?4
                     WHERE number = ?5",
                )?
                .execute(params![place, revision, json, plain, number])?
        }
    };
    Ok(())
}

/// The row of a document, which must be as its writer has read it, and its new text.
fn edited(
    writer: &Connection,
    project_row: ProjectRow,
    table: &str,
    id: &str,
    difference: &Difference,
) -> Result<(i64, Text)> {
    let (from, to) = project_row.rows();
    let what = difference.collection.what();
    let sql =
        format!("SELECT number, json FROM {table} WHERE id = ?1 AND number BETWEEN ?2 AND ?3");
    let found: Option<(i64, String)> = writer
        .prepare_cached(&sql)?
        .query_row(params![id, from, to], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (number, stored) = found.ok_or_else(|| StoreError::missing(what))?;
    let [before, after] = &difference.texts;
    // Nothing in it is unknown.
    if stored == *before {
        return Ok((number, Text::plain(after.clone())));
    }
    let value = parsed(&stored).map_err(|error| StoreError::unreadable(what, error))?;
    difference.check(reader::one(difference.collection, value, Extent::Contract)?)?;
    let json = text::merged(&stored, &difference.before, &difference.after, difference.fields())
        .ok_or_else(|| StoreError::unreadable(what, "not an object"))?;
    Ok((number, Text { json, plain: None }))
}
