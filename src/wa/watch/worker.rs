//! Watches the panes of one backend on its own thread.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};

use super::pane::Watched;
use super::stop::StopFlag;
use super::{Context, record};
use crate::backend::set::Member;
use crate::error::{Error, Kind, Result};
use crate::history::PaneKey;
use crate::model::{BackendKind, PaneRow};

/// Panes that are read at once.
const MAX_CONCURRENT: usize = 10;
/// Changed titles and folders are stored this often; new and ended panes at once.
const DISCOVERY: Duration = Duration::from_secs(2);
/// How long the exit status of a pane is waited for: a backend may see the end of a process a
/// moment before it learns the status.
const STATUS: Duration = Duration::from_secs(2);

pub(super) struct Worker<'a> {
    context: &'a Context,
    member: &'a Member,
    stop: &'a StopFlag,
    /// By identity.
    panes: BTreeMap<String, Watched>,
    /// Panes that ended with a status that is not known yet, by identity, and since when.
    unclear: BTreeMap<String, Instant>,
    sighted: Option<Instant>,
    /// The backend has answered before: what is found from now on is new.
    answered: bool,
    failing: bool,
    pause: Duration,
    change: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(context: &'a Context, member: &'a Member, stop: &'a StopFlag) -> Self {
        Self {
            context,
            member,
            stop,
            panes: BTreeMap::new(),
            unclear: BTreeMap::new(),
            sighted: None,
            answered: false,
            failing: false,
            pause: context.settings.busy,
            change: 0,
        }
    }

    /// Runs until stopped.
    pub(super) fn run(mut self) {
        while !self.stop.is_set() {
            let started = Instant::now();
            let polled = catch_unwind(AssertUnwindSafe(|| self.poll()));
            let busy = match polled {
                Ok(Ok(busy)) => {
                    self.failing = false;
                    busy
                }
                Ok(Err(error)) => {
                    self.log_error(&error);
                    false
                }
                Err(_) => {
                    tracing::error!(event = "wa.watch", "polling the panes panicked");
                    false
                }
            };
            let settings = &self.context.settings;
            let longer = (self.pause * 3 / 2).min(settings.idle);
            self.pause = if busy { settings.busy } else { longer };
            if self.failing {
                self.pause = settings.idle;
            }
            let behind = self.panes.values().any(|pane| pane.behind);
            match self.member.kind {
                BackendKind::Embedded if behind => {}
                BackendKind::Embedded => self.wait(self.pause),
                // A slow program is not polled constantly.
                _ => self.wait(self.pause.max(started.elapsed())),
            }
        }
    }

    /// Waits; a backend that can tell ends the wait when something is printed.
    fn wait(&mut self, time: Duration) {
        if self.member.kind == BackendKind::Embedded && !self.failing && !self.panes.is_empty() {
            let busy = self.context.settings.busy;
            self.stop.pause(busy.min(time));
            let rest = time.saturating_sub(busy);
            if rest.is_zero() || self.stop.is_set() {
                return;
            }
            match self.member.mux.wait_for_change(self.change, rest) {
                Ok(change) => {
                    if change != self.change {
                        self.pause = busy;
                    }
                    self.change = change;
                }
                Err(_) => self.stop.pause(rest),
            }
        } else {
            self.stop.pause(time);
        }
    }

    /// Polls all panes once. True if something was printed.
    fn poll(&mut self) -> Result<bool> {
        let rows = match self.member.mux.list() {
            Ok(rows) => self.published(rows),
            Err(error) => {
                self.unreachable(&error)?;
                return Err(error);
            }
        };
        self.discover(&rows)?;
        self.answered = true;
        Ok(self.capture())
    }

    fn published(&self, rows: Vec<PaneRow>) -> Vec<PaneRow> {
        let public = |row: PaneRow| {
            let pane_id = self.member.public_id(row.native_id)?;
            Some(PaneRow { pane_id, ..row })
        };
        rows.into_iter().filter_map(public).collect()
    }

    /// Records panes that came, changed or ended.
    fn discover(&mut self, rows: &[PaneRow]) -> Result<()> {
        let listed: BTreeSet<&str> = rows.iter().map(|row| row.identity.as_str()).collect();
        let same = listed.len() == self.panes.len()
            && listed.iter().all(|identity| self.panes.contains_key(*identity));
        let due = self.sighted.is_none_or(|at| at.elapsed() >= DISCOVERY);
        if !same || due {
            self.observe(rows)?;
        }
        for row in rows {
            if let Some(pane) = self.panes.get_mut(&row.identity) {
                pane.observed = self.context.filter.observed(row).is_none();
                pane.row = row.clone();
            }
        }
        Ok(())
    }

    /// Brings history and memory in line with the list.
    fn observe(&mut self, rows: &[PaneRow]) -> Result<()> {
        let (context, kind) = (self.context, self.member.kind);
        let now = context.now();
        let mut gone = self.unlisted(rows)?;
        let keys = context.history.observe(rows, &[kind], &*context.ids, now)?;
        self.sighted = Some(Instant::now());
        for row in rows {
            let Some(key) = keys.get(&row.pane_id) else { continue };
            if !self.panes.contains_key(&row.identity) {
                let pane = Watched::new(context, row.clone(), *key, !self.answered)?;
                self.panes.insert(row.identity.clone(), pane);
            }
        }
        let listed: BTreeSet<&str> = rows.iter().map(|row| row.identity.as_str()).collect();
        let ended: Vec<String> =
            self.panes.keys().filter(|id| !listed.contains(id.as_str())).cloned().collect();
        for identity in ended {
            let Some(mut pane) = self.panes.remove(&identity) else { continue };
            finish(context, &mut pane);
            if !pane.ended {
                gone.insert(pane.key, pane.row.pane_id);
            }
        }
        for (key, pane_id) in &gone {
            if let Err(error) = record::exited(context, *key, *pane_id, None, now) {
                tracing::warn!(event = "wa.record", pane = *pane_id, "{error}");
            }
        }
        if !gone.is_empty() {
            (context.on_closed)(&gone.into_values().collect::<Vec<_>>());
        }
        Ok(())
    }

    /// Panes that ended while no watcher ran. Only the first poll can find any.
    fn unlisted(&self, rows: &[PaneRow]) -> Result<BTreeMap<PaneKey, u64>> {
        if self.answered {
            return Ok(BTreeMap::new());
        }
        let listed: BTreeSet<&str> = rows.iter().map(|row| row.identity.as_str()).collect();
        let known = self.context.history.known_all()?.into_values();
        let gone = known.filter(|pane| {
            pane.closed_at.is_none()
                && pane.backend == self.member.kind
                && !listed.contains(pane.identity.as_str())
        });
        Ok(gone.map(|pane| (pane.key, pane.pane_id)).collect())
    }

    /// The backend does not answer. Panes whose process is gone have ended with it; of the others
    /// nothing is known.
    fn unreachable(&mut self, error: &Error) -> Result<()> {
        if error.kind != Kind::Backend || self.panes.is_empty() {
            return Ok(());
        }
        let rows: Vec<PaneRow> = self
            .panes
            .values()
            .map(|pane| &pane.row)
            .filter(|row| may_live(row))
            .cloned()
            .collect();
        if rows.len() < self.panes.len() { self.observe(&rows) } else { Ok(()) }
    }

    /// Reads the panes that are due, several at once.
    fn capture(&mut self) -> bool {
        let (context, mux) = (self.context, &*self.member.mux);
        let mut due: Vec<&mut Watched> =
            self.panes.values_mut().filter(|pane| pane.observed && pane.is_due()).collect();
        let look = |pane: &mut Watched| {
            let activity = pane.row.activity;
            let looked = catch_unwind(AssertUnwindSafe(|| pane.capture(context, mux)));
            let broke = || Err(Kind::Backend.because("Reading the pane failed."));
            let changed = looked.unwrap_or_else(|_| broke());
            let busy = matches!(changed, Ok(true)) || pane.holding;
            pane.captured(activity, changed, context.settings.busy);
            busy
        };
        let mut busy = false;
        for some in due.chunks_mut(MAX_CONCURRENT) {
            if self.stop.is_set() {
                return false;
            }
            if let [pane] = some {
                busy |= look(pane);
                continue;
            }
            thread::scope(|scope| {
                let looks: Vec<_> =
                    some.iter_mut().map(|pane| scope.spawn(|| look(pane))).collect();
                for done in looks {
                    busy |= done.join().unwrap_or(false);
                }
            });
        }
        self.note_ended();
        busy
    }

    /// Panes that the backend keeps although their process has ended.
    fn note_ended(&mut self) {
        let context = self.context;
        let mut closed = Vec::new();
        self.unclear.retain(|identity, _| self.panes.contains_key(identity));
        for (identity, pane) in self.panes.iter_mut().filter(|(_, pane)| !pane.ended) {
            let Some(status) = pane.row.dead else { continue };
            if status.is_none() {
                let since = self.unclear.entry(identity.clone()).or_insert_with(Instant::now);
                if since.elapsed() < STATUS {
                    continue;
                }
            }
            finish(context, pane);
            match record::exited(context, pane.key, pane.row.pane_id, status, context.now()) {
                Ok(()) => {
                    pane.ended = true;
                    closed.push(pane.row.pane_id);
                }
                Err(error) => tracing::warn!(event = "wa.watch", "{error}"),
            }
        }
        if !closed.is_empty() {
            (context.on_closed)(&closed);
        }
    }

    /// Logs an error, once per series of failures.
    fn log_error(&mut self, error: &Error) {
        if !self.failing {
            let backend = self.member.kind;
            tracing::info!(event = "wa.watch", %backend, "not watched at the moment: {error}");
        }
        self.failing = true;
    }
}

/// Stores what is left of a pane that has ended.
fn finish(context: &Context, pane: &mut Watched) {
    if let Err(error) = pane.finish(context) {
        tracing::warn!(event = "wa.record", pane = pane.row.pane_id, "{error}");
    }
}

/// False when the process that was started in the pane is surely gone.
fn may_live(row: &PaneRow) -> bool {
    let pid = row.root_pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    let Some(pid) = pid else { return true };
    // One that has ended and that nobody has asked for its status is still there, as a zombie.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let zombie = stat.rsplit(") ").next().is_some_and(|fields| fields.starts_with('Z'));
    !zombie && test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}
