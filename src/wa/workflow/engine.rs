//! Starts, reports and ends executions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright_runtime::clock::Ids;
use toolwright_runtime::digest::hex;

use super::catalogue::Definition;
use super::lock::RunnerLock;
use super::model::{Aborted, Execution, ExecutionId, Recovered, Status};
use super::table::{self, Which};
use super::{Inner, now_of, plan, runner};
use crate::error::{Error, Kind, Result};
use crate::model::Actor;
use crate::redact::redact;

/// Interval between checks of an execution that is waited for.
const POLL: Duration = Duration::from_millis(40);
/// Characters of a reason that are kept.
const MAX_REASON: usize = 500;

impl Inner {
    pub(super) fn run(
        self: &Arc<Self>,
        name: &str,
        pane_id: u64,
        force: bool,
        actor: &Actor,
        trigger: Option<i64>,
    ) -> Result<ExecutionId> {
        let entry = self.find(name)?;
        let row = self.context.set.find(pane_id)?.live()?.row;
        let trigger = self.trigger(&entry.info, pane_id, force, trigger)?;
        let now = now_of(&self.context);
        let execution = Execution {
            id: new_id(&*self.context.ids),
            workflow: entry.info.name.clone(),
            pane_id,
            pane_identity: row.identity,
            trigger_event_id: trigger.map(|event| event.id),
            actor: actor.clone(),
            status: Status::Pending,
            current_step: 0,
            step_name: entry.info.steps.first().map(|step| step.name.clone()),
            total_steps: entry.info.steps.len() as u64,
            steps_completed: 0,
            last_step_result: None,
            wait_condition: None,
            context: json!({}),
            result: None,
            error: None,
            error_code: None,
            policy: None,
            approval_code: None,
            started_at: now,
            updated_at: now,
            completed_at: None,
            step_logs: Vec::new(),
            action_plan: None,
        };
        let stored = match &entry.definition {
            Definition::BuiltIn(_) => None,
            Definition::Declared(declared) => Some(declared.written()),
        };
        let plan = plan::action_plan(&entry, pane_id, now);
        // Before the row, so that nobody ever sees an execution that nobody runs.
        let lock = RunnerLock::take(&self.context.folder, &execution.id)?
            .ok_or_else(|| Kind::Storage.because("The lock of a new execution is already held."))?;
        let insert = || {
            self.context.store.write(|transaction| {
                table::insert(transaction, &execution, stored.as_deref(), &plan)
            })
        };
        if !insert()? {
            // The holder's process may be gone. If so, it is resumed or failed now.
            if let Some(holder) = self.holder(&execution.pane_identity)? {
                self.recover_one(&holder.id, &mut Recovered::default())?;
            }
            if !insert()? {
                return Err(self.locked(&execution)?);
            }
        }
        if let Err(error) = runner::start(self, &execution, entry.definition, lock) {
            self.end(&execution, Status::Failed, error.message.clone(), "workflow.step_failed")?;
            return Err(error);
        }
        Ok(execution.id)
    }

    fn holder(&self, identity: &str) -> Result<Option<Execution>> {
        let which = Which::Holder(identity);
        self.context.store.read(|reader| Ok(table::read(reader, &which)?.pop()))
    }

    fn locked(&self, wanted: &Execution) -> Result<Error> {
        let error = Kind::Workflow;
        let pane = wanted.pane_id;
        Ok(match self.holder(&wanted.pane_identity)? {
            Some(holder) => error
                .because(format!(
                    "Workflow `{}` ({}, {}) is running in pane {pane}.",
                    holder.workflow, holder.id, holder.status
                ))
                .reason("workflow.pane_locked")
                .hint("Wait for it with wa.workflow_status, or end it with wa.workflow_abort."),
            None => error
                .because(format!("Another workflow was running in pane {pane} until now."))
                .reason("workflow.pane_locked")
                .hint("Try again."),
        })
    }

