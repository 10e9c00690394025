//! The command gate: which shell commands in a text are denied or need approval.
//!
//! The whole text is parsed as a shell would (`lexer.rs`), every line of it, and every command in it is
//! checked, also behind `sudo`, `env`, `xargs`, `sh -c`, `eval`, in `$(…)` and in here-documents fed to
//! a shell. Quoted, printed or commented text is data and passes. A text with hidden characters is also
//! checked as it reads.
//!
//! A guard rail, not a sandbox. It knows the commands below and the usual ways to write them; a
//! program, a script file or an encoded text can do the same undetected. Text for an agent is prose,
//! so only what the agent itself would pass to a shell is checked ([`check_prose`]).

pub(super) use analyzer::as_read;
use toolwright_runtime::hidden::shown;

use crate::model::Decision;

mod analyzer;
mod families;
mod lexer;
mod paths;
mod redirect;
mod script;
#[cfg(test)]
mod tests;
mod word;
mod wrappers;

/// Every id that the gate can give, with what it decides.
pub(crate) const RULES: &[(&str, Decision)] = &[
    ("command.chmod_home", Decision::RequireApproval),
    ("command.chmod_system", Decision::Deny),
    ("command.disk_format", Decision::RequireApproval),
    ("command.disk_overwrite", Decision::RequireApproval),
    ("command.find_delete", Decision::RequireApproval),
    ("command.fork_bomb", Decision::Deny),
    ("command.git_branch_delete", Decision::RequireApproval),
    ("command.git_clean_force", Decision::RequireApproval),
    ("command.git_push_force", Decision::RequireApproval),
    ("command.git_reset_hard", Decision::RequireApproval),
    ("command.kill_all", Decision::RequireApproval),
    ("command.pipe_to_shell", Decision::RequireApproval),
    ("command.rm_rf", Decision::RequireApproval),
    ("command.rm_rf_root", Decision::Deny),
    ("command.self_approval", Decision::Deny),
    ("command.shutdown", Decision::RequireApproval),
    ("command.sql_drop", Decision::RequireApproval),
    ("command.sql_truncate", Decision::RequireApproval),
    ("command.too_complex", Decision::RequireApproval),
];

/// A dangerous command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its id: `command.*`.
    pub rule: &'static str,
    /// What is to be done about it.
    pub decision: Decision,
    /// The beginning of the command.
    pub what: String,
}

/// What was seen in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The dangerous commands, in order.
    pub findings: Vec<Finding>,
    /// Something runs as another user.
    pub sudo: bool,
    /// Something is piped.
    pub pipes: bool,
}

impl Report {
    /// The finding that decides: the first denied one, else the first.
    pub fn worst(&self) -> Option<&Finding> {
        let denied = self.findings.iter().find(|finding| finding.decision == Decision::Deny);
        denied.or_else(|| self.findings.first())
    }
}

/// Judges a text that goes to a shell in the folder `cwd`.
pub fn check(text: &str, cwd: Option<&str>) -> Report {
    analyzer::analyze(text, cwd)
}

/// Judges a text that goes to an agent. Only two things in it are commands: all of it after a `!` at
/// the beginning, which agents run in a shell, and all of it when it is one fenced shell block. Being
/// asked to approve is refused anywhere in the text.
pub fn check_prose(text: &str, cwd: Option<&str>) -> Report {
    let trimmed = text.trim();
    let mut report = match trimmed.strip_prefix('!').or_else(|| fenced(trimmed)) {
        Some(command) => check(command, cwd),
        None => Report::default(),
    };
    if report.findings.is_empty() && families::asks_to_approve(&as_read(trimmed)) {
        report.findings.push(finding("command.self_approval", "wa approve"));
    }
    report
}

/// The inside of a text that is one shell block.
fn fenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, body) = inside.split_once('\n')?;
    let shell = matches!(language.trim(), "sh" | "bash" | "zsh" | "shell" | "console");
    (shell && !body.contains("```")).then_some(body)
}

/// A finding with the decision of its rule.
fn finding(rule: &'static str, what: &str) -> Finding {
    let known = RULES.iter().find(|(id, _)| *id == rule);
    let decision = known.map_or(Decision::RequireApproval, |(_, decision)| *decision);
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut what = shown(&what).into_owned();
    if what.chars().count() > 60 {
        what = what.chars().take(59).chain(['…']).collect();
    }
    Finding { rule, decision, what }
}
