//! The transport's own bearer tokens.
//!
//! Only digests are stored, so that neither a log nor a crash can reveal a token. They are compared
//! in constant time.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::digest::constant_time_eq;

/// A list of accepted tokens.
#[derive(Clone, Default)]
pub struct Tokens {
    digests: Vec<[u8; 32]>,
}

impl Tokens {
    /// Parses one token per line; blank lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// Names the number of an invalid line, never its text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut digests = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let token = line.trim();
            if token.is_empty() || token.starts_with('#') {
                continue;
            }
            if !is_token(token) {
                return Err(format!(
                    "line {} is not a bearer token: only letters, digits and -._~+/= are allowed",
                    number + 1
                ));
            }
            digests.push(digest(token));
        }
        Ok(Self { digests })
    }

    /// Adds the tokens of another list.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.digests.extend(other.digests);
        self
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Whether the token is in the list.
    pub fn accept(&self, token: &str) -> bool {
        let given = digest(token);
        self.digests.iter().fold(false, |found, known| found | constant_time_eq(known, &given))
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.digests.len())
    }
}

/// The token of an `Authorization: Bearer …` header.
pub(super) fn parse_authorization(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && is_token(token)).then_some(token)
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte))
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_one_token_a_line() {
        let tokens = Tokens::parse("# ours\n\n first \r\nsecond\n").unwrap();
        assert!(tokens.accept("first") && tokens.accept("second"));
        for wrong in ["", "# ours", "firs", "first ", "firstsecond", "FIRST"] {
            assert!(!tokens.accept(wrong), "{wrong:?}");
        }
        assert!(Tokens::parse("#\n\n").unwrap().is_empty());
    }

    #[test]
    fn a_bad_line_is_named_but_not_shown() {
        let error = Tokens::parse("good\nse cret\n").unwrap_err();
        assert!(error.contains("line 2") && !error.contains("cret"), "{error}");
    }

    #[test]
    fn shows_no_token() {
        let shown = format!("{:?}", Tokens::parse("top-secret").unwrap());
        assert_eq!(shown, "1 tokens");
    }

    #[test]
    fn reads_the_header() {
        assert_eq!(parse_authorization("Bearer abc"), Some("abc"));
        assert_eq!(parse_authorization("bearer  abc= "), Some("abc="));
        for wrong in ["", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer é"] {
            assert_eq!(parse_authorization(wrong), None, "{wrong}");
        }
    }
}
