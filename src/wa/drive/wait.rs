//! Waits until a pane shows or prints something.
//!
//! Without a baseline existing lines count, so visible text matches at once. With a baseline only
//! later output counts, and never the echo of what was sent.

use std::time::{Duration, Instant};

use regex::Regex;

use super::new_output::{Baseline, NewOutput};
use super::regexes;
use crate::error::{Error, Kind, Result};
use crate::model::PaneRow;
use crate::mux::{Lines, Mux};
use crate::patterns::{Detection, Patterns, Scope};
use crate::watch::screen;

/// Nobody waits longer; a longer timeout is this one.
pub(crate) const LONGEST: Duration = Duration::from_secs(3600);

/// Interval between readings: the first time and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Interval between reports of progress, and between checks whether the pane is still alive.
const BEAT: Duration = Duration::from_secs(1);
/// Readings that may fail in a row before the failure is the answer.
const FAILURES: u32 = 3;

/// What is waited for.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// This text.
    Text(String),
    /// A match of this.
    Regex(Regex),
    /// A detection of this rule, by its canonical id.
    Rule(String),
    /// The lines stay as they are for this long.
    Quiet(Duration),
}

/// Reads a client's pattern: a regex when asked for, else a rule's id or alias, else plain text.
/// `argument` is what the client calls it.
pub(crate) fn condition(
    argument: &str,
    pattern: &str,
    regex: bool,
    patterns: &Patterns,
) -> Result<Condition> {
    if regex {
        return Ok(Condition::Regex(regexes::build(argument, pattern)?));
    }
    regexes::limit(argument, pattern)?;
    if let Some(rule) = patterns.rule(pattern) {
        return Ok(Condition::Rule(rule.id.clone()));
    }
    if is_rule_id(pattern) {
        let near = patterns.suggest(pattern).join(", ");
        let hint = if near.is_empty() {
            "List the rules with wa.rules_list.".to_owned()
        } else {
            format!("Similar: {near}.")
        };
        return Err(Kind::InvalidArguments
            .because(format!(
                "`{argument}` looks like a rule id, but there is no rule `{pattern}`."
            ))
            .hint(hint));
    }
    // A newline at the end would only match once the next line has begun.
    let text = pattern.trim_end_matches(['\n', '\r']);
    Ok(Condition::Text(if text.is_empty() { pattern } else { text }.to_owned()))
}

/// `core.codex:usage_reached`: nobody waits for such a text.
fn is_rule_id(pattern: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let parts = pattern.strip_prefix("core.").and_then(|rest| rest.split_once(':'));
    parts.is_some_and(|(pack, name)| word(pack) && word(name))
}

/// One wait.
pub(crate) struct Waiter<'a> {
    /// The pane's backend.
    pub mux: &'a dyn Mux,
    /// The pane.
    pub pane: &'a PaneRow,
    /// The rules, for waiting on one of them.
    pub patterns: &'a Patterns,
    /// How many of the last lines count without a baseline; 0 is all of them.
    pub tail: usize,
    /// How long.
    pub timeout: Duration,
    /// Only what comes after this counts.
    pub baseline: Option<Baseline>,
    /// The client has lost interest.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Fails when the pane has ended. Asked every second or so, as it may be costly.
    pub alive: &'a dyn Fn() -> Result<()>,
    /// Called every second with the elapsed time.
    pub progress: &'a mut dyn FnMut(Duration),
}

/// How a wait ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Waited {
    /// What was waited for came. If not, and not cancelled: the time was over.
    pub matched: bool,
    /// The client cancelled.
    pub cancelled: bool,
    /// How long.
    pub waited: Duration,
    /// How often the pane was read.
    pub polls: u32,
    /// What the rule found, when a rule was waited for.
    pub detection: Option<Detection>,
}

