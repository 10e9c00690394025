//! Types of workflows: definitions, executions, step logs, plans.
//!
//! Plain data with the contract's vocabulary. Knows no pane and no database.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Actor, Decision, Millis, words};

/// Name of an execution: a UUID.
pub type ExecutionId = String;

/// Status of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for its turn.
    Pending,
    /// A step is running.
    Running,
    /// A step waits for the pane or for time to pass.
    Waiting,
    /// A step was held by the policy and waits for the user.
    Paused,
    /// All steps are done.
    Completed,
    /// It was aborted, by request or by its own guard.
    Aborted,
    /// A step failed, was denied, or was cut off while it sent something.
    Failed,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepResult {
    /// On to the next step.
    Continue,
    /// The workflow is done.
    Done,
    /// It is tried again.
    Retry,
    /// The workflow ends here.
    Abort,
    /// It waited, and what it waited for came.
    WaitFor,
    /// It sent something.
    SendText,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Looks whether the pane is fit.
    Guard,
    /// Waits for text, quiet or time.
    Wait,
    /// Types into the pane.
    Send,
    /// Reads, works something out, stores a record.
    Record,
}

words! {
    Status {
        Pending = "pending", Running = "running", Waiting = "waiting", Paused = "paused",
        Completed = "completed", Aborted = "aborted", Failed = "failed",
    }
    StepResult {
        Continue = "continue", Done = "done", Retry = "retry", Abort = "abort",
        WaitFor = "wait_for", SendText = "send_text",
    }
    StepKind { Guard = "guard", Wait = "wait", Send = "send", Record = "record" }
}

impl Status {
    /// It still holds its pane.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Waiting | Self::Paused)
    }
}

/// A workflow that can be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkflowInfo {
    /// Name to run it by.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Offered for events. A run by name works for every workflow that is listed.
    pub enabled: bool,
    /// May be started by an event, with nobody asking.
    pub auto_run: bool,
    /// Event types that it handles.
    pub trigger_event_types: Vec<String>,
    /// Rules that it handles; empty is any rule of those event types.
    pub trigger_rule_ids: Vec<String>,
    /// Agents that it is for; empty is any.
    pub agent_types: Vec<String>,
    /// Its steps, in order.
    pub steps: Vec<StepInfo>,
    /// A step may be held for the user by the default policy.
    pub requires_approval: bool,
    /// It may end what runs in the pane.
    pub destructive: bool,
    /// Programs that it uses, such as `caut`.
    pub dependencies: Vec<String>,
    /// The file that declares it; none is built in.
    pub file: Option<PathBuf>,
}

/// One step, as listed and planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepInfo {
    /// Its id.
    pub name: String,
    /// What it does.
    pub kind: StepKind,
    /// As text.
    pub description: String,
    /// How long it may take at most.
    pub timeout_ms: u64,
}

/// A workflow file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenFile {
    /// The file.
    pub file: PathBuf,
    /// Line and column, both from 1, where known.
    pub position: Option<(usize, usize)>,
    /// What is wrong.
    pub problem: String,
}

/// What a run would do now. Making one changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The workflow.
    pub workflow: String,
    /// The pane.
    pub pane_id: u64,
    /// The event that it would handle.
    pub trigger_event_id: Option<i64>,
    /// Its steps.
    pub steps: Vec<StepInfo>,
    /// What was checked, and its status.
    pub guards: Vec<Guard>,
    /// A run would get past its guards now.
    pub would_run: bool,
    /// A refused request.
    pub reason: Option<String>,
    /// What the policy would say to the first text or key, where that is known now.
    pub policy: Option<PolicySummary>,
    /// SHA-256 of name, pane and steps; equal plans have equal hashes.
    pub plan_hash: String,
}

/// One condition of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Guard {
    /// `alt_screen`, `command_running`, `recent_gap`, `pane_lock`, `already_handled`, `cooldown`.
    pub name: String,
    /// It holds nothing up.
    pub passed: bool,
    /// As text.
    pub detail: String,
}

/// What the policy said to a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicySummary {
    /// The decision.
    pub decision: Decision,
    /// The rule behind it.
    pub rule: Option<String>,
    /// As text.
    pub reason: Option<String>,
    /// Row of the audit, where one was written.
    pub audit_id: Option<i64>,
}

