//! Background work of a server: records panes unless another process does, resumes executions of dead
//! processes, and notifies subscribers of changes.
//!
//! Other processes write to the same database, so changes are read from there.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use toolwright_runtime::server::Notifier;

use super::engine::Engine;
use super::error::Result;
use super::watch::{Context, Settings, Watcher};

/// Interval between reads of the change counters.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval between checks for executions whose process is gone, and tries to start what failed.
const RECOVERY: Duration = Duration::from_secs(2);
/// Topics of the database and the resources they are about.
const TOPICS: &[(&str, &str)] = &[
    ("panes", "wa://panes"),
    ("events", "wa://events"),
    ("accounts", "wa://accounts"),
    ("workflows", "wa://workflows"),
    ("reservations", "wa://reservations"),
];

/// The background work of a server. Ends when it is dropped.
pub(super) struct Service {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts the thread.
    pub(super) fn start(engine: Arc<Engine>, notifier: Notifier, watch: bool) -> Self {
        let (stop, stopped) = channel();
        let spawned = std::thread::Builder::new().name("wa-service".to_owned()).spawn(move || {
            let mut work = BackgroundWork {
                engine,
                notifier,
                watch,
                watcher: None,
                change_counters: None,
                tried: None,
            };
            while stopped.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                work.tick();
            }
            work.end();
        });
        match spawned {
            Ok(thread) => Self { stop: Some(stop), thread: Some(thread) },
            Err(error) => {
                tracing::error!(
                    event = "wa.service",
                    "the background service cannot start, nothing is recorded: {error}"
                );
                Self { stop: None, thread: None }
            }
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct BackgroundWork {
    engine: Arc<Engine>,
    notifier: Notifier,
    watch: bool,
    watcher: Option<Watcher>,
    change_counters: Option<BTreeMap<String, i64>>,
    tried: Option<Instant>,
}

impl BackgroundWork {
    fn tick(&mut self) {
        if self.tried.is_none_or(|at| at.elapsed() >= RECOVERY) {
            self.tried = Some(Instant::now());
            // Before the first pane is seen its id is not final; nothing can be recorded or run.
            if self.engine.is_settled() {
                self.recover_and_watch();
            }
        }
        if let Err(error) = self.notify_subscribers() {
            tracing::debug!(event = "wa.news", "{error}");
        }
    }

    /// Resumes what a dead process left, and records if no other process does.
    fn recover_and_watch(&mut self) {
        if let Err(error) = self.recover() {
            tracing::debug!(event = "wa.recovery", "{error}");
        }
        if self.watch && self.watcher.is_none() {
            let started =
                context(&self.engine).and_then(|context| Watcher::stand_by(Arc::new(context)));
            match started {
                Ok(watcher) => self.watcher = Some(watcher),
                Err(error) => tracing::warn!(event = "wa.watch", "{error}"),
            }
        }
    }

    /// Resumes or fails executions of dead processes.
    fn recover(&self) -> Result<()> {
        let recovered = self.engine.workflows()?.recover()?;
        for id in &recovered.resumed {
            tracing::info!(event = "wa.execution_resumed", execution = id, "resumed here");
        }
        for id in recovered.failed.iter().chain(&recovered.aborted) {
            tracing::warn!(event = "wa.execution_ended", execution = id, "its process was gone");
        }
        Ok(())
    }

    fn notify_subscribers(&mut self) -> Result<()> {
        let now = self.engine.records()?.history.change_counters()?;
        // Early subscribers may have missed a change: a needless
        // notification is better than none.
        let before = self.change_counters.take().unwrap_or_default();
        for (topic, uri) in TOPICS {
            if before.get(*topic).unwrap_or(&0) != now.get(*topic).unwrap_or(&0) {
                self.notifier.updated(uri);
            }
        }
        self.change_counters = Some(now);
        Ok(())
    }

    fn end(self) {
        if let Some(watcher) = self.watcher {
            watcher.stop();
        }
        if let Ok(engine) = self.engine.workflows() {
            engine.stop();
        }
    }
}

/// Everything a watcher of this engine works with.
pub(super) fn context(engine: &Arc<Engine>) -> Result<Context> {
    let records = engine.records()?;
    let on_event = {
        let engine = Arc::downgrade(engine);
        move |event: &super::history::EventRow| {
            let Some(engine) = engine.upgrade() else { return };
            match engine.workflows().and_then(|engine| engine.on_event(event)) {
                Ok(Some(id)) => tracing::info!(event = "wa.auto_run", execution = id, "started"),
                Ok(None) => {}
                Err(error) => tracing::warn!(event = "wa.auto_run", "{error}"),
            }
        }
    };
    let on_closed = {
        let engine = Arc::downgrade(engine);
        move |_: &[u64]| {
            if let Err(error) = free_reservations(&engine) {
                tracing::warn!(event = "wa.reservations", "{error}");
            }
        }
    };
    let on_clean_up = {
        let policy = Arc::clone(&records.policy);
        move |before| {
            if let Err(error) = policy.forget(before) {
                tracing::warn!(event = "wa.clean_up", "{error}");
            }
        }
    };
    Ok(Context {
        folder: engine.folder().to_owned(),
        set: engine.mux_set()?,
        history: Arc::clone(&records.history),
        patterns: Arc::clone(engine.patterns()),
        filter: engine.filter()?,
        clock: Arc::clone(&engine.setup.clock),
        ids: Arc::clone(&engine.setup.ids),
        settings: Settings { retention: engine.setup.retention, ..Settings::default() },
        on_event: Box::new(on_event),
        on_clean_up: Box::new(on_clean_up),
        on_closed: Box::new(on_closed),
    })
}

/// Frees the reservations of closed panes.
fn free_reservations(engine: &Weak<Engine>) -> Result<()> {
    let Some(engine) = engine.upgrade() else { return Ok(()) };
    let listing = engine.mux_set()?.list()?;
    let silent = |kind| listing.problems.iter().any(|(problem, _)| *problem == kind);
    let set = engine.mux_set()?;
    let kinds = set.members().iter().map(|member| member.kind);
    let reachable: Vec<_> = kinds.filter(|kind| !silent(*kind)).collect();
    let live: Vec<_> = listing.panes.into_iter().filter(|pane| pane.dead.is_none()).collect();
    engine.records()?.policy.free_closed(&live, &reachable, engine.now())?;
    Ok(())
}
