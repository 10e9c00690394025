//! Splits text into clauses: at the ends of sentences and lines, and at words that start another
//! thought. Knows no rules.

use std::collections::BTreeSet;

use super::clause::Clause;
use super::token::{self, Kind, Token};
use crate::model::ByteSpan;

/// Words after which a full stop ends nothing.
const SHORT: &[&str] =
    &["e.g", "i.e", "vs", "etc", "inc", "ltd", "approx", "no", "dr", "mr", "ms", "mrs", "st", "ca"];
/// Words that start another clause in the middle of a sentence.
const BREAKS: &[&str] = &["but", "however", "whereas", "although", "though", "because", "while"];
/// Words that do so after a comma.
const COMMA_BREAKS: &[&str] = &[
    "so",
    "and",
    "which",
    "who",
    "since",
    "or",
    "where",
    "und",
    "weil",
    "denn",
    "aber",
    "mas",
    "e",
    "porque",
    "never",
    "not",
    "no",
    "the",
    "he",
    "she",
    "it",
    "they",
    "we",
    "i",
    "you",
    "in",
    "then",
    "of",
    "counting",
    "as",
    "sagt",
    "sie",
    "er",
    "wir",
    "there",
    "that",
    "but",
    "anything",
    "everything",
    "this",
    "these",
    "those",
    "always",
];
/// Those of them that belong to the clause that they start.
const KEPT: &[&str] = &[
    "never",
    "not",
    "no",
    "the",
    "he",
    "she",
    "it",
    "they",
    "we",
    "i",
    "you",
    "in",
    "sie",
    "er",
    "wir",
    "there",
    "that",
    "anything",
    "everything",
    "this",
    "these",
    "those",
    "always",
    "then",
    "since",
    "of",
];
/// Words by which a clause points at the one before.
const POINTERS: &[&str] = &["it", "they", "this", "these", "those", "that", "its", "their"];

/// Tokens of a clause; what goes on longer is no sentence.
const LONGEST: usize = 80;
/// Bytes of a text or title that are read.
pub(super) const READ: usize = 512 * 1024;

/// Where the sentences of a text are.
pub(super) fn spans(text: &str) -> Vec<ByteSpan> {
    let text = &text[..text.floor_char_boundary(READ)];
    let tokens = token::tokens(text);
    let ends = |sentence: &[Token]| {
        let (first, last) = (sentence.first()?, sentence.last()?);
        Some(ByteSpan { start: first.span.start, end: last.span.end })
    };
    sentences(text, &tokens).into_iter().filter_map(ends).collect()
}

/// The clauses of a text, at most `most`, each knowing the keys around it, and whether there were
/// more. A sentence of several clauses is also read as a whole.
pub(super) fn clauses(text: &str, title: &str, most: usize) -> Vec<Clause> {
    let text = &text[..text.floor_char_boundary(READ)];
    let title = &title[..title.floor_char_boundary(READ)];
    let titled: BTreeSet<String> = keys(token::tokens(title).chunks(LONGEST).next().unwrap_or(&[]));
    let mut found: Vec<Clause> = Vec::new();
    let mut before: BTreeSet<String> = BTreeSet::new();
    for (place, sentence) in sentences(text, &token::tokens(text)).into_iter().enumerate() {
        let english = is_english(sentence);
        let parts: Vec<&[Token]> =
            parts(sentence).into_iter().flat_map(|part| part.chunks(LONGEST)).collect();
        let all = keys(&sentence[..sentence.len().min(LONGEST)]);
        let several = parts.iter().filter(|part| !part.is_empty()).count() > 1;
        let whole =
            Some(trimmed(unnumbered(sentence))).filter(|whole| several && whole.len() <= LONGEST);
        let count = parts.len();
        for (at, part) in parts.into_iter().chain(whole).enumerate() {
            if found.len() == most {
                return found;
            }
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let span = ByteSpan { start: first.span.start, end: last.span.end };
            let mut clause = Clause::read(part, span, last.is("?"), english);
            if clause.terms.is_empty() {
                continue;
            }
            clause.sentence = place;
            clause.whole = at >= count;
            clause.around.clone_from(&titled);
            if several {
                clause.context.clone_from(&all);
            }
            if first.any(POINTERS) {
                clause.around.extend(before.iter().cloned());
            }
            found.push(clause);
        }
        before = all;
    }
    found
}

/// Whether the words are English as far as the small words tell.
fn is_english(tokens: &[Token]) -> bool {
    let count = |list: &[&str]| tokens.iter().filter(|token| token.any(list)).count();
    let foreign = count(GERMAN).max(count(PORTUGUESE));
    count(ENGLISH) >= foreign
}

