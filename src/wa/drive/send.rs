//! Sends an input to a pane as one submission.
//!
//! The body goes first, by paste if the program could take its lines for several submissions; then
//! the screen is given time to settle; then comes Enter alone, as a raw carriage return. An agent
//! whose screen does not change has swallowed it; Enter is then pressed again, a few times at most.

use std::time::{Duration, Instant};

use super::echo::Echo;
use super::input::Input;
use super::new_output::{Baseline, read};
use crate::error::{Kind, Result};
use crate::model::{PaneRow, PaneState};
use crate::mux::{Lines, Mux};
use crate::watch::delta::{Change, delta};

/// Longer texts are pasted even where they could be typed.
const TYPED: usize = 1024;

/// How long things are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settle {
    /// Interval between readings of the screen.
    pub pause: Duration,
    /// A shell's screen is quiet for at least this long before Enter.
    pub quiet: Duration,
    /// The same for agents, which take an Enter soon after a paste for a part of it.
    pub agent_quiet: Duration,
    /// After this Enter is pressed although the screen still changes, or never showed the text.
    pub limit: Duration,
    /// How long Enter may take to show.
    pub react: Duration,
    /// How often Enter is pressed at most.
    pub presses: u32,
}

impl Default for Settle {
    fn default() -> Self {
        Self {
            pause: Duration::from_millis(30),
            quiet: Duration::from_millis(60),
            agent_quiet: Duration::from_millis(300),
            limit: Duration::from_secs(2),
            react: Duration::from_millis(800),
            presses: 3,
        }
    }
}

/// Result of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    /// How often Enter, or the key, was pressed.
    pub attempts: u32,
    /// The pane was seen to react to Enter. Keys are not looked after.
    pub submitted: bool,
    /// The moment from which on output counts as an answer.
    pub baseline: Baseline,
}

/// Types the input into the pane. `state` is the pane's state now.
pub(crate) fn send(
    mux: &dyn Mux,
    pane: &PaneRow,
    state: &PaneState,
    input: &Input,
    settle: &Settle,
) -> Result<Sent> {
    let sender = Sender { mux, pane, state, settle };
    match input {
        Input::Key { bytes, .. } => {
            let seen = read(mux, pane)?;
            mux.send_raw(pane.native_id, bytes)?;
            let baseline = Baseline::of(seen, state);
            Ok(Sent { attempts: 1, submitted: true, baseline })
        }
        Input::Text(text) => {
            let baseline = sender.body(text)?;
            let (attempts, submitted) = sender.enter()?;
            Ok(Sent { attempts, submitted, baseline })
        }
    }
}

struct Sender<'a> {
    mux: &'a dyn Mux,
    pane: &'a PaneRow,
    state: &'a PaneState,
    settle: &'a Settle,
}

