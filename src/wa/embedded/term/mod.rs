//! A headless terminal: parses a program's output, maintains screen and scrollback, and reports
//! complete lines and the answers to send to the program.
//!
//! Knows nothing of processes, pseudo-terminals or sockets.

mod feed;
mod log;
mod render;
mod reports;
mod ring;
mod scan;
#[cfg(test)]
mod tests;

use std::num::NonZeroU16;
use std::path::Path;

use vt100::{Parser, Screen};

pub(crate) use self::reports::Mark;
pub(crate) use self::ring::{Limit, Ring};

use self::log::Log;
use self::render::{coloured_row, row_text, without_colours};
use crate::mux::{Lines, PaneText};

/// Columns and rows.
pub(crate) type Size = (u16, u16);

/// The emulator does not do with less.
const SMALLEST: u16 = 2;
/// More is a mistake.
const LARGEST: u16 = 2000;

/// The terminal.
pub(crate) struct Terminal {
    parser: Parser<Log>,
    scrollback: usize,
    /// The beginning of a control sequence or a character whose end has not come yet.
    cut: Vec<u8>,
    /// Bytes so far of a string that has not ended; none is no string.
    in_text: Option<usize>,
    /// The width changed while the main screen was not shown.
    recut: bool,
}

impl Terminal {
    /// A blank terminal that keeps so many lines above its screen.
    pub(crate) fn new(size: Size, scrollback: usize) -> Self {
        let (columns, rows) = usable(size);
        // The emulator's own scrollback is not used: rows that leave the screen are kept as text.
        let parser = Parser::new_with_callbacks(rows, columns, 0, Log::new(rows.get(), scrollback));
        Self { parser, scrollback, cut: vec![], in_text: None, recut: false }
    }

    /// What the program printed.
    pub(crate) fn process(&mut self, bytes: &[u8]) {
        // An error of the emulator must not end the pane; the screen starts again.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.feed(bytes)));
        if done.is_err() {
            tracing::error!("the terminal emulator failed; its screen was reset");
            let (rows, columns) = self.screen().size();
            let scrollback = self.scrollback;
            let mut log = Log::new(rows.get(), scrollback);
            std::mem::swap(&mut log, self.parser.callbacks_mut());
            log.after(scan::RowChange::Reset, 0);
            self.parser = Parser::new_with_callbacks(rows, columns, 0, log);
            self.cut.clear();
            self.in_text = None;
        }
    }

    /// Complete lines, each with its newline, since the last call.
    pub(crate) fn take_lines(&mut self) -> String {
        self.parser.callbacks_mut().take()
    }

    /// What to type into the program as an answer to its questions.
    pub(crate) fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.parser.callbacks_mut().reports.answers)
    }

    /// Rows were painted over and wait for [`Terminal::settle`].
    pub(crate) fn waits(&self) -> bool {
        self.parser.callbacks().waits()
    }

    /// The program has been quiet for a moment: rows that were painted over are complete now.
    pub(crate) fn settle(&mut self) {
        if !self.screen().alternate_screen() {
            let (screen, log) = self.parser.screen_and_callbacks_mut();
            log.settle(screen, true);
        }
    }

    /// The program has ended.
    pub(crate) fn end(&mut self) {
        if !self.screen().alternate_screen() {
            let (screen, log) = self.parser.screen_and_callbacks_mut();
            log.end(screen);
        }
    }

    /// Takes another size.
    pub(crate) fn resize(&mut self, size: Size) {
        let (columns, rows) = usable(size);
        let (old_rows, old_columns) = self.screen().size();
        if (rows, columns) == (old_rows, old_columns) {
            return;
        }
        let (screen, log) = self.parser.screen_and_callbacks_mut();
        log.before_resize(screen);
        self.parser.set_size(rows, columns);
        let (screen, log) = self.parser.screen_and_callbacks_mut();
        let came = log.after_resize(rows.get());
        let main = !screen.alternate_screen();
        if main {
            self.draw_above(&came);
        }
        if columns != old_columns {
            self.recut = true;
            self.recut();
        }
    }

    /// Draws lines that came back from the scrollback into the first rows.
    fn draw_above(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        let (row, column) = self.screen().cursor_position();
        let columns = usize::from(self.screen().size().1.get());
        let attributes = self.screen().attributes_formatted();
        let mut drawing = String::new();
        for (row, line) in (1..).zip(lines) {
            // A line that no longer fits would push the others away.
            let shown = if without_colours(line).chars().count() <= columns {
                line.clone()
            } else {
                without_colours(line).chars().take(columns).collect()
            };
            drawing.push_str(&format!("\x1b[{row};1H\x1b[m{shown}"));
        }
        drawing.push_str(&format!("\x1b[{};{}H{attributes}", row + 1, column + 1));
        self.parser.process(drawing.as_bytes());
    }

    fn recut(&mut self) {
        if self.recut && !self.screen().alternate_screen() {
            let (screen, log) = self.parser.screen_and_callbacks_mut();
            log.recut(screen);
            self.recut = false;
        }
    }

    /// The screen that is shown.
    pub(crate) fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    /// Title that the program set.
    pub(crate) fn title(&self) -> Option<&str> {
        self.parser.callbacks().reports.title.as_deref()
    }

    /// Working directory reported by the shell.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.parser.callbacks().reports.folder.as_deref()
    }

    /// The shell's last mark.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.parser.callbacks().reports.mark
    }

    /// Row and column of the cursor, inside the screen.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        let (row, column) = self.screen().cursor_position();
        (row, column.min(self.screen().size().1.get() - 1))
    }

    /// Lines of the scrollback and the screen.
    pub(crate) fn text(&self, lines: Lines, colours: bool) -> PaneText {
        let screen = self.screen();
        let mut shown: Vec<String> = (0..screen.size().0.get())
            .map(|row| {
                if colours {
                    return coloured_row(screen, row);
                }
                let mut text = row_text(screen, row).0;
                text.truncate(text.trim_end_matches(' ').len());
                text
            })
            .collect();
        let scrollback = &self.parser.callbacks().scrollback;
        if lines == Lines::Screen {
            drop_blank_end(&mut shown);
            return PaneText { text: shown.join("\n"), more_above: scrollback.len() > 0 };
        }
        let mut all: Vec<String> = scrollback
            .last(usize::MAX)
            .map(|line| if colours { line.to_owned() } else { without_colours(line) })
            .collect();
        all.append(&mut shown);
        drop_blank_end(&mut all);
        let wanted = match lines {
            Lines::Tail(count) => count,
            _ => all.len(),
        };
        let from = all.len().saturating_sub(wanted);
        PaneText { text: all[from..].join("\n"), more_above: from > 0 }
    }
}

fn drop_blank_end(lines: &mut Vec<String>) {
    let blank = |line: &String| line.chars().all(|c| c == ' ');
    while lines.last().is_some_and(blank) {
        lines.pop();
    }
}

fn usable((columns, rows): Size) -> (NonZeroU16, NonZeroU16) {
    let side = |side: u16| NonZeroU16::MIN.saturating_add(side.clamp(SMALLEST, LARGEST) - 1);
    (side(columns), side(rows))
}
