//! Who is calling: integration tokens and JSON Web Tokens, checked before anything else happens.
//!
//! Pure: the text of a token and the time come in, an identity or a refusal goes out. Knows nothing
//! of databases, HTTP or tools; the caller looks up stored tokens by `hash` and passes the record
//! to `check_stored`. No message, log line or `Debug` output here contains a token or a secret.

mod error;
mod hs256;
mod jwt;
mod secret;
#[cfg(test)]
mod tests;
mod token;

pub use error::AuthError;
pub use jwt::JwtRules;
pub(crate) use jwt::{jwt_end, verify_jwt};
pub use secret::{BadSecret, Secret};
pub(crate) use token::{StoredToken, check_stored, hash, mint};

/// The result of accepted credentials.
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
    /// `yit_…`, created by `mint`, revocable.
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

/// Determines the kind of a token by its shape. The shapes exclude each other: a JWT has two dots,
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
