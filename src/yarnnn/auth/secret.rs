//! The secret that JSON Web Tokens are signed with.
//!
//! Account services issue it as text. Some sign with the bytes of the text, some with the bytes
//! that the text encodes in base64; both are tried, in this order.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use jsonwebtoken::DecodingKey;

/// Fewest bytes of a secret: as many as the hash has, which is what HS256 asks for.
pub(super) const MIN_SECRET_BYTES: usize = 32;

/// A secret that is long enough. Never shown.
#[derive(Clone)]
pub struct Secret {
    raw: DecodingKey,
    decoded: Option<DecodingKey>,
}

/// Why a text cannot be the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadSecret {
    /// It is empty: anybody could sign.
    #[error("The JWT secret is empty; anybody could sign tokens with it.")]
    Empty,
    /// It is shorter than `MIN_SECRET_BYTES`.
    #[error(
        "The JWT secret has {given} bytes; HS256 needs at least {MIN_SECRET_BYTES}. Copy it whole \
         from the settings of the account service."
    )]
    TooShort {
        /// How many bytes came.
        given: usize,
    },
}

impl Secret {
    /// Reads the secret as issued; surrounding blanks are ignored.
    ///
    /// # Errors
    /// When the text is empty or short enough to be guessed.
    pub fn new(text: &str) -> Result<Self, BadSecret> {
        let text = text.trim();
        match text.len() {
            0 => Err(BadSecret::Empty),
            given if given < MIN_SECRET_BYTES => Err(BadSecret::TooShort { given }),
            _ => Ok(Self {
                raw: DecodingKey::from_secret(text.as_bytes()),
                decoded: decoded(text).map(|bytes| DecodingKey::from_secret(&bytes)),
            }),
        }
    }

    /// What a token may be signed with, in the order in which it is tried.
    pub(super) fn keys(&self) -> impl Iterator<Item = &DecodingKey> {
        [Some(&self.raw), self.decoded.as_ref()].into_iter().flatten()
    }
}

/// The bytes that `text` stands for, in either alphabet, padded or not.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let with = |alphabet: &Alphabet| {
        let config =
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        GeneralPurpose::new(alphabet, config).decode(text).ok()
    };
    with(&STANDARD).or_else(|| with(&URL_SAFE))
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([hidden])")
    }
}
