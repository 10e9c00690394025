//! Text that a pane printed since a baseline, without the echo of what was sent.

use std::borrow::Cow;

use super::echo::Echo;
use crate::error::Result;
use crate::model::{PaneRow, PaneState};
use crate::mux::{Lines, Mux};
use crate::watch::delta::{Change, delta, delta_of_clean};

/// Lines that are read each time. When more were printed between two readings, all are read.
const TAIL: usize = 400;
/// What is kept of the new text.
const MAX_FRESH: usize = 256 << 10;

/// A moment in a pane's output. Only what comes after it counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Baseline {
    /// The last lines at that moment.
    pub(super) seen: String,
    /// Output that was already there when the moment was fixed, and counts all the same.
    pub(super) early: String,
    pub(super) echo: Option<Echo>,
    /// The echo was not on the screen yet.
    pub(super) owed: bool,
    /// The program repaints its screen instead of printing.
    pub(super) painter: bool,
    /// The alternate screen was shown.
    pub(super) alt: bool,
    /// Secrets were removed from `seen`.
    pub(super) clean: bool,
}

impl Baseline {
    /// A moment that was stored, without secrets.
    pub(crate) fn remembered(seen: String, state: &PaneState) -> Self {
        Self { clean: true, ..Self::of(seen, state) }
    }

    pub(super) fn of(seen: String, state: &PaneState) -> Self {
        let alt = state.alt_screen == Some(true);
        Self { seen, painter: state.agent.is_some(), alt, ..Self::default() }
    }
}

/// The last lines of a pane.
pub(super) fn read(mux: &dyn Mux, pane: &PaneRow) -> Result<String> {
    Ok(mux.text(pane.native_id, Lines::Tail(TAIL), false)?.text)
}

/// Collects what is new.
pub(super) struct NewOutput {
    seen: String,
    /// What the main screen showed before the alternate one was entered.
    main: Option<String>,
    text: String,
    echo: Option<Echo>,
    /// The program repaints its screen instead of printing.
    painter: bool,
    /// Lines were repainted, so the echo may have been painted again too.
    painted: bool,
    /// Nothing was added by the last reading.
    still: bool,
    /// Secrets were removed from `seen`.
    clean: bool,
}

impl NewOutput {
    pub(super) fn since(baseline: Baseline) -> Self {
        let Baseline { seen, early, echo, owed, painter, alt, clean } = baseline;
        let main = alt.then(String::new);
        Self { seen, main, text: early, echo, painter, painted: owed, still: false, clean }
    }

    /// Reads the pane again.
    pub(super) fn advance(&mut self, mux: &dyn Mux, pane: &PaneRow) -> Result<()> {
        let now = mux.text(pane.native_id, Lines::Tail(TAIL), false)?;
        let width = pane.size.and_then(|(columns, _)| usize::try_from(columns).ok());
        let mut change = self.change(&now.text, width);
        let mut seen = now.text;
        if matches!(change, Change::Replaced { .. }) {
            if now.more_above {
                seen = mux.text(pane.native_id, Lines::All, false)?.text;
                change = self.change(&seen, width);
            }
            if let Change::Replaced { lines, .. } = change {
                let alt = mux.state(pane)?.alt_screen == Some(true);
                change = self.replaced(lines, &seen, alt);
            }
        }
        if matches!(change, Change::Repainted(_)) && self.cleared(&seen) {
            let screen = mux.text(pane.native_id, Lines::Screen, false)?.text;
            change = Change::Repainted(screen.lines().map(str::to_owned).collect());
        }
        self.still = change == Change::Same;
        match change {
            Change::Same => {}
            Change::Appended(text) => self.text.push_str(&text),
            Change::Repainted(lines) | Change::Replaced { lines, .. } => {
                self.painted = true;
                if !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
                self.text.push_str(&lines.join("\n"));
            }
        }
        self.seen = seen;
        self.clean = false;
        if self.text.len() > MAX_FRESH {
            let from = self.text.ceil_char_boundary(self.text.len() - MAX_FRESH / 2);
            let line = self.text[from..].find('\n').map_or(from, |end| from + end + 1);
            self.text.drain(..line);
        }
        Ok(())
    }

    fn change(&self, now: &str, width: Option<usize>) -> Change {
        match self.clean {
            true => delta_of_clean(&self.seen, now, width),
            false => delta(&self.seen, now),
        }
    }

    /// What was typed at a shell stays where it is. If it is gone, the screen was cleared, and lines
    /// that look like old ones were printed again.
    fn cleared(&self, now: &str) -> bool {
        let typed = self.echo.as_ref().filter(|_| !self.painter && !self.painted);
        self.main.is_none() && typed.is_some_and(|echo| echo.find(now).is_none())
    }

    /// Another screen than before: the alternate one, the main one again, or one that was cleared.
    /// `lines` are those that were not there.
    fn replaced(&mut self, lines: Vec<String>, now: &str, alt: bool) -> Change {
        let all = || now.lines().map(str::to_owned).collect();
        match (self.main.take(), alt) {
            // What the main screen showed before is old. Without that knowledge all of it counts:
            // programs say their last words there.
            (Some(main), false) if !main.is_empty() => delta(&main, now),
            (Some(main), true) => {
                self.main = Some(main);
                Change::Repainted(lines)
            }
            (None, true) => {
                self.main = Some(std::mem::take(&mut self.seen));
                Change::Repainted(all())
            }
            // Cleared: whatever is there now was printed since, unless a painter painted it again.
            (None, false) if !self.painter => Change::Repainted(all()),
            (_, false) => Change::Repainted(lines),
        }
    }

    /// The new text without the echo.
    ///
    /// Where text was only appended, the echo stands before the baseline and all of it counts, even
    /// when it reads like the echo (`cat` answers what it was sent).
    pub(super) fn text(&self) -> Cow<'_, str> {
        let Some(echo) = self.echo.as_ref().filter(|_| self.painted) else {
            return Cow::Borrowed(&self.text);
        };
        if let Some(range) = echo.find(&self.text) {
            let (before, after) = (&self.text[..range.start], &self.text[range.end..]);
            return Cow::Owned([before, after].concat());
        }
        match echo.growing(&self.text).filter(|_| !self.still) {
            Some(at) => Cow::Borrowed(&self.text[..at]),
            None => Cow::Borrowed(&self.text),
        }
    }
}
