//! The one word splitter: Unicode word boundaries (UAX #29), and marks that join words.
//!
//! What joins depends on the purpose: a search needs `eu`, `west` and `1`, a comparison
//! the name `eu-west-1`. So the caller decides which [`Joint`]s join.

use std::collections::VecDeque;

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation as _;

/// A stretch of text that is a word or something between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// As it is written.
    pub(crate) text: &'a str,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// Whether it has a letter or a digit; else it is a mark. White space is left out.
    pub(crate) is_word: bool,
}

impl Piece<'_> {
    /// Where it ends, in bytes.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// A place where a word may go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint<'a> {
    /// The last letter or digit before.
    pub(crate) before: char,
    /// What is between; `None` where two words touch, as in scripts without blanks.
    pub(crate) mark: Option<char>,
    /// The first letter or digit after.
    pub(crate) after: char,
    /// The text from the beginning of the word on.
    pub(crate) rest: &'a str,
}

/// The words and marks of a text, in order. `holds` says where a word goes on.
pub(crate) fn pieces<'a>(
    text: &'a str,
    holds: impl Fn(&Joint<'a>) -> bool,
) -> impl Iterator<Item = Piece<'a>> {
    let mut atoms = Atoms::new(text);
    std::iter::from_fn(move || {
        let mut piece = atoms.next()?;
        while piece.is_word
            && let Some((mark, next)) = atoms.after(&piece)
        {
            let before = piece.text.chars().rfind(|found| found.is_alphanumeric());
            let after = next.text.chars().find(|found| found.is_alphanumeric());
            let (Some(before), Some(after)) = (before, after) else { break };
            if !holds(&Joint { before, mark, after, rest: &text[piece.start..] }) {
                break;
            }
            atoms.skip(mark);
            piece.text = &text[piece.start..next.end()];
        }
        Some(piece)
    })
}

/// The smallest pieces, with room to look two ahead.
struct Atoms<'a> {
    segments: unicode_segmentation::UWordBoundIndices<'a>,
    ahead: VecDeque<Piece<'a>>,
}

impl<'a> Atoms<'a> {
    fn new(text: &'a str) -> Self {
        Self { segments: text.split_word_bound_indices(), ahead: VecDeque::new() }
    }

    fn next(&mut self) -> Option<Piece<'a>> {
        self.fill(1);
        self.ahead.pop_front()
    }

    /// The word that follows at once, or with one mark between.
    fn after(&mut self, piece: &Piece<'a>) -> Option<(Option<char>, Piece<'a>)> {
        self.fill(2);
        let first = *self.ahead.front().filter(|first| first.start == piece.end())?;
        if first.is_word {
            return Some((None, first));
        }
        let second = *self.ahead.get(1).filter(|second| second.start == first.end())?;
        let mut chars = first.text.chars();
        match (chars.next(), chars.next()) {
            (Some(mark), None) if second.is_word => Some((Some(mark), second)),
            _ => None,
        }
    }

    /// Takes what [`Atoms::after`] gave.
    fn skip(&mut self, mark: Option<char>) {
        self.ahead.drain(..1 + usize::from(mark.is_some()));
    }

    fn fill(&mut self, least: usize) {
        while self.ahead.len() < least {
            let Some((start, segment)) = self.segments.next() else { return };
            if segment.contains(char::is_alphanumeric) {
                self.part(start, segment);
            } else if !segment.trim().is_empty() {
                self.ahead.push_back(Piece { text: segment, start, is_word: false });
            }
        }
    }

    /// UAX #29 holds `node.js` and `snake_case` together; here that is for the caller to say.
    fn part(&mut self, start: usize, segment: &'a str) {
        let mut from = 0;
        for (at, found) in segment.char_indices().filter(|(_, found)| is_mark(*found)) {
            let end = at + found.len_utf8();
            self.push(start + from, &segment[from..at]);
            self.push(start + at, &segment[at..end]);
            from = end;
        }
        self.push(start + from, &segment[from..]);
    }

    fn push(&mut self, start: usize, text: &'a str) {
        if !text.is_empty() {
            let is_word = text.contains(char::is_alphanumeric);
            self.ahead.push_back(Piece { text, start, is_word });
        }
    }
}

/// Neither part of a word nor, like an accent or a joiner, of the letter before it.
fn is_mark(found: char) -> bool {
    let attached = is_combining_mark(found) || matches!(found, '\u{ad}' | '\u{200c}' | '\u{200d}');
    !found.is_alphanumeric() && !attached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, holds: impl Fn(&Joint<'_>) -> bool) -> Vec<&str> {
        pieces(text, holds).filter(|piece| piece.is_word).map(|piece| piece.text).collect()
    }

    #[test]
    fn the_caller_says_what_holds() {
        let text = "Don't use Node.js v1.2, re-run `snake_case` at 02:00.";
        let apart = ["Don", "t", "use", "Node", "js", "v1", "2", "re", "run"];
        assert_eq!(words(text, |_| false)[..9], apart);
        assert_eq!(
            words(text, |joint| joint.mark != Some('-')),
            ["Don't", "use", "Node.js", "v1.2", "re", "run", "snake_case", "at", "02:00"]
        );
    }

    #[test]
    fn accents_and_joiners_stay_with_their_letter() {
        assert_eq!(words("cafe\u{301}s हिन्दी", |_| false), ["cafe\u{301}s", "हिन्दी"]);
        assert_eq!(words("می\u{200c}خواهم", |_| false), ["می\u{200c}خواهم"]);
    }

    #[test]
    fn scripts_without_blanks_are_parted_sign_by_sign_unless_they_hold() {
        assert_eq!(words("東京x トマト", |_| false), ["東", "京", "x", "トマト"]);
        assert_eq!(words("東京x トマト", |joint| joint.mark.is_none()), ["東京x", "トマト"]);
    }

    #[test]
    fn a_joint_tells_what_is_around_it() {
        let seen = std::cell::RefCell::new(Vec::new());
        let found = words("see a_b'c", |joint| {
            seen.borrow_mut().push((joint.before, joint.mark, joint.after, joint.rest.to_owned()));
            true
        });
        assert_eq!(found, ["see", "a_b'c"]);
        let rest = "a_b'c".to_owned();
        let first = ('a', Some('_'), 'b', rest.clone());
        assert_eq!(*seen.borrow(), [first, ('b', Some('\''), 'c', rest)]);
    }

    #[test]
    fn every_visible_byte_is_in_exactly_one_piece() {
        let text = "Ünïcode… 1,200€ — “x”_y__z 👩‍👩‍👧 (a--b) 東京。\u{301}e\r\n\t.";
        for holds in [|_: &Joint<'_>| true, |_: &Joint<'_>| false] {
            let mut last = 0;
            for piece in pieces(text, holds) {
                assert!(text[last..piece.start].trim().is_empty(), "{piece:?}");
                assert_eq!(&text[piece.start..piece.end()], piece.text);
                last = piece.end();
            }
            assert_eq!(last, text.len());
        }
    }

    #[test]
    fn a_long_run_is_one_word() {
        let text = "x_".repeat(1 << 18);
        assert_eq!(words(&text, |_| true), [&text[..text.len() - 1]]);
        assert_eq!(words(&text, |_| false).len(), 1 << 18);
    }
}
