//! `wa.workflow_status`

use serde_json::{Map, Value};
use toolwright_runtime::{Call, Handle};

use super::convert;
use crate::engine::Engine;
use crate::generated::{
    ActionPlan, ExecutionList, ExecutionStatus, ExecutionSummary, OneExecution, Result, StepLog,
    StepResult, WaitCondition, WaitConditionType, WorkflowStatus, WorkflowStatusRequest,
    WorkflowStatusResponse,
};
use crate::model::Millis;
use crate::{Wa, error, unsigned, workflow};

impl Handle<WorkflowStatus> for Wa {
    async fn handle(
        &self,
        _: &Call,
        request: WorkflowStatusRequest,
    ) -> Result<WorkflowStatusResponse> {
        self.run(move |engine| status(engine, &request)).await
    }
}

fn status(engine: &Engine, request: &WorkflowStatusRequest) -> error::Result<ExecutionStatus> {
    if let Some(id) = &request.execution_id {
        let execution = engine.workflows()?.status(id, request.verbose)?;
        return Ok(ExecutionStatus::OneExecution(single(execution, engine.now())));
    }
    let workflows = engine.workflows()?;
    let found = workflows.statuses(request.pane_id, request.active)?;
    // Executions of a pane that has ended can still be read; one that never was is a mistake.
    if let (Some(pane), true) = (request.pane_id, found.is_empty()) {
        let recorded = engine.records()?.history.known(pane)?;
        if recorded.is_none() {
            engine.mux_set()?.find(pane)?;
        }
    }
    let now = engine.now();
    Ok(ExecutionStatus::ExecutionList(ExecutionList {
        count: found.len() as u64,
        executions: found.into_iter().map(|one| summary(one, now)).collect(),
        pane_filter: request.pane_id,
        active_only: request.active.then_some(true),
    }))
}

fn summary(execution: workflow::Execution, now: Millis) -> ExecutionSummary {
    let elapsed = elapsed(&execution, now);
    let mut context = object(Some(execution.context)).unwrap_or_default();
    if let Some(code) = &execution.approval_code {
        context.insert("approve_with".to_owned(), format!("wa approve {code}").into());
    }
    ExecutionSummary {
        execution_id: execution.id,
        workflow_name: execution.workflow,
        pane_id: Some(execution.pane_id),
        trigger_event_id: execution.trigger_event_id.map(unsigned),
        status: convert::status(execution.status),
        step_name: execution.step_name,
        elapsed_ms: Some(elapsed),
        last_step_result: execution.last_step_result.map(step_result),
        current_step: Some(execution.current_step),
        total_steps: Some(execution.total_steps).filter(|steps| *steps > 0),
        wait_condition: execution.wait_condition.map(condition),
        context,
        result: object(execution.result).unwrap_or_default(),
        error: execution.error,
        started_at: Some(unsigned(execution.started_at)),
        updated_at: Some(unsigned(execution.updated_at)),
        completed_at: execution.completed_at.map(unsigned),
    }
}

fn single(mut execution: workflow::Execution, now: Millis) -> OneExecution {
    let logs = std::mem::take(&mut execution.step_logs);
    let plan = execution.action_plan.take();
    let one = summary(execution, now);
    OneExecution {
        execution_id: one.execution_id,
        workflow_name: one.workflow_name,
        pane_id: one.pane_id,
        trigger_event_id: one.trigger_event_id,
        status: one.status,
        step_name: one.step_name,
        elapsed_ms: one.elapsed_ms,
        last_step_result: one.last_step_result,
        current_step: one.current_step,
        total_steps: one.total_steps,
        wait_condition: one.wait_condition,
        context: one.context,
        result: one.result,
        error: one.error,
        started_at: one.started_at,
        updated_at: one.updated_at,
        completed_at: one.completed_at,
        step_logs: logs.into_iter().map(log).collect(),
        action_plan: plan.map(|plan| ActionPlan {
            plan_id: plan.plan_id,
            plan_hash: plan.plan_hash,
            plan: object(Some(plan.plan)),
            created_at: Some(unsigned(plan.created_at)),
        }),
    }
}

fn elapsed(execution: &workflow::Execution, now: Millis) -> u64 {
    unsigned(execution.completed_at.unwrap_or(now).saturating_sub(execution.started_at))
}

fn log(log: workflow::StepLog) -> StepLog {
    let refs: Vec<Map<String, Value>> =
        log.verification_refs.into_iter().filter_map(|value| object(Some(value))).collect();
    let summary = log.policy_summary.and_then(|summary| serde_json::to_value(summary).ok());
    StepLog {
        step_index: log.step_index,
        step_name: log.step_name,
        step_id: Some(log.step_id),
        step_kind: Some(log.step_kind.as_str().to_owned()),
        result_type: step_result(log.result_type),
        result_data: object(log.result_data).unwrap_or_default(),
        policy_summary: object(summary),
        verification_refs: (!refs.is_empty()).then_some(refs),
        error_code: log.error_code,
        started_at: Some(unsigned(log.started_at)),
        completed_at: log.completed_at.map(unsigned),
        duration_ms: log.completed_at.map(|end| unsigned(end.saturating_sub(log.started_at))),
    }
}

fn step_result(result: workflow::StepResult) -> StepResult {
    match result {
        workflow::StepResult::Continue => StepResult::Continue,
        workflow::StepResult::Done => StepResult::Done,
        workflow::StepResult::Retry => StepResult::Retry,
        workflow::StepResult::Abort => StepResult::Abort,
        workflow::StepResult::WaitFor => StepResult::WaitFor,
        workflow::StepResult::SendText => StepResult::SendText,
    }
}

fn condition(condition: workflow::WaitCondition) -> WaitCondition {
    WaitCondition {
        type_: convert::convert_enum(&condition.kind).unwrap_or(WaitConditionType::ExternalSignal),
        pattern: condition.pattern,
        idle_ms: condition.idle_ms,
        signal_name: condition.signal_name,
        delay_ms: condition.delay_ms,
        timeout_at: condition.timeout_at.map(unsigned),
    }
}

/// An object with something in it.
pub(super) fn object(value: Option<Value>) -> Option<Map<String, Value>> {
    match value? {
        Value::Object(map) if !map.is_empty() => Some(map),
        _ => None,
    }
}
