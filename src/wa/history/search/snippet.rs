//! Snippets: the best match in a text, with the words around it.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use super::terms::{Phrase, Term, phrases};
use super::words::{is_letter, term, words};

/// Words in a snippet, of which so many before the first match.
const WORDS: usize = 30;
const WORDS_BEFORE: usize = 8;
/// Bytes that a snippet takes before its first match and in all, words or not.
const BYTES_BEFORE: usize = 160;
const BYTES: usize = 480;
/// Matches within so many bytes can be shown together.
const TOGETHER: usize = 200;
/// So many matches are checked to find the best place.
const LOOKED_AT: usize = 64;
/// Signs around the first and last word that are shown with it.
const SIGNS: usize = 4;
const ELLIPSIS: &str = "...";

/// A match of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hit {
    start: usize,
    end: usize,
    phrase: usize,
}

/// What is shown of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// First byte; at most [`BYTES`] and a few more are shown.
    pub(super) start: usize,
    /// With marks.
    marked: bool,
}

/// Finds a query's phrases in texts.
pub(super) struct Finder {
    phrases: Vec<Phrase>,
    /// Finds the beginnings of words that may be first in a phrase, where all of those are ASCII.
    beginnings: Option<AhoCorasick>,
}

impl Finder {
    /// For a valid FTS5 query.
    pub(super) fn new(query: &str) -> Self {
        let phrases = phrases(query);
        let beginnings = beginnings(&phrases);
        Self { phrases, beginnings }
    }

    /// What of `text` is best shown: the words around the best place, or else the beginning of the
    /// first line that matches.
    pub(super) fn spot(&self, text: &str, highlight: bool) -> Spot {
        match self.best(text) {
            Some(hit) if highlight => Spot { start: start_before(text, hit.start), marked: true },
            Some(hit) => {
                let start = text[..hit.start].rfind('\n').map_or(0, |end| end + 1);
                Spot { start, marked: false }
            }
            None => Spot { start: 0, marked: false },
        }
    }

    /// Shows a spot of `text`, matches between `>>` and `<<` where they are wanted.
    pub(super) fn show(&self, text: &str, spot: Spot) -> String {
        if spot.marked { self.marked(text, spot.start) } else { excerpt(text, spot.start) }
    }

    fn marked(&self, text: &str, start: usize) -> String {
        let limit = text.floor_char_boundary(start + BYTES);
        let shown_words = words(text, start).take(WORDS).take_while(|(word, _)| *word < limit);
        let mut shown = String::new();
        let mut end = start;
        for (word, word_end) in shown_words {
            // In a phrase that is shown already.
            if word < end {
                continue;
            }
            shown.push_str(&text[end..word]);
            if let Some(hit) = self.at(text, word) {
                end = hit.end.min(limit);
                shown.push_str(&format!(">>{}<<", &text[word..end]));
            } else {
                end = word_end.min(limit);
                shown.push_str(&text[word..end]);
            }
        }
        // Signs that belong to the last word.
        let signs = text[end..].chars().take_while(|sign| is_sign(*sign)).take(SIGNS);
        let signs: usize = signs.map(char::len_utf8).sum();
        shown.push_str(&text[end..end + signs]);
        frame(text, start, end + signs, &shown)
    }

    /// The first place where most of the phrases occur together.
    fn best(&self, text: &str) -> Option<Hit> {
        let hits = self.hits(text);
        let mut best: Option<(usize, Hit)> = None;
        for (number, hit) in hits.iter().enumerate() {
            let together =
                hits[number..].iter().take_while(|next| next.start < hit.start + TOGETHER);
            let count = together.map(|next| next.phrase).collect::<BTreeSet<_>>().len();
            if best.is_none_or(|(most, _)| count > most) {
                best = Some((count, *hit));
            }
        }
        best.map(|(_, hit)| hit)
    }

