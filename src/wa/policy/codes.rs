//! Every code that the policy returns, and the advice for each denial.

use super::sql;
use super::types::Refused;
use crate::error::{Error, Kind};
use crate::model::Decision;

/// Every reason that the policy can give. `config.rule.*` represents the user's own rules.
pub const REASONS: &[&str] = &[
    "E_APPROVALS_OFF",
    "E_APPROVAL_CONSUMED",
    "E_APPROVAL_EXPIRED",
    "E_APPROVAL_NOT_FOUND",
    "E_FINGERPRINT_MISMATCH",
    "E_SAME_SESSION",
    "E_TOO_MANY_ATTEMPTS",
    "E_WRONG_PANE",
    "E_WRONG_WORKSPACE",
    "command.chmod_home",
    "command.chmod_system",
    "command.disk_format",
    "command.disk_overwrite",
    "command.find_delete",
    "command.fork_bomb",
    "command.git_branch_delete",
    "command.git_clean_force",
    "command.git_push_force",
    "command.git_reset_hard",
    "command.kill_all",
    "command.pipe_to_shell",
    "command.rm_rf",
    "command.rm_rf_root",
    "command.self_approval",
    "command.shutdown",
    "command.sql_drop",
    "command.sql_truncate",
    "command.too_complex",
    "config.policy_file",
    "config.rule.*",
    "dcg.blocked",
    "dcg.unavailable",
    "policy.agent_asking",
    "policy.agent_busy",
    "policy.agent_unknown",
    "policy.alt_screen",
    "policy.alt_screen_unknown",
    "policy.destructive_action",
    "policy.not_owner",
    "policy.pane_reserved",
    "policy.prompt_required",
    "policy.prompt_unknown",
    "policy.rate_limit",
    "policy.recent_gap",
];

/// What to do about a denial.
fn advice(rule: &str) -> &'static str {
    match rule {
        "policy.alt_screen" => "Wait until the program ends, or ask the user to quit it.",
        "policy.prompt_required" => {
            "Wait until the command ends (wa.wait_for), or send \\u0003 (Ctrl-C) to end it."
        }
        "policy.agent_busy" => "Wait until the agent is idle (wa.state, wa.wait_for).",
        "policy.pane_reserved" => {
            "Wait until the reservation expires, ask its owner to release it, or use another pane."
        }
        "command.self_approval" => "Only the user may approve; ask them.",
        _ if rule.starts_with("command.") => "This is never sent. Choose a narrower command.",
        _ => "Do something else, or ask the user.",
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        let Refused { decision, rule, reason, code, expires_at, .. } = refused;
        let what = match (decision, &code, expires_at) {
            (Decision::Deny, ..) => advice(&rule).to_owned(),
            (_, Some(code), Some(at)) => format!(
                "The user decides: show them what it does; they can approve it once with `wa approve \
                 {code}` until {}. Only then do exactly the same again.",
                sql::when(at)
            ),
            _ => "Too many actions are already held. The user can list them with `wa approve`."
                .to_owned(),
        };
        let hint = format!("{what} wa.why explains `{rule}`.");
        Kind::PolicyDenied.because(reason).reason(rule).hint(hint)
    }
}
