//! Writing: a project with what it starts with, and commits.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Home;
use super::people::{json, tenant};
use crate::worldforge::model::{Entity, StoryNode};
use crate::worldforge::store::change::{AuditEvent, Change, Commit, World};
use crate::worldforge::store::fault::{Fault, Result};
use crate::worldforge::store::words::Terms;

pub(super) fn create_project(writer: &Connection, world: &World, event: &AuditEvent) -> Result<()> {
    let project = &world.project;
    tenant(writer, &project.tenant_id)?;
    writer.execute(
        "INSERT INTO projects (id, tenant, title, revision, json) VALUES (?1, ?2, ?3, 1, ?4)",
        params![project.id, project.tenant_id, project.title, json(project)?],
    )?;
    let home = Home { number: writer.last_insert_rowid(), revision: 1 };
    for change in world.changes() {
        apply(writer, home, &change)?;
    }
    record(writer, home, event)
}

pub(super) fn commit(writer: &Connection, home: Home, commit: &Commit) -> Result<u64> {
    if let Some(at) = commit.at
        && at != home.revision
    {
        return Err(Fault::moved(at, home.revision));
    }
    for change in &commit.changes {
        apply(writer, home, change)?;
    }
    let revision = home.revision + u64::from(commit.changes_the_story());
    writer
        .prepare_cached("UPDATE projects SET revision = ?1 WHERE number = ?2")?
        .execute(params![revision, home.number])?;
    record(writer, Home { revision, ..home }, &commit.event)?;
    Ok(revision)
}

fn record(writer: &Connection, home: Home, event: &AuditEvent) -> Result<()> {
    let event = AuditEvent { revision: home.revision, ..event.clone() };
    writer
        .prepare_cached(
            "INSERT INTO events (number, id, project, object, json) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            free(writer, home, "events")?,
            event.id,
            home.number,
            event.object_id,
            json(&event)?
        ])?;
    Ok(())
}

/// The next number of the project's rows in a table.
fn free(writer: &Connection, home: Home, table: &str) -> Result<i64> {
    let (from, to) = home.rows();
    let sql = format!("SELECT max(number) FROM {table} WHERE number BETWEEN ?1 AND ?2");
    let last: Option<i64> = writer.prepare_cached(&sql)?.query_row([from, to], |row| row.get(0))?;
    Ok(last.map_or(from, |last| last + 1))
}

fn apply(writer: &Connection, home: Home, change: &Change) -> Result<()> {
    match change {
        Change::Entity { document, replaces } => entity(writer, home, document, *replaces),
        Change::Node { document, replaces } => node(writer, home, document, *replaces),
        Change::Edge(edge) => {
            let number = free(writer, home, "edges")?;
            let sql = "INSERT INTO edges (number, id, project, source, target, type, json)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let (from, to) = (&edge.from_node_id, &edge.to_node_id);
            let kind = edge.edge_type.name();
            let values = params![number, edge.id, home.number, from, to, kind, json(edge)?];
            Ok(writer.prepare_cached(sql)?.execute(values).map(drop)?)
        }
        Change::RemoveEdge(id) => {
            let sql = "DELETE FROM edges WHERE id = ?1 AND project = ?2";
            match writer.prepare_cached(sql)?.execute(params![id, home.number])? {
                0 => Err(Fault::missing(change.what())),
                _ => Ok(()),
            }
        }
        Change::Pack(pack) => {
            let number = free(writer, home, "packs")?;
            let sql = "INSERT INTO packs (number, id, project, node, input, created, json)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let (node, input) = (&pack.node_id, &pack.input_hash);
            let values =
                params![number, pack.id, home.number, node, input, pack.created_at, json(pack)?];
            Ok(writer.prepare_cached(sql)?.execute(values).map(drop)?)
        }
        Change::Snapshot(version) => {
            let number = free(writer, home, "versions")?;
            let sql = "INSERT INTO versions (number, project, type, object, edition, json)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let (kind, id) = (version.object_type.name(), &version.object_id);
            let values = params![number, home.number, kind, id, version.number, json(version)?];
            Ok(writer.prepare_cached(sql)?.execute(values).map(drop)?)
        }
    }
}

fn entity(writer: &Connection, home: Home, entity: &Entity, replaces: Option<u64>) -> Result<()> {
    let (id, revision, json) = (&entity.id, entity.audit.revision, json(entity)?);
    let terms = Terms::of(entity);
    let number = match replaces {
        None => {
            let number = free(writer, home, "entities")?;
            writer
                .prepare_cached(
                    "INSERT INTO entities (number, id, revision, json) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![number, id, revision, json])?;
            number
        }
        Some(replaces) => {
            let number = current(writer, home, "entities", "entity", id, replaces)?;
            writer
                .prepare_cached("UPDATE entities SET revision = ?1, json = ?2 WHERE number = ?3")?
                .execute(params![revision, json, number])?;
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
            home.number,
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

fn node(writer: &Connection, home: Home, node: &StoryNode, replaces: Option<u64>) -> Result<()> {
    let (id, revision, json) = (&node.id, node.audit.revision, json(node)?);
    let place = node.time.order;
    match replaces {
        None => writer
            .prepare_cached(
                "INSERT INTO nodes (number, id, place, revision, json) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![free(writer, home, "nodes")?, id, place, revision, json])?,
        Some(replaces) => writer
            .prepare_cached(
                "UPDATE nodes SET place = ?1, revision = ?2, json = ?3 WHERE number = ?4",
            )?
            .execute(params![
                place,
                revision,
                json,
                current(writer, home, "nodes", "story node", id, replaces)?
            ])?,
    };
    Ok(())
}

/// The row of an object, if it is at the expected revision.
fn current(
    writer: &Connection,
    home: Home,
    table: &str,
    what: &str,
    id: &str,
    expected: u64,
) -> Result<i64> {
    let (from, to) = home.rows();
    let sql =
        format!("SELECT number, revision FROM {table} WHERE id = ?1 AND number BETWEEN ?2 AND ?3");
    let found = writer
        .prepare_cached(&sql)?
        .query_row(params![id, from, to], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, u64>(1)?)))
        .optional()?;
    match found {
        None => Err(Fault::missing(what)),
        Some((number, revision)) if revision == expected => Ok(number),
        Some((_, revision)) => Err(Fault::stale(what, expected, revision)),
    }
}