const ENGLISH: &[&str] = &[
    "the", "a", "an", "is", "are", "of", "to", "and", "in", "for", "on", "with", "we", "our", "it",
    "not", "at", "by", "from", "was", "be", "has", "have", "i", "you", "they", "that", "no",
];
const GERMAN: &[&str] = &[
    "der", "die", "das", "und", "ist", "sind", "wir", "ich", "nicht", "ein", "eine", "einen", "im",
    "den", "dem", "des", "mit", "für", "auf", "von", "zu", "zum", "zur", "bei", "wird", "werden",
    "hat", "haben", "nur", "auch", "sich", "es", "er", "sie", "am", "unser", "unsere", "kein",
    "keine", "darf", "man", "jeder", "alle", "nach", "vor", "über", "unter", "sein", "wenn",
];
const PORTUGUESE: &[&str] = &[
    "o", "os", "as", "um", "uma", "de", "do", "da", "dos", "das", "e", "é", "são", "em", "no",
    "na", "nos", "nas", "não", "que", "com", "para", "por", "ao", "à", "às", "se", "tem", "têm",
    "está", "só", "já", "foi", "mais", "pode", "quem", "ele", "ela", "nós", "meu", "minha", "pelo",
    "pela",
];

/// Words of German and Portuguese that say nothing of a subject.
pub(super) fn is_foreign_stop(word: &str) -> bool {
    GERMAN.contains(&word) || PORTUGUESE.contains(&word)
}

fn keys(tokens: &[Token]) -> BTreeSet<String> {
    let span = ByteSpan { start: 0, end: 0 };
    let clause = Clause::read(tokens, span, false, is_english(tokens));
    clause.terms.into_iter().filter(|term| !term.light).map(|term| term.key).collect()
}

/// Cuts tokens into sentences.
fn sentences<'a>(text: &str, tokens: &'a [Token]) -> Vec<&'a [Token]> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let gap = next.map_or("", |next| &text[token.span.end..next.span.start]);
        let spaced = next.is_none() || !gap.is_empty();
        let short = at.checked_sub(1).is_some_and(|before| tokens[before].any(SHORT));
        let ends = token.any(&["!", "?", ";", "…"]) || (token.is(".") && spaced && !short);
        if ends || gap.contains('\n') || next.is_none() {
            found.push(&tokens[start..=at]);
            start = at + 1;
        }
    }
    found
}

/// Cuts a sentence into clauses and takes bullets, numbering and full stops off their ends.
fn parts(sentence: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut rest = unnumbered(sentence);
    let breaks = |two: &[Token]| {
        two[1].any(BREAKS)
            || (two[0].is(",") && two[1].any(COMMA_BREAKS))
            || two[1].any(&["—", "("])
    };
    // "five, and three" is no thought of its own.
    let long = |at: usize, rest: &[Token]| {
        let words = |tokens: &[Token]| tokens.iter().filter(|one| one.kind != Kind::Mark).count();
        words(&rest[..at]) >= 3 && words(&rest[at..]) >= 4
    };
    let mut from = 0;
    while let Some(at) = rest[from..].windows(2).position(breaks).map(|at| from + at) {
        if rest[at + 1].any(BREAKS) || long(at + 1, rest) {
            found.push(&rest[..=at]);
            // A word that is more than a joint stays.
            let keep = rest[at + 1].any(KEPT);
            rest = &rest[if keep { at + 1 } else { at + 2 }..];
            from = usize::from(keep);
        } else {
            from = at + 1;
        }
    }
    found.push(rest);
    found.into_iter().map(trimmed).collect()
}

fn unnumbered(tokens: &[Token]) -> &[Token] {
    match tokens {
        [number, mark, rest @ ..]
            if number.kind == Kind::Number && mark.any(&[".", ")"]) && !rest.is_empty() =>
        {
            rest
        }
        _ => tokens,
    }
}

fn trimmed(mut tokens: &[Token]) -> &[Token] {
    let keeps = ["$", "€", "£", "¥", "?", "%", "~"];
    while let [first, rest @ ..] = tokens {
        if first.kind != Kind::Mark || first.any(&keeps) {
            break;
        }
        tokens = rest;
    }
    while let [rest @ .., last] = tokens {
        if last.kind != Kind::Mark || last.any(&keeps) {
            break;
        }
        tokens = rest;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotes(text: &str) -> Vec<&str> {
        clauses(text, "", 100).iter().map(|one| &text[one.span.start..one.span.end]).collect()
    }

    #[test]
    fn sentences_lines_and_thoughts_are_parted() {
        let text = "1. Backups run daily, e.g. at 02:00. Uptime was 99.9 % last year!\n\
                    - We chose Rust, because it is fast; Go came second";
        assert_eq!(
            quotes(text),
            [
                "Backups run daily, e.g. at 02:00",
                "Uptime was 99.9 % last year",
                "We chose Rust",
                "it is fast",
                "We chose Rust, because it is fast",
                "Go came second"
            ]
        );
    }

    #[test]
    fn a_clause_that_points_back_knows_the_one_before() {
        let text = "The export job is slow. It runs at night.";
        let found = clauses(text, "Nightly exports", 100);
        assert!(found[1].around.contains("job"));
        assert!(found[0].around.contains("export") && !found[0].around.contains("job"));
    }

    #[test]
    fn no_more_clauses_than_asked() {
        assert_eq!(clauses(&"Prices rise. ".repeat(50), "", 7).len(), 7);
    }
}
