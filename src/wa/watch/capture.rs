//! Reads one pane, stores what is new, and has the rules look at it.
//!
//! Backends that keep every line are asked for the lines since a mark. The others are read by
//! comparing texts; there the last line is held back until it is complete or stands still, so that
//! half-typed lines are not stored again and again. On the alternate screen programs paint instead
//! of printing: only an agent's screen is stored, line by line as lines appear.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::delta::{Change, delta, new_lines};
use super::frames::Frames;
use super::pane::{Start, Watched};
use super::screen::skeleton;
use super::{Context, record};
use crate::wa::fault::Result;
use crate::wa::history::{Appended, CaptureMark, Gap, GapReason};
use crate::wa::model::Millis;
use crate::wa::mux::{Lines, Mux, Output};
use crate::wa::patterns::Scope;

/// Lines that are read each time. When more were printed since, all are read.
const TAIL: usize = 300;
/// What is kept of a text to find its continuation.
const MAX_KEPT: usize = 64 << 10;
/// A last line that stands still for this long is stored as it is.
const STILL: Duration = Duration::from_millis(250);
/// Output that is asked for at once, and read in one look.
const CHUNK: usize = 1 << 20;
const LOOK: usize = 8 << 20;
/// Between two readings of the screen of a pane that prints lines.
const SCREEN: Duration = Duration::from_millis(300);

/// What is to be stored.
#[derive(Default)]
struct News {
    text: String,
    gap: Option<Gap>,
    /// Painted lines that differ from stored ones only in counters: rules see them.
    painted: String,
    /// Rules see the text only from here on.
    scan_from: usize,
    /// The text may have been seen by an earlier look.
    seen_late: bool,
}

impl Watched {
    /// Looks at the pane. True when something changed.
    pub(super) fn capture(&mut self, context: &Context, mux: &dyn Mux) -> Result<bool> {
        let now = context.now();
        if self.start == Start::Resumed {
            self.catch_up(context, mux)?;
        }
        let alt = self.row.alt_screen == Some(true);
        let entered = alt && !self.alt;
        let left = !alt && self.alt;
        let changed = match mux.output_since(self.row.native_id, self.output_mark, CHUNK) {
            Some(first) => {
                let printed = self.lines(context, mux, first, left, now)?;
                if alt { printed | self.alternate(context, mux, entered, now)? } else { printed }
            }
            None if alt => self.alternate(context, mux, entered, now)?,
            None => self.snapshot(context, mux, left, now)?,
        };
        self.alt = alt;
        self.start = Start::Running;
        self.record(context, now)?;
        Ok(changed)
    }

    /// What the watcher before this one stored last may never have been looked at: it may have
    /// been killed right then. What it did record is not recorded again.
    fn catch_up(&mut self, context: &Context, mux: &dyn Mux) -> Result<()> {
        let screen = mux.text(self.row.native_id, Lines::Screen, false)?.text;
        self.probe(mux, &screen);
        for segment in context.history.last_appended(self.key)? {
            let text = context.history.segment_text(segment)?.unwrap_or_default();
            for detection in context.patterns.scan(&text, self.agent, Scope::Log) {
                let found = self.found(context, detection, Some(segment), true);
                self.said(found);
            }
        }
        Ok(())
    }

    /// Complete lines since the mark.
    fn lines(
        &mut self,
        context: &Context,
        mux: &dyn Mux,
        first: Result<Output>,
        left: bool,
        now: Millis,
    ) -> Result<bool> {
        let mut output = first?;
        if !output.text.is_empty() {
            let screen = std::mem::take(&mut self.last);
            self.probe(mux, &screen);
            self.last = screen;
        }
        let mut read = 0;
        let mut clean = true;
        let mut left = left;
        loop {
            read += output.text.len();
            let lost = output.lost.then(|| match self.start {
                Start::Resumed => gap(GapReason::Restart, "Lines are gone since the last capture."),
                _ => gap(GapReason::OutputLost, "The backend no longer had the lines."),
            });
            let gap = lost.or_else(|| left.then(exited_alt));
            left = false;
            clean &= gap.is_none();
            let before = std::mem::replace(&mut self.output_mark, output.next);
            if gap.is_some() || !output.text.is_empty() {
                let news = News { text: output.text, gap, ..News::default() };
                if let Err(fault) = self.store(context, news, String::new(), now) {
                    // Asked for again next time.
                    self.output_mark = before;
                    return Err(fault);
                }
            }
            self.behind = output.more;
            if !output.more || read >= LOOK {
                break;
            }
            match mux.output_since(self.row.native_id, self.output_mark, CHUNK) {
                Some(next) => output = next?,
                None => break,
            }
        }
        let screen_due = self.screen_at.is_none_or(|at| at.elapsed() >= SCREEN);
        if screen_due && self.row.alt_screen != Some(true) {
            self.screen_at = Some(Instant::now());
            let text = mux.text(self.row.native_id, Lines::Screen, false)?.text;
            if text != self.last {
                self.probe(mux, &text);
                self.scan_screen(context, &text)?;
                (self.last, self.last_changed) = (text, Instant::now());
            }
        }
        if clean {
            self.verify(context, mux, now)?;
        }
        Ok(read > 0)
    }

