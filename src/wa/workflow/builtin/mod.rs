//! The six built-in workflows.
//!
//! Two type something: `handle_compaction` a prompt, `handle_usage_limits` Ctrl-C. The others only
//! read, work out a plan for the user, and store a record.

mod compaction;
pub(super) mod guards;
pub(super) mod plans;
mod sessions;
mod usage;

use serde_json::Value;

use super::Options;
use super::model::{StepInfo, StepKind, StepResult, WorkflowInfo};
use super::run::{Run, StopReason};
pub(super) use compaction::prompt;

/// How a step ended well.
pub(super) struct Outcome {
    pub(super) result: StepResult,
    pub(super) data: Value,
}

impl Outcome {
    /// On to the next step.
    pub(super) fn next(data: Value) -> Self {
        Self { result: StepResult::Continue, data }
    }

    /// The workflow is done, with this result.
    pub(super) fn done(data: Value) -> Self {
        Self { result: StepResult::Done, data }
    }
}

/// One of the six.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Compaction,
    UsageLimits,
    SessionEnd,
    AuthRequired,
    ClaudeCodeLimits,
    GeminiQuota,
}

impl BuiltIn {
    pub(super) const ALL: [Self; 6] = [
        Self::Compaction,
        Self::UsageLimits,
        Self::SessionEnd,
        Self::AuthRequired,
        Self::ClaudeCodeLimits,
        Self::GeminiQuota,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Compaction => "handle_compaction",
            Self::UsageLimits => "handle_usage_limits",
            Self::SessionEnd => "handle_session_end",
            Self::AuthRequired => "handle_auth_required",
            Self::ClaudeCodeLimits => "handle_claude_code_limits",
            Self::GeminiQuota => "handle_gemini_quota",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Compaction => {
                "After an agent compacted its context: waits until it is idle and asks it to \
                 read the project's notes again."
            }
            Self::UsageLimits => {
                "When Codex has reached its limit: ends it, stores its usage and session id, and \
                 suggests the account to continue with."
            }
            Self::SessionEnd => "When an agent's session has ended: stores its usage.",
            Self::AuthRequired => {
                "When an agent needs to sign in: says what kind of sign-in and what to do."
            }
            Self::ClaudeCodeLimits => {
                "When Claude Code is at or near its limit: reports when it resets and what to do."
            }
            Self::GeminiQuota => {
                "When Gemini is at or near its quota: reports what is left and what to do."
            }
        }
    }

    /// Event types, rules and agents that it handles.
    fn triggers(
        self,
    ) -> (&'static [&'static str], &'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Compaction => (&["session.compaction"], &[], &[]),
            Self::UsageLimits => (&["usage.reached"], &["core.codex:usage_reached"], &["codex"]),
            Self::SessionEnd => (&["session.summary", "session.end"], &[], &[]),
            Self::AuthRequired => (&["auth.device_code", "auth.error"], &[], &[]),
            Self::ClaudeCodeLimits => (&["usage.warning", "usage.reached"], &[], &["claude_code"]),
            Self::GeminiQuota => (&["usage.warning", "usage.reached"], &[], &["gemini"]),
        }
    }

    fn steps(self, options: &Options) -> Vec<StepInfo> {
        let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let whole = ms(options.step_timeout);
        let timing = &options.timing;
        let step = |name: &str, kind, description: &str, timeout_ms| StepInfo {
            name: name.to_owned(),
            kind,
            description: description.to_owned(),
            timeout_ms,
        };
        let guards = step(
            "check_guards",
            StepKind::Guard,
            "Checks that the pane is ready: no other full-screen program, no other command, no \
             lost output.",
            whole,
        );
        let cooldown = step(
            "check_cooldown",
            StepKind::Guard,
            "Checks when this last ran for the pane.",
            whole,
        );
        match self {
            Self::Compaction => vec![
                guards,
                step(
                    "stabilize",
                    StepKind::Wait,
                    "Waits until the screen is idle.",
                    ms(timing.quiet_limit),
                ),
                step("send_prompt", StepKind::Send, "Sends the prompt.", whole),
                step("verify_send", StepKind::Wait, "Waits for the agent's reaction.", whole),
            ],
            Self::UsageLimits => vec![
                guards,
                step(
                    "exit_and_persist",
                    StepKind::Send,
                    "Presses Ctrl-C, a second time if needed, and stores usage and session id.",
                    ms(timing.first_exit + timing.second_exit).saturating_add(whole),
                ),
                step("select_account", StepKind::Record, "Chooses the next account.", whole),
            ],
            Self::SessionEnd => vec![
                step("extract_summary", StepKind::Record, "Reads the summary.", whole),
                step("persist_record", StepKind::Record, "Stores it.", whole),
            ],
            Self::AuthRequired => vec![
                cooldown,
                step("classify_auth", StepKind::Record, "Determines the kind of sign-in.", whole),
                step("record_and_plan", StepKind::Record, "Reports what to do.", whole),
            ],
            Self::ClaudeCodeLimits | Self::GeminiQuota => vec![
                guards,
                cooldown,
                step(
                    "classify_and_record",
                    StepKind::Record,
                    "Reports what to do, and when.",
                    whole,
                ),
            ],
        }
    }

    pub(super) fn info(self, options: &Options) -> WorkflowInfo {
        let name = self.name().to_owned();
        let (event_types, rule_ids, agent_types) = self.triggers();
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let enabled = options.enabled.contains(&name);
        let exits = self == Self::UsageLimits;
        WorkflowInfo {
            description: self.description().to_owned(),
            enabled,
            auto_run: enabled && options.auto_run.contains(&name),
            trigger_event_types: owned(event_types),
            trigger_rule_ids: owned(rule_ids),
            agent_types: owned(agent_types),
            steps: self.steps(options),
            requires_approval: exits,
            destructive: exits,
            dependencies: if exits { vec!["caut".to_owned()] } else { Vec::new() },
            file: None,
            name,
        }
    }

    pub(super) fn estimate_ms(self) -> u64 {
        match self {
            Self::Compaction => 5_000,
            Self::UsageLimits => 10_000,
            _ => 200,
        }
    }

    /// Runs a step.
    pub(super) fn step(self, name: &str, run: &mut Run) -> Result<Outcome, StopReason> {
        match (self, name) {
            (Self::AuthRequired | Self::ClaudeCodeLimits | Self::GeminiQuota, "check_cooldown") => {
                plans::check_cooldown(run, self)
            }
            (_, "check_guards") => guards::step(run, self),
            (Self::Compaction, "stabilize") => compaction::stabilize(run),
            (Self::Compaction, "send_prompt") => compaction::send_prompt(run),
            (Self::Compaction, "verify_send") => compaction::verify(run),
            (Self::UsageLimits, "exit_and_persist") => usage::exit_and_persist(run),
            (Self::UsageLimits, "select_account") => usage::select_account(run),
            (Self::SessionEnd, "extract_summary") => sessions::extract(run),
            (Self::SessionEnd, "persist_record") => sessions::persist(run),
            (Self::AuthRequired, "classify_auth") => plans::classify_auth(run),
            (Self::AuthRequired, "record_and_plan") => plans::plan_auth(run),
            (Self::ClaudeCodeLimits | Self::GeminiQuota, "classify_and_record") => {
                plans::plan_limits(run, self)
            }
            _ => Err(StopReason::GaveUp {
                code: "workflow.unknown_step",
                reason: format!("`{}` has no step `{name}`.", self.name()),
            }),
        }
    }
}
