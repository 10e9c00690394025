//! Derives complete lines from the main screen.
//!
//! A line is complete when the cursor leaves its row by a line feed; it is then logged at once, and
//! the row remembers the text. A row that is repainted afterwards is logged again with its new text,
//! but only after the program has been idle for a moment or the row leaves the screen, so that
//! spinners do not fill the log. Rows painted without line feeds are logged when the cursor is below
//! them. Nothing is logged from the alternate screen. Rows of one wrapped line are one line.

use std::collections::VecDeque;

use vt100::Screen;
use vt100::capture::RowContents;

use super::render::{close, leaving_row, row_text, without_colours};
use super::reports::ProgramReports;
use super::ring::{Limit, Ring};
use super::scan::RowChange;

/// A line that is longer is cut into several.
const LONGEST_LINE: usize = 1 << 20;

/// Callback of the emulator for rows that leave the screen.
pub(super) struct Log {
    /// What was logged of each row of the main screen.
    rows: VecDeque<Option<String>>,
    /// First and last row of the region that scrolls.
    region: (usize, usize),
    /// The beginning, which has left the screen, of the line that the first row continues.
    begun: String,
    /// Rows that leave next and are in the scrollback already.
    pub(super) already_left: usize,
    /// Rows that the emulator thinks to be above the screen.
    above: usize,
    /// The lowest row that the cursor has stood in since the screen was erased.
    lowest: u16,
    /// Rows were painted over and not logged again yet.
    repainted: bool,
    /// Complete lines that nobody has taken yet.
    complete: String,
    pub(super) scrollback: Ring,
    pub(super) reports: ProgramReports,
}

impl Log {
    pub(super) fn new(rows: u16, scrollback: usize) -> Self {
        let rows = usize::from(rows);
        Self {
            rows: VecDeque::from(vec![None; rows]),
            region: (0, rows - 1),
            begun: String::new(),
            already_left: 0,
            above: 0,
            lowest: 0,
            repainted: false,
            complete: String::new(),
            scrollback: Ring::new(Limit::Lines(scrollback)),
            reports: ProgramReports::default(),
        }
    }

    /// The whole screen scrolls.
    pub(super) fn scrolls_whole(&self) -> bool {
        self.region == (0, self.rows.len() - 1)
    }

