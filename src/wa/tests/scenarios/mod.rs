//! The acceptance scenarios, each on every backend that is installed.

mod consent;
mod driving;
mod events;
mod history;
mod outage;
mod panes;
mod policy;
mod sharing;
mod workflows;

/// What Codex says when its limit is reached.
pub(crate) const LIMIT_TEXT: &str =
    "You've hit your usage limit. Upgrade to Pro or try again at 3:28 PM.\n";
