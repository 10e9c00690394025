//! Converts the output of a terminal's program to the lines of a pane.
//!
//! A pane may contain any byte; the result is valid UTF-8 without padding.

use crate::error::{Kind, Result};
use crate::mux::{Lines, PaneText};

/// What ends a bracketed paste. Inside one, all that follows would count as typed.
const END_OF_PASTE: &str = "\x1b[201~";

/// Refuses text that would break out of its paste.
pub(super) fn check_paste(text: &str) -> Result<()> {
    if text.contains(END_OF_PASTE) {
        return Err(Kind::InvalidArguments
            .because("`text` contains the end marker of a paste (ESC [ 2 0 1 ~).")
            .hint("Remove the marker from the text."));
    }
    Ok(())
}

/// The lines in `bytes`: broken characters replaced, blank padding on the right and blank lines at
/// the end taken away. Without `escapes` no control character but the tab is left.
pub(super) fn lines(bytes: &[u8], escapes: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<String> = text.split('\n').map(|line| clean(line, escapes)).collect();
    let mut dropped_escape = false;
    while let Some(line) = lines.last().filter(|line| is_blank(line)) {
        dropped_escape |= line.contains('\x1b');
        lines.pop();
    }
    // A colour that was switched off on a blank line must not run on.
    if let (true, Some(last)) = (dropped_escape, lines.last_mut()) {
        last.push_str("\x1b[0m");
    }
    lines
}

/// Those of `lines` that were asked for; `above` says that the terminal has more than these.
pub(super) fn pick(mut lines: Vec<String>, which: Lines, above: bool) -> PaneText {
    let mut more_above = above;
    if let Lines::Tail(count) = which
        && lines.len() > count
    {
        lines.drain(..lines.len() - count);
        more_above = true;
    }
    PaneText { text: lines.join("\n"), more_above }
}

fn clean(line: &str, escapes: bool) -> String {
    let keep =
        |c: &char| if escapes { !matches!(c, '\0' | '\r') } else { !c.is_control() || *c == '\t' };
    let mut cleaned: String = line.chars().filter(keep).collect();
    cleaned.truncate(cleaned.trim_end_matches([' ', '\t']).len());
    cleaned
}

/// Nothing to see: spaces and escape sequences only.
fn is_blank(line: &str) -> bool {
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => skip_escape(&mut rest),
            c if c.is_whitespace() || c.is_control() => {}
            _ => return false,
        }
    }
    true
}

/// Skips what follows an ESC: a CSI sequence to its final letter, an OSC to its end, else one.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => while rest.next().is_some_and(|c| !('\x40'..='\x7e').contains(&c)) {},
        Some(']') => {
            while let Some(c) = rest.next() {
                if c == '\x07' || (c == '\x1b' && rest.next_if_eq(&'\\').is_some()) {
                    return;
                }
            }
        }
        Some('(' | ')') => {
            rest.next();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_become_plain_lines() {
        let text = lines(b"a\xff\xfeb  \r\n\tx\x00\x07y\n\xe2\x94\n   \n\n", false);
        assert_eq!(text, ["a\u{fffd}\u{fffd}b", "\txy", "\u{fffd}"]);
        assert!(lines(b"\n \n", false).is_empty());
    }

    #[test]
    fn colours_stay_when_asked_for_and_end_with_the_text() {
        let text = lines(b"\x1b[31mred   \r\n\x1b[0m   \n\x1b]8;;\x1b\\\n", true);
        assert_eq!(text, ["\x1b[31mred\x1b[0m"]);
        assert_eq!(lines(b"\x1b[31mred\x1b[0m\n", true), ["\x1b[31mred\x1b[0m"]);
        assert_eq!(lines(b"\x1b(B\x1b[m\nlast\x1b]0;t\x07", true).len(), 2);
    }

    #[test]
    fn the_tail_is_counted_from_the_last_line_with_text() {
        let all = || lines(b"1\n2\n3\n\n\n", false);
        let tail = pick(all(), Lines::Tail(2), false);
        assert_eq!((tail.text.as_str(), tail.more_above), ("2\n3", true));
        let tail = pick(all(), Lines::Tail(3), false);
        assert_eq!((tail.text.as_str(), tail.more_above), ("1\n2\n3", false));
        assert_eq!(pick(all(), Lines::Tail(0), false).text, "");
        assert!(pick(all(), Lines::All, true).more_above);
    }
}
