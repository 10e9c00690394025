//! Executions whose process is gone: resumed, or failed where something was being typed.

use std::sync::Arc;

use super::catalogue::Definition;
use super::declared::Declared;
use super::lock::RunnerLock;
use super::model::{Execution, Recovered, Status};
use super::table::{self, AbortRequest, Which};
use super::{Inner, journal, now_of, runner};
use crate::error::Result;
use crate::history::HandledStatus;

impl Inner {
    /// Looks at all active executions.
    pub(super) fn recover(self: &Arc<Self>) -> Result<Recovered> {
        let mut recovered = Recovered::default();
        let active = self.context.store.read(|reader| table::active_ids(reader))?;
        for id in active {
            self.recover_one(&id, &mut recovered)?;
        }
        self.settle_events()?;
        Ok(recovered)
    }

    /// Resumes one execution, unless another process runs it.
    pub(super) fn recover_one(self: &Arc<Self>, id: &str, recovered: &mut Recovered) -> Result<()> {
        let Some(lock) = RunnerLock::take(&self.context.folder, id)? else { return Ok(()) };
        // Its runner may have ended it between our check and our lock; from here on we hold it.
        let (found, wanted, sending, definition) = self.context.store.read(|reader| {
            let reader = reader.transaction()?;
            Ok((
                table::read(&reader, &Which::Id(id))?.pop(),
                table::abort_request(&reader, id)?,
                journal::was_sending(&reader, id)?,
                table::definition(&reader, id)?,
            ))
        })?;
        let Some(execution) = found else { return Ok(()) };
        let id = execution.id.clone();
        match wanted {
            AbortRequest::Ended => {}
            AbortRequest::Abort(reason) => {
                self.end(&execution, Status::Aborted, reason, "workflow.aborted")?;
                recovered.aborted.push(id);
            }
            AbortRequest::GoOn if sending => {
                let step = execution.step_name.as_deref().unwrap_or_default();
                let reason = format!(
                    "The process that ran it ended while step `{step}` was typing into pane {}; \
                     it is unknown whether all of it arrived.",
                    execution.pane_id
                );
                self.end(&execution, Status::Failed, reason, "workflow.interrupted")?;
                recovered.failed.push(id);
            }
            AbortRequest::GoOn => match self.definition_of(&execution, definition.as_deref()) {
                Some(definition) => {
                    runner::start(self, &execution, definition, lock)?;
                    recovered.resumed.push(id);
                }
                None => {
                    let reason = format!(
                        "The workflow `{}` was removed or changed since it was started.",
                        execution.workflow
                    );
                    self.end(&execution, Status::Failed, reason, "workflow.not_found")?;
                    recovered.failed.push(id);
                }
            },
        }
        Ok(())
    }

    /// As it was declared when it was started. One that types secrets is not kept: there the file
    /// must still say the same.
    fn definition_of(&self, execution: &Execution, stored: Option<&str>) -> Option<Definition> {
        match stored {
            Some(stored) => {
                let now = || match self.find(&execution.workflow).ok()?.definition {
                    Definition::Declared(declared) => Some(declared),
                    Definition::BuiltIn(_) => None,
                };
                Declared::read(stored, now).map(Definition::Declared)
            }
            None => self.find(&execution.workflow).ok().map(|entry| entry.definition),
        }
    }

    /// Ends an execution that nobody runs.
    pub(super) fn end(
        &self,
        execution: &Execution,
        status: Status,
        reason: String,
        code: &str,
    ) -> Result<bool> {
        let end = runner::broken(status, reason, Some(code.to_owned()), false);
        let now = now_of(&self.context);
        let ended = self
            .context
            .store
            .write(|transaction| table::end(transaction, &execution.id, &end, now))?;
        self.settle_events()?;
        Ok(ended)
    }

    /// Marks the events of executions that have ended. Also of those whose process died between
    /// their end and this.
    pub(super) fn settle_events(&self) -> Result<()> {
        let unsettled = self.context.store.read(|reader| table::unsettled(reader))?;
        for (id, event, status) in unsettled {
            let handled = match status {
                Status::Completed => HandledStatus::Completed,
                Status::Aborted => HandledStatus::Aborted,
                _ => HandledStatus::Failed,
            };
            self.context.history.handle(event, &id, handled, now_of(&self.context))?;
            self.context.store.write(|transaction| table::settled(transaction, &id))?;
        }
        Ok(())
    }
}
