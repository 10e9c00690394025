//! Integration tokens: only their hashes are stored.

use super::Tx;
use crate::auth::StoredToken;
use crate::model::Millis;
use crate::sql::Result;

/// Resolution of `last_used_at` in milliseconds, so that not every read writes.
const USE_STEP: Millis = 60_000;

/// A token, as the list of tokens shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Its id; not the token.
    pub id: String,
    /// Whose it is.
    pub user_id: String,
    /// What it is for.
    pub description: String,
    /// When it was created.
    pub created_at: Millis,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
    /// When it was last used.
    pub last_used_at: Option<Millis>,
}

/// Stores a new token's hash.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    id: &str,
    hash: &str,
    user: &str,
    workspace: &str,
    description: &str,
    at: Millis,
) -> Result<()> {
    tx.execute(
        "INSERT INTO integration_tokens
           (id, token_hash, user_id, workspace_id, description, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[id.into(), hash.into(), user.into(), workspace.into(), description.into(), at.into()],
    )
    .map(drop)
}

/// The token with this hash, and whether its last use should be updated.
pub(crate) fn find(
    tx: &mut Tx<'_>,
    hash: &str,
    now: Millis,
) -> Result<Option<(StoredToken, bool)>> {
    let found = tx.first(
        "SELECT user_id, workspace_id, revoked_at, last_used_at
         FROM integration_tokens WHERE token_hash = $1",
        &[hash.into()],
    )?;
    found
        .map(|row| {
            let used: Option<Millis> = row.get("last_used_at")?;
            let stored = StoredToken {
                user_id: row.get("user_id")?,
                workspace_id: row.get("workspace_id")?,
                revoked_at: row.get("revoked_at")?,
            };
            Ok((stored, used.is_none_or(|used| now.saturating_sub(used) >= USE_STEP)))
        })
        .transpose()
}

/// Updates a token's last use.
pub(crate) fn mark_used(tx: &mut Tx<'_>, hash: &str, at: Millis) -> Result<()> {
    tx.execute(
        "UPDATE integration_tokens SET last_used_at = $2
         WHERE token_hash = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
        &[hash.into(), at.into()],
    )
    .map(drop)
}

/// The tokens of a workspace, the oldest first.
pub(crate) fn list(tx: &mut Tx<'_>, workspace: &str) -> Result<Vec<TokenRow>> {
    tx.query(
        "SELECT id, user_id, description, created_at, revoked_at, last_used_at
         FROM integration_tokens WHERE workspace_id = $1 ORDER BY created_at, id",
        &[workspace.into()],
    )?
    .iter()
    .map(|row| {
        Ok(TokenRow {
            id: row.get("id")?,
            user_id: row.get("user_id")?,
            description: row.get("description")?,
            created_at: row.get("created_at")?,
            revoked_at: row.get("revoked_at")?,
            last_used_at: row.get("last_used_at")?,
        })
    })
    .collect()
}

/// Revokes a token; false when the workspace has no such token. The first revocation counts.
pub(crate) fn revoke(tx: &mut Tx<'_>, workspace: &str, id: &str, at: Millis) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE integration_tokens SET revoked_at = coalesce(revoked_at, $3)
         WHERE workspace_id = $1 AND id = $2",
        &[workspace.into(), id.into(), at.into()],
    )?;
    Ok(changed == 1)
}
