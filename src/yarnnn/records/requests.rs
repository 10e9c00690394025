//! Writes that were answered, so that a repeated one gets the same answer and writes nothing.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Tx, json, unjson};
use crate::yarnnn::model::Millis;
use crate::yarnnn::sql::Result;

/// What is known of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered<A> {
    /// SHA-256 of what was asked.
    pub content_hash: String,
    /// What was answered.
    pub answer: A,
    /// When.
    pub at: Millis,
}

/// The answer to a request, when it was made before.
pub fn find<A: DeserializeOwned>(
    tx: &mut Tx<'_>,
    workspace: &str,
    key: &str,
) -> Result<Option<Answered<A>>> {
    let found = tx.first(
        "SELECT content_hash, answer, at FROM write_requests
         WHERE workspace_id = $1 AND request_key = $2",
        &[workspace.into(), key.into()],
    )?;
    found
        .map(|row| {
            Ok(Answered {
                content_hash: row.get("content_hash")?,
                answer: unjson(row.get("answer")?)?,
                at: row.get("at")?,
            })
        })
        .transpose()
}

/// Remembers an answer, in place of an older one.
pub fn add<A: Serialize>(
    tx: &mut Tx<'_>,
    workspace: &str,
    key: &str,
    answered: &Answered<A>,
) -> Result<()> {
    tx.execute(
        "INSERT INTO write_requests (workspace_id, request_key, content_hash, answer, at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (workspace_id, request_key) DO UPDATE SET
           content_hash = excluded.content_hash, answer = excluded.answer, at = excluded.at",
        &[
            workspace.into(),
            key.into(),
            (&answered.content_hash).into(),
            json(&answered.answer)?,
            answered.at.into(),
        ],
    )
    .map(drop)
}

/// Forgets derived keys that are older.
pub fn forget(tx: &mut Tx<'_>, prefix: &str, before: Millis) -> Result<u64> {
    tx.execute(
        "DELETE FROM write_requests WHERE at < $1 AND substr(request_key, 1, $3) = $2",
        &[before.into(), prefix.into(), i64::try_from(prefix.len()).unwrap_or(i64::MAX).into()],
    )
}
