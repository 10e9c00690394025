//! What keywords ask for: words to match, and a text to compare by meaning.
//!
//! Models send single words as well as whole questions. The words of a question that say nothing of
//! its topic are not matched, as long as others are left.

use std::collections::BTreeSet;

use super::super::meaning::Nearest;
use crate::index;

/// Entries that are found by meaning, at most.
const NEAREST: usize = 100;
/// Less similar ones are about something else.
const LEAST: f64 = 0.2;
/// The same for a question with so many words of a topic: it is less similar to its answer too.
const LEAST_OF_MANY: f64 = 0.1;
const MANY: usize = 3;
/// Questions in one text that are compared each by itself.
const PARTS: usize = 4;
/// Fewer words about a topic say too little to compare.
const LEAST_WORDS: usize = 2;
/// What joins two questions.
const JOINING: &[&str] = &["and", "or", "but"];
/// What a question begins with, sorted.
const BEGINNING: &[&str] = &[
    "are", "can", "did", "do", "does", "has", "have", "how", "in", "is", "may", "must", "should",
    "what", "when", "where", "which", "who", "whose", "why", "will",
];
/// Words in search form that ask or refer rather than name a topic, sorted.
const ASKING: &[&str] = &[
    "about", "am", "ani", "been", "but", "can", "could", "did", "do", "doe", "done", "get", "got",
    "had", "he", "her", "hers", "him", "his", "how", "i", "if", "into", "me", "mine", "must", "my",
    "no", "not", "our", "ours", "s", "shall", "she", "should", "so", "some", "t", "tell", "than",
    "their", "them", "then", "there", "these", "they", "those", "too", "us", "what", "when",
    "where", "whi", "which", "who", "whom", "whose", "would", "you", "your",
];

/// What keywords ask for.
pub(super) struct SearchTerms {
    /// In search form, sorted.
    pub(super) words: Vec<String>,
    /// As one text.
    pub(super) text: String,
    /// The questions in it, if there are several.
    pub(super) parts: Vec<String>,
}

impl SearchTerms {
    pub(super) fn new(keywords: &[String]) -> Self {
        let all: BTreeSet<String> =
            keywords.iter().flat_map(|keyword| index::words(keyword)).collect();
        let (asking, topic) = Self::topic(all);
        let words = if topic.is_empty() { asking } else { topic };
        let text = keywords.join(", ");
        let parts = parts(&text);
        Self { words, text, parts }
    }

    /// Words that only ask, and those that name a topic.
    fn topic(words: BTreeSet<String>) -> (Vec<String>, Vec<String>) {
        words.into_iter().partition(|word| ASKING.binary_search(&word.as_str()).is_ok())
    }

    /// Whether there is nothing to search for.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The entries that may be meant.
    pub(super) fn nearest<'a>(
        &self,
        basket: Option<&'a str>,
        anchors: &'a [String],
    ) -> Nearest<'a> {
        let least = if self.words.len() < MANY { LEAST } else { LEAST_OF_MANY };
        Nearest { basket, kind: None, anchors, least, limit: NEAREST }
    }
}

/// The parts of a text that ask for something each; none if it asks for one thing. Cut at marks,
/// and before `and` where a new question begins.
fn parts(text: &str) -> Vec<String> {
    let said: Vec<&str> = text.split_whitespace().collect();
    let asks = |word: Option<&&str>| {
        word.is_some_and(|word| BEGINNING.binary_search(&word.to_lowercase().as_str()).is_ok())
    };
    let (mut parts, mut part): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for (at, word) in said.iter().enumerate() {
        if JOINING.contains(word) && asks(said.get(at + 1)) {
            parts.push(part.join(" "));
            part.clear();
            continue;
        }
        part.push(word);
        if word.ends_with([',', ';', '?', '!', '.', ':']) {
            parts.push(part.join(" "));
            part.clear();
        }
    }
    parts.push(part.join(" "));
    parts.retain(|part| SearchTerms::topic(index::words(part)).1.len() >= LEAST_WORDS);
    parts.truncate(PARTS);
    if parts.len() < 2 { Vec::new() } else { parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_only_ask_are_left_out_while_others_are_left() {
        assert!(ASKING.is_sorted());
        let words = |keywords: &[&str]| {
            let keywords: Vec<String> = keywords.iter().map(|word| (*word).to_owned()).collect();
            SearchTerms::new(&keywords).words
        };
        assert_eq!(words(&["How long do we keep invoices?"]), ["invoic", "keep", "long"]);
        assert_eq!(words(&["Why?", "who"]), ["whi", "who"]);
        assert_eq!(words(&["stripe", "Invoices"]), ["invoic", "stripe"]);
        assert!(words(&["the", "of"]).is_empty());
    }
}
