//! Entry point for fuzz targets: the emulator's state after output that arrives in pieces.

use super::term::Terminal;
use crate::mux::Lines;

/// State of a terminal after a program has printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// What is shown.
    pub screen: String,
    /// Scrollback and screen, with colours.
    pub all: String,
    /// Row and column of the cursor.
    pub cursor: (u16, u16),
    /// Title that the program set.
    pub title: Option<String>,
    /// What is typed into the program as answers to its questions.
    pub answers: Vec<u8>,
}

/// Prints the pieces on a terminal of so many columns and rows. Returns its state then, and
/// the lines that were complete at the end of each piece or at the end of the program.
pub fn print(size: (u16, u16), pieces: &[&[u8]]) -> (Printed, String) {
    let mut terminal = Terminal::new(size, 1000);
    let mut lines = String::new();
    for piece in pieces {
        terminal.process(piece);
        lines.push_str(&terminal.take_lines());
    }
    let printed = Printed {
        screen: terminal.text(Lines::Screen, false).text,
        all: terminal.text(Lines::All, true).text,
        cursor: terminal.cursor(),
        title: terminal.title().map(str::to_owned),
        answers: terminal.take_answers(),
    };
    terminal.end();
    lines.push_str(&terminal.take_lines());
    (printed, lines)
}
