//! SQLite: one file, one writer, several readers, several processes.
//!
//! WAL, so that readers never wait for the writer. Every acknowledged write is on disk. Only the owner
//! can read the file. Each document is one row with its JSON text as served, and the few columns that
//! it is looked up by. Rows of a project have adjacent numbers, so that whole collections are read in
//! one scan and searches stay within the project.

mod error;
mod read;
mod schema;
mod search;
mod users;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params};
use serde_json::Value;

use super::error::{Kind, Result, StoreError};
use super::search_terms::{Page, Search};
use super::{
    AuditEvent, Collection, Commit, Documents, Edition, ProjectLocks, Reading, Scope, Store, World,
};
use crate::model::{Id, ObjectType, Project, PromptPack, Snapshot, Tenant, User};

/// Readers that are kept open.
const IDLE_READERS: usize = 4;
/// Memory that a reader keeps for pages of the file, in KiB: a large story and its index.
const CACHE: u32 = 32 << 10;
/// Statements that each connection keeps prepared.
const STATEMENTS: usize = 64;
/// A project's rows are numbered from its own number times this.
const ROWS: u32 = 32;

/// A store in a file.
pub(crate) struct Sqlite {
    file: PathBuf,
    wait: Duration,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    locks: ProjectLocks,
}

/// A project as the tables know it.
#[derive(Clone, Copy)]
struct ProjectRow {
    number: i64,
    revision: u64,
}

impl ProjectRow {
    /// The first and the last number that its rows can have.
    fn rows(self) -> (i64, i64) {
        let first = self.number << ROWS;
        (first, first + (1 << ROWS) - 1)
    }
}

impl Sqlite {
    /// Opens or creates the file. `wait` is for other processes' writes.
    pub(crate) fn open(file: &Path, wait: Duration) -> Result<Self> {
        if file.as_os_str().is_empty() || file.as_os_str().as_encoded_bytes().starts_with(b":") {
            return Err(Kind::Broken.because(format!(
                "`{}` is not a usable database file. Name a path.",
                file.display()
            )));
        }
        toolwright_platform::sqlite::private(file).map_err(|error| {
            Kind::Denied.because(format!(
                "The database file `{}` cannot be created: {error}.",
                file.display()
            ))
        })?;
        let mut writer = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE, wait)?;
        toolwright_platform::sqlite::write_ahead(&writer, wait)?;
        writer.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA journal_size_limit = 16777216;",
        )?;
        schema::migrate(&mut writer)?;
        let (writer, readers) = (Mutex::new(writer), Mutex::default());
        Ok(Self { file: file.to_owned(), wait, writer, readers, locks: ProjectLocks::default() })
    }

    /// Runs `work` as a transaction: all of it, or nothing when it fails.
    fn writing<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    /// Runs `work` on one committed state.
    fn reading<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => connect(&self.file, OpenFlags::SQLITE_OPEN_READ_ONLY, self.wait)?,
        };
        let transaction = reader.transaction()?;
        let done = work(&transaction);
        transaction.finish()?;
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(reader);
        }
        done
    }

    /// Runs `work` on one committed state of a project.
    fn within<T>(
        &self,
        scope: &Scope,
        work: impl FnOnce(&Connection, ProjectRow) -> Result<T>,
    ) -> Result<T> {
        self.reading(|reader| work(reader, project_row(reader, scope)?))
    }
}

fn project_row(connection: &Connection, scope: &Scope) -> Result<ProjectRow> {
    connection
        .prepare_cached("SELECT number, revision FROM projects WHERE id = ?1 AND tenant = ?2")?
        .query_row(params![scope.project, scope.tenant], |row| {
            Ok(ProjectRow { number: row.get(0)?, revision: row.get(1)? })
        })
        .optional()?
        .ok_or_else(|| StoreError::missing("project"))
}

fn connect(file: &Path, flags: OpenFlags, wait: Duration) -> Result<Connection> {
    let connection = toolwright_platform::sqlite::connect(file, flags, wait, STATEMENTS)?;
    connection.pragma_update(None, "cache_size", -i64::from(CACHE))?;
    Ok(connection)
}

impl Store for Sqlite {
    fn ping(&self) -> Result<()> {
        self.reading(|reader| {
            Ok(reader.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?)
        })
    }

