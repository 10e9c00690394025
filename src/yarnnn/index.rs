//! Search words and near-duplicate keys of texts.
//!
//! The same for both databases, so that a search returns the same set on either. A token carries
//! the number of its workspace, which isolates workspaces in the index, and no text can become a
//! query.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::extract::{clean, gist_words};
use super::text::{Joint, pieces, stem};

/// Version of stored words and keys. Raise it whenever [`words`], [`bands`] or
/// [`text_key`] return something else for any text; databases are then reindexed when opened.
pub(crate) const VERSION: i64 = 2;

/// Longest word that is indexed, in bytes; longer ones are keys or noise.
const MAX_WORD: usize = 40;
/// East Asian scripts begin here: one character is a syllable or more, and words are not separated.
const DENSE_FROM: char = '\u{2e80}';
/// Near-equal texts share one of this many keys.
pub(crate) const BANDS: usize = 6;

/// Words that occur in nearly every text.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "have", "in", "is",
    "it", "its", "of", "on", "or", "that", "the", "this", "to", "was", "we", "were", "will",
    "with",
];

/// The words of a text in search form: stems in lower case, without
/// accents; each once, sorted.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    // Invisible characters do not separate words.
    let text = clean(text).text;
    let folded: String =
        text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    let mut found = BTreeSet::new();
    for word in pieces(&folded, holds).filter(|piece| piece.is_word).map(|piece| piece.text) {
        if word.starts_with(is_dense) {
            found.extend(pairs(word));
        } else if word.len() <= MAX_WORD && STOP.binary_search(&word).is_err() {
            found.insert(stem(word).into_owned());
        }
    }
    found
}

/// No mark joins, so that a part of a compound is found too; adjacent characters are one word.
fn holds(joint: &Joint<'_>) -> bool {
    joint.mark.is_none() && is_dense(joint.before) == is_dense(joint.after)
}

fn is_dense(found: char) -> bool {
    found >= DENSE_FROM
}

/// Pairs of characters, for scripts without spaces.
fn pairs(word: &str) -> Vec<String> {
    let signs: Vec<char> = word.chars().collect();
    match signs.len() {
        1 => vec![word.to_owned()],
        _ => signs.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

/// A word as stored in the index of a workspace.
pub(crate) fn token(workspace: i64, word: &str) -> String {
    format!("{workspace}x{word}")
}

/// A text as stored in the index of a workspace: tokens separated by spaces.
pub(crate) fn tokens(workspace: i64, text: &str) -> String {
    let tokens: Vec<String> = words(text).iter().map(|word| token(workspace, word)).collect();
    tokens.join(" ")
}

/// Keys that texts with nearly the same words share: of two texts with 0.7 of their words in
/// common 98 % share one, of two with 0.9 all but one in ten thousand.
pub(crate) fn bands(text: &str) -> [i64; BANDS] {
    let words = gist_words(text);
    std::array::from_fn(|band| {
        let mut hash = Sha256::new();
        for row in 0..2 {
            let least = words.iter().map(|word| word_hash(word, (2 * band + row) as u8)).min();
            hash.update(least.unwrap_or_default().to_be_bytes());
        }
        hash.update([band as u8]);
        head(&hash.finalize())
    })
}

/// Equal for texts that differ in case, blanks and punctuation only.
pub(crate) fn text_key(text: &str) -> String {
    let words = gist_words(text).join(" ");
    toolwright_runtime::digest::sha256_hex(words.as_bytes())
}

fn word_hash(word: &str, seed: u8) -> i64 {
    // FNV-1a and a final mix: it must only be stable and well spread.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in word.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash ^ (hash >> 33)).cast_signed()
}

fn head(digest: &[u8]) -> i64 {
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        words(text).into_iter().collect()
    }

    #[test]
    fn the_stop_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn words_are_found_without_accents_case_or_number() {
        assert_eq!(list("The Conexões of São-Paulo, budgets!"), list("conexões sao PAULO budget"));
        assert_eq!(list("class status this analysis").len(), 3);
        assert_eq!(list("Deployments of policies"), list("the policy was deployed"));
        assert_eq!(list("e\u{301}té"), ["ete"]);
        assert_eq!(list("bud\u{200b}get\u{ad}s"), ["budget"]);
    }

    #[test]
    fn scripts_without_blanks_are_indexed_in_pairs() {
        assert_eq!(list("東京都"), ["京都", "東京"]);
        assert_eq!(list("値"), ["値"]);
        assert_eq!(list("東京API"), ["api", "東京"]);
    }

    #[test]
    fn a_token_names_its_workspace_and_nothing_in_a_text_can_forge_one() {
        assert_eq!(tokens(12, "Budget OR \"x\" AND NEAR(*)"), "12xbudget 12xnear 12xx");
        assert!(words("12xbudget").contains("12xbudget"));
        assert_ne!(token(3, "12xbudget"), token(12, "budget"));
    }

    #[test]
    fn near_equal_texts_share_a_key_and_others_do_not() {
        let base: Vec<String> = (0..20).map(|n| format!("alpha{n}")).collect();
        let mut missed = 0;
        for other in 0..100 {
            let mut words = base.clone();
            // 18 of 22 words in common: 0.82.
            words[other % 20] = format!("beta{other}");
            words[(other + 7) % 20] = format!("gamma{other}");
            let (one, two) = (bands(&base.join(" ")), bands(&words.join(" ")));
            missed += usize::from(!one.iter().zip(two).any(|(a, b)| *a == b));
        }
        assert!(missed <= 2, "{missed} of 100 were missed");
        let far = bands("nothing of this is said anywhere else in the memory at all");
        assert!(!bands(&base.join(" ")).iter().any(|band| far.contains(band)));
    }

    #[test]
    fn a_key_ignores_case_and_punctuation() {
        assert_eq!(text_key("We use  Stripe."), text_key("we use stripe"));
        assert_ne!(text_key("We use Stripe."), text_key("We use Adyen."));
    }
}
