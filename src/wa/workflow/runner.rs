//! Runs the steps of an execution and ends it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Inner;
use super::builtin::Outcome;
use super::catalogue::Definition;
use super::declared::{Declared, Matcher, Step};
use super::lock::RunnerLock;
use super::model::{Execution, Status, StepInfo, StepLog, StepResult};
use super::run::{Run, StopReason};
use super::signals::Signal;
use super::table::{self, End};
use crate::error::{Error, Kind, Result};
use crate::model::{Actor, ActorKind, Millis};

/// Pause before the first retry; doubled each time.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
/// How long a cleanup waits for anything.
const CLEANUP_PATIENCE: Duration = Duration::from_secs(2);

/// Starts a thread that runs `execution` from its current step.
pub(super) fn start(
    inner: &Arc<Inner>,
    execution: &Execution,
    definition: Definition,
    lock: RunnerLock,
) -> Result<()> {
    let Some(signal) = inner.signals.enter(&execution.id) else {
        return Err(Kind::Workflow
            .because("This process is shutting down and starts no workflows.")
            .reason("workflow.stopping"));
    };
    let run = make(inner, execution, &definition, signal, lock);
    let mut run = run.inspect_err(|_| inner.signals.exit(&execution.id))?;
    let thread = std::thread::Builder::new().name("wa-workflow".to_owned());
    let id = execution.id.clone();
    let started = thread.spawn(move || {
        if let Err(error) = execute(&mut run, &definition) {
            // The execution stays as it is and is taken up by the next recovery.
            tracing::warn!(execution = %run.id, cause = ?error.internal, "{error}");
        }
    });
    started.map(drop).map_err(|error| {
        inner.signals.exit(&id);
        Kind::Workflow.because(format!("The workflow's thread cannot be started: {error}."))
    })
}

fn make(
    inner: &Arc<Inner>,
    execution: &Execution,
    definition: &Definition,
    signal: Arc<Signal>,
    lock: RunnerLock,
) -> Result<Run> {
    let trigger = match execution.trigger_event_id {
        Some(id) => inner.context.history.event(id)?,
        None => None,
    };
    let context = match &execution.context {
        Value::Object(context) => context.clone(),
        _ => Map::new(),
    };
    Ok(Run {
        inner: Arc::clone(inner),
        signal,
        steps: definition.steps(&inner.context.options),
        id: execution.id.clone(),
        workflow: execution.workflow.clone(),
        pane_id: execution.pane_id,
        identity: execution.pane_identity.clone(),
        trigger,
        actor: Actor {
            kind: ActorKind::Workflow,
            id: execution.workflow.clone(),
            session: execution.actor.session.clone(),
        },
        step: execution.current_step,
        operation: 0,
        context,
        policy: None,
        evidence: Vec::new(),
        sending: false,
        cleaning: false,
        baseline: None,
        has_slot: false,
        polled: std::cell::Cell::new(None),
        _lock: lock,
    })
}

/// Runs to the end, or as far as it goes.
fn execute(run: &mut Run, definition: &Definition) -> Result<()> {
    let (end, log) = match work(run, definition) {
        Ok((result, log)) => (completed(result), log),
        Err(broke) => match *broke {
            (StopReason::Left, _) => return Ok(()),
            (StopReason::Ended, _) => return run.inner.settle_events(),
            (StopReason::Aborted(reason), log) => {
                let cleaned = cleanup(run, definition);
                let code = Some("workflow.aborted".to_owned());
                (broken(Status::Aborted, reason, code, cleaned), log)
            }
            (StopReason::GaveUp { code, reason }, log) => {
                (broken(Status::Aborted, reason, Some(code.to_owned()), true), log)
            }
            (StopReason::Failed(error), log) => {
                if let Some(cause) = &error.internal {
                    tracing::warn!(execution = %run.id, cause, "{error}");
                }
                let code = Some(code_of(&error));
                (broken(Status::Failed, error.message, code, false), log)
            }
        },
    };
    let now = run.now();
    let context = Value::Object(run.context.clone());
    run.inner.context.store.write(|transaction| {
        if let Some(log) = &log {
            table::end_step(transaction, &run.id, log, &context, now)?;
        }
        table::end(transaction, &run.id, &end, now)
    })?;
    run.inner.settle_events()
}

fn completed(result: Value) -> End {
    End {
        status: Status::Completed,
        result: Some(result),
        error: None,
        error_code: None,
        cleaned: true,
    }
}

/// An unsuccessful end.
pub(super) fn broken(status: Status, error: String, code: Option<String>, cleaned: bool) -> End {
    End { status, result: None, error: Some(error), error_code: code, cleaned }
}

