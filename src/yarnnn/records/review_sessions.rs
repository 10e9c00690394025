//! Who is signed in to the review page. Only hashes of cookies and tokens are stored.

use super::Tx;
use crate::model::Millis;
use crate::sql::Result;

/// A session of the review page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedIn {
    /// The user.
    pub user_id: String,
    /// Their workspace.
    pub workspace_id: String,
    /// SHA-256 of the integration token, whose revocation ends the session; none for a JWT.
    pub token_hash: Option<String>,
    /// When it ends.
    pub expires_at: Millis,
}

/// Adds a session, and removes those that ended.
pub(crate) fn add(tx: &mut Tx<'_>, cookie: &str, session: &SignedIn, now: Millis) -> Result<()> {
    tx.execute("DELETE FROM review_sessions WHERE expires_at < $1", &[now.into()])?;
    tx.execute(
        "INSERT INTO review_sessions (cookie_hash, user_id, workspace_id, token_hash, expires_at)
         VALUES ($1, $2, $3, $4, $5)",
        &[
            cookie.into(),
            (&session.user_id).into(),
            (&session.workspace_id).into(),
            session.token_hash.as_deref().into(),
            session.expires_at.into(),
        ],
    )
    .map(drop)
}

/// The session of a cookie that has not ended.
pub(crate) fn find(tx: &mut Tx<'_>, cookie: &str, now: Millis) -> Result<Option<SignedIn>> {
    let found = tx.first(
        "SELECT * FROM review_sessions WHERE cookie_hash = $1 AND expires_at > $2",
        &[cookie.into(), now.into()],
    )?;
    found
        .map(|row| {
            Ok(SignedIn {
                user_id: row.get("user_id")?,
                workspace_id: row.get("workspace_id")?,
                token_hash: row.get("token_hash")?,
                expires_at: row.get("expires_at")?,
            })
        })
        .transpose()
}

/// Ends a session.
pub(crate) fn remove(tx: &mut Tx<'_>, cookie: &str) -> Result<()> {
    tx.execute("DELETE FROM review_sessions WHERE cookie_hash = $1", &[cookie.into()]).map(drop)
}
