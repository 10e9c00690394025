//! The search terms of entities, the same in every store.
//!
//! Text is folded (no case, no accents) and split into words here, so that all stores find the same
//! entities and no user input is read as a query language. Knows no store.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::model::{Entity, EntityType};

/// Letters of a word that count; longer words are found by these.
const LONGEST: usize = 64;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Words; each must begin a word of the name, summary or tags. Blank finds everything.
    pub query: String,
    /// Only these.
    pub kind: Option<EntityType>,
    /// At most so many.
    pub limit: u32,
    /// After so many.
    pub offset: u64,
}

/// A page of what was found. Blank queries give the latest changes first; others the best matches:
/// the name is the query, the name begins with it, all words are in the name, the rest; then by
/// name, then by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Entities.
    pub items: super::Documents,
    /// How many there are on all pages.
    pub total: u64,
}

/// What a query means.
pub(super) enum Sought {
    /// It is blank.
    Everything,
    /// It has no word: only signs.
    Nothing,
    /// These words.
    Words(Vec<String>),
}

impl Sought {
    pub(super) fn new(query: &str) -> Self {
        let words = words(query);
        match words.is_empty() {
            false => Self::Words(words),
            true if query.trim().is_empty() => Self::Everything,
            true => Self::Nothing,
        }
    }
}

/// Folded words in order.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    // Lower case first: some capitals become a letter and a mark.
    for letter in text.chars().flat_map(char::to_lowercase).nfkd() {
        if ('\u{300}'..='\u{36f}').contains(&letter) {
            continue;
        }
        let Some(word) = words.last_mut() else { break };
        if letter.is_alphanumeric() || is_combining_mark(letter) {
            match plain(letter) {
                Some(letters) => word.push_str(letters),
                None => word.push(letter),
            }
        } else if !word.is_empty() {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    for word in &mut words {
        if let Some((end, _)) = word.char_indices().nth(LONGEST) {
            word.truncate(end);
        }
    }
    words
}

/// Stroked letters and ligatures do not decompose; users type them like this.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'þ' => "th",
        'ς' => "σ",
        _ => return None,
    })
}

/// Each word with a space before it: the key of the order, and what a query's words are looked for
/// in.
pub(super) fn key(words: &[String]) -> String {
    words.iter().flat_map(|word| [" ", word]).collect()
}

/// How well a name fits the words that are sought; the least is best.
pub(super) struct Rank {
    whole: String,
    begins: Vec<String>,
}

impl Rank {
    pub(super) fn new(sought: &[String]) -> Self {
        Self { whole: key(sought), begins: sought.iter().map(|word| format!(" {word}")).collect() }
    }

    /// `name` is a key.
    pub(super) fn of(&self, name: &str) -> u8 {
        match name.strip_prefix(&*self.whole) {
            Some("") => 0,
            Some(_) => 1,
            None if self.begins.iter().all(|begin| name.contains(&**begin)) => 2,
            None => 3,
        }
    }
}

/// What an entity is found by.
pub(super) struct Terms {
    /// Of the name.
    pub(super) name: String,
    /// Every word once.
    pub(super) all: BTreeSet<String>,
}

impl Terms {
    pub(super) fn of(entity: &Entity) -> Self {
        let name = words(&entity.name);
        let key = key(&name);
        let mut all: BTreeSet<String> = name.into_iter().collect();
        all.extend(words(&entity.summary));
        all.extend(entity.tags.iter().flat_map(|tag| words(tag)));
        Self { name: key, all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_are_folded() {
        for (text, folded) in [
            ("Conexão", "conexao"),
            ("ÉLODIE", "elodie"),
            ("e\u{301}lodie", "elodie"),
            ("İzmir", "izmir"),
            ("Straße", "strasse"),
            ("Bjørn", "bjorn"),
            ("ΟΔΟΣ", "οδοσ"),
            ("ﬁn", "fin"),
            ("東京", "東京"),
            ("Ёлка", "елка"),
        ] {
            assert_eq!(words(text), [folded], "{text}");
        }
    }

    #[test]
    fn signs_part_words_and_mean_nothing() {
        assert_eq!(words("a-b  c*\"d\" {\"$gt\": \"\"}"), ["a", "b", "c", "d", "gt"]);
        assert_eq!(words("***"), [""; 0]);
        assert!(matches!(Sought::new("\"*"), Sought::Nothing));
        assert!(matches!(Sought::new(" \n"), Sought::Everything));
    }

    #[test]
    fn a_long_word_is_found_by_its_beginning() {
        assert_eq!(words(&"é".repeat(100)), ["e".repeat(64)]);
    }

    #[test]
    fn a_key_has_a_space_before_each_word() {
        assert_eq!(key(&words("Lady Ana")), " lady ana");
        assert_eq!(key(&[]), "");
    }
}
