//! Reads one pane, stores new output, and scans it with the rules.
//!
//! Backends that retain every line are asked for the lines since a mark. The others are read by
//! comparing texts; there the last line is held back until it is complete or unchanged for a moment, so
//! that half-typed lines are not stored again and again. On the alternate screen programs paint instead
//! of printing: only an agent's screen is stored, line by line as lines appear.
//!
//! Secrets are redacted before anything is stored. The end of a text may be the first part of one: it
//! is held back, and marks do not go past it, so that it is read again with what follows, in this
//! process or the next. Rules see all of it at once.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::delta::{Change, delta, delta_of_clean, new_lines};
use super::frames::Frames;
use super::pane::{Start, Watched};
use super::screen::skeleton;
use super::{Context, record};
use crate::error::Result;
use crate::history::{Appended, CaptureMark, Gap, GapReason};
use crate::model::Millis;
use crate::mux::{Lines, Mux, Output};
use crate::patterns::Scope;
use crate::redact::{self, Cut, Painted, Settled};

/// Lines that are read each time. When more were printed since, all are read.
const TAIL: usize = 300;
/// What is kept of a text to find its continuation.
const MAX_KEPT: usize = 64 << 10;
/// A last line that is unchanged for this long is stored as it is.
const STILL: Duration = Duration::from_millis(250);
/// Maximum output of one request, and of one reading.
const CHUNK: usize = 1 << 20;
const LOOK: usize = 8 << 20;
/// Text that is held back because it may be part of a secret; more of it is stored as a secret.
const MAX_HELD: usize = 64 << 10;
/// What is kept of stored lines to tell secrets that are announced there.
const ANNOUNCED: usize = 1 << 10;
/// Interval between readings of the screen of a pane that prints lines.
const SCREEN: Duration = Duration::from_millis(300);

/// New text to store.
#[derive(Default)]
struct NewText {
    /// As it was shown; rules see it.
    text: String,
    /// What is stored of it.
    clean: Settled,
    /// It ends within a secret that was too long to wait for.
    forced: bool,
    gap: Option<Gap>,
    /// Painted lines that differ from stored ones only in counters: rules see them.
    painted: String,
    /// Rules see the text only from here on.
    scan_from: usize,
    /// The text may have been seen by an earlier reading.
    seen_late: bool,
}

impl Watched {
    /// Reads the pane. True when something changed.
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

