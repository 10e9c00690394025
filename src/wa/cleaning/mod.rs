//! Migration that removes secrets from a database written before text was redacted.
//!
//! It runs once, when the first process of this release opens the file: every text is redacted, the
//! full-text index is rebuilt, and the file is rebuilt, so that not even its free pages hold old
//! bytes. No other process may have the file open meanwhile. A row in `meta` stores the progress; after
//! a crash the next process that opens the file continues there. The layout version is raised first,
//! so that older releases refuse the file from then on.

mod disk;
mod exclusive;
mod rows;
mod segments;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::error::Result;
use super::store::{self, LAYOUT, Store};

/// The row of `meta` that is there while the file is not clean.
const MARKER: &str = "cleaning";
/// Between two words about how far it has got.
const TOLD: Duration = Duration::from_secs(2);

/// Opens the workspace's database and cleans it first where that is necessary. `tell` receives
/// progress.
pub(crate) fn open(folder: &Path, schemas: &[&str], tell: &dyn Fn(&str)) -> Result<Store> {
    Store::open_prepared(folder, schemas, &|file, opening| {
        let Some(mut cleaner) = Cleaner::new(file)? else { return Ok(()) };
        let mut told: Option<Instant> = None;
        loop {
            if told.is_none_or(|at| at.elapsed() >= TOLD) {
                told = Some(Instant::now());
                let progress = cleaner.progress()?;
                opening.write_status(&format!("is removing secrets from it, {progress}"));
                tell(&format!("Removing secrets from `{}`: {progress}.", file.display()));
            }
            if !cleaner.step()? {
                break;
            }
        }
        cleaner.end()?;
        tell(&format!("`{}` no longer contains secrets.", file.display()));
        Ok(())
    })
}

/// How far it has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Segments, up to this number of this pane.
    Segments { pane: i64, seq: i64 },
    /// All other text.
    Rows,
    /// The file is rebuilt.
    Compact,
}

impl Phase {
    fn parse(text: &str) -> Self {
        let mut words = text.split(' ');
        match words.next() {
            Some("rows") => Self::Rows,
            Some("compact") => Self::Compact,
            _ => {
                let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
                Self::Segments { pane: number(), seq: number() }
            }
        }
    }

    fn write(self, connection: &Connection) -> Result<()> {
        let text = match self {
            Self::Segments { pane, seq } => format!("segments {pane} {seq}"),
            Self::Rows => "rows".to_owned(),
            Self::Compact => "compact".to_owned(),
        };
        let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        connection.prepare_cached(sql)?.execute([MARKER, &text])?;
        Ok(())
    }
}

/// Cleans a file, step by step; each is done whole or not at all.
struct Cleaner<'a> {
    file: &'a Path,
    connection: Connection,
    phase: Phase,
    total: i64,
}

impl<'a> Cleaner<'a> {
    /// For a file that is not clean. Refuses where another process has it open or the disk has no
    /// room; nothing is changed then.
    fn new(file: &'a Path) -> Result<Option<Self>> {
        let connection = store::connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let phase = unclean(&connection).map_err(|error| disk::full(file).unwrap_or(error))?;
        let Some(phase) = phase else { return Ok(None) };
        disk::check(file, &connection)?;
        exclusive::take(file, &connection)?;
        let sql = "SELECT count(*) FROM segments";
        let total = connection.query_row(sql, [], |row| row.get(0))?;
        let mut cleaner =
            Self { file, connection, phase: Phase::Segments { pane: 0, seq: 0 }, total };
        match phase {
            Some(phase) => cleaner.phase = phase,
            None => cleaner.begin()?,
        }
        Ok(Some(cleaner))
    }

    fn begin(&mut self) -> Result<()> {
        let transaction = self.connection.transaction()?;
        transaction.pragma_update(None, "user_version", LAYOUT)?;
        segments::empty_index(&transaction)?;
        self.phase.write(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// The next step; false when the file is clean but for the marker.
    fn step(&mut self) -> Result<bool> {
        match self.phase {
            Phase::Segments { pane, seq } => {
                let transaction = self.connection.transaction()?;
                self.phase = match segments::clean(&transaction, pane, seq)? {
                    Some((pane, seq)) => Phase::Segments { pane, seq },
                    None => Phase::Rows,
                };
                self.phase.write(&transaction)?;
                transaction.commit()?;
            }
            Phase::Rows => {
                let transaction = self.connection.transaction()?;
                rows::clean(&transaction)?;
                self.phase = Phase::Compact;
                self.phase.write(&transaction)?;
                transaction.commit()?;
            }
            Phase::Compact => {
                disk::check(self.file, &self.connection)?;
                self.connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn end(self) -> Result<()> {
        self.connection.execute("DELETE FROM meta WHERE key = ?1", [MARKER])?;
        Ok(())
    }

    fn progress(&self) -> Result<String> {
        let total = self.total;
        Ok(match self.phase {
            Phase::Segments { pane, seq } => {
                let sql = "SELECT count(*) FROM segments WHERE (pane, seq) <= (?1, ?2)";
                let done: i64 = self.connection.query_row(sql, [pane, seq], |row| row.get(0))?;
                format!("{done} of {total} segments of output done")
            }
            Phase::Rows => format!("all {total} segments of output done, other tables next"),
            Phase::Compact => "rebuilding the file".to_owned(),
        })
    }
}

/// `None` for a clean file, a new one, and one of a later release, which is refused by the process that opens
/// it. Otherwise how far an earlier process got, where one had begun.
fn unclean(connection: &Connection) -> Result<Option<Option<Phase>>> {
    let layout: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'segments', 'panes')";
    let tables: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    if layout > LAYOUT || tables < 3 {
        return Ok(None);
    }
    let sql = "SELECT value FROM meta WHERE key = ?1";
    let marker: Option<String> =
        connection.query_row(sql, [MARKER], |row| row.get(0)).optional()?;
    match marker {
        Some(marker) => Ok(Some(Some(Phase::parse(&marker)))),
        None if layout == LAYOUT => Ok(None),
        None => Ok(Some(None)),
    }
}
