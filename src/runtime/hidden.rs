//! Invisible and misleading characters: control characters, zero-width characters, bidirectional
//! overrides.
//!
//! A text that a user decides by must show all of its content. Look-alike letters of other scripts
//! are not detected here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether the character is invisible or changes how others are displayed. Includes line breaks and
/// tabs, but not joiners.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Zero-width characters that scripts and emoji need: joiners and variation selectors.
pub fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{180B}'..='\u{180D}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// The text with its hidden characters escaped: `⟨U+202E⟩`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_hidden(letter) {
            let _ = write!(seen, "⟨U+{:04X}⟩", u32::from(letter));
        } else {
            seen.push(letter);
        }
    }
    Cow::Owned(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(shown("rm\u{200b} -rf\u{202e}\n"), "rm⟨U+200B⟩ -rf⟨U+202E⟩⟨U+000A⟩");
        assert_eq!(shown("a\u{1b}[2J\u{9b}"), "a⟨U+001B⟩[2J⟨U+009B⟩");
    }

    #[test]
    fn visible_text_is_unchanged() {
        for text in
            ["", "plain", "naïve façade", "שלום", "漢字", "e\u{301}", "👩\u{200d}🚀", "❤\u{fe0f}"]
        {
            assert!(matches!(shown(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
