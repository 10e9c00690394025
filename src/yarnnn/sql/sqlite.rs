//! SQLite: one file, one writer, several readers.
//!
//! WAL mode, so readers never wait for the writer; every acknowledged write is synced to disk; the
//! file is private to the user. Several processes may share the file.

mod error;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OpenFlags, Statement, ToSql};
use toolwright_platform::sqlite;

use super::error::{Error, Kind, Result};
use super::pool::Pool;
use super::session::{self, Backend, Failure, Outcome};
use super::value::{Row, Value, storable};
use super::{Dialect, Mode, Options, Transaction};

/// Statements that each connection keeps prepared.
const STATEMENTS: usize = 256;

/// An open file.
pub(super) struct Sqlite {
    file: PathBuf,
    wait: Duration,
    /// Closed before the writer, which then checkpoints the log as the last connection.
    readers: Pool<Connection>,
    writer: Pool<Connection>,
}

impl Sqlite {
    /// Opens or creates the file.
    pub(super) fn open(file: &Path, options: Options) -> Result<Self> {
        if file.as_os_str().is_empty() || file.as_os_str().as_encoded_bytes().starts_with(b":") {
            return Err(Kind::Broken.because(format!(
                "`{}` is not a file that a database can be kept in. Name a path.",
                file.display()
            )));
        }
        sqlite::private(file).map_err(|error| {
            Kind::Denied.because(format!(
                "The database file `{}` cannot be created: {error}.",
                file.display()
            ))
        })?;
        let writer = Pool::new(1, options.line);
        let readers = Pool::new(options.connections, options.line);
        let sqlite = Self { file: file.to_owned(), wait: options.wait, readers, writer };
        sqlite.writer.acquire(|| sqlite.connect(Mode::Write))?.keep();
        Ok(sqlite)
    }

    fn connect(&self, mode: Mode) -> Result<Connection> {
        let flags = match mode {
            Mode::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Mode::Write | Mode::Migrate => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let open = || {
            let connection = sqlite::connect(&self.file, flags, self.wait, STATEMENTS)?;
            if mode != Mode::Read {
                sqlite::write_ahead(&connection, self.wait)?;
                connection.execute_batch(
                    "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
                     PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;
                     PRAGMA journal_size_limit = 16777216;",
                )?;
            }
            Ok(connection)
        };
        open().map_err(|error: rusqlite::Error| {
            error::error(&error).internal(format!("{}: {error}", self.file.display()))
        })
    }

    /// Runs `work` as a transaction.
    pub(super) fn run<T, E: From<Error>>(
        &self,
        mode: Mode,
        mut work: impl FnMut(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let (pool, begin) = match mode {
            Mode::Read => (&self.readers, "BEGIN DEFERRED"),
            Mode::Write | Mode::Migrate => (&self.writer, "BEGIN IMMEDIATE"),
        };
        let mut lease = pool.acquire(|| self.connect(mode))?;
        let connection = lease.get()?;
        connection.execute_batch(begin).map_err(|error| error::failure(connection, &error))?;
        let result = match session::run(connection, &mut work) {
            Outcome::Done(done) => match connection.execute_batch("COMMIT") {
                Ok(()) => Ok(done),
                Err(error) => Err(error::failure(connection, &error).into()),
            },
            Outcome::Failed(error, _) => Err(error),
        };
        // SQLite undoes some failed transactions by itself. A connection that cannot get out of
        // its transaction is closed, which undoes it, too.
        if connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok() {
            lease.keep();
        }
        result
    }
}

impl Sqlite {
    /// Rewrites the file from its rows and empties the log: free pages, gaps within pages and the log
    /// may still hold what was deleted, also by releases that did not overwrite it.
    pub(super) fn purge(&self) -> Result<()> {
        let mut lease = self.writer.acquire(|| self.connect(Mode::Write))?;
        let file = lease.get()?;
        let purged = file.execute_batch("VACUUM").and_then(|()| {
            file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        });
        let purged = purged.map_err(|error| error::error(&error));
        lease.keep();
        match purged? {
            0 => Ok(()),
            _ => Err(Kind::Unavailable.because("A reader of the database file keeps its log.")),
        }
    }
}

impl Backend for Connection {
    const DIALECT: Dialect = Dialect::Sqlite;

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Failure> {
        let before = self.total_changes();
        let mut statement = prepare(self, sql, values)?;
        session::no_rows(statement.column_count())?;
        let changes = statement.raw_execute().map_err(|error| error::failure(self, &error))?;
        // SQLite repeats the last count after statements that change no rows.
        Ok(if self.total_changes() == before { 0 } else { changes as u64 })
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Failure> {
        let mut statement = prepare(self, sql, values)?;
        let mut names: Option<Arc<[String]>> = None;
        let mut answer = Vec::new();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|error| error::failure(self, &error))? {
            // The first step re-prepares a statement that a migration made stale: so not before it.
            let names = names.get_or_insert_with(|| {
                let statement: &Statement<'_> = row.as_ref();
                statement.column_names().map(Into::into).collect()
            });
            let values = (0..names.len())
                .map(|index| {
                    value(row.get_ref(index).map_err(|error| error::failure(self, &error))?)
                })
                .collect::<Result<_>>()?;
            answer.push(Row::new(names.clone(), values));
        }
        Ok(answer)
    }

    fn batch(&mut self, sql: &str) -> Result<(), Failure> {
        Ok(self.execute_batch(sql).map_err(|error| error::failure(self, &error))?)
    }
}

/// SQLite numbers `$7` by its first use; values are bound by the number in the name.
fn prepare<'a>(
    connection: &'a Connection,
    sql: &str,
    values: &[Value],
) -> Result<CachedStatement<'a>> {
    let failure = |error: rusqlite::Error| error::failure(connection, &error);
    let mut statement = connection.prepare_cached(sql).map_err(failure)?;
    let places = (1..=statement.parameter_count())
        .map(|index| {
            let name = statement.parameter_name(index).unwrap_or("?");
            let place = name.strip_prefix('$').and_then(|number| number.parse::<usize>().ok());
            place.filter(|place| *place > 0).ok_or_else(|| {
                Kind::Broken.because(format!("`{name}` is not a place of a statement: use `$1`."))
            })
        })
        .collect::<Result<Vec<_>>>()?;
    let expected = places.iter().copied().max().unwrap_or(0);
    if let Some(unused) = (1..=expected).find(|place| !places.contains(place)) {
        return Err(Kind::Broken.because(format!("The statement does not use `${unused}`.")));
    }
    storable(values, expected)?;
    for (index, place) in places.into_iter().enumerate() {
        statement.raw_bind_parameter(index + 1, &values[place - 1]).map_err(failure)?;
    }
    Ok(statement)
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
            Self::Bool(yes) => ValueRef::Integer((*yes).into()),
        }))
    }
}

fn value(value: ValueRef<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_owned()),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => {
                return Err(Kind::Broken.because("The database holds text that is not UTF-8."));
            }
        },
    })
}