    /// The main screen of a backend that is read by comparing texts.
    fn snapshot(
        &mut self,
        context: &Context,
        mux: &dyn Mux,
        left: bool,
        now: Millis,
    ) -> Result<bool> {
        let tail = mux.text(self.row.native_id, Lines::Tail(TAIL), false)?;
        let first = matches!(self.start, Start::New { .. });
        let full = if first && tail.more_above { self.everything(mux)? } else { tail.text };
        let moved = full != self.last;
        if moved {
            self.probe(mux, &full);
        } else if !self.holding && !left && !first {
            self.verify(context, mux, now)?;
            return Ok(false);
        }
        let still = !moved && self.last_changed.elapsed() >= STILL;
        let open = full.rfind('\n').map_or(0, |end| end + 1);
        let hold = open < full.len() && !still;
        let seen = if hold { &full[..open] } else { full.as_str() };
        let mut clean = true;
        // A line that was stored as complete may be the last one again; it is not news.
        if self.logged.trim_end_matches('\n') != full || left {
            let mut change = delta(&self.logged, seen);
            let mut seen = seen.to_owned();
            if matches!(change, Change::Replaced { .. }) && tail.more_above && !first {
                let all = self.everything(mux)?;
                let end = all.rfind('\n').map_or(0, |end| end + 1);
                seen = if hold { all[..end].to_owned() } else { all };
                change = delta(&self.logged, &seen);
            }
            if matches!(change, Change::Replaced { .. }) && self.alt_now(mux) {
                // It went to the alternate screen since it was listed; the next look knows.
                return Ok(true);
            }
            let mut news = self.news(change, &seen);
            if left && news.gap.is_none() {
                news.gap = Some(exited_alt());
            }
            if self.start == (Start::New { old: true }) {
                news.scan_from =
                    last_screen(&news.text, self.row.size.map_or(24, |(_, rows)| rows));
            }
            clean = news.gap.is_none();
            self.store(context, news, kept(&seen), now)?;
        }
        self.holding = hold;
        if moved {
            self.scan_screen(context, &full)?;
            (self.last, self.last_changed) = (full, Instant::now());
        }
        if clean {
            self.verify(context, mux, now)?;
        }
        Ok(moved)
    }

    fn alt_now(&self, mux: &dyn Mux) -> bool {
        mux.state(&self.row).is_ok_and(|state| state.alt_screen == Some(true))
    }

    fn everything(&self, mux: &dyn Mux) -> Result<String> {
        Ok(mux.text(self.row.native_id, Lines::All, false)?.text)
    }

    /// What a change means for the log.
    fn news(&self, change: Change, seen: &str) -> News {
        match change {
            Change::Same => News::default(),
            Change::Appended(text) => News { text, ..News::default() },
            Change::Repainted(lines) => {
                let before: Vec<&str> = self.logged.lines().collect();
                let (text, painted) = self.sort(lines, &before);
                News { text: self.on_own_lines(&text), painted, ..News::default() }
            }
            // The screen was cleared: nothing is there to be stored, and nothing is known to be
            // missing.
            Change::Replaced { .. } if seen.trim().is_empty() => News::default(),
            Change::Replaced { lines, shared } => {
                // An agent has painted old lines again; anybody else has printed all of this.
                let text = match self.agent {
                    Some(_) => lines.join("\n"),
                    None => seen.trim_end().to_owned(),
                };
                let gap = match (self.start, shared) {
                    (Start::Resumed, _) => {
                        gap(GapReason::Restart, "Output was missed while nobody watched.")
                    }
                    (_, true) => gap(GapReason::ContentChanged, "The screen was painted anew."),
                    (_, false) => gap(GapReason::OverlapNotFound, "Output was missed."),
                };
                News { text: self.on_own_lines(&text), gap: Some(gap), ..News::default() }
            }
        }
    }

