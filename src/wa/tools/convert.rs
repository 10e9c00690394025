//! Conversions between the engine's types and the contract's.

use std::str::FromStr;

use crate::accounts::Service;
use crate::error::{Kind, Result};
use crate::generated::{Agent, Decision, OwnerKind, Severity, WorkflowState};
use crate::{model, workflow};

/// The contract's value for a name; nothing when the contract has no such word.
pub(super) fn convert_enum<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

pub(super) fn severity(severity: model::Severity) -> Severity {
    match severity {
        model::Severity::Info => Severity::Info,
        model::Severity::Warning => Severity::Warning,
        model::Severity::Critical => Severity::Critical,
    }
}

pub(super) fn agent(agent: model::Agent) -> Agent {
    match agent {
        model::Agent::Codex => Agent::Codex,
        model::Agent::ClaudeCode => Agent::ClaudeCode,
        model::Agent::Gemini => Agent::Gemini,
        model::Agent::Wezterm => Agent::Wezterm,
        model::Agent::Unknown => Agent::Unknown,
    }
}

pub(super) fn decision(decision: model::Decision) -> Decision {
    match decision {
        model::Decision::Allow => Decision::Allow,
        model::Decision::Deny => Decision::Deny,
        model::Decision::RequireApproval => Decision::RequireApproval,
    }
}

pub(super) fn owner(kind: model::ActorKind) -> OwnerKind {
    match kind {
        model::ActorKind::Human => OwnerKind::Human,
        model::ActorKind::Robot => OwnerKind::Robot,
        model::ActorKind::Mcp => OwnerKind::Mcp,
        model::ActorKind::Workflow => OwnerKind::Workflow,
    }
}

pub(super) fn status(status: workflow::Status) -> WorkflowState {
    match status {
        workflow::Status::Pending => WorkflowState::Pending,
        workflow::Status::Running => WorkflowState::Running,
        workflow::Status::Waiting => WorkflowState::Waiting,
        workflow::Status::Paused => WorkflowState::Paused,
        workflow::Status::Completed => WorkflowState::Completed,
        workflow::Status::Aborted => WorkflowState::Aborted,
        workflow::Status::Failed => WorkflowState::Failed,
    }
}

/// The argument `agent`.
pub(super) fn agent_argument(name: &str) -> Result<model::Agent> {
    model::Agent::parse(name).filter(|agent| *agent != model::Agent::Unknown).ok_or_else(|| {
        Kind::InvalidArguments
            .because(format!("`agent`: no rules exist for `{name}`."))
            .hint("Use codex, claude_code, gemini or wezterm.")
    })
}

/// The argument `service`.
pub(super) fn service_argument(name: Option<&str>) -> Result<Option<Service>> {
    let Some(name) = name else { return Ok(None) };
    match Service::parse(name) {
        Some(service) => Ok(Some(service)),
        None => Err(Kind::InvalidArguments
            .because(format!("`service`: `{name}` is unknown."))
            .hint("Use openai, anthropic or google.")),
    }
}
