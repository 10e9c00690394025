//! Who is calling: integration tokens and JSON Web Tokens, checked before anything else happens.
//!
//! Pure: the text of a token and the time come in, an identity or a refusal goes out. Knows nothing
//! of databases, HTTP or tools; the caller looks up stored tokens by [`hash`] and hands what it
//! found to [`check_stored`]. No message, log line or `Debug` of this room holds a token or a secret.

mod error;
mod hs256;
mod jwt;
mod secret;
#[cfg(test)]
mod tests;
mod token;

pub use error::{AuthError, CONNECT};
pub use jwt::{AUDIENCE, JwtRules, LEEWAY_SECS, MAX_JWT_BYTES, verify_jwt};
pub use secret::{BadSecret, MIN_SECRET_BYTES, Secret};
pub use token::{Minted, PREFIX, StoredToken, check_stored, hash, mint};

/// Somebody whose credentials were accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The user.
    pub user_id: String,
    /// The workspace that the token is bound to; `None` means the user's only one.
    pub workspace_id: Option<String>,
    /// What kind of token it was.
    pub kind: TokenKind,
}

/// The two kinds of token that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// `yit_…`, made by [`mint`], revocable.
    Integration,
    /// Signed by the account service, expires by itself.
    Jwt,
}

impl TokenKind {
    /// The word for logs and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Integration => "integration",
            Self::Jwt => "jwt",
        }
    }
}

/// Tells by its shape what kind of token this is. The shapes exclude each other: a JWT has two dots,
/// and an integration token has none.
///
/// # Errors
/// [`AuthError::Missing`] when there is nothing but blanks, [`AuthError::Malformed`] when it is
/// neither.
pub fn kind_of(token: &str) -> Result<TokenKind, AuthError> {
    if token.trim().is_empty() {
        return Err(AuthError::Missing);
    }
    if token.bytes().filter(|byte| *byte == b'.').count() == 2 {
        return Ok(TokenKind::Jwt);
    }
    if token::has_shape(token) {
        return Ok(TokenKind::Integration);
    }
    Err(AuthError::Malformed)
}