    /// Rows wait for a quiet moment.
    pub(super) fn waits(&self) -> bool {
        self.repainted
    }

    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.complete)
    }

    /// Adds a complete line.
    pub(super) fn line(&mut self, text: &str) {
        self.complete.push_str(text.trim_end_matches(' '));
        self.complete.push('\n');
    }

    /// Adds complete lines, each with its newline, that pass the screen by.
    pub(super) fn passing(&mut self, lines: &str) {
        self.complete.push_str(lines);
        self.scrollback.append(lines);
    }

    /// A line feed comes while the cursor is in `row` of the main screen.
    pub(super) fn line_feed(&mut self, screen: &Screen) {
        let row = screen.cursor_position().0;
        self.lowest = self.lowest.max(row.saturating_add(1));
        let (text, goes_on) = row_text(screen, row);
        if !goes_on {
            let first = first_row(screen, row);
            self.finish_line(screen, first, row, text, false);
        }
        let (top, bottom) = self.region;
        if top > 0 && usize::from(row) == bottom {
            // Rows below the top of the screen scroll away unheard.
            self.shift(top, bottom);
        }
    }

    /// Logs rows above the cursor that are not logged yet; with `repainted` also those that were
    /// painted over.
    pub(super) fn settle(&mut self, screen: &Screen, repainted: bool) {
        self.lowest = self.lowest.max(screen.cursor_position().0);
        self.settle_above(screen, screen.cursor_position().0, repainted);
    }

    fn settle_above(&mut self, screen: &Screen, limit: u16, repainted: bool) {
        if repainted {
            self.repainted = false;
        }
        let mut first = 0;
        for row in 0..limit.min(screen.size().0.get()) {
            let (text, goes_on) = row_text(screen, row);
            if goes_on {
                continue;
            }
            let blank = first == row && text.trim_end_matches(' ').is_empty();
            if !(blank && self.row(row).is_none()) {
                self.finish_line(screen, first, row, text, repainted);
            }
            first = row + 1;
        }
    }

    fn row(&self, row: u16) -> Option<&String> {
        self.rows.get(usize::from(row)).and_then(Option::as_ref)
    }

    /// The line in rows `first` to `last` is complete; `text` is that of the last row.
    fn finish_line(&mut self, screen: &Screen, first: u16, last: u16, text: String, again: bool) {
        let mut texts: Vec<String> = (first..last).map(|row| row_text(screen, row).0).collect();
        texts.push(text);
        let same = |log: &Self, row: u16, text: &str| {
            log.row(row).is_some_and(|logged| logged == text.trim_end_matches(' '))
        };
        if (first..).zip(&texts).all(|(row, text)| same(self, row, text)) {
            return;
        }
        let painted_over = (first..=last).any(|row| self.row(row).is_some());
        if painted_over && !again {
            self.repainted = true;
            return;
        }
        let begun = if first == 0 { std::mem::take(&mut self.begun) } else { String::new() };
        let line = begun + &texts.concat();
        // A row that was wiped has nothing to say.
        if !(painted_over && line.trim_end_matches(' ').is_empty()) {
            self.line(&line);
        }
        for (row, mut text) in (usize::from(first)..).zip(texts) {
            text.truncate(text.trim_end_matches(' ').len());
            if let Some(logged) = self.rows.get_mut(row) {
                *logged = Some(text);
            }
        }
    }

    /// The program has ended: the row of the cursor and what waits is all there will be.
    pub(super) fn end(&mut self, screen: &Screen) {
        let row = screen.cursor_position().0;
        self.settle_above(screen, row, true);
        let first = first_row(screen, row);
        let (text, _) = row_text(screen, row);
        if self.row(row).is_some() || first < row || !text.trim_end_matches(' ').is_empty() {
            self.finish_line(screen, first, row, text, true);
        }
        if !self.begun.is_empty() {
            let begun = std::mem::take(&mut self.begun);
            self.line(&begun);
        }
    }

    /// Before the emulator changes rows.
    pub(super) fn before(&mut self, screen: &Screen, change: RowChange) {
        match change {
            RowChange::Erase(_) | RowChange::Reset => {
                let lowest = self.lowest.max(screen.cursor_position().0);
                self.settle_above(screen, lowest, true);
            }
            RowChange::Region(..) | RowChange::LineFeed(_) => {}
            _ => self.settle(screen, false),
        }
    }

    /// After the emulator has changed rows. `row` is where the cursor was.
    pub(super) fn after(&mut self, change: RowChange, row: u16) {
        let row = usize::from(row);
        let (top, bottom) = self.region;
        let inside = (top..=bottom).contains(&row);
        let times = |count: u16| 0..usize::from(count).min(bottom + 1 - top);
        match change {
            RowChange::Erase(0) => self.forget(row..self.rows.len()),
            RowChange::Erase(1) => self.forget(0..row + 1),
            RowChange::Erase(2) => self.forget(0..self.rows.len()),
            RowChange::Erase(3) => {
                self.scrollback.clear();
                self.above = 0;
            }
            RowChange::Insert(count) if inside => {
                times(count).for_each(|_| self.shift_back(row, bottom));
            }
            RowChange::Delete(count) if inside => {
                times(count).for_each(|_| self.shift(row, bottom));
            }
            // From the first row on the emulator reports each row that leaves.
            RowChange::Up(count) if top > 0 => times(count).for_each(|_| self.shift(top, bottom)),
            RowChange::Down(count) => times(count).for_each(|_| self.shift_back(top, bottom)),
            RowChange::ReverseIndex if row == top => self.shift_back(top, bottom),
            RowChange::Region(first, last) => {
                let end = self.rows.len() - 1;
                let top = usize::from(first.max(1)) - 1;
                let bottom = if last == 0 { end } else { usize::from(last - 1).min(end) };
                self.region = if top < bottom { (top, bottom) } else { (0, end) };
            }
            RowChange::Reset => {
                self.forget(0..self.rows.len());
                self.region = (0, self.rows.len() - 1);
                self.above = 0;
                self.scrollback.clear();
            }
            _ => {}
        }
    }

    fn forget(&mut self, rows: std::ops::Range<usize>) {
        if rows == (0..self.rows.len()) {
            self.lowest = 0;
            if !self.begun.is_empty() {
                let begun = std::mem::take(&mut self.begun);
                self.line(&begun);
            }
        }
        self.rows.range_mut(rows.start.min(self.rows.len())..rows.end).for_each(|row| *row = None);
    }

    /// Row `from` is removed, and a new one inserted at `to`, below.
    fn shift(&mut self, from: usize, to: usize) {
        self.rows.remove(from);
        self.rows.insert(to, None);
    }

    fn shift_back(&mut self, from: usize, to: usize) {
        self.rows.remove(to);
        self.rows.insert(from, None);
    }

    /// A row leaves the main screen at the top.
    pub(super) fn leaves(&mut self, row: &RowContents<'_>) {
        let logged = self.rows.pop_front().flatten();
        self.rows.insert(self.region.1, None);
        self.above += 1;
        self.lowest = self.lowest.max(1) - 1;
        if self.already_left > 0 {
            self.already_left -= 1;
            return;
        }
        let (mut coloured, goes_on) = leaving_row(row);
        let plain = without_colours(&coloured);
        close(&mut coloured);
        coloured.push('\n');
        self.scrollback.append(&coloured);
        let text = plain.trim_end_matches(' ');
        if logged.as_deref() == Some(text) {
            return;
        }
        if goes_on {
            // A wrapped row is full; blanks at its end belong to the line.
            self.begun.push_str(&plain);
            if self.begun.len() >= LONGEST_LINE {
                let begun = std::mem::take(&mut self.begun);
                self.line(&begun);
            }
        } else if !self.begun.is_empty() || !text.is_empty() {
            let line = std::mem::take(&mut self.begun) + text;
            self.line(&line);
        }
    }

    /// Before the emulator takes another size: the region is the whole screen again.
    pub(super) fn before_resize(&mut self, screen: &Screen) {
        if !screen.alternate_screen() {
            self.settle(screen, false);
        }
        self.region = (0, self.rows.len() - 1);
    }

    /// After the main screen got `rows` rows. Returns how many rows came in at the top, and the lines
    /// that stood there, oldest first.
    pub(super) fn after_resize(&mut self, rows: u16) -> Vec<String> {
        let rows = usize::from(rows);
        let came = rows.saturating_sub(self.rows.len()).min(self.above);
        let mut lines = vec![];
        for _ in 0..came {
            let line = self.scrollback.pop().unwrap_or_default();
            self.rows.push_front(Some(without_colours(&line)));
            lines.push(line);
        }
        lines.reverse();
        self.above -= came;
        self.rows.resize(rows, None);
        self.region = (0, rows - 1);
        lines
    }

    /// The width has changed: the rows now count as logged.
    pub(super) fn recut(&mut self, screen: &Screen) {
        for (row, logged) in (0..).zip(&mut self.rows) {
            if let Some(text) = logged {
                *text = row_text(screen, row).0;
                text.truncate(text.trim_end_matches(' ').len());
            }
        }
    }
}

impl vt100::Callbacks for Log {
    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.reports.title(title);
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        first: Option<u8>,
        second: Option<u8>,
        parameters: &[&[u16]],
        last: char,
    ) {
        self.reports.control(screen, [first, second], parameters, last);
    }

    fn unhandled_osc(&mut self, _: &mut Screen, parameters: &[&[u8]]) {
        self.reports.string(parameters);
    }

    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        if !alternate_screen {
            self.leaves(&row);
        }
    }
}

/// The row in which the line that reaches `row` begins.
fn first_row(screen: &Screen, row: u16) -> u16 {
    let mut first = row;
    while first > 0 && screen.row_wrapped(first - 1) {
        first -= 1;
    }
    first
}
