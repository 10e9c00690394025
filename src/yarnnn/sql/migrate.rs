//! Schema migrations: numbered scripts that run once each, in order.
//!
//! All pending ones run in one transaction under a lock, so that of several processes one does
//! the work and a failed script leaves nothing. Knows no table but its own list.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::error::{Kind, Result};
use super::{Dialect, Transaction};

/// One migration. Once released it never changes; a change is a new migration.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// 1, 2, 3, …
    pub number: i64,
    /// The script for SQLite. Name every constraint that errors should name: `CREATE UNIQUE INDEX
    /// name`, `CONSTRAINT name CHECK (…)`.
    pub sqlite: &'static str,
    /// The script for PostgreSQL.
    pub postgres: &'static str,
}

impl Migration {
    fn script(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }
}

const LIST: &str = "CREATE TABLE IF NOT EXISTS schema_migrations
    (number BIGINT PRIMARY KEY, digest TEXT NOT NULL)";

/// The numbers must be 1, 2, 3, …
pub(super) fn check(migrations: &[Migration]) -> Result<()> {
    let wrong = migrations.iter().zip(1..).find(|(migration, number)| migration.number != *number);
    match wrong {
        None => Ok(()),
        Some((migration, number)) => Err(Kind::Broken
            .because(format!("Migration {} found where {number} is expected.", migration.number))),
    }
}

/// Runs pending migrations. The transaction holds the lock.
pub(super) fn run(transaction: &mut dyn Transaction, migrations: &[Migration]) -> Result<()> {
    transaction.batch(LIST)?;
    let done = transaction
        .query("SELECT number, digest FROM schema_migrations ORDER BY number", &[])?
        .iter()
        .map(|row| Ok((row.get::<i64>("number")?, row.get::<String>("digest")?)))
        .collect::<Result<Vec<_>>>()?;
    if done.len() > migrations.len() {
        return Err(Kind::Broken.because(format!(
            "The database was created by a later release (it has {} migrations, this one knows {}). \
             Use that release, or another database.",
            done.len(),
            migrations.len()
        )));
    }
    let dialect = transaction.dialect();
    for (index, migration) in migrations.iter().enumerate() {
        let script = migration.script(dialect);
        let digest = digest(script);
        match done.get(index) {
            Some((number, known)) if *number == migration.number && *known == digest => {}
            Some((number, _)) => {
                return Err(Kind::Broken.because(format!(
                    "Migration {number} of the database is not the one of this release. Use the \
                     release that made the database, or another database."
                )));
            }
            None => {
                transaction.batch(script)?;
                transaction.execute(
                    "INSERT INTO schema_migrations (number, digest) VALUES ($1, $2)",
                    &[migration.number.into(), digest.into()],
                )?;
            }
        }
    }
    Ok(())
}

fn digest(script: &str) -> String {
    Sha256::digest(script.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