/// Waits. The end of the pane isan error; the end of the time is not.
pub(crate) fn wait(waiter: Waiter<'_>, condition: &Condition) -> Result<Waited> {
    let Waiter { mux, pane, patterns, tail, timeout, baseline, cancelled, alive, progress } =
        waiter;
    let timeout = timeout.min(LONGEST);
    let started = Instant::now();
    let mut reader = Reader { mux, pane, tail, fresh: baseline.map(NewOutput::since) };
    let mut quiet = Quiet::default();
    let (mut pause, mut change) = (FIRST_PAUSE, 0);
    let (mut beat, mut failures) = (started, 0);
    let mut waited = Waited::default();
    loop {
        waited.polls += 1;
        match reader.matches(condition, patterns, &mut quiet) {
            Ok(Some(detection)) => {
                waited.matched = true;
                waited.detection = detection;
            }
            Ok(None) => failures = 0,
            Err(error) => {
                failures += 1;
                if !passing(&error) || failures >= FAILURES {
                    return Err(error);
                }
            }
        }
        waited.waited = started.elapsed();
        waited.cancelled = !waited.matched && cancelled();
        if waited.matched || waited.cancelled {
            return Ok(waited);
        }
        if beat.elapsed() >= BEAT {
            beat = Instant::now();
            alive()?;
            progress(waited.waited);
        }
        if waited.waited >= timeout {
            alive()?;
            return Ok(waited);
        }
        // A backend that can tell ends the pause early, but never lets this spin.
        let rest = pause.min(timeout.saturating_sub(started.elapsed())).max(FIRST_PAUSE / 5);
        let resting = Instant::now();
        change = mux.wait_for_change(change, rest).unwrap_or(change);
        std::thread::sleep((FIRST_PAUSE / 2).min(rest).saturating_sub(resting.elapsed()));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// The backend may answer again.
fn passing(error: &Error) -> bool {
    matches!(error.kind, Kind::Backend | Kind::Timeout)
}

/// Reads the text that counts.
struct Reader<'a> {
    mux: &'a dyn Mux,
    pane: &'a PaneRow,
    tail: usize,
    fresh: Option<NewOutput>,
}

impl Reader<'_> {
    /// `Some` when the condition holds.
    fn matches(
        &mut self,
        condition: &Condition,
        patterns: &Patterns,
        quiet: &mut Quiet,
    ) -> Result<Option<Option<Detection>>> {
        if let Condition::Quiet(least) = condition {
            let now = self.mux.text(self.pane.native_id, Lines::Screen, false)?.text;
            return Ok(quiet.lasts(now, *least).then_some(None));
        }
        let scope = match condition {
            Condition::Rule(id) => patterns.rule(id).map(|rule| rule.scope).unwrap_or_default(),
            _ => Scope::Log,
        };
        let text = match &mut self.fresh {
            Some(fresh) => {
                fresh.advance(self.mux, self.pane)?;
                fresh.text().into_owned()
            }
            None if scope == Scope::Screen => {
                let text = self.mux.text(self.pane.native_id, Lines::Screen, false)?.text;
                screen::last_lines(&text).to_owned()
            }
            None => {
                let lines = if self.tail == 0 { Lines::All } else { Lines::Tail(self.tail) };
                self.mux.text(self.pane.native_id, lines, false)?.text
            }
        };
        let columns = self.pane.size.map(|(columns, _)| columns);
        if let Some(found) = holds(condition, &text, patterns, scope) {
            return Ok(Some(found));
        }
        let joined = columns.and_then(|columns| screen::unwrapped(&text, columns));
        Ok(joined.and_then(|joined| holds(condition, &joined, patterns, scope)))
    }
}

fn holds(
    condition: &Condition,
    text: &str,
    patterns: &Patterns,
    scope: Scope,
) -> Option<Option<Detection>> {
    match condition {
        Condition::Text(wanted) => text.contains(wanted).then_some(None),
        Condition::Regex(regex) => regex.is_match(text).then_some(None),
        Condition::Rule(id) => {
            let agent = patterns.rule(id)?.agent;
            let mut found = patterns.scan(text, agent, scope).into_iter();
            found.rfind(|detection| detection.rule_id == *id).map(Some)
        }
        Condition::Quiet(_) => None,
    }
}

/// How long the screen has been as it is.
#[derive(Default)]
struct Quiet {
    since: Option<(Instant, String)>,
}

impl Quiet {
    fn lasts(&mut self, now: String, least: Duration) -> bool {
        match &self.since {
            Some((since, text)) if *text == now => since.elapsed() >= least,
            _ => {
                self.since = Some((Instant::now(), now));
                least.is_zero()
            }
        }
    }
}
