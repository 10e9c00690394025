//! A stop flag that interrupts pauses.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Set once.
#[derive(Default)]
pub(super) struct StopFlag {
    set: Mutex<bool>,
    changed: Condvar,
}

impl StopFlag {
    pub(super) fn set(&self) {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    pub(super) fn is_set(&self) -> bool {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the time or the sign.
    pub(super) fn pause(&self, time: Duration) {
        let set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.changed.wait_timeout_while(set, time, |set| !*set);
    }
}
