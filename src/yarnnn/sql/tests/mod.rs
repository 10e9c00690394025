//! Tests of the database layer: most run on both databases, some on one.

mod concurrency;
mod contract;
mod errors;
mod migrations;
mod server;
mod tls;

use std::time::Duration;

use tempfile::TempDir;

use super::testing;
use super::{Database, Error, Kind, Options, Result, Transaction, Value};

/// The databases that a test runs on, each empty.
struct Both {
    urls: Vec<String>,
    // Removed when the test ends.
    _folder: TempDir,
}

fn both() -> Both {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("y.db").display().to_string();
    let urls = [Some(file), testing::postgres()].into_iter().flatten().collect();
    Both { urls, _folder: folder }
}

/// Runs `test` on each database.
fn on_both(test: impl Fn(&Database)) {
    for url in &both().urls {
        let database = open(url);
        eprintln!("on {:?}", database.dialect());
        test(&database);
    }
}

/// On a slow disk, who waits for others' writes to a file may wait for all of them.
fn open(url: &str) -> Database {
    let wait = Duration::from_secs(60);
    Database::open(url, Options { wait, ..Options::default() }).unwrap()
}

fn batch(database: &Database, sql: &str) {
    write(database, |transaction| transaction.batch(sql)).unwrap();
}

/// `write` for closures that use `?`, which leaves the kind of error open.
fn write<T>(database: &Database, work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> Result<T> {
    database.write(work)
}

fn execute(database: &Database, sql: &str, values: &[Value]) -> Result<u64> {
    database.write(|transaction| transaction.execute(sql, values))
}

/// The first column of the first row.
fn scalar(database: &Database, sql: &str, values: &[Value]) -> Result<Value> {
    database.read(|transaction| {
        let row = transaction.first(sql, values)?;
        let value = row.and_then(|row| row.into_values().into_iter().next());
        value.ok_or_else(|| Kind::Broken.because("no row"))
    })
}

fn count(database: &Database, table: &str) -> i64 {
    match scalar(database, &format!("SELECT count(*) FROM {table}"), &[]) {
        Ok(Value::Int(count)) => count,
        other => panic!("{other:?}"),
    }
}

fn kind<T: std::fmt::Debug>(result: Result<T>) -> Kind {
    result.map_err(|error: Error| error.kind).unwrap_err()
}
