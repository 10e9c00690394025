//! The one stemmer: Snowball's for English.
//!
//! A stem is for comparing, never for showing: `policies` and `policy` are both `polici`.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// Longer words are keys, hashes or noise; in bytes.
const MAX_WORD: usize = 64;

/// The stem of a lower-case word, without number, tense and common endings.
///
/// A word with anything but the letters a to z is its own stem.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.len() > MAX_WORD || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    Stemmer::create(Algorithm::English).stem(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            "refund refunds refund's refunded",
            "company companies company's",
            "deploy deploys deployed deploying deployment deployments",
            "migrate migrates migrated migration migrations",
        ] {
            let mut stems: Vec<_> = forms.split(' ').map(stem).collect();
            stems.dedup();
            assert_eq!(stems.len(), 1, "{forms}: {stems:?}");
        }
    }

    #[test]
    fn other_words_do_not() {
        for pair in ["bus business", "status state", "user use", "process procedure", "gas ga"] {
            let (left, right) = pair.split_once(' ').unwrap();
            assert_ne!(stem(left), stem(right));
        }
    }

    #[test]
    fn what_is_no_english_word_stays_as_it_is() {
        for word in ["s3", "conexões", "größes", "node.js", "東京", "", "'s's"] {
            assert_eq!(stem(word), word.strip_suffix("'s").unwrap_or(word));
        }
        let noise = "s".repeat(1 << 20);
        assert_eq!(stem(&noise), noise);
    }
}