    fn create_tenant(&self, tenant: &Tenant) -> Result<()> {
        self.writing(|writer| users::create_tenant(writer, tenant))
    }

    fn tenants(&self) -> Result<Vec<Tenant>> {
        self.reading(users::tenants)
    }

    fn tenant(&self, id: &str) -> Result<Tenant> {
        self.reading(|reader| users::tenant(reader, id))
    }

    fn add_user(&self, user: &User) -> Result<()> {
        self.writing(|writer| users::add_user(writer, user))
    }

    fn users(&self, tenant: &str) -> Result<Vec<User>> {
        self.reading(|reader| users::users(reader, tenant))
    }

    fn user(&self, tenant: &str, id: &str) -> Result<User> {
        self.reading(|reader| users::user(reader, tenant, id))
    }

    fn user_by_email(&self, tenant: &str, email: &str) -> Result<User> {
        self.reading(|reader| users::user_by_email(reader, tenant, email))
    }

    fn create_project(&self, world: &World, event: &AuditEvent) -> Result<()> {
        world.check(event)?;
        self.writing(|writer| write::create_project(writer, world, event))
    }

    fn projects(&self, tenant: &str) -> Result<Vec<Project>> {
        self.reading(|reader| read::projects(reader, tenant))
    }

    fn project(&self, scope: &Scope) -> Result<Project> {
        self.within(scope, read::project)
    }

    fn whole_project(&self, scope: &Scope) -> Result<Value> {
        self.within(scope, read::whole_project)
    }

    fn project_revision(&self, scope: &Scope) -> Result<u64> {
        self.within(scope, |_, project_row| Ok(project_row.revision))
    }

    fn document(&self, scope: &Scope, collection: Collection, id: &str) -> Result<String> {
        self.within(scope, |reader, project_row| {
            read::document(reader, project_row, collection, id)
        })
    }

    fn documents(&self, scope: &Scope, collection: Collection, ids: &[Id]) -> Result<Documents> {
        self.within(scope, |reader, project_row| {
            read::documents(reader, project_row, collection, ids)
        })
    }

    fn whole(&self, scope: &Scope, collection: Collection, id: &str) -> Result<Value> {
        self.within(scope, |reader, project_row| read::all_of(reader, project_row, collection, id))
    }

    fn read(&self, scope: &Scope, collections: &[Collection]) -> Result<Reading> {
        self.within(scope, |reader, project_row| {
            read::collections(reader, project_row, collections, false)
        })
    }

    fn read_whole(&self, scope: &Scope, collections: &[Collection]) -> Result<Reading> {
        self.within(scope, |reader, project_row| {
            read::collections(reader, project_row, collections, true)
        })
    }

    fn search(&self, scope: &Scope, search: &Search) -> Result<Page> {
        self.within(scope, |reader, project_row| search::search(reader, project_row, search))
    }

    fn pack_by_input(
        &self,
        scope: &Scope,
        node: &str,
        input_hash: &str,
    ) -> Result<Option<PromptPack>> {
        self.within(scope, |reader, project_row| {
            read::pack_by_input(reader, project_row, node, input_hash)
        })
    }

    fn latest_pack(&self, scope: &Scope, node: &str) -> Result<Option<PromptPack>> {
        self.within(scope, |reader, project_row| read::latest_pack(reader, project_row, node))
    }

    fn history(&self, scope: &Scope, object: ObjectType, id: &str) -> Result<Vec<Edition>> {
        self.within(scope, |reader, project_row| read::history(reader, project_row, object, id))
    }

    fn version(
        &self,
        scope: &Scope,
        object: ObjectType,
        id: &str,
        number: u64,
    ) -> Result<Snapshot> {
        self.within(scope, |reader, project_row| {
            read::version(reader, project_row, object, id, number)
        })
    }

    fn events(&self, scope: &Scope, object: Option<&str>, limit: u32) -> Result<Vec<AuditEvent>> {
        self.within(scope, |reader, project_row| read::events(reader, project_row, object, limit))
    }

    fn commit(&self, scope: &Scope, commit: &Commit) -> Result<u64> {
        commit.check(scope)?;
        self.writing(|writer| write::commit(writer, project_row(writer, scope)?, commit))
    }

    fn locks(&self) -> &ProjectLocks {
        &self.locks
    }
}
