//! PostgreSQL: a server that several machines share.
//!
//! Writes are SERIALIZABLE and retried when the server reports a conflict. A connection that
//! died while idle is replaced silently; one that dies in a transaction fails that
//! transaction, and the next one reconnects. Connections are encrypted according to `sslmode`.

mod codec;
mod error;
mod sslmode;
mod verify;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ::postgres::error::SqlState;
use ::postgres::types::ToSql;
use ::postgres::{Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use self::codec::{Bound, Cell};
use self::sslmode::Encryption;
use super::error::{Error, Kind, Result};
use super::pool::{Pool, PooledConnection};
use super::session::{self, Backend, Failure, Outcome, Retry};
use super::value::{Row, Value, storable};
use super::{Dialect, Mode, Options, Transaction};

/// Statements that each connection keeps prepared.
const STATEMENTS: usize = 256;
/// Two parts of a lock's name: ours, and the schema that is migrated.
const MIGRATE: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SELECT pg_advisory_xact_lock(1635021425, hashtext(current_schema()));
    SET LOCAL statement_timeout = 0";

/// A server and the connections to it.
pub(super) struct Postgres {
    config: Config,
    tls: MakeRustlsConnect,
    options: Options,
    pool: Pool<Connection>,
    /// Held by a transaction that is retried: conflicting ones run one after another.
    retry: Pool<()>,
}

/// One connection and what is prepared on it.
pub(super) struct Connection {
    client: Client,
    prepared: BTreeMap<String, Statement>,
}

impl Postgres {
    /// Parses the URL; connects on first use.
    pub(super) fn open(url: &str, options: Options) -> Result<Self> {
        let (url, encryption) = Encryption::take(url)?;
        let mut config: Config = url.parse().map_err(|error| {
            Kind::Broken
                .because("The database URL is malformed. Use `postgres://user@host:5432/name`.")
                .internal(error::chain(&error))
        })?;
        encryption.set(&mut config);
        if config.get_application_name().is_none() {
            config.application_name("yarnnn");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(options.wait);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(options.statement);
        }
        config.keepalives_idle(Duration::from_secs(30));
        let (tls, pool) = (encryption.connector()?, Pool::new(options.connections, options.line));
        let retry = Pool::new(1, options.wait);
        Ok(Self { config, tls, options, pool, retry })
    }

    fn connect(&self) -> Result<Connection> {
        let limit = self.options.statement.as_millis().min(i32::MAX as u128);
        let connect = || {
            let mut client = self.config.connect(self.tls.clone())?;
            client.batch_execute(&format!(
                "SET statement_timeout = {limit}; SET idle_in_transaction_session_timeout = {limit};
                 SET client_min_messages = warning"
            ))?;
            Ok(Connection { client, prepared: BTreeMap::new() })
        };
        connect().map_err(|error| error::connecting(&error))
    }

    /// A connection with a transaction on it.
    fn begin(&self, mode: Mode) -> Result<PooledConnection<'_, Connection>> {
        let begin = match mode {
            Mode::Read => "START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Mode::Write => "START TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            Mode::Migrate => MIGRATE,
        };
        loop {
            let mut lease = self.pool.acquire(|| self.connect())?;
            let Err(error) = lease.get()?.client.batch_execute(begin) else { return Ok(lease) };
            let failure = error::failure(&error);
            if !lease.used || failure.retry != Retry::Lost {
                return Err(failure.error);
            }
            // It died in the pool. So did its neighbours, most likely; nothing was asked yet.
            drop(lease);
            self.pool.drain();
        }
    }

    /// Whether the server answers in time.
    pub(super) fn ping(&self) -> Result<()> {
        loop {
            let mut lease = self.pool.acquire(|| self.connect())?;
            let Err(error) = lease.get()?.client.is_valid(self.options.wait) else {
                lease.keep();
                return Ok(());
            };
            if !lease.used {
                return Err(error::connecting(&error));
            }
        }
    }

    /// Vacuums the tables. Those of another owner are left out: the server only warns.
    pub(super) fn purge(&self, tables: &[&str]) -> Result<()> {
        // A new connection: vacuuming must not be in a transaction, and has no time limit.
        let mut connection = self.connect()?;
        let mut run = |statement: &str| {
            connection.client.batch_execute(statement).map_err(|error| error::failure(&error).error)
        };
        run("SET statement_timeout = 0")?;
        tables.iter().try_for_each(|table| run(&format!("VACUUM {table}")))
    }

    /// Runs `work` as a transaction, with retries.
    pub(super) fn run<T, E: From<Error>>(
        &self,
        mode: Mode,
        mut work: impl FnMut(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut attempt = 1;
        loop {
            // Who waits too long for it goes all the same.
            let turn = (attempt > 1).then(|| self.retry.acquire(|| Ok(()))).and_then(Result::ok);
            let mut lease = self.begin(mode)?;
            let connection = lease.get()?;
            let (error, retry) = match session::run(connection, &mut work) {
                Outcome::Done(done) => match connection.client.batch_execute("COMMIT") {
                    Ok(()) => {
                        lease.keep();
                        return Ok(done);
                    }
                    Err(error) => {
                        let mut failure = error::failure(&error);
                        failure.error.in_doubt = failure.retry == Retry::Lost && mode != Mode::Read;
                        (failure.error.into(), failure.retry)
                    }
                },
                Outcome::Failed(error, retry) => (error, retry),
            };
            let lost = retry == Retry::Lost || connection.client.batch_execute("ROLLBACK").is_err();
            if lost {
                drop(lease);
                self.pool.drain();
            } else {
                lease.keep();
            }
            let repeat = match retry {
                Retry::No => false,
                Retry::Collided => attempt < self.options.attempts,
                Retry::Lost => mode == Mode::Read && attempt == 1,
            };
            if !repeat {
                return Err(error);
            }
            drop(turn);
            // One of those that collide always gets through; the others step back a little.
            std::thread::sleep(Duration::from_millis(u64::from(attempt.min(20))));
            attempt += 1;
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Closing blocks, which is not allowed on every thread that may hold the last handle.
        let idle = self.pool.drain();
        if !idle.is_empty() {
            let _ = std::thread::spawn(move || drop(idle)).join();
        }
    }
}

impl Connection {
    /// The statement, prepared once per connection, and whether it was there already.
    fn prepare(&mut self, sql: &str) -> Result<(Statement, bool), Failure> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok((statement.clone(), true));
        }
        let statement = self.client.prepare(sql).map_err(|error| error::failure(&error))?;
        if self.prepared.len() >= STATEMENTS {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok((statement, false))
    }

    fn run<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        rows: bool,
        run: impl FnOnce(
            &mut Client,
            &Statement,
            &[&(dyn ToSql + Sync)],
        ) -> Result<T, ::postgres::Error>,
    ) -> Result<T, Failure> {
        let (statement, cached) = self.prepare(sql)?;
        if !rows {
            session::no_rows(statement.columns().len())?;
        }
        storable(values, statement.params().len())?;
        codec::fits(values, statement.params())?;
        let bound: Vec<Bound<'_>> = values.iter().map(Bound).collect();
        let bound: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|value| value as _).collect();
        run(&mut self.client, &statement, &bound).map_err(|error| {
            // Somebody changed the table, or a proxy gave us another connection to the server.
            let stale = [SqlState::FEATURE_NOT_SUPPORTED, SqlState::INVALID_SQL_STATEMENT_NAME];
            let mut failure = error::failure(&error);
            if cached && error.code().is_some_and(|code| stale.contains(code)) {
                self.prepared.clear();
                failure.retry = Retry::Collided;
            }
            failure
        })
    }
}

impl Backend for Connection {
    const DIALECT: Dialect = Dialect::Postgres;

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Failure> {
        self.run(sql, values, false, |client, statement, values| client.execute(statement, values))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Failure> {
        let rows = self
            .run(sql, values, true, |client, statement, values| client.query(statement, values))?;
        let Some(first) = rows.first() else { return Ok(Vec::new()) };
        let names: Arc<[String]> =
            first.columns().iter().map(|column| column.name().to_owned()).collect();
        rows.iter()
            .map(|row| {
                let cells = (0..names.len()).map(|index| row.try_get::<_, Cell>(index));
                let values = cells.map(|cell| cell.map(|cell| cell.0)).collect::<Result<_, _>>();
                Ok(Row::new(names.clone(), values.map_err(|error| error::failure(&error))?))
            })
            .collect()
    }

    fn batch(&mut self, sql: &str) -> Result<(), Failure> {
        self.client.batch_execute(sql).map_err(|error| error::failure(&error))
    }
}
