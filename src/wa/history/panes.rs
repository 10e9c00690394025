//! Panes and their lives: one row per identity.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use toolwright_runtime::clock::Ids;

use super::History;
use crate::error::{Kind, Result};
use crate::model::{BackendKind, Millis, PaneRow};
use crate::redact::redact;

/// Columns that [`known`] reads.
const KNOWN: &str = "p.key, p.pane_id, p.uuid, p.identity, p.backend, p.domain, p.title, p.cwd,
    p.first_seen, p.closed_at, p.last_activity, p.recent_gap,
    (SELECT count(*) FROM events e WHERE e.pane = p.key AND e.handled_at IS NULL)";

/// Row of a pane's one life. A pane id that is used again by another pane has another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PaneKey(pub i64);

/// What the history knows about the latest life of a pane id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPane {
    /// Its row.
    pub key: PaneKey,
    /// Id that clients use.
    pub pane_id: u64,
    /// 32 hex digits, made when it was first seen.
    pub uuid: String,
    /// See [`PaneRow::identity`].
    pub identity: String,
    /// Where it lives or lived.
    pub backend: BackendKind,
    /// Domain when last seen.
    pub domain: String,
    /// Title when last seen.
    pub title: Option<String>,
    /// Working directory when last seen.
    pub cwd: Option<String>,
    /// When it was first seen.
    pub first_seen: Millis,
    /// When it was found gone.
    pub closed_at: Option<Millis>,
    /// When output was last captured.
    pub last_activity: Option<Millis>,
    /// Output was lost and nothing verified the pane since.
    pub recent_gap: bool,
    /// Events that nobody handled.
    pub unhandled_events: u64,
}

/// Columns compared to see whether a pane's row must be written.
#[derive(PartialEq, Eq)]
struct PaneColumns {
    key: i64,
    pane_id: u64,
    domain: String,
    title: Option<String>,
    cwd: Option<String>,
    open: bool,
}

/// What a list of panes changes.
#[derive(Default)]
struct Changes<'a> {
    same: BTreeMap<u64, PaneKey>,
    changed: Vec<(&'a PaneRow, i64, u64)>,
    new: Vec<&'a PaneRow>,
    closed: Vec<i64>,
}

impl Changes<'_> {
    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.new.is_empty() && self.closed.is_empty()
    }
}

impl History {
    /// Records a list of panes; returns the key of each. A new identity is a new pane with a
    /// new uuid; one that was closed and is listed again is the same pane. Open panes of
    /// `reachable` backends that are not in `rows` are closed, and so is any whose id is now
    /// another pane's. Writes only when something has changed.
    pub fn observe(
        &self,
        rows: &[PaneRow],
        reachable: &[BackendKind],
        ids: &dyn Ids,
        now: Millis,
    ) -> Result<BTreeMap<u64, PaneKey>> {
        let rows: Vec<PaneRow> = rows.iter().map(without_secrets).collect();
        let rows = &rows[..];
        let seen = self.store.read(|reader| compare(reader, rows, reachable))?;
        if seen.is_empty() {
            return Ok(seen.same);
        }
        // Another process may have written in between: compare again, under the lock.
        self.store.write(|writer| {
            let Changes { mut same, changed, new, closed } = compare(writer, rows, reachable)?;
            for key in closed {
                let sql = "UPDATE panes SET closed_at = ?2 WHERE key = ?1";
                writer.prepare_cached(sql)?.execute(params![key, now])?;
            }
            for (row, key, old_id) in changed {
                let sql = "UPDATE panes SET pane_id = ?2, domain = ?3, title = ?4, cwd = ?5,
                    closed_at = NULL WHERE key = ?1";
                let id = row.pane_id.cast_signed();
                writer
                    .prepare_cached(sql)?
                    .execute(params![key, id, row.domain, row.title, row.cwd])?;
                if old_id != row.pane_id {
                    carry_numbers(writer, old_id, row.pane_id)?;
                }
                same.insert(row.pane_id, PaneKey(key));
            }
            for row in new {
                let sql = "INSERT INTO panes
                    (identity, uuid, pane_id, backend, domain, title, cwd, first_seen)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
                writer.prepare_cached(sql)?.execute(params![
                    row.identity,
                    ids.hex(16),
                    row.pane_id.cast_signed(),
                    row.backend.as_str(),
                    row.domain,
                    row.title,
                    row.cwd,
                    now
                ])?;
                same.insert(row.pane_id, PaneKey(writer.last_insert_rowid()));
            }
            Ok(same)
        })
    }

    /// The latest life of a pane id, dead or alive.
    pub fn known(&self, pane_id: u64) -> Result<Option<KnownPane>> {
        self.store.read(|reader| {
            let Some(key) = latest(reader, pane_id)? else { return Ok(None) };
            let sql = format!("SELECT {KNOWN} FROM panes p WHERE p.key = ?1");
            Ok(reader.prepare_cached(&sql)?.query_row([key.0], known).optional()?)
        })
    }

    /// The latest life of every pane id, dead or alive.
    pub fn known_all(&self) -> Result<BTreeMap<u64, KnownPane>> {
        self.store.read(|reader| {
            let sql = format!("SELECT {KNOWN} FROM panes p ORDER BY p.closed_at IS NULL, p.key");
            let mut statement = reader.prepare_cached(&sql)?;
            let mut panes = BTreeMap::new();
            // The later row of an id wins: that is the latest, and an open one before all others.
            for pane in statement.query_map([], known)? {
                let pane = pane?;
                panes.insert(pane.pane_id, pane);
            }
            Ok(panes)
        })
    }

