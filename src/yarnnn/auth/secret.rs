//! The secret that JSON Web Tokens are signed with.
//!
//! Account services hand it out as text. Some sign with the bytes of the text, some with the bytes
//! that the text stands for in base64; both are tried, in this order.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Fewest bytes of a secret: as many as the hash has, which is what HS256 asks for.
pub const MIN_SECRET_BYTES: usize = 32;

/// A secret that is long enough. Never shown.
#[derive(Clone)]
pub struct Secret {
    raw: Vec<u8>,
    decoded: Option<Vec<u8>>,
}

/// Why a text cannot be the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadSecret {
    /// It is empty: anybody could sign.
    Empty,
    /// It is shorter than [`MIN_SECRET_BYTES`].
    TooShort {
        /// How many bytes came.
        given: usize,
    },
}

impl Secret {
    /// Takes the text as it was handed out; blanks around it are not part of it.
    ///
    /// # Errors
    /// When the text is empty or short enough to be guessed.
    pub fn new(text: &str) -> Result<Self, BadSecret> {
        let text = text.trim();
        match text.len() {
            0 => Err(BadSecret::Empty),
            given if given < MIN_SECRET_BYTES => Err(BadSecret::TooShort { given }),
            _ => Ok(Self { raw: text.as_bytes().to_vec(), decoded: decoded(text) }),
        }
    }

    /// Whether `signature` is the HMAC-SHA-256 of `signed`. The time it takes does not depend on
    /// how much of the signature is right.
    pub(super) fn signed(&self, signed: &[u8], signature: &[u8]) -> bool {
        [Some(&self.raw), self.decoded.as_ref()].into_iter().flatten().any(|key| {
            Hmac::<Sha256>::new_from_slice(key)
                .is_ok_and(|mac| mac.chain_update(signed).verify_slice(signature).is_ok())
        })
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

impl fmt::Display for BadSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("The JWT secret is empty; anybody could sign tokens with it.")
            }
            Self::TooShort { given } => write!(
                f,
                "The JWT secret has {given} bytes; HS256 needs at least {MIN_SECRET_BYTES}. Copy it \
                 whole from the settings of the account service."
            ),
        }
    }
}

impl std::error::Error for BadSecret {}
