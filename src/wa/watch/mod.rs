//! The watcher: stores the output of panes and records what rules detect in it as events.
//!
//! One watcher per workspace, in whichever process holds the lock; the kernel releases it when that
//! process ends in any way. Each backend has its own thread, so one that hangs delays no other. Types
//! nothing and decides nothing: reactions to an event are up to the caller.
//!
//! Invariants: text is stored before rules see it; a reading that cannot be joined to the previous one
//! is stored with an explicit gap; no error ends the watcher.

pub mod delta;
pub mod screen;

mod capture;
mod frames;
mod lock;
mod pane;
mod record;
mod stop;
mod supervisor;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::clock::{Clock, Ids};

use super::backend::Filter;
use super::backend::set::MuxSet;
use super::error::Result;
use super::history::{EventRow, History, Retention};
use super::model::Millis;
use super::patterns::Patterns;
pub use lock::holder;
pub use record::{GAP_RULE, PANE_EXITED_RULE};

/// Callback for new events.
pub type OnEvent = Box<dyn Fn(&EventRow) + Send + Sync>;
/// Callback for the retention limit.
pub type OnCleanUp = Box<dyn Fn(Millis) + Send + Sync>;
/// Callback for panes that ended.
pub type OnClosed = Box<dyn Fn(&[u64]) + Send + Sync>;

/// Everything a watcher works with.
pub struct Context {
    /// The workspace's `.wa` folder; the lock is there.
    pub folder: PathBuf,
    /// The backends.
    pub set: Arc<MuxSet>,
    /// Where output and events go.
    pub history: Arc<History>,
    /// The rules.
    pub patterns: Arc<Patterns>,
    /// Which panes are recorded.
    pub filter: Filter,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
    /// How often, and how much is kept.
    pub settings: Settings,
    /// Called for every new event, on the watcher's thread. Must not take long.
    pub on_event: OnEvent,
    /// Called at clean-up: other modules may remove what is older than this.
    pub on_clean_up: OnCleanUp,
    /// Called for panes that ended, by their public ids; maybe again after a restart.
    pub on_closed: OnClosed,
}

/// How often, and how much is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Interval between readings while something is printed.
    pub busy: Duration,
    /// Interval between readings while nothing is.
    pub idle: Duration,
    /// Output that is kept.
    pub retention: Retention,
}

impl Default for Settings {
    fn default() -> Self {
        let retention = Retention { days: 30, max_bytes: 0 };
        Self { busy: Duration::from_millis(50), idle: Duration::from_secs(1), retention }
    }
}

impl Context {
    fn now(&self) -> Millis {
        self.clock.now().as_millisecond()
    }
}

/// Result of starting a watcher.
pub enum Started {
    /// This process watches now.
    Watching(Watcher),
    /// Another process watches.
    Held {
        /// The holder, such as `process 4711`.
        by: String,
    },
}

/// A running watcher. Dropping it stops it.
pub struct Watcher {
    supervisor: supervisor::Supervisor,
}

impl Watcher {
    /// Watches, unless another watcher does.
    pub fn try_start(context: Arc<Context>) -> Result<Started> {
        Ok(match lock::take(&context.folder)? {
            lock::LockOutcome::Ours(lock) => Started::Watching(Self {
                supervisor: supervisor::Supervisor::watch(context, lock)?,
            }),
            lock::LockOutcome::Held { by } => Started::Held { by },
        })
    }

    /// Watches as soon as nobody else does: tries again every second in the background.
    pub fn stand_by(context: Arc<Context>) -> Result<Self> {
        Ok(Self { supervisor: supervisor::Supervisor::stand_by(context)? })
    }

    /// This process holds the lock and watches.
    pub fn is_watching(&self) -> bool {
        self.supervisor.is_watching()
    }

    /// Stops and waits until everything has ended.
    pub fn stop(mut self) {
        self.supervisor.stop();
    }
}

#[cfg(test)]
mod tests;
