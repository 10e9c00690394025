//! Over thousands of generated transcripts: every span quotes the dump exactly.

use super::{Options, extract, spans};
use crate::extract::{clean, folded};
use crate::model::{ByteSpan, Operation};

/// A small generator, so that a failure can be made again from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // The constants are those of Knuth's MMIX generator.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

const PIECES: &[&str] = &[
    "we decided to use PostgreSQL",
    "the budget is $12,000",
    "Maria will send the contract by Friday",
    "Acme Corp must approve the plan",
    "latency was 850ms",
    "e.g. the café in Zürich",
    "日本語の文です。",
    "“we never want to be on call”, said Dana",
    "`flush_all` fails",
    "Dr. Lee",
    "maybe",
    "not",
    "👍🏽",
    "می‌خواهم",
    "remember that the office is in Lisbon",
    "because it is cheap",
    "\"quoted term\"",
    "3.5%",
    "**bold words here**",
    "U.S. sales",
    "\\ and / and \"",
    "C:\\new\\table",
    "{json}",
    "[x]",
    "|",
    ":",
];
const ENDS: &[&str] =
    &[". ", "! ", "? ", ".\n", "\n", "\n\n", ", ", " ", "… ", "; ", "\r\n", "\n- ", "\n> ", "\n# "];
const HIDDEN: &[&str] =
    &["\u{200b}", "\u{feff}", "\u{202e}", "\u{7}", "\u{0}", "\u{ad}", "\r", "\u{200d}"];
const LABELS: &[&str] =
    &["User: ", "Assistant: ", "**You**\n", "### Claude\n", "[10:30] Human: ", ""];

fn speech(dice: &mut Dice) -> String {
    let mut text = String::new();
    for _ in 0..dice.roll(9) {
        text.push_str(dice.pick(PIECES));
        if dice.roll(6) == 0 {
            text.push_str(dice.pick(HIDDEN));
        }
        text.push_str(dice.pick(ENDS));
    }
    // Hidden characters in the middle of words too.
    if dice.roll(3) == 0 && !text.is_empty() {
        let at = text.floor_char_boundary(dice.roll(text.len()));
        text.insert_str(at, dice.pick(HIDDEN));
    }
    text
}

/// What a person is shown for a span.
fn shown(quote: &str) -> String {
    folded(&clean(quote).text)
}

fn check(dump: &str, seed: usize, spelled: impl Fn(&str) -> String) -> usize {
    let existing = [super::block("b1", "We decided to use PostgreSQL. The budget is $15,000.")];
    let options = Options { max_blocks: 50, max_items: 50 };
    let found = extract(dump, &existing, &options);
    assert_eq!(found, extract(dump, &existing, &options), "seed {seed}");
    let quote = |at: &ByteSpan| {
        let raw = dump.get(at.start..at.end).unwrap_or_else(|| panic!("seed {seed}: {at:?}"));
        assert!(!raw.is_empty(), "seed {seed}");
        shown(&spelled(raw))
    };
    for operation in &found.operations {
        let at = spans(operation);
        match operation {
            Operation::CreateBlock { content, .. } | Operation::ReviseBlock { content, .. } => {
                assert_eq!(&quote(&at[0]), content, "seed {seed}: {dump:?}");
            }
            Operation::CreateContextItem { label, synonyms, .. } => {
                for quote in at.iter().map(quote) {
                    assert!(&quote == label || synonyms.contains(&quote), "seed {seed}: {quote:?}");
                }
            }
        }
    }
    found.operations.len()
}

#[test]
fn spans_quote_plain_transcripts_exactly() {
    let mut operations = 0;
    for seed in 0..800 {
        let mut dice = Dice(seed as u64);
        let mut dump = String::new();
        for _ in 0..=dice.roll(5) {
            dump.push_str(dice.pick(LABELS));
            dump.push_str(&speech(&mut dice));
            dump.push('\n');
        }
        operations += check(&dump, seed, str::to_owned);
    }
    assert!(operations > 2_000, "{operations}");
}

#[test]
fn spans_quote_json_transcripts_exactly() {
    let mut operations = 0;
    for seed in 0..500 {
        let mut dice = Dice(seed as u64);
        let mut messages = Vec::new();
        for _ in 0..=dice.roll(5) {
            let role = dice.pick(&["user", "assistant", "system"]);
            messages.push(serde_json::json!({"role": role, "content": speech(&mut dice)}));
        }
        let mut dump = serde_json::to_string(&messages).unwrap();
        if dice.roll(2) == 0 {
            // As writers that keep to ASCII spell it.
            dump = dump
                .chars()
                .map(|found| match found.is_ascii() {
                    true => found.to_string(),
                    false => {
                        let mut units = [0; 2];
                        let units = found.encode_utf16(&mut units);
                        units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
                    }
                })
                .collect();
        }
        operations += check(&dump, seed, |raw| {
            serde_json::from_str(&format!("\"{raw}\""))
                .unwrap_or_else(|error| panic!("{raw}: {error}"))
        });
    }
    assert!(operations > 800, "{operations}");
}
