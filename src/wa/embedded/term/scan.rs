//! Scans a program's output for what affects the line log: line ends, and the few control sequences
//! that erase or move rows.
//!
//! The emulator parses the same bytes and does the work; this only finds where to stop and inspect.

/// A control sequence is not longer than that; what is goes to the emulator as it is.
const LONGEST: usize = 64;

/// The sequence at an escape byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sequence {
    /// Its end has not come yet.
    Incomplete,
    /// So many bytes that do not touch whole rows.
    Other(usize),
    /// Begins a string (a title, for example) that ends with its own terminator.
    Text(usize),
    /// So many bytes that change rows.
    Rows(usize, RowChange),
}

/// How rows change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowChange {
    /// Erase in display: 0 below, 1 above, 2 all, 3 scrollback.
    Erase(u16),
    /// Rows are inserted at the cursor.
    Insert(u16),
    /// Rows are removed at the cursor.
    Delete(u16),
    /// The region moves up.
    Up(u16),
    /// The region moves down.
    Down(u16),
    /// The cursor goes up, and the region down when it is at its top.
    ReverseIndex,
    /// A line feed by another name; with a carriage return when true.
    LineFeed(bool),
    /// First and last row of the region that scrolls, counted from 1; 0 is not given.
    Region(u16, u16),
    /// This mode, which is about the screen that is shown, is set or reset.
    Screen(u16, bool),
    /// Everything back to the beginning.
    Reset,
}

/// Position of the next escape or line end.
pub(super) fn next_stop(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, 0x0a..=0x0c | 0x1b))
}

/// The sequence at the beginning of `bytes`, which is an escape byte.
pub(super) fn sequence(bytes: &[u8]) -> Sequence {
    match bytes.get(1) {
        None => Sequence::Incomplete,
        Some(b'[') => control(bytes),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => Sequence::Text(2),
        Some(b'M') => Sequence::Rows(2, RowChange::ReverseIndex),
        Some(b'D') => Sequence::Rows(2, RowChange::LineFeed(false)),
        Some(b'E') => Sequence::Rows(2, RowChange::LineFeed(true)),
        Some(b'c') => Sequence::Rows(2, RowChange::Reset),
        // An escape right behind an escape starts a new sequence.
        Some(0x1b) => Sequence::Other(1),
        Some(_) => Sequence::Other(2),
    }
}

fn control(bytes: &[u8]) -> Sequence {
    let body = &bytes[2..];
    let Some(length) = body.iter().position(|byte| !matches!(byte, 0x20..=0x3f)) else {
        let whole = bytes.len() > LONGEST;
        return if whole { Sequence::Other(2) } else { Sequence::Incomplete };
    };
    let (parameters, last, whole) = (&body[..length], body[length], length + 3);
    if !matches!(last, 0x40..=0x7e) {
        return Sequence::Other(length + 2);
    }
    let private = parameters.first() == Some(&b'?');
    let digits = if private { &parameters[1..] } else { parameters };
    if digits.iter().any(|byte| !byte.is_ascii_digit() && *byte != b';' && *byte != b':') {
        return Sequence::Other(whole);
    }
    let mut numbers = digits.split(|byte| *byte == b';').map(number);
    let first = numbers.next().unwrap_or(0);
    let second = numbers.next().unwrap_or(0);
    let change = match (private, last) {
        (_, b'J') => RowChange::Erase(first),
        (true, b'h' | b'l') if matches!(first, 47 | 1047 | 1049) => {
            RowChange::Screen(first, last == b'h')
        }
        (false, b'L') => RowChange::Insert(first.max(1)),
        (false, b'M') => RowChange::Delete(first.max(1)),
        (false, b'S') => RowChange::Up(first.max(1)),
        (false, b'T') => RowChange::Down(first.max(1)),
        (false, b'r') => RowChange::Region(first, second),
        _ => return Sequence::Other(whole),
    };
    Sequence::Rows(whole, change)
}

fn number(digits: &[u8]) -> u16 {
    digits.iter().take_while(|byte| byte.is_ascii_digit()).fold(0, |number: u16, byte| {
        number.saturating_mul(10).saturating_add(u16::from(byte - b'0'))
    })
}

