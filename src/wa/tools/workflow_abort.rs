//! `wa.workflow_abort`

use toolwright_runtime::{Call, HandleGuarded};

use super::convert;
use super::policy::Pass;
use crate::engine::Engine;
use crate::generated::{
    Result, WorkflowAbort, WorkflowAbortRequest, WorkflowAbortResponse, WorkflowAborted,
};
use crate::{Wa, error, unsigned};

impl HandleGuarded<WorkflowAbort, Pass> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: WorkflowAbortRequest,
        pass: Pass,
    ) -> Result<WorkflowAbortResponse> {
        self.run(move |engine| pass.settled(engine, abort(engine, &request))).await
    }
}

fn abort(engine: &Engine, request: &WorkflowAbortRequest) -> error::Result<WorkflowAborted> {
    let workflows = engine.workflows()?;
    let done = workflows.abort(&request.execution_id, request.reason.as_deref(), request.force)?;
    let execution = done.execution;
    Ok(WorkflowAborted {
        execution_id: execution.id,
        aborted: done.aborted,
        forced: done.forced,
        workflow_name: Some(execution.workflow),
        pane_id: Some(execution.pane_id),
        previous_status: Some(convert::status(done.previous_status)),
        aborted_at_step: done.aborted.then_some(execution.current_step),
        step_name: execution.step_name,
        reason: done.reason,
        cleanup_performed: done.aborted.then_some(done.cleanup_performed),
        aborted_at: done.aborted_at.map(unsigned),
        error_reason: done.error_reason.and_then(convert::convert_enum),
    })
}
