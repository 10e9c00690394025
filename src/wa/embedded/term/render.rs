//! Renders rows of the emulator as text, with or without colours.

use std::fmt::{self, Write};

use vt100::capture::{BasicFormattedCaptureState, RowContents};
use vt100::{Cell, Color, Screen};

const RESET: &str = "\x1b[m";

/// Text of a row with all spaces that were printed, and whether it continues in the next row.
pub(super) fn row_text(screen: &Screen, row: u16) -> (String, bool) {
    let mut text = screen.contents_between(row, 0, row + 1, 0);
    let ended = text.ends_with('\n');
    if ended {
        text.pop();
    }
    (text, !ended)
}

/// A row that leaves the screen: its text with colours and all spaces that were printed, and
/// whether it continues in the next row.
pub(super) fn leaving_row(row: &RowContents<'_>) -> (String, bool) {
    let mut text = String::new();
    let mut state = BasicFormattedCaptureState::new();
    let _ = row.write_formatted_basic(&mut text, &mut state);
    // The emulator does not expose whether a row continues, but starts the next one with a newline
    // when it does not.
    let mut next = FirstCharacter(None);
    let _ = row.write_formatted_basic(&mut next, &mut state);
    (text, next.0 != Some('\n'))
}

/// Takes the first character and nothing else.
struct FirstCharacter(Option<char>);

impl Write for FirstCharacter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = text.chars().next();
        if self.0.is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// A row of the screen with colours, without blanks at its end.
pub(super) fn coloured_row(screen: &Screen, row: u16) -> String {
    let mut text = String::new();
    let mut style = Style::default();
    let mut blanks = 0;
    for column in 0..screen.size().1.get() {
        let Some(cell) = screen.cell(row, column) else { break };
        if cell.is_wide_continuation() {
            continue;
        }
        let wanted = Style::of(cell);
        if !cell.has_contents() && wanted == Style::default() {
            blanks += 1;
            continue;
        }
        if blanks > 0 {
            style.change_to(Style::default(), &mut text);
            text.extend(std::iter::repeat_n(' ', std::mem::take(&mut blanks)));
        }
        style.change_to(wanted, &mut text);
        text.push_str(if cell.has_contents() { cell.contents() } else { " " });
    }
    close(&mut text);
    text
}

/// Takes blanks off the end and leaves no colour on.
pub(super) fn close(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    if text.contains('\x1b') && !text.ends_with(RESET) {
        text.push_str(RESET);
    }
}

/// The same text without colours.
pub(super) fn without_colours(text: &str) -> String {
    vt100::capture::basic_formatted_to_plain(text).collect()
}

/// Style of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    foreground: Color,
    background: Color,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    inverse: bool,
}

impl Style {
    fn of(cell: &Cell) -> Self {
        Self {
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }

    fn change_to(&mut self, wanted: Self, text: &mut String) {
        if *self == wanted {
            return;
        }
        *self = wanted;
        text.push_str("\x1b[");
        let flags = [
            (wanted.bold, "1"),
            (wanted.dim, "2"),
            (wanted.italic, "3"),
            (wanted.underline, "4"),
            (wanted.inverse, "7"),
        ];
        let mut parts = vec![];
        parts.extend(flags.iter().filter(|(on, _)| *on).map(|(_, code)| (*code).to_owned()));
        parts.extend(colour(wanted.foreground, 30));
        parts.extend(colour(wanted.background, 40));
        if !parts.is_empty() {
            text.push_str("0;");
        }
        text.push_str(&parts.join(";"));
        text.push('m');
    }
}

fn colour(colour: Color, base: u8) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Idx(index @ 0..=7) => Some((base + index).to_string()),
        Color::Idx(index @ 8..=15) => Some((base + 52 + index).to_string()),
        Color::Idx(index) => Some(format!("{};5;{index}", base + 8)),
        Color::Rgb(red, green, blue) => Some(format!("{};2;{red};{green};{blue}", base + 8)),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;

    #[test]
    fn colours_are_kept_and_closed() {
        let size = |number| NonZeroU16::new(number).unwrap();
        let mut parser = vt100::Parser::new(size(2), size(20), 0);
        parser.process(b"a \x1b[1;31mred\x1b[m  \x1b[48;5;200;92mx\x1b[m  ");
        let row = coloured_row(parser.screen(), 0);
        assert_eq!(row, "a \x1b[0;1;31mred\x1b[m  \x1b[0;92;48;5;200mx\x1b[m");
        assert_eq!(without_colours(&row), "a red  x");
        assert_eq!(coloured_row(parser.screen(), 1), "");
    }
}
