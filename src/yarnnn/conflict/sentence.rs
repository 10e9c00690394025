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
/// Words by which a clause points at the one before.
const POINTERS: &[&str] = &["it", "they", "this", "these", "those", "that", "its", "their"];

/// Tokens of a clause; what goes on longer is no sentence.
const LONGEST: usize = 80;
/// Bytes of a text or title that are read.
pub(super) const READ: usize = 64 * 1024;

/// The clauses of a text, at most `most`, each knowing the keys around it.
pub(super) fn clauses(text: &str, title: &str, most: usize) -> Vec<Clause> {
    let text = &text[..text.floor_char_boundary(READ)];
    let title = &title[..title.floor_char_boundary(READ)];
    let titled: BTreeSet<String> = keys(token::tokens(title).chunks(LONGEST).next().unwrap_or(&[]));
    let mut found: Vec<Clause> = Vec::new();
    for sentence in sentences(text, &token::tokens(text)) {
        for part in parts(sentence).into_iter().flat_map(|part| part.chunks(LONGEST)) {
            if found.len() == most {
                return found;
            }
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let span = ByteSpan { start: first.span.start, end: last.span.end };
            let mut clause = Clause::read(part, span, last.is("?"));
            if clause.terms.is_empty() {
                continue;
            }
            clause.around.clone_from(&titled);
            if first.any(POINTERS)
                && let Some(before) = found.last()
            {
                clause.around.extend(before.terms.iter().map(|term| term.key.clone()));
            }
            found.push(clause);
        }
    }
    found
}

fn keys(tokens: &[Token]) -> BTreeSet<String> {
    let span = ByteSpan { start: 0, end: 0 };
    let clause = Clause::read(tokens, span, false);
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
    let breaks = |two: &[Token]| two[1].any(BREAKS) || (two[0].is(",") && two[1].is("so"));
    while let Some(at) = rest.windows(2).position(breaks) {
        found.push(&rest[..=at]);
        rest = &rest[at + 2..];
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
