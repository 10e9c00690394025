//! The vector of a fingerprint: words, word pairs and character n-grams, hashed into dimensions.
//!
//! Vectors are stored and compared with those of later releases, and their source texts are not
//! stored. So everything here, down to the splitting and the plural's `s`, is a format that
//! never changes, and shares no code with [`crate::text`], which may.

use std::collections::BTreeMap;

use super::stop::is_stop;
use super::vector::{BadEmbedding, normalised};

/// Longer words are hashes or keys that no other session shares; in bytes.
const MAX_WORD: usize = 80;
/// Letters in an n-gram.
const PIECE: usize = 4;
/// The same for scripts where one character is a syllable or more, and words are not separated.
const DENSE_PIECE: usize = 2;
/// East Asian scripts begin here.
const DENSE_FROM: char = '\u{2e80}';

const WORD_WEIGHT: f64 = 1.0;
const PAIR_WEIGHT: f64 = 0.3;
const PIECE_WEIGHT: f64 = 0.35;
/// Shorter words keep their `s`.
const MIN_LETTERS: usize = 4;

/// The vector of a text, of length 1.
pub(super) fn vector(text: &str, dims: usize) -> Result<Vec<f32>, BadEmbedding> {
    // Hash of a feature to how often it occurs and how much one counts. Sorted, so that the sums
    // below are added up in one order.
    let mut features: BTreeMap<u64, (u32, f64)> = BTreeMap::new();
    let mut count = |hash: u64, weight: f64| features.entry(hash).or_insert((0, weight)).0 += 1;
    let mut before: Option<u64> = None;
    for word in words(text).map(lower) {
        if word.len() > MAX_WORD || is_stop(&word) {
            before = None;
            continue;
        }
        let word = singular(&word);
        let whole = hash(b'w', word.as_bytes());
        count(whole, WORD_WEIGHT);
        if let Some(before) = before.replace(whole) {
            let pair = [before.to_le_bytes(), whole.to_le_bytes()].concat();
            count(hash(b'p', &pair), PAIR_WEIGHT);
        }
        let size = if word.contains(|c| c >= DENSE_FROM) { DENSE_PIECE } else { PIECE };
        let starts: Vec<usize> =
            word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        for piece in starts.windows(size + 1) {
            count(hash(b'c', &word.as_bytes()[piece[0]..piece[size]]), PIECE_WEIGHT);
        }
    }
    let mut sums = vec![0.0_f64; dims];
    for (hash, (times, weight)) in features {
        // Ten occurrences count more than one, but not ten times. A root is the same on every
        // machine; a logarithm is not.
        let weight = weight * f64::from(times).sqrt();
        let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
        sums[(hash % dims as u64) as usize] += sign * weight;
    }
    let narrow: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
    normalised(&narrow).ok_or(BadEmbedding::NoWords)
}

/// Runs of letters and digits, with what joins them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, tail) = rest.split_at(rest.find(char::is_alphanumeric)?);
        let (word, after) = tail.split_at(word_end(tail));
        rest = after;
        Some(word)
    })
}

/// The end of the first word of `tail`.
fn word_end(tail: &str) -> usize {
    let mut chars = tail.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let inner = matches!(c, '\'' | '’' | '-' | '_' | '.')
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !c.is_alphanumeric() && !inner {
            return at;
        }
    }
    tail.len()
}

/// Lower case, plain apostrophe, without a possessive.
fn lower(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    match lower.strip_suffix("'s") {
        Some(owner) if !is_stop(&lower) => owner.to_owned(),
        _ => lower,
    }
}

fn singular(word: &str) -> String {
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if word.chars().count() > MIN_LETTERS && !kept {
        if let Some(start) = word.strip_suffix("ies") {
            return format!("{start}y");
        }
        if let Some(start) = word.strip_suffix('s') {
            return start.to_owned();
        }
    }
    word.to_owned()
}

/// FNV-1a with a kind prefix and a final mix so that all bits can be used.
fn hash(kind: u8, bytes: &[u8]) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for &byte in [kind].iter().chain(bytes) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^ (state >> 33)
}

#[cfg(test)]
mod tests {
    use super::super::vector::digest;
    use super::*;

    /// Digests that the first release gave; see the note at the top.
    const GOLDEN: [(&str, &str); 3] = [
        (
            "Companies' refunds: Stripe’s status, node.js re-runs it's gas",
            "c710f02ccac3441f8a860d79d54190734c8f7983ac6b257a9b485560f70f4454",
        ),
        (
            "Cafe\u{301} हिन्दी größer 東京の請求書",
            "3525ec38d3b82454c4db901f1ab138953bca7b494bb77cd43f57201f194073a7",
        ),
        (
            "snake_case v1.2 A--B “Ünïcode”… 1,200€",
            "e6c24ff8735f0a0ddb958d6c53abdb19eaefab77b5439c04f62c67a4b51b669f",
        ),
    ];

    #[test]
    fn vectors_of_the_first_release_stay_as_they_are() {
        for (text, golden) in GOLDEN {
            assert_eq!(digest(&vector(text, 64).unwrap()), golden, "{text}");
        }
    }
}
