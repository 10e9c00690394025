//! `wa.workflow_run`

use toolwright_runtime::{Call, HandleGuarded};

use super::convert;
use super::policy::Pass;
use super::workflow_status::object;
use crate::engine::Engine;
use crate::error::{self, Kind};
use crate::generated::{
    Result, RunReport, RunReportStatus, RunResult, RunResultOutcome, RunStep, WorkflowRun,
    WorkflowRunRequest, WorkflowRunResponse,
};
use crate::workflow::{Execution, Status, StepLog};
use crate::{Wa, unsigned};

impl HandleGuarded<WorkflowRun, Pass> for Wa {
    async fn handle(
        &self,
        call: &Call,
        request: WorkflowRunRequest,
        pass: Pass,
    ) -> Result<WorkflowRunResponse> {
        let stop = call.cancellation();
        self.run(move |engine| {
            if request.dry_run {
                return plan_only(engine, &request, &pass);
            }
            let done = run(engine, &request, &pass, &|| stop.is_cancelled());
            pass.settled(engine, done)
        })
        .await
    }
}

/// A dry run. Its id exists only in the answer.
fn plan_only(
    engine: &Engine,
    request: &WorkflowRunRequest,
    pass: &Pass,
) -> error::Result<RunReport> {
    let plan = engine.workflows()?.plan(&request.name, request.pane_id, request.force)?;
    let mut report = report(request, pass, crate::workflow::new_id(&*engine.setup.ids));
    report.dry_run = Some(true);
    report.trigger_event_id = plan.trigger_event_id.map(unsigned);
    report.steps_planned = Some(plan.steps.len() as u64);
    report.current_step = plan.steps.first().map(|step| step.name.clone());
    report.result = Some(RunResult {
        message: plan.reason.clone(),
        data: object(serde_json::to_value(&plan).ok()).unwrap_or_default(),
        ..RunResult::default()
    });
    Ok(report)
}

fn run(
    engine: &Engine,
    request: &WorkflowRunRequest,
    pass: &Pass,
    cancelled: &dyn Fn() -> bool,
) -> error::Result<RunReport> {
    let workflows = engine.workflows()?;
    let id = workflows.run(&request.name, request.pane_id, request.force, &pass.actor, None)?;
    workflows.wait(&id, engine.setup.run_wait, cancelled)?;
    let execution = workflows.status(&id, true)?;
    let status = match execution.status {
        Status::Completed => RunReportStatus::Completed,
        Status::Failed | Status::Aborted => return Err(ended(&execution)),
        Status::Pending | Status::Running | Status::Waiting | Status::Paused => {
            RunReportStatus::Started
        }
    };
    let mut report = report(request, pass, id);
    report.status = status;
    report.trigger_event_id = execution.trigger_event_id.map(unsigned);
    report.steps_planned = Some(execution.total_steps);
    report.steps_completed = Some(execution.steps_completed);
    report.started_at = Some(unsigned(execution.started_at));
    report.completed_at = execution.completed_at.map(unsigned);
    if status == RunReportStatus::Completed {
        report.result = Some(RunResult {
            outcome: Some(RunResultOutcome::Success),
            data: object(execution.result).unwrap_or_default(),
            step_logs: execution.step_logs.into_iter().map(step).collect(),
            ..RunResult::default()
        });
    } else {
        if let Some(code) = &execution.approval_code {
            report.policy_decision = Some(crate::generated::Decision::RequireApproval);
            report.policy_reason = Some(held(&execution, code));
        }
        report.current_step = execution.step_name;
    }
    Ok(report)
}

fn report(request: &WorkflowRunRequest, pass: &Pass, execution_id: String) -> RunReport {
    RunReport {
        workflow_name: request.name.clone(),
        pane_id: request.pane_id,
        execution_id,
        status: RunReportStatus::Started,
        dry_run: None,
        trigger_event_id: None,
        steps_planned: None,
        steps_completed: None,
        current_step: None,
        started_at: None,
        completed_at: None,
        policy_decision: Some(convert::decision(pass.decision)),
        policy_reason: pass.reason.clone(),
        result: None,
    }
}

/// A step waits for the user.
fn held(execution: &Execution, code: &str) -> String {
    let policy = execution.policy.as_ref();
    let rule = policy.and_then(|policy| policy.rule.as_deref()).unwrap_or("policy");
    let reason = policy.and_then(|policy| policy.reason.as_deref()).unwrap_or("a step was held.");
    format!("{rule}: {reason} The user can approve it with `wa approve {code}`.")
}

/// A run that ended badly while we waited. A step that the policy refused is the policy's answer.
fn ended(execution: &Execution) -> error::Error {
    let refused = execution
        .policy
        .as_ref()
        .is_some_and(|policy| policy.decision == crate::model::Decision::Deny);
    let kind = if refused { Kind::PolicyDenied } else { Kind::Workflow };
    let why = execution.error.as_deref().unwrap_or("no reason was given");
    let error = kind
        .because(format!(
            "`{}` {} at step {} ({}): {why}",
            execution.workflow,
            execution.status,
            execution.current_step,
            execution.step_name.as_deref().unwrap_or("?"),
        ))
        .hint(format!("Call wa.workflow_status with execution_id {} for details.", execution.id));
    match &execution.error_code {
        Some(code) => error.reason(code.clone()),
        None => error,
    }
}

fn step(log: StepLog) -> RunStep {
    // The run's own log has no word for a step that sent something: it went on.
    let result = convert::convert_enum(log.result_type.as_str());
    RunStep {
        step_index: log.step_index,
        step_name: log.step_name,
        result_type: result.unwrap_or(crate::generated::RunStepResultType::Continue),
        duration_ms: log.completed_at.map(|end| unsigned(end.saturating_sub(log.started_at))),
        result_data: object(log.result_data).unwrap_or_default(),
    }
}
