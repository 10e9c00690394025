//! Words of a text, and how alike two texts are by their words.
//!
//! Knows the commonest words of English and nothing else of language.

use std::borrow::Cow;

use crate::text::{Joint, Piece, pieces};

/// A word in lower case, with a number's sign, currency and percent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Words that say little: they are left out when texts are compared.
/// Modals, negations and words of time stay in, because they change what is said.
const STOP: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been",
    "being", "but", "by", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her",
    "here", "hers", "him", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "in", "into", "is",
    "it", "it's", "its", "just", "me", "my", "of", "on", "or", "our", "ours", "really", "she",
    "so", "some", "such", "than", "that", "that's", "the", "their", "them", "then", "there",
    "there's", "these", "they", "they're", "this", "those", "to", "too", "up", "us", "very", "was",
    "we", "we'd", "we'll", "we're", "we've", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "would", "you", "you're", "your", "yours",
];

const NEGATIONS: &[&str] =
    &["cannot", "neither", "never", "no", "nor", "not", "nothing", "without"];

const DATES: &[&str] = &[
    "abril",
    "agosto",
    "amanhã",
    "apr",
    "april",
    "aug",
    "august",
    "dec",
    "december",
    "dez",
    "dezember",
    "dezembro",
    "dienstag",
    "domingo",
    "donnerstag",
    "feb",
    "februar",
    "february",
    "fevereiro",
    "freitag",
    "friday",
    "heute",
    "hoje",
    "jan",
    "janeiro",
    "januar",
    "january",
    "jul",
    "julho",
    "juli",
    "july",
    "jun",
    "june",
    "junho",
    "juni",
    "jänner",
    "mai",
    "maio",
    "mar",
    "march",
    "março",
    "may",
    "mittwoch",
    "monday",
    "montag",
    "märz",
    "nov",
    "november",
    "novembro",
    "oct",
    "october",
    "okt",
    "oktober",
    "outubro",
    "quinta",
    "samstag",
    "saturday",
    "sep",
    "september",
    "setembro",
    "sexta",
    "sonnabend",
    "sonntag",
    "sunday",
    "sábado",
    "terça",
    "thursday",
    "today",
    "tomorrow",
    "tuesday",
    "wednesday",
];

/// All words of a text.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let all: Vec<Piece<'_>> = pieces(text, holds).collect();
    let mut found = Vec::new();
    for (at, piece) in all.iter().enumerate().filter(|(_, piece)| piece.is_word) {
        let before = at.checked_sub(1).and_then(|before| all.get(before));
        let sign =
            before.filter(|before| before.end() == piece.start && signs(text, before, piece));
        let percent = all.get(at + 1).filter(|next| {
            next.start == piece.end()
                && next.text == "%"
                && piece.text.ends_with(|last: char| last.is_ascii_digit())
        });
        let start = sign.map_or(piece.start, |sign| sign.start);
        found.push(word(text, start, percent.map_or(piece.end(), Piece::end)));
    }
    found
}

/// Marks within a word: `don't`, `1,200.50`, `snake_case`.
fn holds(joint: &Joint<'_>) -> bool {
    match joint.mark {
        Some('\'' | '’') => joint.before.is_alphabetic() && joint.after.is_alphabetic(),
        Some('.' | ',') => joint.before.is_ascii_digit() && joint.after.is_ascii_digit(),
        mark => mark == Some('_'),
    }
}

/// Whether the mark is the number's currency, or its sign and not a dash.
fn signs(text: &str, mark: &Piece<'_>, number: &Piece<'_>) -> bool {
    let before = text[..mark.start].chars().next_back().unwrap_or(' ');
    number.text.starts_with(|first: char| first.is_ascii_digit())
        && match mark.text {
            "$" | "€" | "£" | "¥" => true,
            "-" | "+" => before.is_whitespace() || before == '(',
            _ => false,
        }
}

fn word(text: &str, start: usize, end: usize) -> Word<'_> {
    let raw = &text[start..end];
    let plain = raw.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    let text = match plain {
        true => Cow::Borrowed(raw),
        false => Cow::Owned(raw.to_lowercase().replace('’', "'")),
    };
    Word { text, start, end }
}

/// Whether the word says little.
pub(super) fn stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Whether the word denies something.
pub(super) fn denies(word: &str) -> bool {
    NEGATIONS.binary_search(&word).is_ok() || word.ends_with("n't")
}

/// Whether the word is part of a date, such as a month or a weekday.
pub(super) fn dated(word: &str) -> bool {
    DATES.binary_search(&word).is_ok()
}

/// The text as its words: equal for texts that differ in case, spaces and punctuation only.
pub(super) fn key(words: &[Word<'_>]) -> String {
    let mut key = String::new();
    for word in words {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(&word.text);
    }
    key
}

/// What a text says, for comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Gist {
    /// Words that say something, sorted, each once.
    pub(super) words: Vec<String>,
    /// Numbers and dates, sorted.
    exact: Vec<String>,
    /// Whether an odd number of words denies something.
    denied: bool,
}

impl Gist {
    pub(crate) fn of(text: &str) -> Self {
        Self::from_words(&words(text))
    }

    pub(super) fn from_words(all: &[Word<'_>]) -> Self {
        let mut gist = Self::default();
        for word in all {
            let number = word.text.bytes().any(|byte| byte.is_ascii_digit());
            if number || dated(&word.text) {
                gist.exact.push(word.text.replace(',', ""));
            }
            gist.denied ^= denies(&word.text);
            if !stop(&word.text) {
                gist.words.push(word.text.to_string());
            }
        }
        if gist.words.len() < 2 {
            gist.words = all.iter().map(|word| word.text.to_string()).collect();
        }
        gist.words.sort_unstable();
        gist.words.dedup();
        gist.exact.sort_unstable();
        gist
    }

    /// Words in both, against words in either.
    pub(super) fn jaccard(&self, other: &Self) -> f64 {
        jaccard(&self.words, &other.words)
    }

    /// Whether both name the same numbers and dates and agree in what they deny.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.exact == other.exact && self.denied == other.denied
    }

    /// Whether the other may be this in other words: it names no other number or date, denies as
    /// much, and a third of its words are from here.
    pub(crate) fn bears_out(&self, other: &Self) -> bool {
        self.denied == other.denied
            && other.exact.iter().all(|one| self.exact.contains(one))
            && 3 * shared(&self.words, &other.words) >= other.words.len()
    }
}

/// The words of a text that say something, sorted, each once.
pub fn gist_words(text: &str) -> Vec<String> {
    Gist::of(text).words
}

/// How many members two sorted lists share.
pub(super) fn shared<T: Ord>(left: &[T], right: &[T]) -> usize {
    let (mut at, mut other, mut both) = (0, 0, 0);
    while let (Some(one), Some(two)) = (left.get(at), right.get(other)) {
        let order = one.cmp(two);
        at += usize::from(order.is_le());
        other += usize::from(order.is_ge());
        both += usize::from(order.is_eq());
    }
    both
}

/// Shared members against all members of two sorted lists; 0 when both are empty.
pub(super) fn jaccard<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let both = shared(left, right);
    let either = left.len() + right.len() - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::{DATES, NEGATIONS, STOP};

    #[test]
    fn tables_are_sorted() {
        assert!([DATES, NEGATIONS, STOP].iter().all(|table| table.is_sorted()));
    }
}
