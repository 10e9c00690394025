//! Executions in the database: how they begin, change and end.
//!
//! Every change requires that the execution is still active, so that one ended by another process can
//! never come back. Runs nothing.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::model::{
    ActionPlan, Execution, PolicySummary, Status, StepKind, StepLog, StepResult, WaitCondition,
};
use crate::error::Result;
use crate::model::{Actor, ActorKind, Millis};
use crate::redact::{redact, redact_json};

/// What still holds its pane.
pub(super) const ACTIVE: &str = "status IN ('pending', 'running', 'waiting', 'paused')";
/// Executions that are kept; older ones that have ended are forgotten.
const KEPT: i64 = 5000;
/// Maximum executions in a list.
const MOST: i64 = 50;

const COLUMNS: &str = "id, workflow, pane_id, pane_identity, trigger_event_id, actor, status, \
     current_step, step_name, total_steps, steps_completed, last_step_result, wait_condition, \
     context, result, error, error_code, policy, approval_code, started_at, updated_at, \
     completed_at";

/// Which executions.
pub(super) enum Which<'a> {
    /// This one.
    Id(&'a str),
    /// The one that holds this pane.
    Holder(&'a str),
    /// The newest ones, of one pane or all, maybe only active ones.
    Newest { pane_id: Option<u64>, active: bool },
}

/// Reads executions, newest first, without logs and plan.
pub(super) fn read(connection: &Connection, which: &Which<'_>) -> Result<Vec<Execution>> {
    let read = |condition: &str, values: &[&dyn rusqlite::ToSql]| -> Result<Vec<Execution>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM workflow_executions WHERE {condition}
             ORDER BY number DESC LIMIT {MOST}"
        ))?;
        let rows = statement.query_map(values, execution)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    };
    match which {
        Which::Id(id) => read("id = ?1", &[id]),
        Which::Holder(identity) => read(&format!("pane_identity = ?1 AND {ACTIVE}"), &[identity]),
        Which::Newest { pane_id, active } => {
            let pane_id = pane_id.map(sql_id);
            let active = if *active { ACTIVE } else { "1" };
            read(&format!("(?1 IS NULL OR pane_id = ?1) AND {active}"), &[&pane_id])
        }
    }
}

fn execution(row: &Row<'_>) -> rusqlite::Result<Execution> {
    let status: String = row.get("status")?;
    let last: Option<String> = row.get("last_step_result")?;
    Ok(Execution {
        id: row.get("id")?,
        workflow: row.get("workflow")?,
        pane_id: unsigned(row.get("pane_id")?),
        pane_identity: row.get("pane_identity")?,
        trigger_event_id: row.get("trigger_event_id")?,
        actor: json(row.get("actor")?).unwrap_or_else(|| Actor {
            kind: ActorKind::Workflow,
            id: "unknown".to_owned(),
            session: "unknown".to_owned(),
        }),
        status: Status::parse(&status).unwrap_or(Status::Failed),
        current_step: unsigned(row.get("current_step")?),
        step_name: row.get("step_name")?,
        total_steps: unsigned(row.get("total_steps")?),
        steps_completed: unsigned(row.get("steps_completed")?),
        last_step_result: last.as_deref().and_then(StepResult::parse),
        wait_condition: json::<WaitCondition>(row.get("wait_condition")?),
        context: json(row.get("context")?).unwrap_or(Value::Null),
        result: json(row.get("result")?),
        error: row.get("error")?,
        error_code: row.get("error_code")?,
        policy: json::<PolicySummary>(row.get("policy")?),
        approval_code: row.get("approval_code")?,
        started_at: row.get("started_at")?,
        updated_at: row.get("updated_at")?,
        completed_at: row.get("completed_at")?,
        step_logs: Vec::new(),
        action_plan: None,
    })
}

/// Adds logs and plan.
pub(super) fn details(connection: &Connection, execution: &mut Execution) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT step_index, attempt, step_name, step_kind, result_type, result_data, policy,
                verification, error_code, started_at, completed_at
         FROM workflow_step_logs WHERE execution = ?1 ORDER BY step_index, attempt",
    )?;
    let rows = statement.query_map([&execution.id], |row| {
        let index: i64 = row.get(0)?;
        let attempt: i64 = row.get(1)?;
        let kind: String = row.get(3)?;
        let result: String = row.get(4)?;
        Ok(StepLog {
            step_index: unsigned(index),
            step_name: row.get(2)?,
            step_id: format!("{}:{index}:{attempt}", execution.id),
            step_kind: StepKind::parse(&kind).unwrap_or(StepKind::Record),
            result_type: StepResult::parse(&result).unwrap_or(StepResult::Abort),
            result_data: json(row.get(5)?),
            policy_summary: json(row.get(6)?),
            verification_refs: json(row.get(7)?).unwrap_or_default(),
            error_code: row.get(8)?,
            started_at: row.get(9)?,
            completed_at: row.get(10)?,
        })
    })?;
    execution.step_logs = rows.collect::<rusqlite::Result<_>>()?;
    let plan = connection
        .prepare_cached(
            "SELECT plan_hash, plan, created_at FROM workflow_plans WHERE execution = ?1",
        )?
        .query_row([&execution.id], |row| {
            let plan_hash: String = row.get(0)?;
            Ok(ActionPlan {
                plan_id: format!("plan:{}", plan_hash.get(..16).unwrap_or_default()),
                plan_hash,
                plan: json(row.get(1)?).unwrap_or(Value::Null),
                created_at: row.get(2)?,
            })
        })
        .optional()?;
    execution.action_plan = plan;
    Ok(())
}