    /// The first matches of phrases, enough to choose from.
    fn hits(&self, text: &str) -> Vec<Hit> {
        let enough = if self.phrases.len() > 1 { LOOKED_AT } else { 1 };
        if let Some(beginnings) = &self.beginnings {
            let places = beginnings.find_iter(text).map(|found| found.start());
            // Two that overlap are no matter: the second one is in the middle of a word.
            let starts = places.filter(|at| !text[..*at].ends_with(is_letter));
            let hits: Vec<Hit> = starts.filter_map(|at| self.at(text, at)).take(enough).collect();
            if !hits.is_empty() {
                return hits;
            }
        }
        // Words that are written otherwise than they are looked up, such as with accents.
        words(text, 0).filter_map(|(at, _)| self.at(text, at)).take(enough).collect()
    }

    /// The phrase that begins with the word at byte `at`; the longest if there are several.
    fn at(&self, text: &str, at: usize) -> Option<Hit> {
        let standing = self.phrases.iter().enumerate().filter_map(|(number, phrase)| {
            let mut end = at;
            let mut next = words(text, at);
            for wanted in phrase {
                let (start, word_end) = next.next()?;
                if !matches(wanted, &text[start..word_end]) {
                    return None;
                }
                end = word_end;
            }
            Some(Hit { start: at, end, phrase: number })
        });
        standing.max_by_key(|hit| hit.end)
    }
}

fn matches(wanted: &Term, word: &str) -> bool {
    let found = term(word);
    if wanted.prefix { found.starts_with(&wanted.stem) } else { found == wanted.stem }
}

/// A stem differs from its words in its last letter at most; what is before it begins the word.
fn beginnings(phrases: &[Phrase]) -> Option<AhoCorasick> {
    let mut starts: BTreeSet<&[u8]> = BTreeSet::new();
    for phrase in phrases {
        let stem = &phrase.first()?.stem;
        starts.insert(stem.get(..stem.len().saturating_sub(1).max(1))?);
    }
    if starts.is_empty() || !starts.iter().all(|start| start.is_ascii()) {
        return None;
    }
    AhoCorasick::builder().ascii_case_insensitive(true).build(starts).ok()
}

/// Where a snippet begins whose first match is at byte `hit`: some words before.
fn start_before(text: &str, hit: usize) -> usize {
    let mut from = text.ceil_char_boundary(hit.saturating_sub(BYTES_BEFORE));
    if text[..from].ends_with(is_letter) {
        // In the middle of a word: on to its end.
        from += text[from..hit].find(|letter| !is_letter(letter)).unwrap_or(hit - from);
    }
    let before: Vec<usize> =
        words(text, from).map(|(start, _)| start).take_while(|start| *start < hit).collect();
    let start = before.get(before.len().saturating_sub(WORDS_BEFORE)).copied().unwrap_or(hit);
    // Signs that belong to the first word.
    let signs = text[..start].chars().rev().take_while(|sign| is_sign(*sign)).take(SIGNS);
    start - signs.map(char::len_utf8).sum::<usize>()
}

fn is_sign(letter: char) -> bool {
    !letter.is_whitespace() && !is_letter(letter)
}

/// The beginning of the first line that is not blank, from byte `from` on.
fn excerpt(text: &str, from: usize) -> String {
    let rest = &text[from..];
    let rest = rest.trim_start();
    let line = rest.lines().next().unwrap_or_default().trim_end();
    let limit = line.floor_char_boundary(BYTES);
    let cut = words(line, 0).nth(WORDS).map_or(limit, |(start, _)| start.min(limit));
    let shown = line[..cut].trim_end();
    if cut < line.len() { format!("{shown}{ELLIPSIS}") } else { shown.to_owned() }
}

/// Says with dots that there is more.
fn frame(text: &str, start: usize, end: usize, shown: &str) -> String {
    let before = if text[..start].trim().is_empty() { "" } else { ELLIPSIS };
    let after = if text[end..].trim().is_empty() { "" } else { ELLIPSIS };
    format!("{before}{}{after}", shown.trim())
}
