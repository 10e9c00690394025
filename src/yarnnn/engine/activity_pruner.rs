//! Keeps the activity log from growing without end: entries go by age and by number, the oldest first.
//!
//! Works in small steps with pauses between them, so that a long log which is pruned for the first time
//! keeps no call from writing.

use std::time::Duration;

use super::Store;
use crate::model::Millis;
use crate::records::activity;

/// After so many new entries the log is pruned again.
pub(super) const EVERY: usize = 1_000;
/// Entries per transaction.
const STEP: i64 = 500;
/// The pause between two transactions.
const PAUSE: Duration = Duration::from_millis(20);

/// How long the entries of the activity log are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Older entries are removed.
    pub max_age: Option<Millis>,
    /// Of more entries the oldest are removed.
    pub max_rows: Option<i64>,
}

/// Prunes one database.
pub(super) struct ActivityPruner {
    retention: Retention,
    /// New entries since the log was last pruned; none before the first time.
    added: Option<usize>,
    /// There may be more to remove.
    busy: bool,
}

impl ActivityPruner {
    pub(super) fn new(retention: Retention) -> Self {
        Self { retention, added: None, busy: false }
    }

    /// How long to wait before the next step; `None` when nothing is left to do.
    pub(super) fn pause(&self) -> Option<Duration> {
        self.busy.then_some(PAUSE)
    }

    /// So many entries are new.
    pub(super) fn added(&mut self, count: usize) {
        let added = self.added.map_or(EVERY, |added| added + count);
        self.busy |= added >= EVERY;
        self.added = Some(if added >= EVERY { 0 } else { added });
    }

    /// Removes some entries, if it is time to.
    pub(super) fn step(&mut self, store: &Store) {
        if !self.busy {
            return;
        }
        let Retention { max_age, max_rows } = self.retention;
        let oldest = max_age.map(|age| store.now().saturating_sub(age));
        let removed = store.write(|tx| {
            let by_age =
                oldest.map(|oldest| activity::remove_older(tx, oldest, STEP)).transpose()?;
            let by_number =
                max_rows.map(|most| activity::remove_beyond(tx, most, STEP)).transpose()?;
            Ok(by_age.unwrap_or(0).max(by_number.unwrap_or(0)))
        });
        let removed = removed.unwrap_or_else(|error| {
            tracing::warn!(event = "yarnnn.diary", "old entries are not removed: {error}");
            0
        });
        self.busy = removed >= STEP.unsigned_abs();
    }
}