/// A new execution and its plan. False when another one holds the pane.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    new: &Execution,
    definition: Option<&str>,
    plan: &ActionPlan,
) -> Result<bool> {
    if !read(transaction, &Which::Holder(&new.pane_identity))?.is_empty() {
        return Ok(false);
    }
    transaction.execute(
        "INSERT INTO workflow_executions (id, workflow, definition, pane_id, pane_identity,
             trigger_event_id, actor, status, current_step, step_name, total_steps, context,
             started_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)",
        params![
            new.id,
            new.workflow,
            definition,
            sql_id(new.pane_id),
            new.pane_identity,
            new.trigger_event_id,
            text(&new.actor),
            new.status.as_str(),
            sql_id(new.current_step),
            new.step_name,
            sql_id(new.total_steps),
            new.context.to_string(),
            new.started_at,
        ],
    )?;
    transaction.execute(
        &format!(
            "DELETE FROM workflow_executions WHERE number <=
                 (SELECT max(number) FROM workflow_executions) - {KEPT} AND NOT {ACTIVE}"
        ),
        [],
    )?;
    transaction.execute(
        "INSERT INTO workflow_plans (execution, plan_hash, plan, created_at)
         VALUES (?1, ?2, ?3, ?4)",
        params![new.id, plan.plan_hash, plan.plan.to_string(), plan.created_at],
    )?;
    Ok(true)
}

/// The declaration that an execution was started with.
pub(super) fn definition(connection: &Connection, id: &str) -> Result<Option<String>> {
    let found = connection
        .query_row("SELECT definition FROM workflow_executions WHERE id = ?1", [id], |row| {
            row.get(0)
        })
        .optional()?;
    Ok(found.flatten())
}

/// A step begins.
pub(super) fn begin_step(
    transaction: &Transaction<'_>,
    id: &str,
    step: u64,
    name: &str,
    now: Millis,
) -> Result<bool> {
    let changed = transaction.execute(
        &format!(
            "UPDATE workflow_executions SET status = 'running', current_step = ?2, step_name = ?3,
                 wait_condition = NULL, updated_at = ?4 WHERE id = ?1 AND {ACTIVE}"
        ),
        params![id, sql_id(step), name, now],
    )?;
    Ok(changed == 1)
}

/// Its status within a step.
#[derive(Debug, Default)]
pub(super) struct StepProgress<'a> {
    pub(super) wait: Option<&'a WaitCondition>,
    pub(super) policy: Option<&'a PolicySummary>,
    pub(super) code: Option<&'a str>,
}

/// It runs, waits or is paused.
pub(super) fn save_progress(
    transaction: &Transaction<'_>,
    id: &str,
    status: Status,
    progress: &StepProgress<'_>,
    now: Millis,
) -> Result<bool> {
    let changed = transaction.execute(
        &format!(
            "UPDATE workflow_executions SET status = ?2, wait_condition = ?3,
                 policy = coalesce(?4, policy), approval_code = ?5, updated_at = ?6
             WHERE id = ?1 AND {ACTIVE}"
        ),
        params![
            id,
            status.as_str(),
            progress.wait.map(text),
            progress.policy.map(text),
            progress.code,
            now
        ],
    )?;
    Ok(changed == 1)
}

/// A step has ended: its log, and what it hands on.
pub(super) fn end_step(
    transaction: &Transaction<'_>,
    id: &str,
    log: &StepLog,
    context: &Value,
    now: Millis,
) -> Result<bool> {
    let well = !matches!(log.result_type, StepResult::Retry | StepResult::Abort);
    let changed = transaction.execute(
        &format!(
            "UPDATE workflow_executions SET steps_completed = steps_completed + ?2,
                 last_step_result = ?3, context = ?4, wait_condition = NULL,
                 current_step = current_step + ?5, updated_at = ?6
             WHERE id = ?1 AND {ACTIVE}"
        ),
        params![
            id,
            i64::from(well),
            log.result_type.as_str(),
            clean(context),
            // The next step counts as begun together with the end of this one: a crash in between
            // does not repeat it.
            i64::from(well && log.result_type != StepResult::Done),
            now
        ],
    )?;
    if changed == 1 {
        write_log(transaction, id, log)?;
    }
    Ok(changed == 1)
}

