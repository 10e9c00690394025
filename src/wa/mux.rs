//! The interface of a terminal backend.
//!
//! All calls block, for at most the backend's time limit; callers run them off the async threads.

use std::time::Duration;

use super::error::{Kind, Result};
use super::model::{BackendKind, PaneRow, PaneState};

/// Which lines of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// What is on the screen now.
    Screen,
    /// The last so many lines, scrollback included.
    Tail(usize),
    /// Everything that the backend still has.
    All,
}

/// Lines of a pane: `\n` between them, blank padding on the right and at the end taken away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaneText {
    /// The lines.
    pub text: String,
    /// More lines exist above these.
    pub more_above: bool,
}

/// Complete lines that a pane printed since a mark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The lines, each with its `\n`.
    pub text: String,
    /// The mark to ask with next time.
    pub next: u64,
    /// Lines between the mark and the beginning of `text` are gone.
    pub lost: bool,
    /// There is more already.
    pub more: bool,
}

/// What to start in a new pane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spawn {
    /// Program and arguments; empty is the user's shell.
    pub command: Vec<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    /// Title.
    pub title: Option<String>,
    /// More environment.
    pub env: Vec<(String, String)>,
}

/// A terminal backend. Pane numbers are the backend's own.
pub trait Mux: Send + Sync {
    /// Which backend.
    fn kind(&self) -> BackendKind;

    /// All panes, sorted by number, with `pane_id == native_id`. A backend that nobody started is a
    /// [`Kind::Backend`] error; an embedded host that has no panes is an empty list.
    fn list(&self) -> Result<Vec<PaneRow>>;

    /// Lines of a pane. With `escapes`, colours and links are kept.
    fn text(&self, pane: u64, lines: Lines, escapes: bool) -> Result<PaneText>;

    /// Types bytes as they are.
    fn send_raw(&self, pane: u64, bytes: &[u8]) -> Result<()>;

    /// Pastes text, bracketed where the program in the pane asked for that. No Enter.
    fn paste(&self, pane: u64, text: &str) -> Result<()>;

    /// What is known about the pane now: from the backend, the tty's foreground process group and
    /// marks that the shell printed. `agent` and `recent_gap` are filled in by others.
    fn state(&self, pane: &PaneRow) -> Result<PaneState>;

    /// Complete lines since `mark` (0 is the beginning), for backends that keep every line; `None`
    /// where output has to be read by comparing texts.
    fn output_since(&self, pane: u64, mark: u64, max_bytes: usize) -> Option<Result<Output>> {
        let _ = (pane, mark, max_bytes);
        None
    }

    /// Waits until something was printed anywhere since `change`, at most `timeout`; returns the
    /// number to ask with next time. Backends that cannot tell just wait.
    fn wait_for_change(&self, change: u64, timeout: Duration) -> Result<u64> {
        std::thread::sleep(timeout);
        Ok(change)
    }

    /// Starts a pane and returns its number.
    fn spawn(&self, spawn: &Spawn) -> Result<u64> {
        let _ = spawn;
        Err(Kind::NotImplemented
            .because(format!("The {} backend cannot start panes.", self.kind())))
    }

    /// Closes a pane.
    fn close(&self, pane: u64) -> Result<()> {
        let _ = pane;
        Err(Kind::NotImplemented
            .because(format!("The {} backend cannot close panes.", self.kind())))
    }
}
