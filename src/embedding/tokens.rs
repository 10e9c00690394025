//! Token ids of a text: BERT's WordPiece, with the compiled-in vocabulary.
//!
//! Names of special tokens in a text are plain text here: nobody can write `[SEP]` into a memory.

use std::collections::HashMap;

use super::characters::{normalised, words};
use super::weights::Damaged;

const VOCABULARY: &str = include_str!("data/vocab.txt");

const UNKNOWN: u32 = 100;
const START: u32 = 101;
const END: u32 = 102;

/// A word of more characters is unknown as a whole.
const LONGEST_WORD: usize = 100;

/// The vocabulary, for look-ups: beginnings of words, and continuations without their `##`.
pub(crate) struct Tokenizer {
    first: HashMap<&'static str, u32>,
    next: HashMap<&'static str, u32>,
}

impl Tokenizer {
    pub(crate) fn load() -> Result<Self, Damaged> {
        let mut first = HashMap::with_capacity(25_000);
        let mut next = HashMap::with_capacity(6_000);
        for (line, id) in VOCABULARY.lines().zip(0..) {
            match line.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => next.insert(rest, id),
                _ => first.insert(line, id),
            };
        }
        let known = ["[UNK]", "[CLS]", "[SEP]"].map(|name| first.remove(name));
        if known != [UNKNOWN, START, END].map(Some) {
            return Err(Damaged("vocabulary".to_owned()));
        }
        Ok(Self { first, next })
    }

    /// The ids of a text, without special ones.
    pub(crate) fn ids(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        for word in words(&normalised(text)) {
            self.add_word(word, &mut ids);
        }
        ids
    }

    /// The longest known pieces from left to right; a word with an unknown piece is unknown.
    fn add_word(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.chars().count() > LONGEST_WORD {
            ids.push(UNKNOWN);
            return;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if ids.len() == before { &self.first } else { &self.next };
            let ends = rest.char_indices().map(|(at, one)| at + one.len_utf8()).rev();
            let longest = ends.filter_map(|end| {
                let (piece, after) = rest.split_at(end);
                pieces.get(piece).map(|&id| (id, after))
            });
            match longest.into_iter().next() {
                Some((id, after)) => {
                    ids.push(id);
                    rest = after;
                }
                None => {
                    ids.truncate(before);
                    ids.push(UNKNOWN);
                    return;
                }
            }
        }
    }
}

/// A window between the tokens that begin and end what the model reads.
pub(crate) fn enclosed(window: &[u32]) -> Vec<u32> {
    let mut ids = Vec::with_capacity(window.len() + 2);
    ids.push(START);
    ids.extend_from_slice(window);
    ids.push(END);
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_special_tokens_are_plain_text() {
        let tokenizer = Tokenizer::load().unwrap();
        let ids = tokenizer.ids("[CLS] [SEP] [UNK] [PAD] [MASK]");
        assert!(ids.iter().all(|id| ![0, START, END, 103].contains(id)), "{ids:?}");
    }

    #[test]
    fn a_word_without_known_pieces_is_one_unknown_token() {
        let tokenizer = Tokenizer::load().unwrap();
        assert_eq!(tokenizer.ids("ab☃☃"), [UNKNOWN]);
        assert_eq!(tokenizer.ids(&"a".repeat(101)), [UNKNOWN]);
        assert!(tokenizer.ids(&"a".repeat(100)).len() > 1);
        assert!(tokenizer.ids(" \n ").is_empty());
    }
}
