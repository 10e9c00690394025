//! A running execution: what its steps can do to the pane, and how they are stopped.
//!
//! Every operation first checks for an abort request, is recorded in the journal before and after, and
//! is answered from the journal if it was done before a crash.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::journal::{self, Entry, OperationId};
use super::lock::RunnerLock;
use super::model::{PolicySummary, Status, StepInfo, WaitCondition};
use super::observe::{self, PaneSnapshot};
use super::signals::Signal;
use super::table::{self, AbortRequest, StepProgress};
use super::{Inner, now_of};
use crate::drive::{self, Baseline, Condition, Waiter};
use crate::error::{Error, Kind};
use crate::history::EventRow;
use crate::model::{Actor, Millis, PaneState};

/// How often abort requests of other processes are checked.
const POLL: Duration = Duration::from_millis(150);
/// Interval between readings of a pane.
pub(super) const LOOK: Duration = Duration::from_millis(250);

/// Why an execution stops.
#[derive(Debug)]
pub(super) enum StopReason {
    /// An abort was requested.
    Aborted(String),
    /// It was already ended.
    Ended,
    /// This process shuts down; another one resumes it.
    Left,
    /// One of its own conditions does not hold.
    GaveUp { code: &'static str, reason: String },
    /// Something failed.
    Failed(Error),
}

impl From<Error> for StopReason {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of a send.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SentNote {
    pub(super) submitted: bool,
    pub(super) attempts: u32,
    pub(super) policy: PolicySummary,
    /// What the pane showed before it was submitted, without secrets.
    pub(super) before: String,
    /// The pane's state then.
    pub(super) state: PaneState,
}

/// How a wait ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WaitNote {
    pub(super) matched: bool,
    pub(super) waited_ms: u64,
}

/// A running execution.
pub(super) struct Run {
    pub(super) inner: Arc<Inner>,
    pub(super) signal: Arc<Signal>,
    pub(super) id: String,
    pub(super) workflow: String,
    pub(super) pane_id: u64,
    pub(super) identity: String,
    pub(super) trigger: Option<EventRow>,
    /// The workflow, in the session of its starter: they may not approve its steps either.
    pub(super) actor: Actor,
    pub(super) step: u64,
    pub(super) operation: u64,
    /// Handed from step to step.
    pub(super) context: Map<String, Value>,
    /// What the policy said in this step.
    pub(super) policy: Option<PolicySummary>,
    /// Evidence of this step.
    pub(super) evidence: Vec<Value>,
    /// Something was being typed when it failed.
    pub(super) sending: bool,
    /// Its cleanup runs: an abort does not stop it again, and nothing is waited for.
    pub(super) cleaning: bool,
    pub(super) baseline: Option<Baseline>,
    pub(super) has_slot: bool,
    pub(super) polled: Cell<Option<Instant>>,
    pub(super) steps: Vec<StepInfo>,
    /// Released last.
    pub(super) _lock: RunnerLock,
}

impl Run {
    /// Now.
    pub(super) fn now(&self) -> Millis {
        now_of(&self.inner.context)
    }

    /// Fails if the execution must stop.
    pub(super) fn check(&self) -> Result<(), StopReason> {
        if self.signal.is_stopping() {
            return Err(StopReason::Left);
        }
        let due = self.polled.get().is_none_or(|polled| polled.elapsed() >= POLL);
        if !self.signal.take_check() && !due {
            return Ok(());
        }
        self.polled.set(Some(Instant::now()));
        let wanted =
            self.inner.context.store.read(|reader| table::abort_request(reader, &self.id))?;
        match wanted {
            AbortRequest::Abort(reason) if !self.cleaning => {
                // The next check must see it, too.
                self.polled.set(None);
                Err(StopReason::Aborted(reason))
            }
            AbortRequest::Ended => {
                self.polled.set(None);
                Err(StopReason::Ended)
            }
            AbortRequest::GoOn | AbortRequest::Abort(_) => Ok(()),
        }
    }

    /// Stores its status.
    pub(super) fn save_progress(
        &self,
        status: Status,
        progress: &StepProgress<'_>,
    ) -> Result<(), StopReason> {
        let now = self.now();
        let store = &self.inner.context.store;
        let active = store.write(|transaction| {
            table::save_progress(transaction, &self.id, status, progress, now)
        })?;
        if active { Ok(()) } else { Err(StopReason::Ended) }
    }

    /// Sleeps, or until woken.
    pub(super) fn rest(&self, time: Duration) -> Result<(), StopReason> {
        self.signal.sleep(time.min(POLL));
        self.check()
    }

    /// The pane now.
    pub(super) fn observe(&self) -> Result<PaneSnapshot, Error> {
        observe::observe(&self.inner.context, self.pane_id, Some(&self.identity))
    }

    pub(super) fn place(&self) -> OperationId<'_> {
        OperationId { execution: &self.id, step: self.step, number: self.operation }
    }

