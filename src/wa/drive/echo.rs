//! Finds the echo of sent text, so that it is never taken for an answer.
//!
//! Programs display typed text in their own way: behind a prompt, wrapped, in a box. So only letters
//! and digits are compared, or all non-blanks if the text has neither.

use std::ops::Range;

/// Longest piece at the end that may be an echo still being painted.
const GROWING: usize = 2048;

/// The sent text, prepared for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Echo {
    sent: String,
    letters: bool,
}

/// A text reduced to the compared characters, with their positions.
struct Bare {
    text: String,
    offsets: Vec<usize>,
}

impl Echo {
    /// Of a text; `None` where there is nothing to recognise.
    pub(super) fn of(sent: &str) -> Option<Self> {
        let letters = sent.chars().any(char::is_alphanumeric);
        let sent = bare(sent, letters).text;
        (!sent.is_empty()).then_some(Self { sent, letters })
    }

    /// The end of `text` is the echo: nothing but frames and blanks follows it.
    pub(super) fn ends(&self, text: &str) -> bool {
        bare(text, self.letters).text.ends_with(&self.sent)
    }

    /// Where in `text` the echo stands first. On its last line nothing follows it, or something that
    /// is set apart.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        let bare = bare(text, self.letters);
        let mut from = 0;
        while let Some(at) = bare.text.get(from..)?.find(&self.sent).map(|at| from + at) {
            let range = bare.range(at, at + self.sent.len(), text);
            if self.starts_word(text, range.start) && ends_line(&text[range.end..]) {
                return Some(range);
            }
            from = at + bare.text[at..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    /// Where at the end of `text` an echo begins that is not complete yet.
    pub(super) fn growing(&self, text: &str) -> Option<usize> {
        let bare = bare(text, self.letters);
        let longest = bare.text.len().min(self.sent.len().saturating_sub(1)).min(GROWING);
        (1..=longest).rev().map(|length| bare.text.len() - length).find_map(|at| {
            let piece = bare.text.get(at..)?;
            let start = bare.offsets[at];
            (self.sent.starts_with(piece) && self.starts_word(text, start)).then_some(start)
        })
    }

    fn starts_word(&self, text: &str, at: usize) -> bool {
        !self.letters || !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
    }
}

/// Nothing that counts follows on the line, or only after a gap (a right-hand prompt, a frame).
fn ends_line(rest: &str) -> bool {
    let line = rest.split('\n').next().unwrap_or_default();
    let apart = line.find("  ").map_or(line, |gap| &line[..gap]);
    !apart.chars().any(char::is_alphanumeric)
}

fn bare(text: &str, letters: bool) -> Bare {
    let mut bare = Bare { text: String::new(), offsets: Vec::new() };
    let counts = |c: char| if letters { c.is_alphanumeric() } else { !c.is_whitespace() };
    for (at, c) in text.char_indices().filter(|(_, c)| counts(*c)) {
        bare.text.push(c);
        bare.offsets.extend(std::iter::repeat_n(at, c.len_utf8()));
    }
    bare
}

impl Bare {
    fn range(&self, start: usize, end: usize, text: &str) -> Range<usize> {
        let last = self.offsets[end - 1];
        let width = text[last..].chars().next().map_or(1, char::len_utf8);
        self.offsets[start]..last + width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(sent: &str, text: &'a str) -> Option<&'a str> {
        Echo::of(sent).unwrap().find(text).map(|range| &text[range])
    }

    #[test]
    fn an_echo_is_found_in_any_form() {
        assert_eq!(found("echo hi", "❯ echo hi"), Some("echo hi"));
        assert_eq!(found("echo hi", "\n❯ echo hi      12:34\nhi"), Some("echo hi"));
        assert_eq!(found("say that it is done", "> say that\n  it is done │\n"), {
            Some("say that\n  it is done")
        });
        assert_eq!(found("größer", "> größer"), Some("größer"));
        assert_eq!(found("!!", "$ !!\nls"), Some("!!"));
    }

    #[test]
    fn other_text_is_no_echo() {
        assert_eq!(found("y", "yes\nmaybe"), None);
        assert_eq!(found("y", "may\n> y"), Some("y"));
        assert_eq!(found("echo hi", "echo hi there"), None);
        assert_eq!(Echo::of("  \n"), None);
    }

    #[test]
    fn ends_and_growing() {
        let echo = Echo::of("say done and stop").unwrap();
        assert!(echo.ends("│ > say done\n│   and stop │\n╰──╯"));
        assert!(!echo.ends("say done and stop\nok"));
        assert_eq!(echo.growing("x\n> say done"), Some(4));
        assert_eq!(echo.growing("essay"), None);
        assert_eq!(echo.growing("nothing"), None);
    }
}