    /// Lines to store, and lines that only rules need to see: agents repaint their counters and
    /// spinners many times a minute.
    fn sort(&self, lines: Vec<String>, before: &[&str]) -> (String, String) {
        if self.agent.is_none() {
            return (lines.join("\n"), String::new());
        }
        let known: BTreeSet<String> = before.iter().map(|line| skeleton(line)).collect();
        let (painted, text): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| {
            let bones = skeleton(line);
            bones.is_empty() || known.contains(&bones)
        });
        (text.join("\n"), painted.join("\n"))
    }

    /// The lines, set apart from a last line that was stored without its end.
    fn on_own_lines(&self, lines: &str) -> String {
        match lines {
            "" => String::new(),
            lines if self.logged.is_empty() || self.logged.ends_with('\n') => format!("{lines}\n"),
            lines => format!("\n{lines}\n"),
        }
    }

    /// The alternate screen.
    fn alternate(
        &mut self,
        context: &Context,
        mux: &dyn Mux,
        entered: bool,
        now: Millis,
    ) -> Result<bool> {
        if entered {
            self.alt_seen.clear();
            self.alt_frames = None;
            let gap = gap(GapReason::AltScreenEntered, "A program took the alternate screen.");
            let news = News { gap: Some(gap), ..News::default() };
            self.store(context, news, self.logged.clone(), now)?;
        }
        let screen = mux.text(self.row.native_id, Lines::Screen, false)?.text;
        let moved = screen != self.alt_seen;
        self.probe(mux, &screen);
        if self.agent.is_some() && (moved || self.alt_frames.is_none()) {
            let look = Instant::now();
            let mut frames = self.alt_frames.take().unwrap_or_else(|| Frames::new(look));
            // What stands there at first may have stood there when an earlier watcher looked.
            let seen_late = frames.is_young(look);
            let before = frames.lines(look);
            let lines = new_lines(&before, &screen.lines().collect::<Vec<_>>());
            let (text, painted) = self.sort(lines, &before);
            let text = self.on_own_lines(&text);
            let news = News { text, painted, seen_late, ..News::default() };
            let stored = self.store(context, news, self.logged.clone(), now);
            if stored.is_ok() {
                frames.push(screen.clone(), look);
            }
            self.alt_frames = Some(frames);
            stored?;
            self.scan_screen(context, &screen)?;
        }
        if moved {
            (self.alt_seen, self.last_changed) = (screen, Instant::now());
        } else {
            self.verify(context, mux, now)?;
        }
        Ok(moved || entered)
    }

    /// Stores, then has the rules look: they never see what could not be stored. Fails only when
    /// nothing was stored.
    fn store(&mut self, context: &Context, news: News, logged: String, now: Millis) -> Result<()> {
        let News { text, gap, painted, scan_from, seen_late } = news;
        let text = if text.trim().is_empty() { "" } else { text.as_str() };
        if text.is_empty() && gap.is_none() {
            self.logged = logged;
            self.examine(context, "", 0, &painted, &Appended::default(), seen_late);
            return Ok(());
        }
        let mark = CaptureMark { snapshot_tail: logged, output_mark: self.output_mark };
        let stored = context.history.append(self.key, text, gap.as_ref(), &mark, now)?;
        self.logged = mark.snapshot_tail;
        let seen_late = seen_late || (gap.is_some() && self.start == Start::Resumed);
        if let Some(gap) = gap {
            self.scanner.reset();
            self.gap_open = true;
            let (reason, detail) = (gap.reason, gap.detail.as_deref());
            let told = record::gap(context, self.key, reason, detail, stored.segment_at(0), now);
            self.said(told);
        }
        self.examine(context, text, scan_from, &painted, &stored, seen_late);
        Ok(())
    }

    /// Has the rules look at what was stored, and at lines that were only painted again.
    fn examine(
        &mut self,
        context: &Context,
        text: &str,
        scan_from: usize,
        painted: &str,
        stored: &Appended,
        seen_late: bool,
    ) {
        let scan_from = scan_from.min(text.len());
        if scan_from < text.len() {
            for detection in self.scanner.feed(&text[scan_from..], self.agent) {
                let segment = stored.segment_at(scan_from + detection.span.0);
                let found = self.found(context, detection, segment, seen_late);
                self.said(found);
            }
        }
        if !painted.is_empty() {
            for detection in context.patterns.scan(painted, self.agent, Scope::Log) {
                let found = self.found(context, detection, None, seen_late);
                self.said(found);
            }
        }
    }

    /// The text is stored: trouble with what follows is only told of.
    fn said(&self, done: Result<()>) {
        if let Err(fault) = done {
            tracing::warn!(event = "wa.record", pane = self.row.pane_id, "{fault}");
        }
    }
}

fn gap(reason: GapReason, detail: &str) -> Gap {
    Gap { reason, detail: Some(detail.to_owned()) }
}

fn exited_alt() -> Gap {
    gap(GapReason::AltScreenExited, "A program gave the alternate screen back.")
}

/// The end of a text, whole lines, enough to find its continuation.
fn kept(text: &str) -> String {
    let lines = text.match_indices('\n').rev().nth(TAIL).map_or(0, |(at, _)| at + 1);
    let bytes = text.ceil_char_boundary(text.len().saturating_sub(MAX_KEPT));
    let start = match lines.max(bytes) {
        0 => 0,
        at if at == lines => at,
        at => text[at..].find('\n').map_or(at, |end| at + end + 1),
    };
    text[start..].to_owned()
}

/// Where the last `rows` lines of a text begin.
fn last_screen(text: &str, rows: u64) -> usize {
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    text.match_indices('\n').rev().nth(rows).map_or(0, |(at, _)| at + 1)
}
