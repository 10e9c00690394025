//! Names that occur more than once in a text: persons, products, code, quoted terms.
//!
//! A capital at the start of a sentence proves nothing; such a word counts only when it is a name
//! elsewhere too. Days, months and shouted lines are not names.

use std::collections::{HashMap, HashSet};

use super::folded;
use super::language::Language;
use super::lexicon::is_content;
use super::words::{Word, dated, stop, words};
use crate::model::{ByteSpan, Operation};

/// Places that are stored per name.
const PLACES: usize = 8;
/// Different names that are counted. A text with more is a word list, and memory is finite.
const NAMES: usize = 50_000;
const LONGEST_LABEL: usize = 49;
/// The longest abbreviation in capitals that may be a mere term, and how often it then occurs.
const ABBREVIATION: usize = 4;
const OFTEN: usize = 4;

/// Capitalised words that are not names.
const NOT_NAMES: &[&str] = &[
    "ai",
    "api",
    "art",
    "asap",
    "aw",
    "best",
    "cheers",
    "christmas",
    "clause",
    "csv",
    "dear",
    "deus",
    "dona",
    "dr",
    "easter",
    "english",
    "eod",
    "eta",
    "etc",
    "eur",
    "euro",
    "euros",
    "false",
    "figure",
    "fr",
    "frau",
    "fridays",
    "fwd",
    "fyi",
    "german",
    "god",
    "gott",
    "hello",
    "herr",
    "hi",
    "hr",
    "id",
    "kind",
    "let's",
    "mondays",
    "mr",
    "mrs",
    "ms",
    "natal",
    "nb",
    "no",
    "none",
    "note",
    "null",
    "ok",
    "okay",
    "option",
    "ostern",
    "page",
    "part",
    "pdf",
    "please",
    "ps",
    "páscoa",
    "q1",
    "q2",
    "q3",
    "q4",
    "re",
    "regards",
    "saturdays",
    "section",
    "senhor",
    "senhora",
    "seu",
    "sr",
    "sra",
    "step",
    "sundays",
    "table",
    "thanks",
    "thursdays",
    "todo",
    "top",
    "true",
    "tuesdays",
    "url",
    "usd",
    "wednesdays",
    "weihnachten",
    "wg",
    "wifi",
    "yes",
];

/// Labels of turns that are no names.
const ROLES: &[&str] = &[
    "agent",
    "arzt",
    "client",
    "customer",
    "doctor",
    "dr",
    "guest",
    "host",
    "interviewer",
    "kunde",
    "kundin",
    "lawyer",
    "médica",
    "médico",
    "moderator",
    "paciente",
    "patient",
    "patientin",
    "speaker",
    "support",
    "therapist",
    "ärztin",
];

/// What kind of name it is, by how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Entity,
    Code,
    Quote,
}

#[derive(Debug)]
struct Name {
    kind: Kind,
    /// Spellings with how often each was seen, in order of appearance.
    spellings: Vec<(String, usize)>,
    count: usize,
    /// Whether it occurred where only a name is capitalised.
    sure: bool,
    places: Vec<ByteSpan>,
}

/// Counts names over a whole dump.
#[derive(Debug, Default)]
pub(super) struct Names {
    found: Vec<Name>,
    by_key: HashMap<String, usize>,
    /// Words that are written small somewhere, and so are no names of one word.
    small: HashSet<String>,
}

impl Names {
    /// Reads a sentence; `place` maps its bytes to the dump.
    pub(super) fn read(
        &mut self,
        text: &str,
        language: Language,
        place: impl Fn(ByteSpan) -> ByteSpan,
    ) {
        let marked = marked(text);
        let all = words(text);
        for word in &all {
            let small = text[word.start..].starts_with(char::is_lowercase);
            if small && self.small.len() < NAMES && !self.small.contains(word.text.as_ref()) {
                self.small.insert(word.text.to_string());
            }
        }
        for (span, kind) in &marked {
            self.add(&text[span.start..span.end], *kind, true, place(*span));
        }
        let free = |word: &Word<'_>| {
            !marked.iter().any(|(span, _)| span.start < word.end && word.start < span.end)
        };
        for (span, kind, sure) in names(text, &all, language) {
            let clear = all.iter().filter(|word| word.start >= span.start && word.end <= span.end);
            if clear.into_iter().all(free) {
                self.add(&text[span.start..span.end], kind, sure, place(span));
            }
        }
    }

    /// Counts the label of a turn.
    pub(super) fn speaker(&mut self, label: &str, span: ByteSpan) {
        if !ROLES.contains(&label.to_lowercase().as_str()) {
            self.add(label, Kind::Entity, true, span);
        }
    }

    fn add(&mut self, label: &str, kind: Kind, sure: bool, place: ByteSpan) {
        let key: String = label
            .chars()
            .filter(|found| found.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        let label = &folded(label);
        if key.is_empty() || label.len() > LONGEST_LABEL {
            return;
        }
        let index = match self.by_key.get(&key) {
            Some(index) => *index,
            None if self.found.len() >= NAMES => return,
            None => {
                let empty =
                    Name { kind, spellings: Vec::new(), count: 0, sure: false, places: Vec::new() };
                self.found.push(empty);
                self.by_key.insert(key, self.found.len() - 1);
                self.found.len() - 1
            }
        };
        let Some(name) = self.found.get_mut(index) else { return };
        name.count += 1;
        name.sure |= sure;
        if name.places.len() < PLACES {
            name.places.push(place);
        }
        match name.spellings.iter().position(|(spelled, _)| spelled == label) {
            Some(at) => name.spellings[at].1 += 1,
            None if name.spellings.len() < PLACES => name.spellings.push((label.to_owned(), 1)),
            None => {}
        }
    }

    /// The names that occur at least twice, the most frequent first, and how many did not fit.
    pub(super) fn operations(self, most: usize) -> (Vec<Operation>, usize) {
        let small = self.small;
        let mut names: Vec<Name> = self
            .found
            .into_iter()
            .filter(|name| name.count >= 2 && name.sure)
            .filter(|name| name.spellings.iter().all(|(spelled, _)| is_name(spelled, name, &small)))
            .collect();
        // Stable: names that occur equally often stay in the order of their first place.
        names.sort_by_key(|name| std::cmp::Reverse(name.count));
        let left = names.len().saturating_sub(most);
        names.truncate(most);
        (names.into_iter().map(operation).collect(), left)
    }
}