    /// What the watcher before this one stored last may never have been checked: it may have
    /// been killed right then. What it did record is not recorded again.
    fn catch_up(&mut self, context: &Context, mux: &dyn Mux) -> Result<()> {
        let screen = mux.text(self.row.native_id, Lines::Screen, false)?.text;
        self.probe(mux, &screen);
        for segment in context.history.last_appended(self.key)? {
            let text = context.history.segment_text(segment)?.unwrap_or_default();
            for detection in context.patterns.scan(&text, self.agent, Scope::Log) {
                let found = self.found(context, detection, Some(segment), true);
                self.log_error(found);
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
        let mut new = false;
        let mut clean = true;
        let mut left = left;
        loop {
            read += output.text.len();
            let lost = output.lost.then(|| match self.start {
                Start::Resumed => {
                    gap(GapReason::Restart, "Lines were lost since the last capture.")
                }
                _ => gap(GapReason::OutputLost, "The backend no longer had the lines."),
            });
            let gap = lost.or_else(|| left.then(exited_alt));
            left = false;
            clean &= gap.is_none();
            let (settled, forced) = self.settled(&self.logged, &output.text, None, Cut::Lines);
            let held = output.text.len() - settled.taken;
            let before = std::mem::replace(&mut self.output_mark, output.next - held as u64);
            new |= settled.taken > 0 || gap.is_some();
            if gap.is_some() || !output.text.is_empty() {
                let shown = &output.text[..settled.taken];
                let stored = end_of(&format!("{}{shown}", self.logged), ANNOUNCED);
                let new_text = NewText {
                    text: output.text,
                    clean: settled,
                    forced,
                    gap,
                    ..NewText::default()
                };
                if let Err(error) = self.store(context, new_text, stored, now) {
                    // Asked for again next time.
                    self.output_mark = before;
                    return Err(error);
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
        Ok(new)
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
        let resumed = self.start == Start::Resumed;
        if resumed || self.logged.trim_end_matches('\n') != full || left {
            let mut change = self.change(seen);
            let mut seen = seen.to_owned();
            if matches!(change, Change::Replaced { .. }) && tail.more_above && !first {
                let all = self.everything(mux)?;
                let end = all.rfind('\n').map_or(0, |end| end + 1);
                seen = if hold { all[..end].to_owned() } else { all };
                change = self.change(&seen);
            }
            if matches!(change, Change::Replaced { .. }) && self.alt_now(mux) {
                // It went to the alternate screen since it was listed; the next reading sees it.
                return Ok(true);
            }
            let (mut new_text, end) = self.new_text(change, &seen);
            if left && new_text.gap.is_none() {
                new_text.gap = Some(exited_alt());
            }
            if self.start == (Start::New { old: true }) {
                new_text.scan_from =
                    last_screen(&new_text.text, self.row.size.map_or(24, |(_, rows)| rows));
            }
            clean = new_text.gap.is_none();
            self.store(context, new_text, kept(&seen[..end]), now)?;
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

    /// How the text came from what is stored of it.
    fn change(&self, seen: &str) -> Change {
        match self.start {
            // An earlier watcher left its text without secrets.
            Start::Resumed => delta_of_clean(&self.logged, seen, self.width()),
            _ => delta(&self.logged, seen),
        }
    }

    /// Columns at which the terminal breaks lines.
    fn width(&self) -> Option<usize> {
        self.row.size.and_then(|(columns, _)| usize::try_from(columns).ok())
    }

    /// What can be stored of a text now. Nothing more comes from a program that has ended, and no
    /// secret is longer than what is held back; then it is true that a secret may go on.
    fn settled(&self, before: &str, text: &str, width: Option<usize>, cut: Cut) -> (Settled, bool) {
        let before = self.unfinished.as_deref().unwrap_or(before);
        let cut = if self.row.dead.is_some() { Cut::End } else { cut };
        let settled = redact::settle(before, text, width, cut);
        match text.len() - settled.taken {
            held if held > MAX_HELD => (redact::settle(before, text, width, Cut::End), true),
            _ => (settled, false),
        }
    }

    /// What a change means for the log, and up to where `seen` is stored then.
    fn new_text(&self, change: Change, seen: &str) -> (NewText, usize) {
        match change {
            Change::Same => (NewText::default(), seen.len()),
            Change::Appended(text) => {
                let before = &seen[..seen.len() - text.len()];
                let (clean, forced) = self.settled(before, &text, self.width(), Cut::Anywhere);
                let end = before.len() + clean.taken;
                (NewText { text, clean, forced, ..NewText::default() }, end)
            }
            Change::Repainted(lines) => {
                let before: Vec<&str> = self.logged.lines().collect();
                let (lines, painted) = self.sort(lines, &before);
                (NewText { painted, ..self.painted(&lines, seen) }, seen.len())
            }
            // The screen was cleared: nothing is there to be stored, and nothing is known to be
            // missing.
            Change::Replaced { .. } if seen.trim().is_empty() => (NewText::default(), seen.len()),
            Change::Replaced { lines, shared } => {
                let gap = match (self.start, shared) {
                    (Start::Resumed, _) => {
                        gap(GapReason::Restart, "Output was missed while no watcher ran.")
                    }
                    (_, true) => gap(GapReason::ContentChanged, "The screen was repainted."),
                    (_, false) => gap(GapReason::OverlapNotFound, "Output was missed."),
                };
                // An agent has painted old lines again; anybody else has printed all of this.
                let (new_text, end) = match self.agent {
                    Some(_) => (self.painted(&lines, seen), seen.len()),
                    None => self.printed(seen),
                };
                (NewText { gap: Some(gap), ..new_text }, end)
            }
        }
    }

    /// A text without continuation of the earlier one.
    fn printed(&self, seen: &str) -> (NewText, usize) {
        let text = seen.trim_end().to_owned();
        let (mut clean, forced) = self.settled("", &text, self.width(), Cut::Anywhere);
        let end = if clean.taken == text.len() { seen.len() } else { clean.taken };
        clean.text = match end {
            end if end == seen.len() => self.on_own_lines(&clean.text),
            _ => format!("{}{}", self.line_end(), clean.text),
        };
        (NewText { text, clean, forced, ..NewText::default() }, end)
    }

    /// Lines of a screen that was painted.
    fn painted(&self, lines: &[String], screen: &str) -> NewText {
        let painted = Painted::new(screen, self.width());
        let clean: Vec<String> = lines.iter().map(|line| painted.line(line)).collect();
        let text = self.on_own_lines(&lines.join("\n"));
        let clean = Settled::all(self.on_own_lines(&clean.join("\n")), text.len());
        NewText { text, clean, ..NewText::default() }
    }

    /// Lines to store, and lines that only rules need to see: agents repaint their counters and
    /// spinners many times a minute.
    fn sort(&self, lines: Vec<String>, before: &[&str]) -> (Vec<String>, String) {
        if self.agent.is_none() {
            return (lines, String::new());
        }
        let known: BTreeSet<String> = before.iter().map(|line| skeleton(line)).collect();
        let (painted, text): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| {
            let bones = skeleton(line);
            bones.is_empty() || known.contains(&bones)
        });
        (text, painted.join("\n"))
    }

    /// The lines, set apart from a last line that was stored without its end.
    fn on_own_lines(&self, lines: &str) -> String {
        if lines.is_empty() { String::new() } else { format!("{}{lines}\n", self.line_end()) }
    }

    /// What ends a last line that was stored without its end.
    fn line_end(&self) -> &'static str {
        if self.logged.is_empty() || self.logged.ends_with('\n') { "" } else { "\n" }
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
            let gap = gap(GapReason::AltScreenEntered, "A program entered the alternate screen.");
            let new_text = NewText { gap: Some(gap), ..NewText::default() };
            self.store(context, new_text, self.logged.clone(), now)?;
        }
        let screen = mux.text(self.row.native_id, Lines::Screen, false)?.text;
        let moved = screen != self.alt_seen;
        self.probe(mux, &screen);
        if self.agent.is_some() && (moved || self.alt_frames.is_none()) {
            let look = Instant::now();
            let mut frames = self.alt_frames.take().unwrap_or_else(|| Frames::new(look));
            // The first lines may have been there when an earlier watcher read them.
            let seen_late = frames.is_young(look);
            let before = frames.lines(look);
            let lines = new_lines(&before, &screen.lines().collect::<Vec<_>>());
            let (lines, painted) = self.sort(lines, &before);
            let new_text = NewText { painted, seen_late, ..self.painted(&lines, &screen) };
            let stored = self.store(context, new_text, self.logged.clone(), now);
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

    /// Stores the text, then scans it: rules never see what could not be stored. Fails only when
    /// nothing was stored. `logged` is the text up to which everything is stored then.
    fn store(
        &mut self,
        context: &Context,
        new_text: NewText,
        logged: String,
        now: Millis,
    ) -> Result<()> {
        let NewText { text, clean, forced, gap, painted, scan_from, seen_late } = new_text;
        let stored = if clean.text.trim().is_empty() { "" } else { clean.text.as_str() };
        if stored.is_empty() && gap.is_none() {
            self.logged = logged;
            let nothing = Appended::default();
            self.scan_text(context, &text, &clean, scan_from, &painted, &nothing, seen_late);
            return Ok(());
        }
        let snapshot_tail = redact::settle("", &logged, self.width(), Cut::End).text;
        let mark = CaptureMark { snapshot_tail, output_mark: self.output_mark };
        let appended = context.history.append(self.key, stored, gap.as_ref(), &mark, now)?;
        self.logged = logged;
        if clean.taken > 0 {
            self.unfinished = forced.then(|| end_of(&clean.text, ANNOUNCED));
        }
        let seen_late = seen_late || (gap.is_some() && self.start == Start::Resumed);
        if let Some(gap) = gap {
            self.scanner.reset();
            self.held.clear();
            self.gap_open = true;
            let (reason, detail) = (gap.reason, gap.detail.as_deref());
            let told = record::gap(context, self.key, reason, detail, appended.segment_at(0), now);
            self.log_error(told);
        }
        self.scan_text(context, &text, &clean, scan_from, &painted, &appended, seen_late);
        Ok(())
    }

    /// Stores what was held back of a pane that has ended.
    pub(super) fn finish(&mut self, context: &Context) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        if held.trim().is_empty() {
            return Ok(());
        }
        let clean = redact::settle(&self.logged, &held, self.width(), Cut::End).text;
        let logged = format!("{}{held}", self.logged);
        let snapshot_tail = redact::settle("", &logged, self.width(), Cut::End).text;
        let output_mark = self.output_mark + held.len() as u64;
        let mark = CaptureMark { snapshot_tail, output_mark };
        context.history.append(self.key, &clean, None, &mark, context.now())?;
        (self.logged, self.output_mark) = (logged, output_mark);
        Ok(())
    }

    /// Scans what was stored or is held back, and lines that were only painted
    /// again.
    #[allow(clippy::too_many_arguments, reason = "one reading with all its context")]
    fn scan_text(
        &mut self,
        context: &Context,
        text: &str,
        clean: &Settled,
        scan_from: usize,
        painted: &str,
        appended: &Appended,
        seen_late: bool,
    ) {
        let seen = if text.starts_with(&self.held) { self.held.len() } else { 0 };
        let scan_from = scan_from.max(seen).min(text.len());
        self.held = text[clean.taken.min(text.len())..].to_owned();
        if scan_from < text.len() && !text[scan_from..].trim().is_empty() {
            for detection in self.scanner.feed(&text[scan_from..], self.agent) {
                let segment = appended.segment_at(clean.clean(scan_from + detection.span.0));
                let found = self.found(context, detection, segment, seen_late);
                self.log_error(found);
            }
        }
        if !painted.is_empty() {
            for detection in context.patterns.scan(painted, self.agent, Scope::Log) {
                let found = self.found(context, detection, None, seen_late);
                self.log_error(found);
            }
        }
    }

    /// The text is stored: later errors are only logged.
    fn log_error(&self, done: Result<()>) {
        if let Err(error) = done {
            tracing::warn!(event = "wa.record", pane = self.row.pane_id, "{error}");
        }
    }
}

fn gap(reason: GapReason, detail: &str) -> Gap {
    Gap { reason, detail: Some(detail.to_owned()) }
}

fn exited_alt() -> Gap {
    gap(GapReason::AltScreenExited, "A program left the alternate screen.")
}

/// The end of a text of at most so many bytes.
fn end_of(text: &str, most: usize) -> String {
    text[text.ceil_char_boundary(text.len().saturating_sub(most))..].to_owned()
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
