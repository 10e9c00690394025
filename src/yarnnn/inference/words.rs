//! Names and topics of a text.
//!
//! Rules, not models; English first, though any script with spaces works. Linear in the text. Knows
//! nothing of baskets.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::stop::is_stop;
use crate::text::{Joint, pieces, stem};

#[cfg(test)]
mod tests;

/// Shorter words are rarely topics.
const MIN_LETTERS: usize = 4;
/// Longer ones are keys, hashes or noise; in bytes.
const MAX_WORD: usize = 80;

/// A word in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// Itself, with inner apostrophes, hyphens, underscores and full stops.
    pub(super) text: &'a str,
    /// Whether it opens a sentence, a line or a clause, where a capital says nothing.
    pub(super) opens: bool,
    /// Whether only blanks are between it and the word before.
    pub(super) joined: bool,
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut last = None;
    pieces(text, holds).filter(|piece| piece.is_word).map(move |piece| {
        let between = &text[last.unwrap_or(0)..piece.start];
        let started = last.replace(piece.end()).is_some();
        Word {
            text: piece.text,
            opens: !started || between.contains(['.', '!', '?', '\n', ':', '"', '“', '•']),
            joined: started && between.chars().all(|c| c == ' ' || c == '\t'),
        }
    })
}

/// Names and compounds are words, and so is a run of characters in scripts without spaces.
fn holds(joint: &Joint<'_>) -> bool {
    joint.mark.is_none_or(|mark| matches!(mark, '\'' | '’' | '-' | '_' | '.'))
}

/// Lower case, plain apostrophe, without a possessive.
pub(super) fn lower(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    match lower.strip_suffix("'s") {
        // "it's" and "let's" are words of their own.
        Some(owner) if !is_stop(&lower) => owner.to_owned(),
        _ => lower,
    }
}

/// Whether a lower-case word can be a topic.
pub(super) fn is_topic(lower: &str) -> bool {
    lower.len() <= MAX_WORD
        && lower.chars().filter(|c| c.is_alphabetic()).take(MIN_LETTERS).count() == MIN_LETTERS
        && !is_stop(lower)
}

/// The topics of a text: the stem that they are compared by, and the shortest spelling.
pub(super) fn terms(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for word in words(text).map(|word| lower(word.text)).filter(|word| is_topic(word)) {
        spell(&mut found, stem(&word).into_owned(), word);
    }
    found
}

/// Keeps the shorter of two spellings.
pub(super) fn spell(terms: &mut BTreeMap<String, String>, stem: String, word: String) {
    match terms.entry(stem) {
        Entry::Vacant(place) => {
            place.insert(word);
        }
        Entry::Occupied(mut known) => {
            if (word.len(), &word) < (known.get().len(), known.get()) {
                known.insert(word);
            }
        }
    }
}

/// The topics of a text, at most `max` words in lower case, by frequency, then
/// alphabetically.
pub(crate) fn keywords(text: &str, max: usize) -> Vec<String> {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for word in words(text).map(|word| lower(word.text)).filter(|word| is_topic(word)) {
        let entry = counts.entry(stem(&word).into_owned()).or_insert_with(|| (0, word));
        entry.0 += 1;
    }
    most(counts, max)
}

/// Names in a text, at most `max`: one or two capitalised words, by frequency, then
/// alphabetically.
///
/// A word at the start of a sentence is a name only if it is one elsewhere too.
pub(crate) fn entities(text: &str, max: usize) -> Vec<String> {
    let known: BTreeSet<String> = words(text)
        .filter(|word| is_capitalised(word.text) && (!word.opens || is_marked(word.text)))
        .map(|word| lower(word.text))
        .collect();
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut run: Vec<&str> = Vec::new();
    let mut close = |run: &mut Vec<&str>| {
        if !run.is_empty() {
            let name = run.join(" ");
            counts.entry(name.to_lowercase()).or_insert_with(|| (0, name)).0 += 1;
            run.clear();
        }
    };
    for word in words(text) {
        let bare = possessor(word.text);
        let low = lower(word.text);
        let named = is_capitalised(bare) && !is_stop(&low) && known.contains(&low);
        if run.len() == 2 || word.opens || !word.joined || !named {
            close(&mut run);
        }
        if named {
            run.push(bare);
            // "Ada's Engine" is two names.
            if bare.len() != word.text.len() {
                close(&mut run);
            }
        }
    }
    close(&mut run);
    most(counts, max)
}

fn possessor(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// A capital first, at least two characters, and no more than a word has.
fn is_capitalised(word: &str) -> bool {
    let mut chars = word.chars();
    word.len() <= MAX_WORD && chars.next().is_some_and(char::is_uppercase) && chars.next().is_some()
}

/// Capitals or digits inside mark a name wherever it stands: `GitHub`, `SQL`, `S3`.
fn is_marked(word: &str) -> bool {
    possessor(word).chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric())
}

/// The most counted, at most `max`.
fn most(counts: BTreeMap<String, (usize, String)>, max: usize) -> Vec<String> {
    let mut ranked: Vec<(usize, String)> = counts.into_values().collect();
    // The map was sorted and the sort is stable, so equal counts stay in alphabetical order.
    ranked.sort_by_key(|(count, _)| Reverse(*count));
    ranked.into_iter().take(max).map(|(_, word)| word).collect()
}

/// A text on one line without control characters, at most `max` characters, cut between words where
/// that keeps more than half.
pub(super) fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max * 4 {
            break;
        }
    }
    let Some((cut, _)) = line.char_indices().nth(max) else { return line };
    line.truncate(cut.max(1));
    match line.rfind(' ') {
        Some(blank) if blank > cut / 2 => line.truncate(blank),
        _ => {}
    }
    line
}