/// Whether a name of one word is one: not written small elsewhere, and no short abbreviation unless
/// the text comes back to it.
fn is_name(spelled: &str, name: &Name, small: &HashSet<String>) -> bool {
    let abbreviated = spelled.len() <= ABBREVIATION && spelled.chars().all(char::is_uppercase);
    name.kind != Kind::Entity
        || !small.contains(&spelled.to_lowercase()) && (!abbreviated || name.count >= OFTEN)
}

fn operation(mut name: Name) -> Operation {
    name.spellings.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut spellings = name.spellings.into_iter().map(|(spelled, _)| spelled);
    let more = u32::try_from(name.count.saturating_sub(2).min(7)).unwrap_or(7);
    Operation::CreateContextItem {
        label: spellings.next().unwrap_or_default(),
        kind: match name.kind {
            Kind::Entity => "entity",
            Kind::Code => "code",
            Kind::Quote => "quote",
        }
        .to_owned(),
        synonyms: spellings.collect(),
        confidence: f64::from(80 + 2 * more) / 100.0,
        spans: name.places,
    }
}

/// Terms between backticks or quotation marks.
fn marked(text: &str) -> Vec<(ByteSpan, Kind)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find(['`', '"', '“']) {
        let open = at + open;
        let mark = text[open..].chars().next().unwrap_or('`');
        let start = open + mark.len_utf8();
        let close = if mark == '“' { '”' } else { mark };
        let Some(length) = text[start..].find(close) else { break };
        let inside = &text[start..start + length];
        let few = inside.split_whitespace().count();
        let tight = inside.trim() == inside;
        if mark == '`' && few == 1 && tight {
            found.push((ByteSpan { start, end: start + length }, Kind::Code));
        } else if mark != '`' && (1..=4).contains(&few) && tight {
            // The comma inside the quotation marks belongs to the sentence around.
            let term = inside.trim_end_matches([',', '.', '!', '?']);
            found.push((ByteSpan { start, end: start + term.len() }, Kind::Quote));
        }
        at = start + length + close.len_utf8();
    }
    found
}

/// Capitalised sequences and identifiers, and whether each is a name for sure.
fn names(text: &str, words: &[Word<'_>], language: Language) -> Vec<(ByteSpan, Kind, bool)> {
    let spelled = |word: &Word<'_>| &text[word.start..word.end];
    let capital = |word: &Word<'_>| spelled(word).chars().next().is_some_and(char::is_uppercase);
    let capitals = words.iter().filter(|word| capital(word)).count();
    if words.len() >= 4 && capitals * 3 > words.len() * 2 {
        return Vec::new();
    }
    let name = |word: &Word<'_>| {
        capital(word)
            && word.end - word.start >= 2
            && !stop(&word.text)
            && is_content(&word.text)
            && !dated(&word.text)
            && NOT_NAMES.binary_search(&word.text.as_ref()).is_err()
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = words.get(at) {
        if identifier(spelled(first)) {
            found.push((ByteSpan { start: first.start, end: first.end }, Kind::Code, true));
        } else if name(first) {
            let mut last = at;
            while last < at + 3
                && let Some(next) = follows(text, words, last)
                && let Some(word) = words.get(next)
                && (name(word)
                    || text[..word.start].ends_with('-')
                        && word.text.bytes().all(|b| b.is_ascii_digit()))
            {
                last = next;
            }
            let end = words.get(last).unwrap_or(first);
            let possessive = spelled(end).strip_suffix("'s").or(spelled(end).strip_suffix("’s"));
            let end = possessive.map_or(end.end, |bare| end.start + bare.len());
            let inner = spelled(first)
                .chars()
                .skip(1)
                .any(|found| found.is_uppercase() || found.is_numeric());
            // German writes all nouns with a capital.
            let sure = match language {
                Language::German => last > at || inner,
                _ => at > 0 || last > at || inner,
            };
            found.push((ByteSpan { start: first.start, end }, Kind::Entity, sure));
            at = last;
        }
        at += 1;
    }
    found
}

/// The word that may continue a name: the next one, or the one after `of` and similar words.
fn follows(text: &str, words: &[Word<'_>], last: usize) -> Option<usize> {
    let (this, next) = (words.get(last)?, words.get(last + 1)?);
    let between = &text[this.end..next.start];
    let joined = matches!(between, " " | "-" | " & ");
    if joined && matches!(next.text.as_ref(), "of" | "de" | "van" | "von") {
        let after = words.get(last + 2)?;
        return (&text[next.end..after.start] == " ").then_some(last + 2);
    }
    joined.then_some(last + 1)
}

/// `snake_case` and `camelCase`.
fn identifier(word: &str) -> bool {
    let small = word.chars().next().is_some_and(char::is_lowercase);
    let inner = word.trim_matches('_').contains('_') && word.is_ascii();
    // Shorter ones are units: `kWh`, `dBm`.
    inner || small && word.len() > 4 && word.is_ascii() && word.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::NOT_NAMES;

    #[test]
    fn tables_are_sorted() {
        assert!([NOT_NAMES].iter().all(|table| table.is_sorted()));
    }
}