/// The finer code ofan error, or one for its kind.
fn code_of(error: &Error) -> String {
    error.reason.clone().unwrap_or_else(|| {
        let kind = match error.kind {
            Kind::PaneNotFound => "workflow.pane_gone",
            Kind::Timeout => "workflow.timeout",
            Kind::Backend => "workflow.backend",
            Kind::Storage => "workflow.storage",
            _ => "workflow.step_failed",
        };
        kind.to_owned()
    })
}

/// Why a step failed, and its log.
type StepFailure = Box<(StopReason, Option<StepLog>)>;

/// All steps that are left; returns the result and the last step's log, which is written together
/// with the end.
fn work(
    run: &mut Run,
    definition: &Definition,
) -> std::result::Result<(Value, Option<StepLog>), StepFailure> {
    let plainly = |stop: StopReason| StepFailure::new((stop, None));
    run.take_slot().map_err(plainly)?;
    run.remember_baseline().map_err(|error| plainly(error.into()))?;
    let total = run.steps.len() as u64;
    while let Some(info) = usize::try_from(run.step).ok().and_then(|step| run.steps.get(step)) {
        let info = info.clone();
        let (outcome, log) = attempts(run, definition, &info)?;
        if outcome.result == StepResult::Done || run.step + 1 >= total {
            return Ok((result_of(outcome.data), Some(log)));
        }
        let now = run.now();
        let context = Value::Object(run.context.clone());
        let active = run
            .inner
            .context
            .store
            .write(|transaction| table::end_step(transaction, &run.id, &log, &context, now));
        if !active.map_err(|error| plainly(error.into()))? {
            return Err(plainly(StopReason::Ended));
        }
        run.step += 1;
    }
    Ok((result_of(Value::Null), None))
}

/// Results are objects.
fn result_of(data: Value) -> Value {
    if data.is_object() { data } else { json!({"status": "completed"}) }
}

/// One step, again when it failed for a passing reason and nothing was being typed.
fn attempts(
    run: &mut Run,
    definition: &Definition,
    info: &StepInfo,
) -> std::result::Result<(Outcome, StepLog), StepFailure> {
    let mut backoff = FIRST_BACKOFF;
    let mut retries = run.inner.context.options.retries;
    loop {
        let started_at = run.now();
        run.operation = 0;
        run.policy = None;
        run.evidence.clear();
        let done = begin(run, info).and_then(|()| step(run, definition, info));
        match done {
            Ok(outcome) => {
                let data = Some(outcome.data.clone());
                let log = log(run, info, outcome.result, data, None, started_at);
                return Ok((outcome, log));
            }
            Err(StopReason::Failed(error)) if retries > 0 && passing(&error) && !run.sending => {
                retries -= 1;
                let data = json!({"error": error.to_string(), "again_in_ms": millis(backoff)});
                let code = Some(code_of(&error));
                let log = log(run, info, StepResult::Retry, Some(data), code, started_at);
                again(run, &log, backoff).map_err(|stop| StepFailure::new((stop, None)))?;
                backoff *= 2;
            }
            Err(stop) => {
                let (code, reason) = match &stop {
                    StopReason::GaveUp { code, reason } => ((*code).to_owned(), reason.clone()),
                    StopReason::Failed(error) => (code_of(error), error.message.clone()),
                    StopReason::Aborted(reason) => ("workflow.aborted".to_owned(), reason.clone()),
                    StopReason::Ended | StopReason::Left => {
                        return Err(StepFailure::new((stop, None)));
                    }
                };
                let data = Some(json!({"error": reason}));
                let log = log(run, info, StepResult::Abort, data, Some(code), started_at);
                return Err(StepFailure::new((stop, Some(log))));
            }
        }
    }
}

fn begin(run: &Run, info: &StepInfo) -> std::result::Result<(), StopReason> {
    run.check()?;
    let now = run.now();
    let store = &run.inner.context.store;
    let active = store
        .write(|transaction| table::begin_step(transaction, &run.id, run.step, &info.name, now))?;
    if active { Ok(()) } else { Err(StopReason::Ended) }
}

fn again(run: &Run, log: &StepLog, backoff: Duration) -> std::result::Result<(), StopReason> {
    let now = run.now();
    let context = Value::Object(run.context.clone());
    let store = &run.inner.context.store;
    store.write(|transaction| table::end_step(transaction, &run.id, log, &context, now))?;
    let started = std::time::Instant::now();
    while let Some(left) = backoff.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
        run.rest(left)?;
    }
    Ok(())
}

/// A later attempt may succeed.
fn passing(error: &Error) -> bool {
    let final_timeout = error.reason.as_deref().is_some_and(|code| code.starts_with("workflow."));
    matches!(error.kind, Kind::Backend | Kind::Timeout | Kind::Storage) && !final_timeout
}

