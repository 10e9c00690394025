//! Integration tokens: creation, hashing, recognition and validation against the stored record.
//!
//! Only the SHA-256 of a token is ever stored. Tokens have 256 random bits, so a plain hash is
//! enough: there is nothing to guess.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolwright_runtime::clock::Ids;
use toolwright_runtime::digest::sha256_hex;

use super::{AuthError, Identity, TokenKind};
use crate::model::Millis;

/// Prefix of every integration token.
pub(super) const PREFIX: &str = "yit_";

const RANDOM_BYTES: usize = 32;
/// Letters of 32 bytes in base64 without padding.
const RANDOM_LETTERS: usize = 43;

/// A new token, shown once.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Minted {
    /// What the user pastes into the client. Not stored anywhere.
    pub token: String,
    /// What is stored.
    pub hash: String,
}

impl fmt::Debug for Minted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minted").field("token", &"[hidden]").field("hash", &self.hash).finish()
    }
}

/// What is stored about a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredToken {
    /// Whose it is.
    pub user_id: String,
    /// The workspace it gives access to.
    pub workspace_id: String,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

/// Creates a token from 32 random bytes.
pub(crate) fn mint(ids: &dyn Ids) -> Minted {
    let mut random = [0; RANDOM_BYTES];
    ids.fill(&mut random);
    let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
    let hash = hash(&token);
    Minted { token, hash }
}

/// SHA-256 of the whole token, prefix included, as lower-case hex: the key of the stored token.
pub(crate) fn hash(token: &str) -> String {
    sha256_hex(token.as_bytes())
}

/// Validates a token by the record stored under its hash.
///
/// # Errors
/// [`AuthError::Unknown`] without a record; [`AuthError::Revoked`] when it was revoked, even
/// at a future time: clocks of several machines differ, and a revocation must not be late.
pub(crate) fn check_stored(stored: Option<StoredToken>) -> Result<Identity, AuthError> {
    let stored = stored.ok_or(AuthError::Unknown)?;
    if stored.revoked_at.is_some() {
        return Err(AuthError::Revoked);
    }
    Ok(Identity {
        user_id: stored.user_id,
        workspace_id: Some(stored.workspace_id),
        kind: TokenKind::Integration,
    })
}

/// Whether the text could have come from [`mint`].
pub(super) fn has_shape(token: &str) -> bool {
    token.strip_prefix(PREFIX).is_some_and(|random| {
        random.len() == RANDOM_LETTERS
            && random.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    })
}
