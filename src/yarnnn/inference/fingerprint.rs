//! Fingerprints without a model: for the command line, for experiments and for tests.
//!
//! The vector comes from [`super::features`]; the same text always has the same vector.
//! It separates topics by their words
//! and knows no synonyms, so an embedding model at the client is better.

use std::collections::BTreeSet;

use crate::model::Fingerprint;

use super::features::vector;
use super::vector::{BadEmbedding, MAX_DIMS, MIN_DIMS};
use super::words::{entities, keywords, one_line, terms};
use crate::text::stem;

/// How much of a text is read, in bytes.
pub(crate) const MAX_TEXT: usize = 1 << 20;

const ENTITIES: usize = 12;
const KEYWORDS: usize = 12;
const SENTENCES: usize = 3;
const SENTENCE_CHARS: usize = 240;

/// Computes the fingerprint of a text, with a vector of `dims` numbers and length 1.
///
/// Reads the first `MAX_TEXT` bytes. The intent is not set.
pub fn make_fingerprint(text: &str, dims: usize) -> Result<Fingerprint, BadEmbedding> {
    if !(MIN_DIMS..=MAX_DIMS).contains(&dims) {
        return Err(BadEmbedding::Dimensions { given: dims });
    }
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let keywords = keywords(text, KEYWORDS);
    Ok(Fingerprint {
        embedding: vector(text, dims)?,
        summary: summary(text, &keywords),
        intent: None,
        entities: entities(text, ENTITIES),
        keywords,
    })
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
    use super::super::vector::{check, cosine, digest};
    use super::*;

    const GOLDEN: &str = "d98e00571eb3fd7fc7cb673c26d5431bc82586c6cbd3fd3d8059d3e4dfc89d0b";

    const BILLING: &str = "We decided to move billing to Stripe. Refunds must be paid within five \
        days. Our finance team wants invoices in euros, and Stripe sends the invoices.";
    const BILLING_AGAIN: &str = "Billing question: does Stripe send invoices in euros already? \
        The finance team still waits for refunds, and refunds should take five days.";
    const GARDEN: &str = "Tomatoes need sun and water every morning. Plant basil beside them, and \
        keep the snails away from the lettuce with copper tape.";

    fn alike(one: &str, other: &str, dims: usize) -> f64 {
        let of = |text| make_fingerprint(text, dims).unwrap().embedding;
        cosine(&of(one), &of(other)).unwrap()
    }

    #[test]
    fn the_same_text_gives_the_same_fingerprint_for_ever() {
        let made = make_fingerprint(BILLING, 256).unwrap();
        assert_eq!(made, make_fingerprint(BILLING, 256).unwrap());
        // Stored signatures depend on these bytes: a change here needs a new kind of fingerprint.
        assert_eq!(digest(&made.embedding), GOLDEN);
    }

    #[test]
    fn it_passes_the_check_of_embeddings_at_every_length() {
        for dims in [8, 9, 256, 1536, 4096] {
            let made = make_fingerprint(BILLING, dims).unwrap().embedding;
            let wide: Vec<f64> = made.iter().map(|&number| f64::from(number)).collect();
            assert_eq!(check(&wide), Ok(made));
        }
    }

    #[test]
    fn texts_on_one_topic_are_nearer_than_texts_on_two() {
        for dims in [256, 1536] {
            let near = alike(BILLING, BILLING_AGAIN, dims);
            let far = alike(BILLING, GARDEN, dims);
            println!("{dims} dims: same topic {near:.3}, other topic {far:.3}");
            assert!(near > 0.4 && far < 0.15, "{dims}: {near} {far}");
        }
    }

    #[test]
    fn case_number_and_small_words_hardly_matter() {
        assert!(alike("The invoices are late", "INVOICE late", 1536) > 0.85);
    }

    #[test]
    fn words_come_along() {
        let made = make_fingerprint(BILLING, 64).unwrap();
        assert_eq!(made.entities, ["Stripe"]);
        assert!(made.keywords.starts_with(&["invoices".to_owned(), "stripe".to_owned()]));
        assert_eq!(
            made.summary.as_deref().map(|summary| summary.matches('.').count()),
            Some(3),
            "{made:?}"
        );
        assert_eq!(made.intent, None);
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
    fn scripts_without_spaces_are_told_apart_too() {
        let tokyo = "東京の請求書は遅れています";
        assert!(alike(tokyo, "東京の請求書は届きました", 1536) > 0.3);
        assert!(alike(tokyo, "トマトには日光が必要です", 1536) < 0.15);
    }

    #[test]
    fn texts_without_words_and_odd_lengths_are_refused() {
        for text in ["", " \n", "?!…", "the and of"] {
            assert_eq!(make_fingerprint(text, 64), Err(BadEmbedding::NoWords), "{text:?}");
        }
        for given in [0, 7, 4097] {
            assert_eq!(make_fingerprint(BILLING, given), Err(BadEmbedding::Dimensions { given }));
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "é".repeat(MAX_TEXT); // one word of twice the limit
        assert_eq!(make_fingerprint(&long, 64), Err(BadEmbedding::NoWords));
        let long = format!("a{}", " réponse".repeat(MAX_TEXT / 8));
        assert_eq!(make_fingerprint(&long, 64).unwrap().keywords[0], "réponse");
    }
}
