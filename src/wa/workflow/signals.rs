//! The executions that this process runs: how they are woken or stopped, and how many run at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Wakes one execution.
#[derive(Debug, Default)]
pub(super) struct Signal {
    /// An abort was requested in this process: check the database now.
    check: AtomicBool,
    /// This process shuts down: leave the execution as it is.
    stop: AtomicBool,
    gate: Mutex<()>,
    wakeup: Condvar,
}

impl Signal {
    pub(super) fn check_now(&self) {
        self.check.store(true, Ordering::Release);
        self.wake();
    }

    fn stop_now(&self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        let _gate = lock(&self.gate);
        self.wakeup.notify_all();
    }

    /// Whether the process is shutting down.
    pub(super) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Whether to check the database at once; resets the flag.
    pub(super) fn take_check(&self) -> bool {
        self.check.swap(false, Ordering::AcqRel)
    }

    /// Sleeps, or until woken.
    pub(super) fn sleep(&self, time: Duration) {
        let gate = lock(&self.gate);
        if self.is_stopping() || self.check.load(Ordering::Acquire) {
            return;
        }
        drop(self.wakeup.wait_timeout(gate, time));
    }
}

/// All executions of this process.
#[derive(Debug, Default)]
pub(super) struct Signals {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: BTreeMap<String, Arc<Signal>>,
    working: usize,
    closed: bool,
}

impl Signals {
    /// Registers an execution; none if this process is shutting down.
    pub(super) fn enter(&self, id: &str) -> Option<Arc<Signal>> {
        let mut state = lock(&self.state);
        if state.closed {
            return None;
        }
        let signal = Arc::new(Signal::default());
        state.running.insert(id.to_owned(), Arc::clone(&signal));
        Some(signal)
    }

    /// Removes it.
    pub(super) fn exit(&self, id: &str) {
        lock(&self.state).running.remove(id);
        self.changed.notify_all();
    }

    /// The signal of an execution, when it runs here.
    pub(super) fn of(&self, id: &str) -> Option<Arc<Signal>> {
        lock(&self.state).running.get(id).map(Arc::clone)
    }

    /// Takes a slot; false when none was free within the time.
    pub(super) fn take_slot(&self, most: usize, time: Duration) -> bool {
        let state = lock(&self.state);
        let full = |state: &mut State| state.working >= most.max(1);
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, time, full)
            .unwrap_or_else(PoisonError::into_inner);
        if full(&mut state) {
            return false;
        }
        state.working += 1;
        true
    }

    /// Releases a slot.
    pub(super) fn release_slot(&self) {
        let mut state = lock(&self.state);
        state.working = state.working.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    /// Stops all and accepts no more; true if they ended within the time.
    pub(super) fn close(&self, time: Duration) -> bool {
        let mut state = lock(&self.state);
        state.closed = true;
        for signal in state.running.values() {
            signal.stop_now();
        }
        let (state, _) = self
            .changed
            .wait_timeout_while(state, time, |state| !state.running.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        state.running.is_empty()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
