//! Output of terminals as wa reads it: emulated, scanned for events, freed of secrets, compared
//! with the reading before. Where pieces end changes nothing of what a terminal shows.
//!
//! The first four bytes are the size and two places where the output is cut; the rest is printed.

use std::sync::LazyLock;

use wa::embedded::fuzzing::print;
use wa::patterns::{Patterns, Scope};
use wa::redact::{MARK, redact, redact_captured};
use wa::watch::delta::{Change, delta};
use wa::watch::screen::{last_lines, unwrapped};

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::builtin().expect("our own rules"));

/// Secrets of three kinds, each alone on its line.
const SECRETS: [&str; 3] = [
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
];

/// As much as a scanner looks back, so that it sees all of the text whatever the pieces.
const LOOKED_BACK: usize = 2048;

/// Prints `data`, and reads it as text.
pub fn run(data: &[u8]) {
    let Some(([columns, rows, one, other], output)) = data.split_first_chunk::<4>() else { return };
    let cut = |part: u8| output.len() * usize::from(part) / 256;
    let (first, second) = (cut(*one.min(other)), cut(*one.max(other)));
    let pieces = [&output[..first], &output[first..second], &output[second..]];
    shows_the_same((u16::from(*columns), u16::from(*rows % 64)), output, &pieces);

    let text = &*String::from_utf8_lossy(output);
    let cuts = [text.floor_char_boundary(first), text.floor_char_boundary(second)];
    finds_what_is_split(text, cuts);
    takes_secrets_out(text);
    tells_what_is_new(&text[..cuts[1]], &text[cuts[0]..]);
    assert!(text.ends_with(last_lines(text)));
    drop(unwrapped(text, u64::from(*columns)));
}

fn shows_the_same(size: (u16, u16), output: &[u8], pieces: &[&[u8]]) {
    let (whole, lines) = print(size, &[output]);
    let (in_pieces, piecemeal) = print(size, pieces);
    assert_eq!(in_pieces, whole, "in pieces of {pieces:?}");
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\r' | b'\n');
    if output.iter().all(plain) {
        assert_eq!(piecemeal, lines, "lines of plain text");
    }
    for line in lines.lines().chain(piecemeal.lines()) {
        assert!(!line.contains(|c: char| c.is_control() && c != '\t'), "{line:?}");
    }
}

/// Whatever is found in a whole text is found when it comes in pieces.
fn finds_what_is_split(text: &str, [first, second]: [usize; 2]) {
    let text = &text[..text.floor_char_boundary(LOOKED_BACK)];
    let (first, second) = (first.min(text.len()), second.min(text.len()));
    let whole = PATTERNS.scan(text, None, Scope::Log);
    assert!(whole.iter().all(|found| text.get(found.span.0..found.span.1).is_some()));
    let mut scanner = PATTERNS.stream();
    let mut told = Vec::new();
    for piece in [&text[..first], &text[first..second], &text[second..]] {
        for found in scanner.feed(piece, None) {
            assert!(piece.get(found.span.0..found.span.1).is_some(), "{found:?}");
            told.push(found.rule_id);
        }
    }
    for found in whole {
        assert!(told.contains(&found.rule_id), "{} is lost in pieces", found.rule_id);
        drop(found.redacted());
    }
}

fn takes_secrets_out(text: &str) {
    for redact in [redact, redact_captured] {
        let clean = redact(text);
        let mut rest = text;
        for kept in clean.split(MARK) {
            let at = rest.find(kept).expect("what is kept stands in the text, in its order");
            rest = &rest[at + kept.len()..];
        }
        for secret in SECRETS.into_iter().filter(|secret| !text.contains(secret)) {
            let shown = format!("{text}\n{secret}\n{text}");
            assert!(!redact(&shown).contains(secret), "{secret} after {text:?}");
        }
    }
}

fn tells_what_is_new(before: &str, now: &str) {
    assert_eq!(delta(before, before), Change::Same);
    match delta(before, now) {
        Change::Same => {}
        Change::Appended(new) => assert!(now.ends_with(&new), "{new:?}"),
        Change::Repainted(lines) | Change::Replaced { lines, .. } => {
            assert!(lines.iter().all(|line| now.contains(line.as_str())), "{lines:?}");
        }
    }
}
