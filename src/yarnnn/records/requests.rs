//! Answers to past writes, so that a repeated request gets the same answer and writes nothing.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Tx, json, unjson};
use crate::model::Millis;
use crate::sql::Result;

/// A request and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredAnswer<A> {
    /// SHA-256 of the request.
    pub content_hash: String,
    /// The answer.
    pub answer: A,
    /// When.
    pub at: Millis,
    /// The key was derived from the request and expires.
    pub derived: bool,
}

/// The stored answer to a request.
pub(crate) fn find<A: DeserializeOwned>(
    tx: &mut Tx<'_>,
    workspace: &str,
    key: &str,
) -> Result<Option<StoredAnswer<A>>> {
    let found = tx.first(
        "SELECT content_hash, answer, at, derived FROM write_requests
         WHERE workspace_id = $1 AND request_key = $2",
        &[workspace.into(), key.into()],
    )?;
    found
        .map(|row| {
            Ok(StoredAnswer {
                content_hash: row.get("content_hash")?,
                answer: unjson(row.get("answer")?)?,
                at: row.get("at")?,
                derived: row.get("derived")?,
            })
        })
        .transpose()
}

/// Stores an answer, replacing an older one.
pub(crate) fn add<A: Serialize>(
    tx: &mut Tx<'_>,
    workspace: &str,
    key: &str,
    answered: &StoredAnswer<A>,
) -> Result<()> {
    tx.execute(
        "INSERT INTO write_requests (workspace_id, request_key, content_hash, answer, at, derived)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (workspace_id, request_key) DO UPDATE SET
           content_hash = excluded.content_hash, answer = excluded.answer, at = excluded.at",
        &[
            workspace.into(),
            key.into(),
            (&answered.content_hash).into(),
            json(&answered.answer)?,
            answered.at.into(),
            answered.derived.into(),
        ],
    )
    .map(drop)
}

/// Deletes older derived keys.
pub(crate) fn delete_expired(tx: &mut Tx<'_>, before: Millis) -> Result<u64> {
    tx.execute("DELETE FROM write_requests WHERE derived AND at < $1", &[before.into()])
}