fn log(
    run: &Run,
    info: &StepInfo,
    result_type: StepResult,
    result_data: Option<Value>,
    error_code: Option<String>,
    started_at: Millis,
) -> StepLog {
    StepLog {
        step_index: run.step,
        step_name: info.name.clone(),
        step_id: String::new(),
        step_kind: info.kind,
        result_type,
        result_data,
        policy_summary: run.policy.clone(),
        verification_refs: run.evidence.clone(),
        error_code,
        started_at,
        completed_at: Some(run.now()),
    }
}

fn step(
    run: &mut Run,
    definition: &Definition,
    info: &StepInfo,
) -> std::result::Result<Outcome, StopReason> {
    match definition {
        Definition::BuiltIn(built_in) => built_in.step(&info.name, run),
        Definition::Declared(declared) => {
            let step = usize::try_from(run.step).ok().and_then(|step| declared.steps.get(step));
            step.map_or_else(|| Ok(Outcome::next(Value::Null)), |step| declared_step(run, step))
        }
    }
}

fn declared_step(run: &mut Run, step: &Step) -> std::result::Result<Outcome, StopReason> {
    match step {
        Step::WaitFor { matcher, timeout_ms, .. } => {
            let data = awaited(run, matcher, *timeout_ms)?;
            Ok(Outcome { result: StepResult::WaitFor, data })
        }
        Step::Sleep { duration_ms, .. } => {
            run.sleep(Duration::from_millis(*duration_ms))?;
            Ok(Outcome { result: StepResult::WaitFor, data: json!({"slept_ms": duration_ms}) })
        }
        Step::SendText { text, wait_for, .. } => {
            let mut data = typed(run, text)?;
            if let Some(wait) = wait_for {
                data["wait_for"] = awaited(run, &wait.matcher, wait.timeout_ms)?;
            }
            Ok(Outcome { result: StepResult::SendText, data })
        }
        Step::SendCtrl { key, .. } => {
            let data = typed(run, key.character())?;
            Ok(Outcome { result: StepResult::SendText, data })
        }
    }
}

fn typed(run: &mut Run, text: &str) -> std::result::Result<Value, StopReason> {
    let patience =
        if run.cleaning { CLEANUP_PATIENCE } else { run.inner.context.options.step_timeout };
    let note = run.send(text, patience)?;
    Ok(json!({"text_length": text.len(), "submitted": note.submitted, "attempts": note.attempts}))
}

fn awaited(
    run: &mut Run,
    matcher: &Matcher,
    timeout_ms: u64,
) -> std::result::Result<Value, StopReason> {
    let condition = matcher.condition(&run.inner.context.patterns)?;
    let note = run.wait_for(&condition, &matcher.shown(), Duration::from_millis(timeout_ms))?;
    if !note.matched {
        return Err(Kind::Timeout
            .because(format!(
                "{} did not appear in pane {} within {timeout_ms} ms.",
                matcher.shown(),
                run.pane_id
            ))
            .reason("workflow.wait_timeout")
            .into());
    }
    Ok(json!({"matched": true, "waited_ms": note.waited_ms}))
}

/// What a declared workflow types when it is aborted. True when all of it was done.
fn cleanup(run: &mut Run, definition: &Definition) -> bool {
    let Definition::Declared(declared) = definition else { return true };
    run.cleaning = true;
    let declared: Arc<Declared> = Arc::clone(declared);
    for (number, step) in declared.on_abort.iter().enumerate() {
        let started_at = run.now();
        run.step = (declared.steps.len() + number) as u64;
        run.operation = 0;
        run.policy = None;
        run.evidence.clear();
        let done = declared_step(run, step);
        let (result, data, code) = match &done {
            Ok(outcome) => (outcome.result, Some(outcome.data.clone()), None),
            Err(StopReason::Failed(error)) => {
                (StepResult::Abort, Some(json!({"error": error.to_string()})), Some(code_of(error)))
            }
            Err(_) => return false,
        };
        let log = log(run, &step.info(), result, data, code, started_at);
        let store = &run.inner.context.store;
        let logged = store.write(|transaction| table::write_log(transaction, &run.id, &log));
        if logged.is_err() || done.is_err() {
            return false;
        }
    }
    true
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Run {
    /// Waits for a slot.
    pub(super) fn take_slot(&mut self) -> std::result::Result<(), StopReason> {
        let most = self.inner.context.options.concurrent;
        while !self.inner.signals.take_slot(most, Duration::from_millis(150)) {
            self.check()?;
        }
        self.has_slot = true;
        Ok(())
    }

    /// Releases the slot.
    pub(super) fn release_slot(&mut self) {
        if std::mem::take(&mut self.has_slot) {
            self.inner.signals.release_slot();
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.release_slot();
        self.inner.signals.exit(&self.id);
    }
}
