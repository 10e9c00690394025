//! A fingerprint without a model: for the command line, for trying things out and for tests.
//!
//! Words, pairs of words and pieces of words are hashed into the dimensions of a vector. The same
//! text gives the same fingerprint everywhere and for ever. It tells topics apart by the words they
//! use; it knows no synonyms, so an embedding model at the client does better.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Fingerprint;

use super::stop::is_stop;
use super::vector::{BadEmbedding, MAX_DIMS, MIN_DIMS, normalised};
use super::words::{entities, folded, keywords, lower, one_line, terms, words};

/// How much of a text is read, in bytes.
pub const MAX_TEXT: usize = 1 << 20;

const ENTITIES: usize = 12;
const KEYWORDS: usize = 12;
const SENTENCES: usize = 3;
const SENTENCE_CHARS: usize = 240;

/// Longer words are hashes or keys, which no other session will share; in bytes.
const MAX_WORD: usize = 80;
/// Letters in a piece of a word.
const PIECE: usize = 4;
/// The same where one sign is a syllable or more, and words are not set apart.
const DENSE_PIECE: usize = 2;
/// The scripts of East Asia begin here.
const DENSE_FROM: char = '\u{2e80}';

const WORD_WEIGHT: f64 = 1.0;
const PAIR_WEIGHT: f64 = 0.3;
const PIECE_WEIGHT: f64 = 0.35;

/// Makes the fingerprint of a text, with a vector of `dims` numbers and length 1.
///
/// Reads the first [`MAX_TEXT`] bytes. The intent is left open.
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

fn vector(text: &str, dims: usize) -> Result<Vec<f32>, BadEmbedding> {
    // Hash of a feature to how often it occurs and how much one counts. Sorted, so that the sums
    // below are added up in one order.
    let mut features: BTreeMap<u64, (u32, f64)> = BTreeMap::new();
    let mut count = |hash: u64, weight: f64| features.entry(hash).or_insert((0, weight)).0 += 1;
    let mut before: Option<u64> = None;
    for word in words(text) {
        let word = lower(word.text);
        if word.len() > MAX_WORD || is_stop(&word) {
            before = None;
            continue;
        }
        let word = folded(&word);
        let whole = hash(b'w', word.as_bytes());
        count(whole, WORD_WEIGHT);
        if let Some(before) = before.replace(whole) {
            let pair = [before.to_le_bytes(), whole.to_le_bytes()].concat();
            count(hash(b'p', &pair), PAIR_WEIGHT);
        }
        let size = if word.contains(|c| c >= DENSE_FROM) { DENSE_PIECE } else { PIECE };
        let starts: Vec<usize> =
            word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        for piece in starts.windows(size + 1) {
            count(hash(b'c', &word.as_bytes()[piece[0]..piece[size]]), PIECE_WEIGHT);
        }
    }
    let mut sums = vec![0.0_f64; dims];
    for (hash, (times, weight)) in features {
        // Said ten times is more, but not ten times more. A root is the same on every machine, which
        // a logarithm is not.
        let weight = weight * f64::from(times).sqrt();
        let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
        sums[(hash % dims as u64) as usize] += sign * weight;
    }
    let narrow: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
    normalised(&narrow).ok_or(BadEmbedding::NoWords)
}

/// Up to three sentences that hold most of the keywords, in the order of the text.
fn summary(text: &str, keywords: &[String]) -> Option<String> {
    let wanted: BTreeSet<String> = keywords.iter().map(|word| folded(word)).collect();
    let mut found: Vec<(usize, usize, &str)> = sentences(text)
        .enumerate()
        .map(|(at, sentence)| (terms(sentence).intersection(&wanted).count(), at, sentence))
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

/// FNV-1a with a kind in front, stirred so that all bits can be used.
fn hash(kind: u8, bytes: &[u8]) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for &byte in [kind].iter().chain(bytes) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^ (state >> 33)
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
