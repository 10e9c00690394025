//! Writes that were answered, so that a repeated one gets the same answer and writes nothing.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Tx, json, unjson};
use crate::model::Millis;
use crate::sql::Result;

/// What is known of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredAnswer<A> {
    /// SHA-256 of what was asked.
    pub content_hash: String,
    /// What was answered.
    pub answer: A,
    /// When.
    pub at: Millis,
    /// The key was made of the request and is forgotten after a while.
    pub derived: bool,
}

/// The answer to a request, when it was made before.
pub fn find<A: DeserializeOwned>(
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

/// Remembers an answer, in place of an older one.
pub fn add<A: Serialize>(
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

/// Forgets derived keys that are older.
pub fn delete_expired(tx: &mut Tx<'_>, before: Millis) -> Result<u64> {
    tx.execute("DELETE FROM write_requests WHERE derived AND at < $1", &[before.into()])
}
