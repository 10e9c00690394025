//! Terminals of other programs: tmux and WezTerm, several at once.
//!
//! The rest of the engine uses [`set::MuxSet`], which queries every backend and assigns unique pane
//! ids. `tmux` and `wezterm` run their programs through `command`; `tty` reads what runs in the
//! foreground of a terminal; `filter` selects the panes to record. Nothing here knows the database,
//! the policy or the tools.

mod command;
mod detect;
mod filter;
pub mod set;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod tmux;
pub(crate) mod tty;
mod wezterm;

pub use detect::{Candidates, detect};
pub use filter::Filter;
pub use set::{Found, Listing, Member, MuxSet};
pub use tmux::{Tmux, TmuxOptions};
pub use wezterm::{Wezterm, WeztermOptions};

/// The terminal's program is not installed.
pub const PROGRAM_MISSING: &str = "backend.program_missing";
/// Nobody started it, or its socket is gone.
pub const NOT_RUNNING: &str = "backend.not_running";
/// It did not answer in time.
pub const NO_ANSWER: &str = "backend.no_answer";
/// It failed so often that it is left alone for a moment.
pub const RESTING: &str = "backend.resting";
/// What it said makes no sense.
pub const BAD_ANSWER: &str = "backend.bad_answer";
/// It refused what it was asked.
pub const REFUSED: &str = "backend.refused";
/// Input into the pane is disabled.
pub const INPUT_OFF: &str = "backend.input_off";

/// Every finer code that errors of this module carry.
pub const REASONS: &[&str] =
    &[PROGRAM_MISSING, NOT_RUNNING, NO_ANSWER, RESTING, BAD_ANSWER, REFUSED, INPUT_OFF];