/// Writes a step's log as its next attempt.
pub(super) fn write_log(transaction: &Transaction<'_>, id: &str, log: &StepLog) -> Result<()> {
    transaction.execute(
        "INSERT INTO workflow_step_logs (execution, step_index, attempt, step_name, step_kind,
             result_type, result_data, policy, verification, error_code, started_at, completed_at)
         SELECT ?1, ?2, coalesce(max(attempt), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
         FROM workflow_step_logs WHERE execution = ?1 AND step_index = ?2",
        params![
            id,
            sql_id(log.step_index),
            log.step_name,
            log.step_kind.as_str(),
            log.result_type.as_str(),
            log.result_data.as_ref().map(clean),
            log.policy_summary.as_ref().map(text),
            (!log.verification_refs.is_empty())
                .then(|| clean(&Value::from(log.verification_refs.clone()))),
            log.error_code,
            log.started_at,
            log.completed_at,
        ],
    )?;
    Ok(())
}

/// How an execution ends.
#[derive(Debug)]
pub(super) struct End {
    pub(super) status: Status,
    pub(super) result: Option<Value>,
    pub(super) error: Option<String>,
    pub(super) error_code: Option<String>,
    pub(super) cleaned: bool,
}

/// Ends an execution. False when it had ended already.
pub(super) fn end(transaction: &Transaction<'_>, id: &str, end: &End, now: Millis) -> Result<bool> {
    let changed = transaction.execute(
        &format!(
            "UPDATE workflow_executions SET status = ?2, result = ?3, error = ?4, error_code = ?5,
                 cleaned = ?6, wait_condition = NULL, approval_code = NULL,
                 current_step = min(current_step, total_steps - 1),
                 updated_at = ?7, completed_at = ?7
             WHERE id = ?1 AND {ACTIVE}"
        ),
        params![
            id,
            end.status.as_str(),
            end.result.as_ref().map(clean),
            end.error.as_deref().map(redact),
            end.error_code,
            end.cleaned,
            now
        ],
    )?;
    // It is never resumed, and the journal contains pane text.
    transaction.execute(
        &format!(
            "DELETE FROM workflow_operations WHERE execution = ?1 AND NOT EXISTS
                 (SELECT 1 FROM workflow_executions WHERE id = ?1 AND {ACTIVE})"
        ),
        [id],
    )?;
    Ok(changed == 1)
}

/// Asks the runner, in any process, to end an execution.
pub(super) fn request_abort(
    transaction: &Transaction<'_>,
    id: &str,
    reason: &str,
    now: Millis,
) -> Result<()> {
    transaction.execute(
        &format!(
            "UPDATE workflow_executions SET abort_at = coalesce(abort_at, ?2),
                 abort_reason = coalesce(abort_reason, ?3) WHERE id = ?1 AND {ACTIVE}"
        ),
        params![id, now, reason],
    )?;
    Ok(())
}

/// Whether an execution was asked to abort.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AbortRequest {
    /// Continue.
    GoOn,
    /// Abort, with the reason.
    Abort(String),
    /// It has already ended.
    Ended,
}

/// Reads that.
pub(super) fn abort_request(connection: &Connection, id: &str) -> Result<AbortRequest> {
    let found: Option<(String, Option<Millis>, Option<String>)> = connection
        .prepare_cached(
            "SELECT status, abort_at, abort_reason FROM workflow_executions WHERE id = ?1",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    Ok(match found {
        Some((status, ..)) if !Status::parse(&status).is_some_and(Status::is_active) => {
            AbortRequest::Ended
        }
        Some((_, Some(_), reason)) => AbortRequest::Abort(reason.unwrap_or_default()),
        Some(_) => AbortRequest::GoOn,
        None => AbortRequest::Ended,
    })
}

/// All executions that hold a pane.
pub(super) fn active_ids(connection: &Connection) -> Result<Vec<String>> {
    let sql = format!("SELECT id FROM workflow_executions WHERE {ACTIVE} ORDER BY number");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether its cleanup ran.
pub(super) fn cleaned(connection: &Connection, id: &str) -> Result<bool> {
    let cleaned = connection.query_row(
        "SELECT cleaned FROM workflow_executions WHERE id = ?1",
        [id],
        |row| row.get(0),
    );
    Ok(cleaned.optional()?.unwrap_or(false))
}

/// Ended executions whose trigger was not marked yet: id, event, status.
pub(super) fn unsettled(connection: &Connection) -> Result<Vec<(String, i64, Status)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, trigger_event_id, status FROM workflow_executions
         WHERE event_settled = 0 AND trigger_event_id IS NOT NULL AND NOT {ACTIVE}"
    ))?;
    let rows = statement.query_map([], |row| {
        let status: String = row.get(2)?;
        Ok((row.get(0)?, row.get(1)?, Status::parse(&status).unwrap_or(Status::Failed)))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Its trigger is marked.
pub(super) fn settled(transaction: &Transaction<'_>, id: &str) -> Result<()> {
    transaction.execute("UPDATE workflow_executions SET event_settled = 1 WHERE id = ?1", [id])?;
    Ok(())
}

/// What steps report, as it is stored.
fn clean(value: &Value) -> String {
    redact_json(&value.to_string()).into_owned()
}

/// JSON text of a value of ours, which always has one.
pub(super) fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn json<T: DeserializeOwned>(text: Option<String>) -> Option<T> {
    text.and_then(|text| serde_json::from_str(&text).ok())
}

/// Numbers of ours as SQLite has them; those that do not fit name nothing.
pub(super) fn sql_id(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
