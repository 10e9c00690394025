//! Database access: one small interface over SQLite (one machine) and PostgreSQL (several).
//!
//! A statement is written once, with `$1 … $n` for its values, and runs on both. Other modules own
//! the tables and statements; this one connects, pools connections, runs closures
//! as transactions and classifies errors. It knows no table but its own list of
//! migrations, and no tool.
//!
//! On both databases:
//! - writes are atomic and serializable (SQLite: IMMEDIATE;
//!   PostgreSQL: SERIALIZABLE, retried on a conflict, so the closure may run several times);
//! - a read sees one committed state and cannot write;
//! - a failed statement aborts its transaction, even if the closure ignores the error; use
//!   `ON CONFLICT` where a conflict is expected;
//! - waiting for a connection has a limit, and so have the statements of PostgreSQL. The server
//!   enforces the latter; a frozen one that never answers is detected by [`Database::ping`] only.
//!
//! Everything here blocks: call it from threads for blocking work.

mod error;
mod migrate;
mod pool;
mod postgres;
mod session;
mod sqlite;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod value;

use std::time::Duration;

pub use self::error::{Constraint, Error, Kind, Result, Rule};
pub use self::migrate::Migration;
pub use self::value::{FromValue, Row, Value};

/// Which of the two databases it is, for the few statements that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// A running transaction. It ends with the closure that it is passed to.
pub trait Transaction {
    /// Which database this is.
    fn dialect(&self) -> Dialect;
    /// Runs a statement without result rows; returns how many rows it inserted, changed or deleted.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64>;
    /// Runs a statement that returns rows.
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>>;
    /// Runs several statements without values, such as a schema.
    fn batch(&mut self, sql: &str) -> Result<()>;
}

impl dyn Transaction + '_ {
    /// Runs a statement and returns its first row.
    pub fn first(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }
}

/// Limits. The defaults suit a server with a few dozen clients.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Connections at a time (SQLite: readers; there is one writer beside them).
    pub connections: usize,
    /// How long to wait for a free connection.
    pub line: Duration,
    /// How long to wait for another process's write, and for a connection to be established.
    pub wait: Duration,
    /// How long one statement may take (PostgreSQL), and how long a transaction may idle.
    pub statement: Duration,
    /// Attempts of a write that conflicts with another (PostgreSQL).
    pub attempts: u32,
}

impl Default for Options {
    fn default() -> Self {
        let [line, wait, statement] = [30, 5, 30].map(Duration::from_secs);
        Self { connections: 8, line, wait, statement, attempts: 40 }
    }
}

/// A database, shared by all threads.
pub struct Database {
    engine: Engine,
}

enum Engine {
    Sqlite(Box<sqlite::Sqlite>),
    Postgres(Box<postgres::Postgres>),
}

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Read,
    Write,
    Migrate,
}

impl Database {
    /// Opens `postgres://…` (or `postgresql://…`), or the SQLite file named by a path or
    /// `sqlite:path`. A missing file is created; a server is connected to on first use, so
    /// it may come up later. `sslmode` and `sslrootcert` of the URL
    /// have the meaning of libpq; across a network use `verify-full`.
    pub fn open(url: &str, options: Options) -> Result<Self> {
        let engine = match url.split_once(':') {
            Some(("postgres" | "postgresql", _)) => {
                Engine::Postgres(Box::new(postgres::Postgres::open(url, options)?))
            }
            Some(("sqlite", path)) => {
                let path = path.strip_prefix("//").unwrap_or(path);
                Engine::Sqlite(Box::new(sqlite::Sqlite::open(path.as_ref(), options)?))
            }
            Some((scheme, rest)) if rest.starts_with("//") => {
                return Err(Kind::Broken.because(format!(
                    "The database URL starts with `{scheme}:`, which is not supported. Use \
                     `postgres://user@host/name`, `sqlite:path` or a path."
                )));
            }
            _ => Engine::Sqlite(Box::new(sqlite::Sqlite::open(url.as_ref(), options)?)),
        };
        Ok(Self { engine })
    }

    /// Which database this is.
    pub fn dialect(&self) -> Dialect {
        match &self.engine {
            Engine::Sqlite(_) => Dialect::Sqlite,
            Engine::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs `work` as a transaction: all of it, or nothing if it fails. It may run several
    /// times; only the last run is committed, so it must have no side effects.
    pub fn write<T, E: From<Error>>(
        &self,
        work: impl FnMut(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.run(Mode::Write, work)
    }

    /// Runs `work` on one committed state, read-only. It may run several times.
    pub fn read<T, E: From<Error>>(
        &self,
        work: impl FnMut(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.run(Mode::Read, work)
    }

    /// Runs pending migrations; see [`Migration`]. Several processes may do so at once.
    pub fn migrate(&self, migrations: &[Migration]) -> Result<()> {
        self.migrate_and(migrations, |_| Ok(()))
    }

    /// The same, with additional work that no script can do; it runs every time, in the same
    /// transaction.
    pub fn migrate_and(
        &self,
        migrations: &[Migration],
        work: impl Fn(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        migrate::check(migrations)?;
        self.run(Mode::Migrate, |transaction| {
            migrate::run(transaction, migrations)?;
            work(transaction)
        })
    }

    /// Whether the database answers now.
    pub fn ping(&self) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite
                .run(Mode::Read, |file| file.query("SELECT count(*) FROM sqlite_schema", &[]))
                .map(drop),
            Engine::Postgres(postgres) => postgres.ping(),
        }
    }

    /// Removes what the database still keeps of deleted rows, outside of them. Takes time in
    /// proportion to the whole file (SQLite) or to these tables (PostgreSQL).
    pub fn purge(&self, tables: &[&str]) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.purge(),
            Engine::Postgres(postgres) => postgres.purge(tables),
        }
    }

    fn run<T, E: From<Error>>(
        &self,
        mode: Mode,
        work: impl FnMut(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.run(mode, work),
            Engine::Postgres(postgres) => postgres.run(mode, work),
        }
    }
}