    /// An operation that waits, at most `timeout` from when it was first begun.
    fn waiting<T: Serialize + DeserializeOwned>(
        &mut self,
        condition: WaitCondition,
        timeout: Duration,
        wait: impl FnOnce(&mut Self, Duration) -> Result<T, StopReason>,
    ) -> Result<T, StopReason> {
        self.check()?;
        let store = Arc::clone(&self.inner.context.store);
        let now = self.now();
        let whole = Millis::try_from(timeout.as_millis()).unwrap_or(Millis::MAX);
        let deadline = match journal::look_up(&store, self.place())? {
            Entry::Done(result) => {
                self.operation += 1;
                return serde_json::from_str(&result)
                    .map_err(|error| journal_broken(&error).into());
            }
            // A clock that was set back must not make the wait longer than it was meant to be.
            Entry::Begun(Some(deadline)) => deadline.min(now.saturating_add(whole)),
            Entry::Begun(None) | Entry::New => now.saturating_add(whole),
        };
        journal::begin(&store, self.place(), journal::Kind::Wait, Some(deadline))?;
        let condition = WaitCondition { timeout_at: Some(deadline), ..condition };
        self.save_progress(
            Status::Waiting,
            &StepProgress { wait: Some(&condition), ..StepProgress::default() },
        )?;
        let left = Duration::from_millis(u64::try_from(deadline - now).unwrap_or_default());
        let result = wait(self, left)?;
        journal::done(&store, self.place(), &table::text(&result))?;
        self.save_progress(Status::Running, &StepProgress::default())?;
        self.operation += 1;
        Ok(result)
    }

    /// Waits for text, a rule or quiet. After something was sent only what came then counts.
    pub(super) fn wait_for(
        &mut self,
        condition: &Condition,
        shown: &str,
        timeout: Duration,
    ) -> Result<WaitNote, StopReason> {
        let wanted = match condition {
            Condition::Quiet(quiet) => idle(*quiet),
            _ => pattern(shown),
        };
        let note = self.waiting(wanted, timeout, |run, left| {
            let (mux, row) = observe::alive(&run.inner.context, run.pane_id, Some(&run.identity))?;
            let stopped = Cell::new(None);
            let cancelled = || {
                let stop = run.check().err();
                let is_stop = stop.is_some();
                if is_stop {
                    stopped.set(stop);
                }
                is_stop
            };
            let alive =
                || observe::alive(&run.inner.context, run.pane_id, Some(&run.identity)).map(drop);
            let waited = drive::wait(
                Waiter {
                    mux: &*mux,
                    pane: &row,
                    patterns: &run.inner.context.patterns,
                    tail: 200,
                    timeout: left,
                    baseline: run.baseline.clone(),
                    cancelled: &cancelled,
                    alive: &alive,
                    progress: &mut |_| {},
                },
                condition,
            )?;
            match stopped.take() {
                Some(stop) => Err(stop),
                None => Ok(WaitNote {
                    matched: waited.matched,
                    waited_ms: u64::try_from(waited.waited.as_millis()).unwrap_or(u64::MAX),
                }),
            }
        })?;
        self.evidence.push(json!({"waited_for": shown, "matched": note.matched,
                                  "waited_ms": note.waited_ms}));
        Ok(note)
    }

    /// Reads the pane again and again until `found` says something; `None` when the time is over.
    pub(super) fn until<T: Serialize + DeserializeOwned>(
        &mut self,
        condition: WaitCondition,
        timeout: Duration,
        mut found: impl FnMut(&Self, &PaneSnapshot) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, StopReason> {
        self.waiting(condition, timeout, |run, left| {
            let started = Instant::now();
            loop {
                if let Some(found) = found(run, &run.observe()?)? {
                    return Ok(Some(found));
                }
                if started.elapsed() >= left {
                    return Ok(None);
                }
                run.rest(LOOK.min(left))?;
            }
        })
    }

    /// Waits for time to pass.
    pub(super) fn sleep(&mut self, time: Duration) -> Result<(), StopReason> {
        let delay = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let condition = WaitCondition { delay_ms: Some(delay), ..bare("time") };
        self.waiting(condition, time, |run, left| {
            let started = Instant::now();
            while let Some(rest) =
                left.checked_sub(started.elapsed()).filter(|rest| !rest.is_zero())
            {
                run.rest(rest)?;
            }
            Ok(())
        })
    }

    /// The moment of the last sending, made again after a crash.
    pub(super) fn remember_baseline(&mut self) -> Result<(), Error> {
        let Some(note) = journal::last_sent(&self.inner.context.store, &self.id)? else {
            return Ok(());
        };
        let note: SentNote = serde_json::from_str(&note).map_err(|error| journal_broken(&error))?;
        self.after_sending(&note)
    }

    /// From now on only what came after this sending counts.
    pub(super) fn after_sending(&mut self, note: &SentNote) -> Result<(), Error> {
        observe::alive(&self.inner.context, self.pane_id, Some(&self.identity))?;
        self.baseline = Some(Baseline::remembered(note.before.clone(), &note.state));
        Ok(())
    }
}

/// The database holds something that no release wrote.
pub(super) fn journal_broken(error: &serde_json::Error) -> Error {
    Kind::Storage.because("The workflow's journal cannot be read.").internal(error)
}

/// A condition of this type and nothing else.
pub(super) fn bare(kind: &str) -> WaitCondition {
    WaitCondition {
        kind: kind.to_owned(),
        pattern: None,
        idle_ms: None,
        signal_name: None,
        delay_ms: None,
        timeout_at: None,
    }
}

/// Waits for a pattern.
pub(super) fn pattern(shown: &str) -> WaitCondition {
    WaitCondition { pattern: Some(shown.to_owned()), ..bare("pattern_matched") }
}

/// Waits for a pane that does nothing.
pub(super) fn idle(time: Duration) -> WaitCondition {
    let idle = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    WaitCondition { idle_ms: Some(idle), ..bare("pane_idle") }
}
