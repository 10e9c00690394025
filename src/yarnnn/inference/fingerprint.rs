//! The words of a fingerprint, by fixed rules: summary, names and keywords of a text.

use std::collections::BTreeSet;

use crate::model::Fingerprint;

use super::words::{entities, keywords, one_line, terms};
use crate::text::stem;

/// How much of a text is read, in bytes.
pub(crate) const MAX_TEXT: usize = 1 << 20;

const ENTITIES: usize = 12;
const KEYWORDS: usize = 12;
const SENTENCES: usize = 3;
const SENTENCE_CHARS: usize = 240;

/// The words of a text's fingerprint; vector and intent are not set.
///
/// Reads the first `MAX_TEXT` bytes.
pub fn fingerprint_words(text: &str) -> Fingerprint {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let keywords = keywords(text, KEYWORDS);
    Fingerprint {
        summary: summary(text, &keywords),
        entities: entities(text, ENTITIES),
        keywords,
        ..Fingerprint::default()
    }
}

/// Up to three sentences that hold most of the keywords, in the order of the text.
fn summary(text: &str, keywords: &[String]) -> Option<String> {
    let wanted: BTreeSet<_> = keywords.iter().map(|word| stem(word)).collect();
    let mut found: Vec<(usize, usize, &str)> = sentences(text)
        .enumerate()
        .map(|(at, sentence)| {
            let held = terms(sentence).into_keys().filter(|term| wanted.contains(term.as_str()));
            (held.count(), at, sentence)
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(SENTENCES);
    found.sort_by_key(|(_, at, _)| *at);
    let lines: Vec<String> =
        found.iter().map(|(_, _, sentence)| one_line(sentence, SENTENCE_CHARS)).collect();
    let summary = lines.join(" ");
    (!summary.trim().is_empty()).then_some(summary)
}

/// Pieces of a text that end in a full stop, a mark or a line's end, and hold a word.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| {
            line.split_inclusive(". ").flat_map(|part| part.split_inclusive(['!', '?']))
        })
        .map(str::trim)
        .filter(|sentence| sentence.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BILLING: &str = "We decided to move billing to Stripe. Refunds must be paid within five \
        days. Our finance team wants invoices in euros, and Stripe sends the invoices.";

    #[test]
    fn words_are_those_of_the_text() {
        let made = fingerprint_words(BILLING);
        assert_eq!(made.entities, ["Stripe"]);
        assert!(made.keywords.starts_with(&["invoices".to_owned(), "stripe".to_owned()]));
        assert_eq!(
            made.summary.as_deref().map(|summary| summary.matches('.').count()),
            Some(3),
            "{made:?}"
        );
        assert_eq!((made.intent, made.embedding, made.model), (None, Vec::new(), String::new()));
    }

    #[test]
    fn a_summary_keeps_the_telling_sentences_in_order() {
        let text = "Hello there. Stripe billing starts. It rains.\nOk! Billing by Stripe ends?";
        let words = ["stripe".to_owned(), "billing".to_owned()];
        assert_eq!(
            summary(text, &words).unwrap(),
            "Hello there. Stripe billing starts. Billing by Stripe ends?"
        );
    }

    #[test]
    fn a_text_without_words_has_none() {
        for text in ["", " \n", "?!…"] {
            assert_eq!(fingerprint_words(text), Fingerprint::default(), "{text:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = format!("a{}", " réponse".repeat(MAX_TEXT / 8));
        assert_eq!(fingerprint_words(&long).keywords[0], "réponse");
    }
}
