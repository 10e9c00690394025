//! The transaction that a closure gets, the same over both databases.
//!
//! Remembers the first failure, so that the transaction is rolled back whatever the closure does
//! with the error. Knows no driver.

use super::error::{Error, Kind, Result};
use super::value::Row;
use super::{Dialect, Transaction, Value};

/// A connection with a transaction on it.
pub(super) trait Backend {
    const DIALECT: Dialect;
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Failure>;
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Failure>;
    fn batch(&mut self, sql: &str) -> Result<(), Failure>;
}

/// Whether the whole transaction may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// It would fail the same way, or the outcome is unknown.
    No,
    /// It conflicted with another one and was rolled back.
    Collided,
    /// The connection is gone.
    Lost,
}

/// A statement that failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) retry: Retry,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, retry: Retry::No }
    }
}

/// Refuses a statement with result rows in `execute`, since one of the databases does.
pub(super) fn no_rows(columns: usize) -> Result<()> {
    match columns {
        0 => Ok(()),
        _ => Err(Kind::Broken.because("The statement returns rows: use `query` for it.")),
    }
}

/// How a closure ended.
pub(super) enum Outcome<T, E> {
    /// Commit.
    Done(T),
    /// Roll back.
    Failed(E, Retry),
}

struct Session<'a, R> {
    raw: &'a mut R,
    failed: Option<Failure>,
}

/// Runs `work` in the transaction that `raw` has begun.
pub(super) fn run<R: Backend, T, E: From<Error>>(
    raw: &mut R,
    work: &mut impl FnMut(&mut dyn Transaction) -> Result<T, E>,
) -> Outcome<T, E> {
    let mut session = Session { raw, failed: None };
    let result = work(&mut session);
    match (result, session.failed) {
        (Ok(done), None) => Outcome::Done(done),
        (Ok(_), Some(failure)) => Outcome::Failed(failure.error.into(), failure.retry),
        (Err(error), None) => Outcome::Failed(error, Retry::No),
        // The closure may have put the failure into its own words.
        (Err(error), Some(failure)) => Outcome::Failed(error, failure.retry),
    }
}

impl<R: Backend> Session<'_, R> {
    fn step<T>(&mut self, step: impl FnOnce(&mut R) -> Result<T, Failure>) -> Result<T> {
        if let Some(failure) = &self.failed {
            return Err(Error::aborted(&failure.error));
        }
        step(self.raw).map_err(|failure| {
            let error = failure.error.clone();
            self.failed = Some(failure);
            error
        })
    }
}

impl<R: Backend> Transaction for Session<'_, R> {
    fn dialect(&self) -> Dialect {
        R::DIALECT
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        self.step(|raw| raw.execute(sql, values))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        self.step(|raw| raw.query(sql, values))
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.step(|raw| raw.batch(sql))
    }
}
