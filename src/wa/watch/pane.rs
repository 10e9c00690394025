//! The watcher's state of one pane between two readings.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::Context;
use super::frames::Frames;
use super::record;
use super::screen;
use crate::agents;
use crate::error::Result;
use crate::history::{CaptureMark, PaneKey};
use crate::model::{Agent, AgentActivity, Millis, PaneRow};
use crate::mux::Mux;
use crate::patterns::{Detection, Scanner, Scope};

/// After output, a pane is checked for this long although its backend counts nothing new: some
/// count in seconds.
const TRAILING: Duration = Duration::from_millis(1500);
/// Interval between readings of a pane whose gap nothing has verified yet.
const VERIFY: Duration = Duration::from_secs(2);
/// Interval between readings of what runs in a pane.
const PROBE: Duration = Duration::from_secs(1);
/// Longest time between readings of a pane whose backend counts nothing.
const UNCOUNTED: Duration = Duration::from_secs(4);
/// A finding that was recorded is not recorded again for this long. Shorter than the time within
/// which the history takes it for the same, so that it still learns of every lasting one.
const RECENT: Duration = Duration::from_secs(30);
/// Findings that are remembered for that.
const MAX_RECENT: usize = 1000;

/// State of the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Nothing of this pane was ever stored. It was there before the watcher when `old`.
    New { old: bool },
    /// A watcher before this one stored something.
    Resumed,
    /// This watcher has stored something.
    Running,
}

/// One pane.
pub(super) struct Watched {
    pub(super) key: PaneKey,
    pub(super) row: PaneRow,
    pub(super) observed: bool,
    pub(super) start: Start,
    /// Text up to which everything is stored: as it was shown, or without secrets where an earlier
    /// watcher left it.
    pub(super) logged: String,
    /// Text after it that is not stored yet, because it may be the first part of a secret.
    pub(super) held: String,
    /// The end of what was stored, where that ends within a secret.
    pub(super) unfinished: Option<String>,
    pub(super) output_mark: u64,
    /// More output is available than one reading takes.
    pub(super) behind: bool,
    /// Text as last read, and since when it is like that.
    pub(super) last: String,
    pub(super) last_changed: Instant,
    /// The last line may still grow and is not stored yet.
    pub(super) holding: bool,
    pub(super) alt: bool,
    /// The alternate screen as last read, and what was stored of it lately.
    pub(super) alt_seen: String,
    pub(super) alt_frames: Option<Frames>,
    pub(super) screen_at: Option<Instant>,
    pub(super) agent: Option<Agent>,
    /// A shell or an agent waits for input.
    pub(super) idle: bool,
    pub(super) gap_open: bool,
    /// The end of its process has been recorded.
    pub(super) ended: bool,
    pub(super) scanner: Scanner,
    on_screen: BTreeSet<String>,
    recent: BTreeMap<String, Instant>,
    findings: Vec<(Detection, Option<i64>)>,
    probed: Option<Instant>,
    captured_activity: Option<u64>,
    captured: Option<Instant>,
    interval: Duration,
    failing: bool,
}

impl Watched {
    pub(super) fn new(context: &Context, row: PaneRow, key: PaneKey, old: bool) -> Result<Self> {
        let mark = context.history.mark(key)?;
        let start = if mark.is_some() { Start::Resumed } else { Start::New { old } };
        let CaptureMark { snapshot_tail: logged, output_mark } = mark.unwrap_or_default();
        let known = context.history.known(row.pane_id)?;
        let gap_open = known.is_some_and(|known| known.key == key && known.recent_gap);
        Ok(Self {
            key,
            row,
            observed: true,
            start,
            logged,
            held: String::new(),
            unfinished: None,
            output_mark,
            behind: false,
            last: String::new(),
            last_changed: Instant::now(),
            holding: false,
            alt: false,
            alt_seen: String::new(),
            alt_frames: None,
            screen_at: None,
            agent: None,
            idle: false,
            gap_open,
            ended: false,
            scanner: context.patterns.stream(),
            on_screen: BTreeSet::new(),
            recent: BTreeMap::new(),
            findings: Vec::new(),
            probed: None,
            captured_activity: None,
            captured: None,
            interval: Duration::ZERO,
            failing: false,
        })
    }

