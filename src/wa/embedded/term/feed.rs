//! Feeds a program's output to the emulator, stopping where the line log must inspect the screen.
//!
//! Plain lines that scroll through the whole screen at once bypass the emulator: only the last
//! screenful is visible, and the log and the scrollback need no emulator for a plain line.

use super::Terminal;
use super::scan::{self, RowChange, Sequence};

/// A string (a title, a clipboard) longer than that is broken off.
const LONGEST_TEXT: usize = 4 << 20;
const CANCEL: &[u8] = b"\x18";

impl Terminal {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let joined;
        let mut bytes = bytes;
        if !self.cut.is_empty() {
            joined = [std::mem::take(&mut self.cut).as_slice(), bytes].concat();
            bytes = &joined;
        }
        let (mut at, mut fed, mut no_run_before) = (0, 0, 0);
        while at < bytes.len() {
            if let Some(length) = self.in_text {
                let (text, terminator) =
                    scan::text_end(&bytes[at..]).unwrap_or((bytes.len() - at, 0));
                let ended = at + text < bytes.len();
                self.in_text = (!ended).then_some(length + text);
                at += text + terminator;
                if length + text > LONGEST_TEXT {
                    self.parser.process(&bytes[fed..at]);
                    self.parser.process(CANCEL);
                    self.in_text = None;
                    fed = at;
                }
                continue;
            }
            if at >= no_run_before && fed == at {
                let run = self.plain_run(&bytes[at..]);
                no_run_before = at + run.length.max(1);
                if run.passed {
                    at += run.length;
                    fed = at;
                    continue;
                }
            }
            let Some(stop) = scan::next_stop(&bytes[at..]) else {
                at = bytes.len();
                break;
            };
            at += stop;
            if bytes[at] != 0x1b {
                self.parser.process(&bytes[fed..at]);
                self.line_feed();
                at += 1;
                fed = at;
                continue;
            }
            match scan::sequence(&bytes[at..]) {
                Sequence::Incomplete => {
                    self.cut = bytes[at..].to_vec();
                    break;
                }
                Sequence::Other(length) => at += length,
                Sequence::Text(length) => {
                    self.in_text = Some(0);
                    at += length;
                }
                Sequence::Rows(length, change) => {
                    self.parser.process(&bytes[fed..at]);
                    self.row_change(&bytes[at..at + length], change);
                    at += length;
                    fed = at;
                }
            }
        }
        if self.in_text.is_none() && self.cut.is_empty() {
            // The emulator would lose what follows a character that comes in two pieces.
            let whole = at - scan::cut_character(&bytes[fed..at]);
            self.cut = bytes[whole..at].to_vec();
            at = whole;
        }
        self.parser.process(&bytes[fed..at]);
        self.log_rows_above();
    }

    /// Logs rows above the cursor that nobody ended with a line feed.
    fn log_rows_above(&mut self) {
        if !self.screen().alternate_screen() {
            let (screen, log) = self.parser.screen_and_callbacks_mut();
            log.settle(screen, false);
        }
    }

    fn line_feed(&mut self) {
        if !self.screen().alternate_screen() {
            let (screen, log) = self.parser.screen_and_callbacks_mut();
            log.line_feed(screen);
        }
        self.parser.process(b"\n");
    }

    fn row_change(&mut self, bytes: &[u8], change: RowChange) {
        if let RowChange::LineFeed(carriage_return) = change {
            self.line_feed();
            if carriage_return {
                self.parser.process(b"\r");
            }
            return;
        }
        let was_main = !self.screen().alternate_screen();
        let row = self.screen().cursor_position().0;
        if was_main {
            let (screen, log) = self.parser.screen_and_callbacks_mut();
            log.before(screen, change);
        }
        match change {
            // The emulator knows this one by its older name.
            RowChange::Screen(1047, true) => self.parser.process(b"\x1b[?47h\x1b[2J"),
            RowChange::Screen(1047, false) => self.parser.process(b"\x1b[?47l"),
            _ => self.parser.process(bytes),
        }
        if was_main || change == RowChange::Reset {
            self.parser.callbacks_mut().after(change, row);
        }
        self.recut();
    }

    /// Takes a run of plain lines past the emulator when there are enough of them.
    fn plain_run(&mut self, bytes: &[u8]) -> Run {
        let (rows, columns) = self.screen().size();
        let (rows, columns) = (usize::from(rows.get()), usize::from(columns.get()));
        let (length, lines) = scan::plain_lines(bytes, columns);
        let not_passed = Run { length, passed: false };
        let simple = !self.screen().alternate_screen()
            && self.parser.callbacks().scrolls_whole()
            && self.parser.callbacks().already_left == 0;
        if lines < 4 * rows || !simple {
            return not_passed;
        }
        let Ok(text) = std::str::from_utf8(&bytes[..length]) else { return not_passed };
        // A screenful through the emulator, so that nothing older is left on the screen.
        let (first, rest) = text.split_at(lines_length(text, rows));
        self.feed_lines(first);
        if !self.shows_only(first, rows) {
            self.feed_lines(rest);
            return Run { length, passed: true };
        }
        // Then everything but the last screenful past it. The rows that still are on the screen
        // come first.
        let (between, last) = rest.split_at(last_lines_start(rest, rows));
        let log = self.parser.callbacks_mut();
        let on_screen = &first[lines_length(first, 1)..];
        log.scrollback.append(&without_returns(on_screen));
        log.already_left = rows - 1;
        log.passing(&without_returns(between));
        self.feed_lines(last);
        Run { length, passed: true }
    }

    fn feed_lines(&mut self, text: &str) {
        for line in text.split_inclusive('\n') {
            self.parser.process(line.trim_end_matches('\n').as_bytes());
            self.line_feed();
        }
    }

    /// The screen shows the last lines of `text` with default colours and nothing else.
    fn shows_only(&self, text: &str, rows: usize) -> bool {
        let screen = self.screen();
        let shown = |row: usize| {
            let line = text.lines().nth(row + 1).unwrap_or_default();
            let row = u16::try_from(row).unwrap_or(u16::MAX);
            super::row_text(screen, row).0.trim_end() == line.trim_end()
        };
        screen.cursor_position() == (screen.size().0.get() - 1, 0)
            && screen.fgcolor() == vt100::Color::Default
            && screen.bgcolor() == vt100::Color::Default
            && !(screen.bold()
                || screen.dim()
                || screen.italic()
                || screen.underline()
                || screen.inverse())
            && shown(0)
            && shown(rows - 2)
    }
}

struct Run {
    length: usize,
    passed: bool,
}

/// Bytes of the first `count` lines.
fn lines_length(text: &str, count: usize) -> usize {
    text.split_inclusive('\n').take(count).map(str::len).sum()
}

/// Where the last `count` lines begin.
fn last_lines_start(text: &str, count: usize) -> usize {
    let newlines = text.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'\n');
    newlines.map(|(at, _)| at + 1).nth(count).unwrap_or(0)
}

/// The lines without the carriage returns and blanks at their ends.
fn without_returns(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for line in text.split_terminator("\r\n") {
        lines.push_str(line.trim_end_matches(' '));
        lines.push('\n');
    }
    lines
}