    /// The pane was verified: nothing of a recent gap matters any more.
    pub fn clear_gap(&self, key: PaneKey, now: Millis) -> Result<()> {
        let sql = "SELECT recent_gap FROM panes WHERE key = ?1";
        let recent: Option<bool> = self.store.read(|reader| {
            Ok(reader.prepare_cached(sql)?.query_row([key.0], |row| row.get(0)).optional()?)
        })?;
        if recent != Some(true) {
            return Ok(());
        }
        self.store.write(|writer| {
            let sql = "UPDATE panes SET recent_gap = 0, verified_at = ?2
                WHERE key = ?1 AND recent_gap = 1";
            writer.prepare_cached(sql)?.execute(params![key.0, now])?;
            Ok(())
        })
    }
}

/// The pane as it is stored: titles tell command lines.
fn without_secrets(row: &PaneRow) -> PaneRow {
    let clean = |text: &Option<String>| text.as_deref().map(|text| redact(text).into_owned());
    PaneRow { title: clean(&row.title), cwd: clean(&row.cwd), ..row.clone() }
}

/// The latest life of a pane id: an open one if there is one.
pub(super) fn latest(connection: &Connection, pane_id: u64) -> Result<Option<PaneKey>> {
    let sql = "SELECT key FROM panes WHERE pane_id = ?1
        ORDER BY closed_at IS NULL DESC, key DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let key = statement.query_row([pane_id.cast_signed()], |row| row.get(0)).optional()?;
    Ok(key.map(PaneKey))
}

/// What `rows` change.
fn compare<'a>(
    connection: &Connection,
    rows: &'a [PaneRow],
    reachable: &[BackendKind],
) -> Result<Changes<'a>> {
    let mut changes = Changes::default();
    let sql = "SELECT key, pane_id, domain, title, cwd, closed_at IS NULL
        FROM panes WHERE identity = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut listed: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        // A backend that lists a pane twice has one pane.
        if listed.insert(&row.identity, row.pane_id).is_some() {
            continue;
        }
        let known = statement
            .query_row([&row.identity], |found| {
                Ok(PaneColumns {
                    key: found.get(0)?,
                    pane_id: found.get::<_, i64>(1)?.cast_unsigned(),
                    domain: found.get(2)?,
                    title: found.get(3)?,
                    cwd: found.get(4)?,
                    open: found.get(5)?,
                })
            })
            .optional()?;
        let Some(known) = known else {
            changes.new.push(row);
            continue;
        };
        let now = PaneColumns {
            key: known.key,
            pane_id: row.pane_id,
            domain: row.domain.clone(),
            title: row.title.clone(),
            cwd: row.cwd.clone(),
            open: true,
        };
        if known == now {
            changes.same.insert(row.pane_id, PaneKey(known.key));
        } else {
            changes.changed.push((row, known.key, known.pane_id));
        }
    }
    let taken: BTreeSet<u64> = listed.values().copied().collect();
    let sql = "SELECT key, identity, pane_id, backend FROM panes WHERE closed_at IS NULL
        ORDER BY key";
    let mut statement = connection.prepare_cached(sql)?;
    let mut open = statement.query([])?;
    while let Some(row) = open.next()? {
        let identity: String = row.get(1)?;
        let backend: String = row.get(3)?;
        let answers = reachable.iter().any(|kind| kind.as_str() == backend);
        let replaced = taken.contains(&row.get::<_, i64>(2)?.cast_unsigned());
        if !listed.contains_key(identity.as_str()) && (answers || replaced) {
            changes.closed.push(row.get(0)?);
        }
    }
    Ok(changes)
}

/// A pane that is known by another id from now on: its numbers must go on growing.
fn carry_numbers(connection: &Connection, from: u64, to: u64) -> Result<()> {
    let sql = "INSERT INTO pane_numbers (pane_id, last_seq)
        SELECT ?2, last_seq FROM pane_numbers WHERE pane_id = ?1
        ON CONFLICT (pane_id) DO UPDATE SET last_seq = max(last_seq, excluded.last_seq)";
    connection.prepare_cached(sql)?.execute([from.cast_signed(), to.cast_signed()])?;
    Ok(())
}

fn known(row: &Row<'_>) -> rusqlite::Result<KnownPane> {
    let backend: String = row.get(4)?;
    Ok(KnownPane {
        key: PaneKey(row.get(0)?),
        pane_id: row.get::<_, i64>(1)?.cast_unsigned(),
        uuid: row.get(2)?,
        identity: row.get(3)?,
        backend: BackendKind::parse(&backend).unwrap_or(BackendKind::Embedded),
        domain: row.get(5)?,
        title: row.get(6)?,
        cwd: row.get(7)?,
        first_seen: row.get(8)?,
        closed_at: row.get(9)?,
        last_activity: row.get(10)?,
        recent_gap: row.get(11)?,
        unhandled_events: row.get::<_, i64>(12)?.cast_unsigned(),
    })
}

/// The pane id of a key.
pub(super) fn id_of(connection: &Connection, key: PaneKey) -> Result<i64> {
    let sql = "SELECT pane_id FROM panes WHERE key = ?1";
    let found = connection.prepare_cached(sql)?.query_row([key.0], |row| row.get(0)).optional()?;
    found.ok_or_else(|| {
        Kind::PaneNotFound
            .because(format!("The history has no pane with key {}.", key.0))
            .hint("List the panes again.")
    })
}

#[cfg(test)]
mod tests;