impl Sender<'_> {
    /// Puts the text there and waits until it shows.
    fn body(&self, text: &str) -> Result<Baseline> {
        let before = read(self.mux, self.pane)?;
        if text.is_empty() {
            return Ok(Baseline::of(before, self.state));
        }
        if self.by_paste(text) {
            self.mux.paste(self.pane.native_id, text)?;
        } else {
            self.mux.send_raw(self.pane.native_id, text.as_bytes())?;
        }
        let echo = Echo::of(text);
        let seen = self.quiet(&before, text.len())?;
        let owed = echo.as_ref().is_some_and(|echo| !self.shows(echo, &before, &seen));
        let early = if text.contains('\n') { self.early(text, &before, &seen) } else { None };
        let owed = owed && early.is_none();
        let early = early.unwrap_or_default();
        Ok(Baseline { owed, early, echo, ..Baseline::of(seen, self.state) })
    }

    /// Typed text is one submission only if it is one line of plain characters and the program
    /// takes what is typed as it comes.
    fn by_paste(&self, text: &str) -> bool {
        text.len() > TYPED
            || text.contains(['\n', '\t'])
            || self.state.bracketed_paste == Some(true)
            || self.state.agent.is_some()
    }

    /// Waits until two readings are equal, the least time is over, and the text shows.
    fn quiet(&self, before: &str, length: usize) -> Result<String> {
        let settle = self.settle;
        let agent = self.state.agent.is_some();
        let least = if agent { settle.agent_quiet } else { settle.quiet };
        // A program that echoes nothing is not waited for as long as one that still prints.
        let silent = (settle.limit / 4).max(least);
        let limit = settle.limit + Duration::from_millis(u64::try_from(length / 64).unwrap_or(0));
        let started = Instant::now();
        let mut unchanged = started;
        let mut last = read(self.mux, self.pane)?;
        loop {
            std::thread::sleep(settle.pause);
            let now = read(self.mux, self.pane)?;
            if now != last {
                (last, unchanged) = (now, Instant::now());
            } else if unchanged.elapsed() >= least
                && (last != before || started.elapsed() >= silent)
            {
                return Ok(last);
            }
            if started.elapsed() >= limit {
                return Ok(last);
            }
        }
    }

    /// The echo stands in what the body changed.
    fn shows(&self, echo: &Echo, before: &str, seen: &str) -> bool {
        match delta(before, seen) {
            Change::Same => false,
            Change::Appended(text) => echo.ends(&text) || echo.find(&text).is_some(),
            Change::Repainted(lines) | Change::Replaced { lines, .. } => {
                let text = lines.join("\n");
                echo.find(&text).is_some() || echo.ends(seen)
            }
        }
    }

    /// Output that came before Enter: a shell without bracketed paste runs every line of a paste
    /// but the last one as it comes.
    fn early(&self, text: &str, before: &str, seen: &str) -> Option<String> {
        let Change::Appended(added) = delta(before, seen) else { return None };
        let whole = Echo::of(text)?;
        if let Some(range) = whole.find(&added)
            && !added[..range.start].contains('\n')
        {
            return None;
        }
        let columns = self.pane.size.map_or(80, |(columns, _)| columns);
        let wraps = text.lines().any(|line| line.chars().count() as u64 * 2 > columns);
        let is_echo = |line: &str| {
            let ends =
                text.lines().map(str::trim).any(|sent| !sent.is_empty() && line.ends_with(sent));
            let piece = wraps && text.contains(line.trim());
            ends || piece
        };
        let lines: Vec<&str> = added.lines().filter(|line| !is_echo(line.trim_end())).collect();
        Some(lines.join("\n"))
    }

    /// Presses Enter, where that is safe until something changes.
    fn enter(&self) -> Result<(u32, bool)> {
        let before = self.screen_state()?;
        let mut presses = 0;
        loop {
            self.mux.send_raw(self.pane.native_id, b"\r")?;
            presses += 1;
            let reacted = self.reacted(&before);
            if reacted == Some(true) {
                return Ok((presses, true));
            }
            let again = reacted.is_some() && self.may_press_again();
            if !again || presses >= self.settle.presses {
                return Ok((presses, false));
            }
        }
    }

    /// Agents and full-screen programs swallow an Enter that comes soon after a paste, and show
    /// when they took it. Nobody else does: a program that asks for a password shows nothing, a
    /// shell may be slow, and a second Enter would answer the next question.
    fn may_press_again(&self) -> bool {
        self.state.agent.is_some() || self.state.alt_screen == Some(true)
    }

    /// `None` where the backend no longer says: the text is there, so this is no failure to send.
    fn reacted(&self, before: &ScreenState) -> Option<bool> {
        let started = Instant::now();
        let mut pause = self.settle.pause;
        loop {
            std::thread::sleep(pause);
            match self.screen_state() {
                Ok(now) if now != *before => return Some(true),
                Ok(_) => {}
                // `exit` ends the pane: nothing could react more.
                Err(error) if error.kind == Kind::PaneNotFound => return Some(true),
                Err(_) => return None,
            }
            if started.elapsed() >= self.settle.react {
                return Some(false);
            }
            pause = (pause * 2).min(self.settle.react / 4);
        }
    }

    fn screen_state(&self) -> Result<ScreenState> {
        let text = self.mux.text(self.pane.native_id, Lines::Screen, false)?.text;
        let row = self.mux.list()?.into_iter().find(|row| row.native_id == self.pane.native_id);
        let row = row.ok_or_else(|| {
            Kind::PaneNotFound.because(format!("Pane {} has ended.", self.pane.pane_id))
        })?;
        // `activity` is left out: it may count the echo of keys that did nothing.
        Ok(ScreenState { text, cursor: row.cursor, dead: row.dead.is_some() })
    }
}

/// What shows that something happened.
#[derive(PartialEq, Eq)]
struct ScreenState {
    text: String,
    cursor: Option<(u64, u64)>,
    dead: bool,
}