    pub(super) fn status(&self, id: &str, verbose: bool) -> Result<Execution> {
        self.context.store.read(|reader| {
            let reader = reader.transaction()?;
            let mut found =
                table::read(&reader, &Which::Id(id))?.pop().ok_or_else(|| unknown(id))?;
            if verbose {
                table::details(&reader, &mut found)?;
            }
            Ok(found)
        })
    }

    pub(super) fn wait(
        &self,
        id: &str,
        timeout: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Execution> {
        let started = Instant::now();
        loop {
            let execution = self.status(id, false)?;
            let over = !execution.status.is_active() || execution.status == Status::Paused;
            let left = timeout.checked_sub(started.elapsed()).filter(|left| !left.is_zero());
            match left {
                Some(left) if !over && !cancelled() => std::thread::sleep(POLL.min(left)),
                _ => return self.status(id, true),
            }
        }
    }

    pub(super) fn abort(
        self: &Arc<Self>,
        id: &str,
        reason: Option<&str>,
        force: bool,
    ) -> Result<Aborted> {
        let before = self.status(id, false)?;
        let already = match before.status {
            Status::Completed => Some("already_completed"),
            Status::Aborted => Some("already_aborted"),
            Status::Failed => Some("already_failed"),
            _ => None,
        };
        if already.is_some() {
            return self.aborted(&before, None, force, already);
        }
        let told = redact(reason.unwrap_or("ended by request"));
        let told: String = told.chars().take(MAX_REASON).collect();
        if force {
            let ended = self.end(&before, Status::Aborted, told.clone(), "workflow.aborted")?;
            self.call(id);
            return if ended {
                self.aborted(&before, Some(told), force, None)
            } else {
                self.abort(id, reason, force)
            };
        }
        let now = now_of(&self.context);
        let store = &self.context.store;
        store.write(|transaction| table::request_abort(transaction, id, &told, now))?;
        self.call(id);
        // Nobody runs it: nobody else will end it.
        self.recover_one(id, &mut Recovered::default())?;
        let patience = self.context.options.abort_patience;
        let started = Instant::now();
        while self.status(id, false)?.status.is_active() {
            if started.elapsed() >= patience {
                self.end(&before, Status::Aborted, told.clone(), "workflow.aborted")?;
                break;
            }
            std::thread::sleep(POLL);
        }
        // It may have come to its own end before it saw the wish.
        let after = self.status(id, false)?;
        let already = match after.status {
            Status::Completed => Some("already_completed"),
            Status::Failed => Some("already_failed"),
            _ => None,
        };
        self.aborted(&before, Some(told), force, already)
    }

    /// Wakes the execution if it runs in this process.
    fn call(&self, id: &str) {
        if let Some(signal) = self.signals.of(id) {
            signal.check_now();
        }
    }

    fn aborted(
        &self,
        before: &Execution,
        reason: Option<String>,
        forced: bool,
        already: Option<&'static str>,
    ) -> Result<Aborted> {
        let execution = self.status(&before.id, false)?;
        let store = &self.context.store;
        let cleaned = store.read(|reader| table::cleaned(reader, &before.id))?;
        let aborted = already.is_none();
        Ok(Aborted {
            aborted,
            forced,
            previous_status: before.status,
            reason: reason.filter(|_| aborted),
            cleanup_performed: aborted && cleaned,
            aborted_at: execution.completed_at.filter(|_| aborted),
            error_reason: already,
            execution,
        })
    }
}

fn unknown(id: &str) -> Error {
    let shown: String = id.chars().take(80).collect();
    Kind::ExecutionNotFound
        .because(format!("There is no workflow execution `{shown}`."))
        .hint("wa.workflow_status with pane_id or active lists executions.")
}

/// A random UUID (version 4), as executions are named.
pub fn new_id(ids: &dyn Ids) -> String {
    let mut bytes = [0; 16];
    ids.fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = hex(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    parts.join("-")
}
