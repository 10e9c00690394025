//! The workspace's database: one SQLite file, shared by every process of the workspace.
//!
//! Each module owns its tables and passes in its schema; this one opens the file, maintains one writer
//! and a few readers, and runs closures on them. It knows no table.
//!
//! Invariants: writes are transactions that begin IMMEDIATE, so a read in them is as good as a lock;
//! readers see the last committed state and never wait for the writer; the file and its folder belong
//! to the user alone; deleted data is overwritten.

mod lock;

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use toolwright_platform::sqlite;

use super::error::{Error, Kind, Result};
pub use lock::Opening;

/// How long a process waits for another one's transaction.
const BUSY: Duration = Duration::from_secs(5);
/// Statements that each connection keeps prepared.
const STATEMENTS: usize = 64;
/// Readers that are kept open.
const IDLE_READERS: usize = 4;
/// The database in the workspace's folder.
pub const FILE: &str = "wa.db";
/// Layout of the tables. A file of a later layout is refused; one of an earlier layout has to be
/// prepared first. Since layout 2 no text holds secrets.
pub const LAYOUT: i64 = 2;

/// The database of one workspace.
pub struct Store {
    file: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl Store {
    /// Opens or creates `wa.db` in `folder`. `schemas` are `CREATE … IF NOT EXISTS` statements. A file
    /// of an earlier layout is refused.
    pub fn open(folder: &Path, schemas: &[&str]) -> Result<Self> {
        Self::open_prepared(folder, schemas, &|_, _| Ok(()))
    }

    /// The same; `prepare` may bring a file of an earlier layout to this one. Meanwhile no other
    /// process opens the file.
    pub fn open_prepared(
        folder: &Path,
        schemas: &[&str],
        prepare: &dyn Fn(&Path, &mut Opening) -> Result<()>,
    ) -> Result<Self> {
        private_folder(folder)?;
        let file = folder.join(FILE);
        let mut opening = Opening::take(folder, BUSY * 2)?;
        sqlite::private(&file).map_err(|error| unusable(&file, &error))?;
        prepare(&file, &mut opening)?;
        let mut writer = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // Before the first page is written, and so before the log is turned on.
        writer.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        sqlite::write_ahead(&writer, BUSY)?;
        writer.execute_batch(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA journal_size_limit = 16777216; PRAGMA recursive_triggers = ON;
             PRAGMA secure_delete = ON;",
        )?;
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let layout: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if layout > LAYOUT {
            return Err(Kind::Storage
                .because(format!(
                    "`{}` was created by a later release (layout {layout}; this release supports {LAYOUT}).",
                    file.display()
                ))
                .hint("Use that release, or another workspace."));
        }
        if (1..LAYOUT).contains(&layout) {
            return Err(Kind::Storage.because(format!(
                "`{}` has layout {layout} and was not migrated to layout {LAYOUT}.",
                file.display()
            )));
        }
        for schema in schemas {
            transaction.execute_batch(schema)?;
        }
        transaction.pragma_update(None, "user_version", LAYOUT)?;
        transaction.commit()?;
        Ok(Self { file, writer: Mutex::new(writer), readers: Mutex::default() })
    }

    /// The database file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Runs `work` in a transaction: all of it, or nothing when it fails.
    pub fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// Runs `work` on a connection that cannot write. Statements see one committed state each;
    /// begin a transaction for several.
    pub fn read<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let idle = self.readers().pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => connect(&self.file, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        let done = work(&mut reader);
        let mut readers = self.readers();
        if readers.len() < IDLE_READERS {
            readers.push(reader);
        }
        done
    }

    /// Runs `work` on the writer without a transaction: checkpoints, vacuum.
    pub fn maintain<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        work(&writer)
    }

    fn readers(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection as all of this workspace are.
pub fn connect(file: &Path, flags: OpenFlags) -> Result<Connection> {
    sqlite::connect(file, flags, BUSY, STATEMENTS).map_err(|error| unusable(file, &error))
}

/// Makes the folder for the user alone. One that exists is left as it is.
pub fn private_folder(folder: &Path) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| unusable(folder, &error))
}

pub(super) fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Kind::Storage
        .because(format!("`{}` cannot be used: {error}.", path.display()))
        .hint("Choose a writable workspace with --workspace or WA_WORKSPACE.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: &str = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT)";

    fn count(store: &Store) -> i64 {
        store
            .read(
                |reader| Ok(reader.query_row("SELECT count(*) FROM notes", [], |row| row.get(0))?),
            )
            .unwrap()
    }

    #[test]
    fn a_write_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join(".wa"), &[NOTES]).unwrap();
        let failed: Result<()> = store.write(|transaction| {
            transaction.execute("INSERT INTO notes (text) VALUES ('a')", [])?;
            Err(Kind::Workflow.because("no"))
        });
        assert!(failed.is_err());
        assert_eq!(count(&store), 0);
        store
            .write(|transaction| Ok(transaction.execute("INSERT INTO notes VALUES (1, 'a')", [])?))
            .unwrap();
        assert_eq!(count(&Store::open(&folder.path().join(".wa"), &[NOTES]).unwrap()), 1);
    }

    #[test]
    fn readers_cannot_write_and_the_files_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join(".wa"), &[NOTES]).unwrap();
        let refused = store.read(|reader| Ok(reader.execute("DELETE FROM notes", [])?));
        assert_eq!(refused.unwrap_err().kind, Kind::Storage);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(store.file()), 0o600);
        assert_eq!(mode(&folder.path().join(".wa")), 0o700);
    }

    #[test]
    fn a_later_layout_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &[NOTES]).unwrap();
        store.maintain(|writer| Ok(writer.pragma_update(None, "user_version", 99)?)).unwrap();
        drop(store);
        let refused = Store::open(folder.path(), &[NOTES]).err().unwrap();
        assert!(refused.message.contains("later release"), "{refused}");
    }
}