/// Where a string's terminator begins and how long it is: BEL, ST, or a byte that breaks it off.
pub(super) fn text_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let at = bytes.iter().position(|byte| matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b))?;
    // The escape of ST, or of whatever breaks the string off, is checked as a sequence.
    Some((at, usize::from(bytes[at] != 0x1b)))
}

/// How many bytes at the end begin a character whose rest has not come yet.
pub(super) fn cut_character(bytes: &[u8]) -> usize {
    let begins = |length: &usize| {
        let last = bytes.get(bytes.len().wrapping_sub(*length)..).unwrap_or_default();
        let error = std::str::from_utf8(last).err();
        error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..=3).find(begins).unwrap_or(0)
}

/// How much of `bytes` is lines of plain ASCII, each ended by CR LF and at most `columns` long, and
/// how many lines these are.
pub(super) fn plain_lines(bytes: &[u8], columns: usize) -> (usize, usize) {
    let (mut length, mut lines) = (0, 0);
    loop {
        let rest = &bytes[length..];
        let line = &rest[..rest.len().min(columns + 1)];
        let Some(end) = line.iter().position(|byte| !matches!(byte, 0x20..=0x7e)) else {
            return (length, lines);
        };
        if rest.get(end) != Some(&b'\r') || rest.get(end + 1) != Some(&b'\n') {
            return (length, lines);
        }
        length += end + 2;
        lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_that_change_rows_are_recognised() {
        let rows = |text: &str| match sequence(text.as_bytes()) {
            Sequence::Rows(length, change) if length == text.len() => Some(change),
            _ => None,
        };
        assert_eq!(rows("\x1b[2J"), Some(RowChange::Erase(2)));
        assert_eq!(rows("\x1b[J"), Some(RowChange::Erase(0)));
        assert_eq!(rows("\x1b[?1049h"), Some(RowChange::Screen(1049, true)));
        assert_eq!(sequence(b"\x1b[?25l"), Sequence::Other(6));
        assert_eq!(rows("\x1b[3;20r"), Some(RowChange::Region(3, 20)));
        assert_eq!(rows("\x1b[r"), Some(RowChange::Region(0, 0)));
        assert_eq!(rows("\x1b[L"), Some(RowChange::Insert(1)));
        assert_eq!(rows("\x1b[99999M"), Some(RowChange::Delete(u16::MAX)));
        assert_eq!(rows("\x1bM"), Some(RowChange::ReverseIndex));
        assert_eq!(sequence(b"\x1b[1;31mred"), Sequence::Other(7));
        assert_eq!(sequence(b"\x1b[!p"), Sequence::Other(4));
        assert_eq!(sequence(b"\x1b]0;title"), Sequence::Text(2));
    }

    #[test]
    fn cut_sequences_wait_for_the_rest() {
        for text in ["\x1b", "\x1b[", "\x1b[1;3"] {
            assert_eq!(sequence(text.as_bytes()), Sequence::Incomplete, "{text:?}");
        }
        let endless = format!("\x1b[{}", "1".repeat(100));
        assert_eq!(sequence(endless.as_bytes()), Sequence::Other(2));
    }

    #[test]
    fn characters_that_are_cut_wait_for_the_rest() {
        for (text, cut) in [("", 0), ("a", 0), ("é", 0), ("漢", 0), ("👍", 0)] {
            assert_eq!(cut_character(text.as_bytes()), cut, "{text}");
        }
        let bytes = "a👍".as_bytes();
        for cut in 1..=3 {
            assert_eq!(cut_character(&bytes[..1 + cut]), cut);
        }
        assert_eq!(cut_character(b"\x94"), 0);
        assert_eq!(cut_character(b"\xc3\xff"), 0);
    }

    #[test]
    fn plain_lines_end_before_anything_else() {
        assert_eq!(plain_lines(b"one\r\ntwo\r\nthr", 80), (10, 2));
        assert_eq!(plain_lines(b"one\r\nt\xc3\xa4\r\n", 80), (5, 1));
        assert_eq!(plain_lines(b"one\r\ntwo\nthree\r\n", 80), (5, 1));
        assert_eq!(plain_lines(b"12345\r\n123456\r\n", 5), (7, 1));
        assert_eq!(plain_lines(b"\r\n\r\n", 5), (4, 2));
        assert_eq!(plain_lines(b"one\r", 5), (0, 0));
    }
}
