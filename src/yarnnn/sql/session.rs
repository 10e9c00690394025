//! What a closure sees of its transaction, the same over both databases.
//!
//! The first failure is kept, so that the transaction ends as it must whatever the closure makes of
//! the error. Knows no connection.

use super::error::{Error, Kind, Result};
use super::value::Row;
use super::{Dialect, Transaction, Value};

/// A connection with a transaction on it.
pub(super) trait Raw {
    const DIALECT: Dialect;
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Failure>;
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Failure>;
    fn batch(&mut self, sql: &str) -> Result<(), Failure>;
}

/// Whether the whole transaction may be run once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// It would fail the same way, or nobody knows.
    No,
    /// It collided with another one and was undone.
    Collided,
    /// The connection is gone.
    Lost,
}

/// A statement that failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) again: Again,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, again: Again::No }
    }
}

/// Refuses a statement with an answer where only a count is wanted: one of the databases does.
pub(super) fn no_rows(columns: usize) -> Result<()> {
    match columns {
        0 => Ok(()),
        _ => Err(Kind::Broken.because("The statement returns rows: use `query` for it.")),
    }
}

/// How a closure ended.
pub(super) enum End<T, E> {
    /// To be committed.
    Done(T),
    /// To be undone.
    Failed(E, Again),
}

struct Session<'a, R> {
    raw: &'a mut R,
    failed: Option<Failure>,
}

/// Runs `work` in the transaction that `raw` has begun.
pub(super) fn run<R: Raw, T, E: From<Error>>(
    raw: &mut R,
    work: &mut impl FnMut(&mut dyn Transaction) -> Result<T, E>,
) -> End<T, E> {
    let mut session = Session { raw, failed: None };
    let result = work(&mut session);
    match (result, session.failed) {
        (Ok(done), None) => End::Done(done),
        (Ok(_), Some(failure)) => End::Failed(failure.error.into(), failure.again),
        (Err(error), None) => End::Failed(error, Again::No),
        // The closure may have put the failure into its own words.
        (Err(error), Some(failure)) => End::Failed(error, failure.again),
    }
}

impl<R: Raw> Session<'_, R> {
    fn step<T>(&mut self, step: impl FnOnce(&mut R) -> Result<T, Failure>) -> Result<T> {
        if let Some(failure) = &self.failed {
            return Err(Error::spoiled(&failure.error));
        }
        step(self.raw).map_err(|failure| {
            let error = failure.error.clone();
            self.failed = Some(failure);
            error
        })
    }
}

impl<R: Raw> Transaction for Session<'_, R> {
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
