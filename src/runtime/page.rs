//! Staying within a token budget: estimates, cursors, cuts.
//!
//! A cursor is opaque to clients and keeps no state on the server: it contains the position of the
//! next page. It is not a secret and proves nothing; its checksum only detects cursors that are
//! corrupt or belong to another list.

use serde::Serialize;
use serde::de::DeserializeOwned;
pub use toolwright_contract::{budget_bytes, estimate_tokens};

use crate::digest::{hex, sha256_hex};

/// Longer cursors are rejected.
const MAX_CURSOR: usize = 8 * 1024;
const CHECK: usize = 8;

/// A cursor that is corrupt or belongs to another list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadCursor;

impl std::fmt::Display for BadCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("invalid cursor for this list; start again without a cursor")
    }
}

impl std::error::Error for BadCursor {}

/// A cursor that holds `position`, for the list named by `scope` (the tool and its filters).
pub fn cursor<P: Serialize>(scope: &str, position: &P) -> Option<String> {
    let json = serde_json::to_vec(position).ok()?;
    Some(check_sum(scope, &json) + &hex(&json))
}

/// Reads a cursor that [`cursor`] created with the same scope.
pub fn read_cursor<P: DeserializeOwned>(scope: &str, text: &str) -> Result<P, BadCursor> {
    if text.len() > MAX_CURSOR {
        return Err(BadCursor);
    }
    let (sum, body) = text.split_at_checked(CHECK).ok_or(BadCursor)?;
    let json = unhex(body).ok_or(BadCursor)?;
    if check_sum(scope, &json) != sum {
        return Err(BadCursor);
    }
    serde_json::from_slice(&json).map_err(|_| BadCursor)
}

fn check_sum(scope: &str, json: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(scope.len() + 1 + json.len());
    bytes.extend_from_slice(scope.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(json);
    let mut sum = sha256_hex(&bytes);
    sum.truncate(CHECK);
    sum
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let nibble = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(nibble(high)? << 4 | nibble(low)?)).collect()
}

/// How many leading items fit into `bytes`; at least one, so that every page makes progress.
pub fn fitting(sizes: impl IntoIterator<Item = usize>, bytes: usize) -> usize {
    let mut used = 0_usize;
    let mut count = 0;
    for size in sizes {
        used = used.saturating_add(size);
        if count > 0 && used > bytes {
            break;
        }
        count += 1;
    }
    count
}

/// A part of a long text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The part.
    pub text: &'a str,
    /// Byte where it starts.
    pub start: usize,
    /// Byte where the next part starts; `None` at the end.
    pub next: Option<usize>,
    /// Bytes of the whole text.
    pub total: usize,
}

/// The part of `text` that starts at byte `start` and has at most `bytes` bytes.
///
/// Never splits a character: a start inside a character moves back to its first byte, and a
/// part has at least one character.
pub fn cut(text: &str, start: usize, bytes: usize) -> Cut<'_> {
    let start = text.floor_char_boundary(start);
    let mut end = text.floor_char_boundary(start.saturating_add(bytes));
    if end <= start {
        end = text.ceil_char_boundary((start + 1).min(text.len()));
    }
    let next = (end < text.len()).then_some(end);
    Cut { text: &text[start..end], start, next, total: text.len() }
}

#[cfg(test)]
mod tests {
    use super::{BadCursor, cursor, cut, estimate_tokens, fitting, read_cursor};

    #[test]
    fn a_cursor_round_trips_only_within_its_scope() {
        let text = cursor("wink.list ns=a", &("demo", 7)).unwrap();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{text}");
        assert_eq!(read_cursor("wink.list ns=a", &text), Ok(("demo".to_owned(), 7)));
        assert_eq!(read_cursor::<(String, i32)>("wink.list ns=b", &text), Err(BadCursor));
    }

    #[test]
    fn corrupt_cursors_are_rejected() {
        let good = cursor("s", &1).unwrap();
        let long = "0".repeat(100_000);
        let last = if good.ends_with('0') { "1" } else { "0" };
        let flipped = format!("{}{last}", &good[..good.len() - 1]);
        for bad in ["", "x", "é00000000", "0123456789", &good[1..], &flipped, &long] {
            assert_eq!(read_cursor::<i32>("s", bad), Err(BadCursor), "{bad:.20}");
        }
    }

    #[test]
    fn parts_of_a_text_make_the_whole() {
        let text = "aé😀b\n";
        for size in 0..9 {
            let (mut start, mut whole) = (0, String::new());
            loop {
                let part = cut(text, start, size);
                assert!(part.text.len() <= size.max(4));
                whole.push_str(part.text);
                match part.next {
                    Some(next) => start = next,
                    None => break,
                }
            }
            assert_eq!(whole, text);
        }
        assert_eq!(cut("", 5, 3).text, "");
    }

    #[test]
    fn a_page_has_at_least_one_item() {
        assert_eq!(fitting([10, 10, 10], 25), 2);
        assert_eq!(fitting([100, 1], 25), 1);
        assert_eq!(fitting([], 25), 0);
        assert_eq!(estimate_tokens(9), 3);
    }
}
