//! The tables: one file for each kind of record, with all statements that touch it.
//!
//! Functions take a running transaction, so the caller decides what is atomic. Every
//! read and write of a workspace's records names the workspace: an id of another one is not found.
//! Knows SQL and plain data; decides nothing.

pub mod activity;
pub(crate) mod basket_vectors;
pub mod baskets;
pub mod blocks;
pub mod captures;
pub(crate) mod consents;
pub mod dump_vectors;
pub mod dumps;
pub(crate) mod erasure;
pub mod governance;
pub(crate) mod items;
pub mod members;
pub(crate) mod proposals;
pub(crate) mod reembed;
pub(crate) mod reindex;
pub(crate) mod relations;
pub(crate) mod requests;
pub(crate) mod review_sessions;
pub(crate) mod reviews;
pub(crate) mod signals;
pub(crate) mod signatures;
pub mod substrate;
pub(crate) mod timeline;
pub(crate) mod tokens;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sql::{Kind, Migration, Result, Transaction, Value};

/// The migrations that create the tables.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        sqlite: include_str!("schema/1.sqlite.sql"),
        postgres: include_str!("schema/1.postgres.sql"),
    },
    Migration {
        number: 2,
        sqlite: include_str!("schema/2.sql"),
        postgres: include_str!("schema/2.sql"),
    },
    Migration {
        number: 3,
        sqlite: include_str!("schema/3.sql"),
        postgres: include_str!("schema/3.sql"),
    },
    Migration {
        number: 4,
        sqlite: include_str!("schema/4.sqlite.sql"),
        postgres: include_str!("schema/4.postgres.sql"),
    },
    Migration {
        number: 5,
        sqlite: concat!(include_str!("schema/6.sql"), include_str!("schema/6.sqlite.sql")),
        postgres: concat!(include_str!("schema/6.sql"), include_str!("schema/6.postgres.sql")),
    },
];

/// A running transaction.
pub type Tx<'a> = dyn Transaction + 'a;

/// User, host and session of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The user.
    pub user_id: String,
    /// `claude`, `chatgpt`, `web`, `cli` or `agent:<name>`.
    pub host: String,
    /// The host's session, if known.
    pub session: Option<String>,
}

/// A value for a column with JSON text.
fn json<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_string(value).map(Value::from).map_err(|error| {
        Kind::Broken.because("A record cannot be written as JSON.").internal(error)
    })
}

/// Reads what [`json`] wrote.
fn unjson<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Kind::Broken.because("A stored record is damaged.").internal(error))
}

/// A stored word that this release does not know.
fn unknown_word(column: &str) -> super::sql::Error {
    Kind::Broken.because(format!("A stored `{column}` is not known to this release."))
}
