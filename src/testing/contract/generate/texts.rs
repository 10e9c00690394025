//! Texts: plain ones, those that programs stumble over, those at the limits of a schema, and those
//! that a pattern asks for.

use serde_json::Value;

use toolwright_runtime::mock::pattern;

use super::{Generator, limit};

/// Texts of up to so many characters are tried at their limit.
const SMALL_TEXT: u64 = 5_000;

const PLAIN: &[char] = &['a', 'b', 'z', 'A', 'Q', '0', '7', '_', '-', '.', ' '];
/// Punctuation of shells, paths, patterns and JSON; controls; what is invisible; what is wide,
/// combines, runs the other way or takes four bytes.
const ODD: &[char] = &[
    '/',
    '\\',
    '"',
    '\'',
    '`',
    '$',
    '*',
    '?',
    '[',
    '(',
    '{',
    '<',
    '|',
    '&',
    ';',
    '%',
    '~',
    '#',
    '\0',
    '\n',
    '\r',
    '\t',
    '\u{7}',
    '\u{1b}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{200b}',
    '\u{202e}',
    '\u{2028}',
    '\u{feff}',
    'é',
    '\u{301}',
    'ß',
    'İ',
    'а',
    '漢',
    '😀',
    '\u{fffd}',
    '\u{ffff}',
    '\u{10ffff}',
];
const FAMOUS: &[&str] = &[
    "",
    " ",
    "\n",
    ".",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../b",
    "~",
    "$HOME",
    "%2e%2e%2f",
    "-rf",
    "--help",
    "null",
    "'; DROP TABLE blocks; --",
    "<script>alert(1)</script>",
    "(a+)+$",
    "NaN",
    "1e400",
    "CON",
    "\u{feff}",
    "\u{1b}[2J",
];

impl Generator {
    /// A text of up to so many characters.
    pub(super) fn any_text(&mut self, most: usize) -> String {
        if self.random.below(5) == 0 {
            return self.random.pick(FAMOUS).chars().take(most).collect();
        }
        let length = self.random.below(most + 1);
        self.letters(length)
    }

    /// Exactly so many characters.
    pub(super) fn letters(&mut self, length: usize) -> String {
        let odd = self.random.below(3) == 0;
        let letters = (0..length).map(|_| match odd && self.random.below(3) == 0 {
            true => *self.random.pick(ODD),
            false => *self.random.pick(PLAIN),
        });
        letters.collect()
    }

    pub(super) fn text(&mut self, schema: &Value) -> Value {
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            return Value::String(self.matching(pattern));
        }
        let least = limit(schema, "minLength").unwrap_or(0) as usize;
        let most = limit(schema, "maxLength").unwrap_or(40);
        let text = match self.random.below(12) {
            0 => self.letters(least),
            1 if most <= SMALL_TEXT => self.letters(most as usize),
            _ => self.any_text(most.min(40) as usize),
        };
        let short = least.saturating_sub(text.chars().count());
        Value::String(text + &self.letters(short))
    }

    /// The text that the pattern is known to match, with other letters where it still does.
    fn matching(&mut self, pattern: &str) -> String {
        let expression = regress::Regex::new(pattern).expect("a pattern of the contract");
        let more = self.random.below(4);
        let mut text = pattern::text(pattern, more).expect("a pattern that can be written for");
        for at in 0..text.len() {
            let mut other = text.clone();
            let letter = char::from(b'!' + self.random.below(94) as u8);
            other.replace_range(at..=at, letter.encode_utf8(&mut [0; 4]));
            if expression.find(&other).is_some() {
                text = other;
            }
        }
        text
    }
}
