//! The external checker: a program that checks a command, passed as a hook's JSON on standard input.
//!
//! It blocks by a JSON answer with `permissionDecision` `deny` or `ask`, or by exit status 2 with its
//! reason on standard error. No answer and status 0 let the command pass.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::types::{Dcg, DcgMode};
use toolwright_platform::process::{self, Program, find};

/// The checker's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Not asked.
    NotAsked,
    /// Allowed.
    Pass,
    /// Blocked, and why.
    Block(String),
    /// The checker failed, and why.
    Failed(String),
}

/// Asks about a command.
pub(super) fn ask(dcg: &Dcg, command: &str) -> Answer {
    if dcg.mode == DcgMode::Off {
        return Answer::NotAsked;
    }
    let path = if dcg.program.contains('/') {
        Some(PathBuf::from(&dcg.program))
    } else {
        find(&dcg.program, std::env::var("PATH").ok().as_deref())
    };
    let Some(path) = path else {
        return Answer::Failed(format!("`{}` is not installed", dcg.program));
    };
    let question = json!({
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": command },
    });
    let program = Program { path: &path, cwd: None, vars: None, timeout: dcg.timeout };
    match program.run(&[] as &[&str], question.to_string().as_bytes()) {
        Ok(done) => match (done.code, answer(&done.text())) {
            (Some(0), Some(answer)) => answer,
            (Some(0), None) => {
                Answer::Failed(format!("`{}` returned no usable output", dcg.program))
            }
            (Some(2), Some(block @ Answer::Block(_))) => block,
            (Some(2), _) => Answer::Block(done.stderr),
            _ => Answer::Failed(format!("`{}` {}", dcg.program, done.ended())),
        },
        Err(process::Error::TimedOut(_)) => {
            Answer::Failed(format!("`{}` took too long", dcg.program))
        }
        Err(process::Error::Io(error)) => Answer::Failed(format!("`{}`: {error}", dcg.program)),
    }
}

/// Reads the checker's answer; none when it is no answer.
fn answer(text: &str) -> Option<Answer> {
    if text.trim().is_empty() {
        return Some(Answer::Pass);
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let output = value.get("hookSpecificOutput").unwrap_or(&value);
    let decision = output.get("permissionDecision").or_else(|| output.get("decision"));
    let word = |key: &str| output.get(key).and_then(Value::as_str);
    match decision.and_then(Value::as_str) {
        Some("deny" | "block" | "ask") => {
            let reason = word("permissionDecisionReason").or_else(|| word("reason"));
            let reason = reason.unwrap_or("no reason given");
            let first = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or(reason);
            let rule = word("ruleId").map(|rule| format!(" ({rule})")).unwrap_or_default();
            Some(Answer::Block(format!("{}{rule}", first.trim())))
        }
        Some("allow" | "approve") => Some(Answer::Pass),
        Some(_) => None,
        None => value.is_object().then_some(Answer::Pass),
    }
}