    /// Whether it is due for reading.
    pub(super) fn is_due(&self) -> bool {
        let Some(captured) = self.captured else { return true };
        if !self.observed || (self.ended && self.row.activity == self.captured_activity) {
            return false;
        }
        if self.failing {
            return captured.elapsed() >= self.interval;
        }
        match self.row.activity {
            Some(activity) => {
                Some(activity) != self.captured_activity
                    || self.holding
                    || self.behind
                    || self.last_changed.elapsed() < TRAILING
                    || (self.gap_open && captured.elapsed() >= VERIFY)
            }
            None => captured.elapsed() >= self.interval,
        }
    }

    /// It was checked. Looks further apart the longer nothing changes.
    pub(super) fn captured(
        &mut self,
        activity: Option<u64>,
        changed: Result<bool>,
        busy: Duration,
    ) {
        self.captured = Some(Instant::now());
        self.behind &= changed.is_ok();
        let longer = (self.interval * 2).clamp(busy, UNCOUNTED);
        match changed {
            Ok(changed) => {
                self.captured_activity = activity;
                self.failing = false;
                self.interval = if changed { busy } else { longer };
            }
            Err(error) => {
                // Logged once: the same error recurs with every reading.
                if !self.failing {
                    tracing::warn!(event = "wa.capture", pane = self.row.pane_id, "{error}");
                }
                self.failing = true;
                self.interval = longer;
            }
        }
    }

    /// Finds out who runs in the pane, not too often.
    pub(super) fn probe(&mut self, mux: &dyn Mux, screen: &str) {
        if self.probed.is_some_and(|at| at.elapsed() < PROBE) {
            return;
        }
        self.probed = Some(Instant::now());
        let Ok(state) = mux.state(&self.row) else { return };
        let seen = agents::recognise(&self.row, &state, screen);
        self.agent = seen.map(|seen| seen.agent);
        let waits = seen.is_some_and(|seen| seen.activity == AgentActivity::Idle);
        self.idle = waits || state.prompt_active == Some(true);
    }

    /// A gap-free reading of a pane that waits for input ends the time in which a
    /// gap matters.
    pub(super) fn verify(&mut self, context: &Context, mux: &dyn Mux, now: Millis) -> Result<()> {
        if !self.gap_open {
            return Ok(());
        }
        let screen = std::mem::take(&mut self.last);
        self.probe(mux, &screen);
        self.last = screen;
        if self.idle {
            context.history.clear_gap(self.key, now)?;
            self.gap_open = false;
        }
        Ok(())
    }

    /// Searches for rules about the screen. One counts when it begins to hold. Rules that also look at
    /// printed text find it there, with its segment.
    pub(super) fn scan_screen(&mut self, context: &Context, text: &str) -> Result<()> {
        let found = context.patterns.scan(screen::last_lines(text), self.agent, Scope::Screen);
        let before = std::mem::take(&mut self.on_screen);
        let rule = |id: &str| context.patterns.rule(id).map(|rule| rule.scope);
        for detection in
            found.into_iter().filter(|found| rule(&found.rule_id) == Some(Scope::Screen))
        {
            let is_new = !before.contains(&detection.dedupe);
            if self.on_screen.insert(detection.dedupe.clone()) && is_new {
                self.found(context, detection, None, self.start == Start::Resumed)?;
            }
        }
        Ok(())
    }

    /// Keeps a finding to be recorded, unless it was just recorded. `seen_late`: the text may be
    /// older than this reading, so its novelty must be checked.
    pub(super) fn found(
        &mut self,
        context: &Context,
        detection: Detection,
        segment: Option<i64>,
        seen_late: bool,
    ) -> Result<()> {
        self.recent.retain(|_, at| at.elapsed() < RECENT);
        if self.recent.contains_key(&detection.dedupe) {
            return Ok(());
        }
        if seen_late && record::is_known(context, self.key, self.row.pane_id, &detection)? {
            return Ok(());
        }
        if self.recent.len() < MAX_RECENT {
            self.recent.insert(detection.dedupe.clone(), Instant::now());
        }
        if self.findings.len() < MAX_RECENT {
            self.findings.push((detection, segment));
        }
        Ok(())
    }

    /// Records what was found. What cannot be recorded now is tried again at the next reading.
    pub(super) fn record(&mut self, context: &Context, now: Millis) -> Result<()> {
        while let Some((detection, segment)) = self.findings.last().cloned() {
            record::detection(context, self.key, detection, segment, now)?;
            self.findings.pop();
        }
        Ok(())
    }
}
