//! What keywords ask for: words to match, and a text to compare by meaning.
//!
//! Models send single words as well as whole questions. The words of a question that say nothing of
//! its topic are not matched, as long as others are left.

use std::collections::BTreeSet;

use super::super::meaning::Nearest;
use crate::index;

/// Blocks that are found by meaning, at most.
const NEAREST: usize = 50;
/// Less similar blocks are about something else.
const LEAST: f64 = 0.25;
/// Words in search form that ask or refer rather than name a topic, sorted.
const ASKING: &[&str] = &[
    "about", "am", "ani", "been", "but", "can", "could", "did", "do", "doe", "done", "get", "got",
    "had", "he", "her", "hers", "him", "his", "how", "i", "if", "into", "me", "mine", "must", "my",
    "no", "not", "our", "ours", "s", "shall", "she", "should", "so", "some", "t", "tell", "than",
    "their", "them", "then", "there", "these", "they", "those", "too", "us", "what", "when",
    "where", "which", "who", "whom", "whose", "whi", "would", "you", "your",
];

/// What keywords ask for.
pub(super) struct Question {
    /// In search form, sorted.
    pub(super) words: Vec<String>,
    /// As one text.
    pub(super) text: String,
}

impl Question {
    pub(super) fn new(keywords: &[String]) -> Self {
        let all: BTreeSet<String> =
            keywords.iter().flat_map(|keyword| index::words(keyword)).collect();
        let is_topic = |word: &&String| ASKING.binary_search(&word.as_str()).is_err();
        let topic: Vec<String> = all.iter().filter(is_topic).cloned().collect();
        let words = if topic.is_empty() { all.into_iter().collect() } else { topic };
        Self { words, text: keywords.join(", ") }
    }

    /// Whether there is nothing to search for.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The blocks that may be meant.
    pub(super) fn nearest<'a>(
        &self,
        basket: Option<&'a str>,
        anchors: &'a [String],
    ) -> Nearest<'a> {
        Nearest { basket, anchors, least: LEAST, limit: NEAREST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_only_ask_are_left_out_while_others_are_left() {
        assert!(ASKING.is_sorted());
        let words = |keywords: &[&str]| {
            let keywords: Vec<String> = keywords.iter().map(|word| (*word).to_owned()).collect();
            Question::new(&keywords).words
        };
        assert_eq!(words(&["How long do we keep invoices?"]), ["invoic", "keep", "long"]);
        assert_eq!(words(&["Why?", "who"]), ["who", "whi"]);
        assert_eq!(words(&["stripe", "Invoices"]), ["invoic", "stripe"]);
        assert!(words(&["the", "of"]).is_empty());
    }
}
