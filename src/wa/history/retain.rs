//! Retention: removes what is too old, then the oldest output beyond the size limit.

use rusqlite::{Connection, params};

use super::History;
use crate::error::Result;
use crate::model::Millis;

const DAY: Millis = 24 * 60 * 60 * 1000;
/// Segments that are removed in one transaction: others must not wait long.
const BATCH: i64 = 512;
/// After cleaning up by size the database uses so many percent of the limit, so that it is not
/// cleaned up again at once.
const TARGET_PERCENT: u64 = 90;
/// Cleaning up by size repeats, at most so often.
const ROUNDS: usize = 4;
/// Work of one step of tidying the index, in pages.
const MERGE_PAGES: i64 = 500;
/// A file that was made without room to shrink is rebuilt once, when it is not larger than this.
const REBUILD_BYTES: u64 = 64 << 20;
/// Entries that the maintenance log keeps.
const LOG_ROWS: i64 = 1000;

/// How much to retain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Days; 0 keeps all.
    pub days: u32,
    /// Bytes that the database may use; 0 is no limit.
    pub max_bytes: u64,
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Segments of output.
    pub segments: u64,
    /// Bytes of their text.
    pub bytes: u64,
    /// Gaps.
    pub gaps: u64,
    /// Events.
    pub events: u64,
    /// Panes that were gone and had nothing left.
    pub panes: u64,
}

impl Cleaned {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl History {
    /// Removes what is too old, then the oldest output while the database is too big. Events and
    /// gaps go by age alone; panes that are gone go when nothing of them is left. Numbers of
    /// segments are never given again.
    pub fn retain(&self, policy: &Retention, now: Millis) -> Result<Cleaned> {
        let mut cleaned = Cleaned::default();
        if let Err(error) = self.store.maintain(make_shrinkable) {
            tracing::warn!(cause = ?error.internal, "the database file cannot shrink");
        }
        if policy.days > 0 {
            let before = now.saturating_sub(Millis::from(policy.days) * DAY);
            self.remove_older(before, &mut cleaned)?;
        }
        if policy.max_bytes > 0 {
            self.remove_excess(policy.max_bytes, &mut cleaned)?;
        }
        if cleaned.is_empty() {
            return Ok(cleaned);
        }
        self.store.maintain(shrink)?;
        self.log(&cleaned, now)?;
        Ok(cleaned)
    }

