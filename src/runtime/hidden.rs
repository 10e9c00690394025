//! Characters that a person does not see, or that make a text look like another one: controls,
//! what takes no room, what turns the direction of writing.
//!
//! What a person decides by must show all of it. Letters of other scripts that look alike are not
//! told apart here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether nobody sees the character, or it moves others around. Line breaks and tabs count too;
/// joiners do not.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Takes no room either, but scripts and pictures are spelled with it: joiners, and marks that
/// choose a form.
pub fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{180B}'..='\u{180D}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// The text with such characters written out: `⟨U+202E⟩`.
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
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(shown("rm\u{200b} -rf\u{202e}\n"), "rm⟨U+200B⟩ -rf⟨U+202E⟩⟨U+000A⟩");
        assert_eq!(shown("a\u{1b}[2J\u{9b}"), "a⟨U+001B⟩[2J⟨U+009B⟩");
    }

    #[test]
    fn what_can_be_seen_stays() {
        for text in
            ["", "plain", "naïve façade", "שלום", "漢字", "e\u{301}", "👩\u{200d}🚀", "❤\u{fe0f}"]
        {
            assert!(matches!(shown(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
