//! Supervises the watcher's threads: one for each backend, and one that takes the lock, starts the
//! others and cleans up periodically.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Context;
use super::lock::{self, Lock, LockOutcome};
use super::stop::StopFlag;
use super::worker::Worker;
use crate::error::{Kind, Result};
use crate::model::Millis;

/// Interval between attempts to get the lock.
const RETRY: Duration = Duration::from_secs(1);
/// A day.
const DAY_MS: Millis = 24 * 60 * 60 * 1000;
/// Intervals between checkpoints and between clean-ups.
const CHECKPOINT: Duration = Duration::from_secs(60);
const CLEAN_UP: Duration = Duration::from_secs(3600);

pub(super) struct Supervisor {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    context: Arc<Context>,
    stop: StopFlag,
    watching: AtomicBool,
}

impl Supervisor {
    pub(super) fn watch(context: Arc<Context>, lock: Lock) -> Result<Self> {
        Self::start(context, Some(lock))
    }

    pub(super) fn stand_by(context: Arc<Context>) -> Result<Self> {
        Self::start(context, None)
    }

    fn start(context: Arc<Context>, lock: Option<Lock>) -> Result<Self> {
        let watching = AtomicBool::new(lock.is_some());
        let shared = Arc::new(Shared { context, stop: StopFlag::default(), watching });
        let ours = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("wa-watch".to_owned())
            .spawn(move || ours.run(lock))
            .map_err(|error| {
                Kind::Backend.because("The watcher's thread cannot be started.").internal(error)
            })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(super) fn is_watching(&self) -> bool {
        self.shared.watching.load(Ordering::Acquire)
    }

    pub(super) fn stop(&mut self) {
        self.shared.stop.set();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn run(&self, lock: Option<Lock>) {
        let Some(lock) = lock.or_else(|| self.wait_for_lock()) else { return };
        self.watching.store(true, Ordering::Release);
        thread::scope(|scope| {
            for member in self.context.set.members() {
                let worker = || Worker::new(&self.context, member, &self.stop).run();
                let name = format!("wa-watch-{}", member.kind);
                if let Err(error) = thread::Builder::new().name(name).spawn_scoped(scope, worker) {
                    tracing::error!(event = "wa.watch_thread", backend = %member.kind, "{error}");
                }
            }
            self.clean_up();
        });
        self.watching.store(false, Ordering::Release);
        drop(lock);
    }

    fn wait_for_lock(&self) -> Option<Lock> {
        let mut logged = false;
        while !self.stop.is_set() {
            match lock::take(&self.context.folder) {
                Ok(LockOutcome::Ours(lock)) => return Some(lock),
                Ok(LockOutcome::Held { .. }) => logged = false,
                Err(error) if !logged => {
                    logged = true;
                    tracing::warn!(event = "wa.watch_lock", "{error}");
                }
                Err(_) => {}
            }
            self.stop.pause(RETRY);
        }
        None
    }

    /// Until the end: checkpoints and retention.
    fn clean_up(&self) {
        let context = &self.context;
        let mut cleaned: Option<Instant> = None;
        loop {
            self.stop.pause(CHECKPOINT);
            if self.stop.is_set() {
                return;
            }
            let work = || {
                if cleaned.is_none_or(|at| at.elapsed() >= CLEAN_UP) {
                    let (retention, now) = (&context.settings.retention, context.now());
                    context.history.retain(retention, now)?;
                    if retention.days > 0 {
                        (context.on_clean_up)(now - i64::from(retention.days) * DAY_MS);
                    }
                    cleaned = Some(Instant::now());
                }
                context.history.checkpoint()
            };
            match catch_unwind(AssertUnwindSafe(work)) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(event = "wa.clean_up", "{error}"),
                Err(_) => tracing::error!(event = "wa.clean_up", "the clean-up panicked"),
            }
        }
    }
}