    /// Moves what was written from the log into the database file, without waiting for anybody.
    pub fn checkpoint(&self) -> Result<()> {
        self.store.maintain(|writer| {
            Ok(writer.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
        })
    }

    fn remove_older(&self, before: Millis, cleaned: &mut Cleaned) -> Result<()> {
        let sql = "SELECT id, stored FROM segments WHERE captured_at < ?1
            ORDER BY captured_at LIMIT ?2";
        while self.remove_batch(sql, before, u64::MAX, cleaned)? > 0 {}
        self.store.write(|writer| {
            let count = |sql: &str| -> Result<u64> {
                Ok(writer.prepare_cached(sql)?.execute([before])? as u64)
            };
            cleaned.gaps += count("DELETE FROM gaps WHERE at < ?1")?;
            cleaned.events += count("DELETE FROM events WHERE last_seen < ?1")?;
            cleaned.panes += count(
                "DELETE FROM panes WHERE closed_at < ?1
                 AND NOT EXISTS (SELECT 1 FROM segments WHERE pane = panes.key)
                 AND NOT EXISTS (SELECT 1 FROM gaps WHERE pane = panes.key)
                 AND NOT EXISTS (SELECT 1 FROM events WHERE pane = panes.key)",
            )?;
            Ok(())
        })
    }

    fn remove_excess(&self, limit: u64, cleaned: &mut Cleaned) -> Result<()> {
        let target = limit / 100 * TARGET_PERCENT;
        for _ in 0..ROUNDS {
            let (used, stored) = self.store.read(|reader| Ok((used(reader)?, stored(reader)?)))?;
            if used <= limit || stored == 0 {
                break;
            }
            // The index and all else grow and shrink with the stored text.
            let share = (used - target).saturating_mul(stored).div_ceil(used.max(1));
            let mut left = share.clamp(1, stored);
            let sql = "SELECT id, stored FROM segments WHERE id > ?1 ORDER BY id LIMIT ?2";
            loop {
                let removed = self.remove_batch(sql, -1, left, cleaned)?;
                left = left.saturating_sub(removed);
                if removed == 0 || left == 0 {
                    break;
                }
            }
            self.tidy_index()?;
        }
        Ok(())
    }

    /// Removes the segments that `sql` lists until `most` bytes are gone; returns how many are.
    fn remove_batch(
        &self,
        sql: &str,
        argument: i64,
        most: u64,
        cleaned: &mut Cleaned,
    ) -> Result<u64> {
        self.store.write(|writer| {
            let mut statement = writer.prepare_cached(sql)?;
            let rows = statement
                .query_map([argument, BATCH], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
            let rows: Vec<(i64, i64)> = rows.collect::<rusqlite::Result<_>>()?;
            // The trigger removes what the index has of them.
            let mut delete = writer.prepare_cached("DELETE FROM segments WHERE id = ?1")?;
            let mut removed = 0;
            for (id, stored) in rows {
                if removed >= most {
                    break;
                }
                delete.execute([id])?;
                // An empty one counts, so that the caller's loop goes on.
                removed += stored.cast_unsigned().max(1);
                cleaned.segments += 1;
                cleaned.bytes += stored.cast_unsigned();
            }
            Ok(removed)
        })
    }

    /// Rewrites the index without what was removed, step by step.
    fn tidy_index(&self) -> Result<()> {
        let mut pages = -MERGE_PAGES;
        loop {
            let changed = self.store.maintain(|writer| {
                let before = writer.total_changes();
                let sql = "INSERT INTO segments_fts (segments_fts, rank) VALUES ('merge', ?1)";
                writer.prepare_cached(sql)?.execute([pages])?;
                Ok(writer.total_changes() - before)
            })?;
            // The statement itself counts as one change; nothing more was left to do.
            if changed < 2 {
                return Ok(());
            }
            pages = MERGE_PAGES;
        }
    }

    fn log(&self, cleaned: &Cleaned, now: Millis) -> Result<()> {
        let Cleaned { segments, bytes, gaps, events, panes } = cleaned;
        let detail =
            format!("segments={segments} bytes={bytes} gaps={gaps} events={events} panes={panes}");
        self.store.write(|writer| {
            let sql = "INSERT INTO maintenance (at, what, detail) VALUES (?1, 'retention', ?2)";
            writer.prepare_cached(sql)?.execute(params![now, detail])?;
            let sql = "DELETE FROM maintenance
                WHERE id <= (SELECT max(id) FROM maintenance) - ?1";
            writer.prepare_cached(sql)?.execute([LOG_ROWS])?;
            Ok(())
        })
    }
}

fn pragma(connection: &Connection, name: &str) -> Result<u64> {
    let value: i64 = connection.pragma_query_value(None, name, |row| row.get(0))?;
    Ok(value.cast_unsigned())
}

/// Bytes that the database uses; free pages are not counted.
fn used(connection: &Connection) -> Result<u64> {
    let pages = pragma(connection, "page_count")?;
    let free = pragma(connection, "freelist_count")?;
    Ok(pages.saturating_sub(free).saturating_mul(pragma(connection, "page_size")?))
}

/// Bytes of stored text.
fn stored(connection: &Connection) -> Result<u64> {
    let sql = "SELECT coalesce(sum(stored), 0) FROM segments";
    let bytes: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(bytes.cast_unsigned())
}

/// Lets the file give pages back. One that was made without that is rebuilt while it is small; a
/// large one keeps its size and uses free pages again.
fn make_shrinkable(writer: &Connection) -> Result<()> {
    const INCREMENTAL: u64 = 2;
    if pragma(writer, "auto_vacuum")? != INCREMENTAL && used(writer)? <= REBUILD_BYTES {
        writer.pragma_update(None, "auto_vacuum", INCREMENTAL.cast_signed())?;
        writer.execute_batch("VACUUM")?;
    }
    Ok(())
}

/// Gives free pages back to the file system.
fn shrink(writer: &Connection) -> Result<()> {
    let mut statement = writer.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    // Each row is a page.
    while rows.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests;
