//! A name for the topic of a text, as a person would give it.
//!
//! The title of the text if it has one, else the words that it comes back to. Knows nothing of
//! baskets.

use std::collections::HashMap;

use super::clean::clean;
use super::language::{Language, decided};
use super::lexicon::{Classes, classes, is_content};
use super::sentences::{Form, sentences};
use super::source::sources;
use super::words::{Word, dated, words};
use super::{folded, speakers};

/// The longest name, in characters.
const LONGEST: usize = 50;
/// Words of a name that is built from words.
const WORDS: usize = 3;

/// Sentences in which the topic is usually named, and how often a word has to come back.
const OPENING: usize = 8;
const OFTEN: usize = 8;

/// Words of titles that say what kind of text it is.
const KINDS: &[&str] = &[
    "agenda",
    "ata",
    "aw",
    "chat",
    "doc",
    "document",
    "draft",
    "dump",
    "fw",
    "fwd",
    "log",
    "meeting",
    "memo",
    "minutes",
    "notas",
    "note",
    "notes",
    "notizen",
    "page",
    "protokoll",
    "re",
    "reunião",
    "sitzung",
    "summary",
    "transcript",
    "vorstandssitzung",
    "wg",
    "zusammenfassung",
];

/// The name; none when the text is about nothing.
pub fn suggested_name(text: &str) -> Option<String> {
    let cleaned = clean(text);
    titled(&cleaned.text).or_else(|| from_words(&cleaned.text))
}

/// From a mail's subject, a heading or a headline at the top.
fn titled(text: &str) -> Option<String> {
    let start = text.trim_start();
    let opening = &start[..start.floor_char_boundary(600)];
    let subject = opening.lines().take(8).find_map(|line| {
        let (name, rest) = line.split_once(": ")?;
        let known = ["assunto", "betreff", "subject"];
        known.contains(&name.trim_matches('*').to_lowercase().as_str()).then_some(rest)
    });
    let title = match subject {
        Some(subject) => subject,
        None => {
            let first = *sentences(opening).first()?;
            let line = opening.lines().next().unwrap_or_default();
            // A dialogue begins with a turn, not with a title.
            let spoken =
                speakers::turns(text).iter().any(|turn| turn.name.is_some()) && line.contains(": ");
            let top = first.span.start <= 8 && !spoken;
            let title = first.form == Form::Heading || first.headline || underlined(opening);
            line.get(first.span.start..).filter(|_| top && title)?
        }
    };
    let part = title
        .split([':', '–', '—', '|', '('])
        .flat_map(|part| part.split(" - "))
        .map(tidied)
        .find(|part| words(part).iter().any(|word| speaks(&word.text)))?;
    (!part.is_empty()).then_some(part)
}

/// Whether the first line stands above a list of captions (`Date: …`), as in minutes.
fn underlined(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let second = lines.next().unwrap_or_default();
    let ends = first.ends_with(['.', '!', '?', ':', ',', ';']) && !first.ends_with(" V.");
    first.len() <= 90 && !first.contains(": ") && !ends && second.contains(": ")
}

/// Whether a word of a title is about something.
fn speaks(word: &str) -> bool {
    word.chars().count() >= 4 && word.chars().all(char::is_alphabetic) && is_content(word)
}

/// A part of a title without the words that only say what kind of text it is.
fn tidied(part: &str) -> String {
    let kept: Vec<&str> = part
        .split_whitespace()
        .filter(|word| {
            let bare = word.trim_matches(|one: char| !one.is_alphanumeric()).to_lowercase();
            KINDS.binary_search(&bare.as_str()).is_err() && !dated(&bare)
        })
        .collect();
    let line = folded(&kept.join(" "));
    line.trim_matches(|one: char| ",;.-*_# ".contains(one)).chars().take(LONGEST).collect()
}

#[derive(Default)]
struct Topic {
    spelled: String,
    points: usize,
    count: usize,
    first: usize,
}

/// From the words that the text comes back to, in the order in which they come up.
fn from_words(text: &str) -> Option<String> {
    let language = decided(text).unwrap_or(Language::English);
    let mut topics: HashMap<String, Topic> = HashMap::new();
    let cleaned = clean(text);
    let mut at = 0;
    let sources: Vec<_> = sources(&cleaned).collect();
    let people: Vec<String> = sources
        .iter()
        .filter_map(|source| source.name())
        .flat_map(|(name, _)| {
            words(name).into_iter().map(|word| word.text.into_owned()).collect::<Vec<_>>()
        })
        .collect();
    let mut spoken = 0;
    for source in &sources {
        for sentence in sentences(source.text()) {
            spoken += 1;
            let said = &source.text()[sentence.core.start..sentence.core.end];
            let all = words(said);
            for (index, word) in all.iter().enumerate() {
                at += 1;
                if !topical(word, &people) {
                    continue;
                }
                let early = if spoken < OPENING { 4 } else { 1 };
                let before = index.checked_sub(1).and_then(|before| all.get(before));
                let points = early * weight(said, word, before, index, language);
                let topic = topics.entry(word.text.to_string()).or_default();
                if topic.points == 0 {
                    topic.spelled = said[word.start..word.end].to_owned();
                    topic.first = at;
                }
                topic.count += 1;
                // What comes back often enough is no more the topic for coming back again.
                if topic.count <= OFTEN {
                    topic.points += points;
                }
            }
        }
    }
    let mut ranked: Vec<Topic> = topics.into_values().collect();
    ranked.sort_by(|one, other| other.points.cmp(&one.points).then(one.first.cmp(&other.first)));
    ranked.truncate(WORDS - 1);
    ranked.sort_by_key(|topic| topic.first);
    let name = ranked.iter().map(|topic| topic.spelled.as_str()).collect::<Vec<_>>().join(" ");
    let mut letters = name.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).take(LONGEST).collect())
}

/// Whether a word may name a topic.
fn topical(word: &Word<'_>, people: &[String]) -> bool {
    word.text.chars().count() >= 4
        && word.text.chars().all(char::is_alphabetic)
        && classes(&word.text) == Classes::default()
        && !dated(&word.text)
        && !people.contains(&word.text.to_string())
}

/// How much a word counts where it stands: nouns count more, and an article makes a noun.
fn weight(
    said: &str,
    word: &Word<'_>,
    before: Option<&Word<'_>>,
    index: usize,
    language: Language,
) -> usize {
    let capital = said[word.start..].starts_with(char::is_uppercase);
    let article =
        before.is_some_and(|before| ARTICLES.binary_search(&before.text.as_ref()).is_ok());
    match language {
        Language::German if !capital => 0,
        _ => 2 + 3 * usize::from(article) + usize::from(capital && index > 0),
    }
}

/// Words that a noun follows.
const ARTICLES: &[&str] = &[
    "a", "an", "as", "da", "das", "dem", "den", "der", "die", "do", "dos", "ein", "eine", "einem",
    "einen", "meine", "meu", "minha", "my", "na", "no", "nossa", "nosso", "o", "os", "our", "the",
    "um", "uma", "unser", "unsere", "your", "à",
];

#[cfg(test)]
mod tests {
    use super::{ARTICLES, KINDS};

    #[test]
    fn tables_are_sorted() {
        assert!(ARTICLES.is_sorted() && KINDS.is_sorted());
    }
}
