//! Standard output and standard error of the command line: data goes to one, messages to the other.
//!
//! A closed pipe ends the output without a panic.

use std::io::{IsTerminal, Write};

/// Writes data to standard output.
pub fn data(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Writes a line of data to standard output.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// Writes a message to standard error.
pub fn message(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes a message to standard error, without ending its line.
pub(crate) fn prompt(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{text}");
    let _ = out.flush();
}

/// Whether standard output is a terminal that allows colours.
pub fn is_colourful() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// A line of standard error that is written over as work goes on; nothing where standard error is
/// not a terminal.
#[derive(Default)]
pub struct Status {
    shown: usize,
}

impl Status {
    /// Shows a text in place of the last one.
    pub fn show(&mut self, text: &str) {
        if !std::io::stderr().is_terminal() {
            return;
        }
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r{text:<width$}", width = self.shown);
        let _ = out.flush();
        self.shown = text.chars().count();
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown > 0 {
            self.show("");
            let _ = write!(std::io::stderr().lock(), "\r");
            self.shown = 0;
        }
    }
}