/// What an execution waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitCondition {
    /// `pattern_matched`, `pane_idle`, `external_signal` (the user's approval) or `time`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text, regular expression or rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Quiet that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// Whose signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal_name: Option<String>,
    /// Time that has to pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// When it gives up.
    pub timeout_at: Option<Millis>,
}

/// An execution, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// Its UUID.
    pub id: ExecutionId,
    /// The workflow.
    pub workflow: String,
    /// The pane's public id.
    pub pane_id: u64,
    /// The pane's identity.
    pub pane_identity: String,
    /// The event that it handles.
    pub trigger_event_id: Option<i64>,
    /// Who started it.
    pub actor: Actor,
    /// Its status.
    pub status: Status,
    /// Index of the current or last step, from 0.
    pub current_step: u64,
    /// That step's name.
    pub step_name: Option<String>,
    /// Steps in all.
    pub total_steps: u64,
    /// Steps that ended well.
    pub steps_completed: u64,
    /// How the last step ended.
    pub last_step_result: Option<StepResult>,
    /// What it waits for now.
    pub wait_condition: Option<WaitCondition>,
    /// What steps handed on to each other.
    pub context: Value,
    /// What came out.
    pub result: Option<Value>,
    /// Why it failed or was aborted.
    pub error: Option<String>,
    /// The finer code of that, such as `policy.alt_screen` or `workflow.guard_failed`.
    pub error_code: Option<String>,
    /// The policy's last word, where it denied or held a step.
    pub policy: Option<PolicySummary>,
    /// While it is paused: the code that lets the held step go on.
    pub approval_code: Option<String>,
    /// Begin.
    pub started_at: Millis,
    /// Last change.
    pub updated_at: Millis,
    /// End.
    pub completed_at: Option<Millis>,
    /// What the steps did; only when asked for.
    pub step_logs: Vec<StepLog>,
    /// The plan it was started with; only when asked for.
    pub action_plan: Option<ActionPlan>,
}

/// What one step did.
#[derive(Debug, Clone, PartialEq)]
pub struct StepLog {
    /// From 0. Steps of the cleanup go on counting after the last step.
    pub step_index: u64,
    /// Its name.
    pub step_name: String,
    /// Execution, step and attempt: never used twice.
    pub step_id: String,
    /// What kind.
    pub step_kind: StepKind,
    /// How it ended.
    pub result_type: StepResult,
    /// What came out.
    pub result_data: Option<Value>,
    /// What the policy said, where it was asked.
    pub policy_summary: Option<PolicySummary>,
    /// Evidence: what was seen in the pane.
    pub verification_refs: Vec<Value>,
    /// Finer code of a failure.
    pub error_code: Option<String>,
    /// Begin.
    pub started_at: Millis,
    /// End.
    pub completed_at: Option<Millis>,
}

/// The plan that an execution was started with.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionPlan {
    /// `plan:` and the beginning of the hash.
    pub plan_id: String,
    /// SHA-256 of the plan.
    pub plan_hash: String,
    /// The plan itself.
    pub plan: Value,
    /// When.
    pub created_at: Millis,
}

/// What an abort did.
#[derive(Debug, Clone, PartialEq)]
pub struct Aborted {
    /// The current execution.
    pub execution: Execution,
    /// It was ended by this call.
    pub aborted: bool,
    /// Cleanup was skipped on purpose.
    pub forced: bool,
    /// How it stood before.
    pub previous_status: Status,
    /// Why it was ended.
    pub reason: Option<String>,
    /// Its cleanup ran.
    pub cleanup_performed: bool,
    /// When.
    pub aborted_at: Option<Millis>,
    /// `already_completed`, `already_aborted` or `already_failed`.
    pub error_reason: Option<&'static str>,
}

/// What recovery did with executions whose process is gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Go on in this process.
    pub resumed: Vec<ExecutionId>,
    /// Failed: it is not known whether their last text was sent.
    pub failed: Vec<ExecutionId>,
    /// Ended, because that was asked for.
    pub aborted: Vec<ExecutionId>,
}

/// What would happen to an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WouldHandle {
    /// The workflow.
    pub workflow: String,
    /// A command that does it manually.
    pub preview_command: Option<String>,
    /// Where it would begin.
    pub first_step: Option<String>,
    /// A guess.
    pub estimated_duration_ms: Option<u64>,
    /// It would start by itself.
    pub would_run: bool,
    /// A refused request.
    pub reason: Option<String>,
}
