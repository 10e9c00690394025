//! Workflows that the user declares in `workflows/*.yaml`: format and validation.
//!
//! ```yaml
//! schema_version: 1
//! name: restart_server
//! description: Stops the server and starts it again.
//! triggers: {event_types: [error.network]}
//! steps:
//!   - {id: stop, type: send_ctrl, key: ctrl_c}
//!   - {id: stopped, type: wait_for, matcher: {kind: substring, value: bye}, timeout_ms: 10000}
//!   - {id: start, type: send_text, text: make serve, wait_for: {matcher: {kind: regex, value: 'port \d+'}}}
//! on_abort:
//!   - {id: tidy, type: send_ctrl, key: ctrl_c}
//! ```
//!
//! Unknown keys are errors with their position. Pure.
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use toolwright_runtime::digest::sha256_hex;

use super::model::{StepInfo, StepKind};
use super::table;
use crate::drive;
use crate::model::Agent;
use crate::patterns::Patterns;
use crate::redact::{redact, redact_json};

/// Steps of one workflow.
pub(super) const MAX_STEPS: usize = 32;
/// Steps of a cleanup.
pub(super) const MAX_CLEANUP: usize = 4;
/// Bytes of a matcher.
pub(super) const MAX_MATCHER: usize = 1024;
/// Bytes of a text.
pub(super) const MAX_TEXT: usize = 8192;
/// Longest wait.
pub(super) const MAX_WAIT_MS: u64 = 120_000;
/// Longest sleep.
pub(super) const MAX_SLEEP_MS: u64 = 30_000;
/// Stands for a declaration that is not kept.
const DIGEST: &str = "sha256";
/// Bytes of a file.
pub(super) const MAX_FILE: u64 = 256 << 10;

/// A declared workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared {
    /// Always 1.
    pub schema_version: u32,
    /// Name to run it by.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Offered for events.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What it handles.
    #[serde(default)]
    pub triggers: Triggers,
    /// In order.
    pub steps: Vec<Step>,
    /// Typed when it is aborted, unless by force. Sending steps only.
    #[serde(default)]
    pub on_abort: Vec<Step>,
}

/// What a declared workflow handles. All lists that are not empty have to agree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Triggers {
    /// Types of events.
    #[serde(default)]
    pub event_types: Vec<String>,
    /// Rules, by id or alias.
    #[serde(default)]
    pub rule_ids: Vec<String>,
    /// Agents.
    #[serde(default)]
    pub agent_types: Vec<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    /// Waits for text. After a sending step only what came after it counts.
    WaitFor {
        /// Unique in the workflow.
        id: String,
        /// What to wait for.
        matcher: Matcher,
        /// How long.
        #[serde(default = "half_a_minute")]
        timeout_ms: u64,
    },
    /// Waits for time to pass.
    Sleep {
        /// Unique in the workflow.
        id: String,
        /// How long.
        duration_ms: u64,
    },
    /// Types a text and Enter.
    SendText {
        /// Unique in the workflow.
        id: String,
        /// The text.
        text: String,
        /// What to wait for then; the text's own echo never counts.
        #[serde(default)]
        wait_for: Option<Wait>,
    },
    /// Presses a key.
    SendCtrl {
        /// Unique in the workflow.
        id: String,
        /// Which.
        key: Key,
    },
}

/// What follows a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    /// What to wait for.
    pub matcher: Matcher,
    /// How long.
    #[serde(default = "half_a_minute")]
    pub timeout_ms: u64,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Matcher {
    /// How the value is meant.
    pub kind: MatcherKind,
    /// Text, regular expression or rule id.
    pub value: String,
}

/// How a matcher's value is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MatcherKind {
    /// Literally.
    Substring,
    /// A regular expression.
    Regex,
    /// A rule's id or alias.
    Rule,
}

/// Keys that a workflow presses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Key {
    /// Ctrl-C.
    CtrlC,
    /// Ctrl-D.
    CtrlD,
    /// Ctrl-Z.
    CtrlZ,
}

fn yes() -> bool {
    true
}

fn half_a_minute() -> u64 {
    30_000
}

impl Declared {
    /// As an execution keeps it: whole, or only its digest when it types secrets.
    pub(super) fn written(&self) -> String {
        let text = table::text(self);
        match redact_json(&text) == text {
            true => text,
            false => serde_json::json!({ DIGEST: sha256_hex(text.as_bytes()) }).to_string(),
        }
    }

    /// What an execution has kept. `now` is the workflow as it is declared by now; it counts where
    /// only the digest was kept, and only while it is the same.
    pub(super) fn read(
        written: &str,
        now: impl FnOnce() -> Option<Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let value: serde_json::Value = serde_json::from_str(written).ok()?;
        match value.get(DIGEST).and_then(serde_json::Value::as_str) {
            Some(digest) => {
                now().filter(|now| sha256_hex(table::text(&**now).as_bytes()) == digest)
            }
            None => serde_json::from_value(value).ok().map(Arc::new),
        }
    }
}

impl Key {
    /// What a terminal sends for it.
    pub(super) fn character(self) -> &'static str {
        match self {
            Self::CtrlC => "\x03",
            Self::CtrlD => "\x04",
            Self::CtrlZ => "\x1a",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::CtrlC => "Ctrl-C",
            Self::CtrlD => "Ctrl-D",
            Self::CtrlZ => "Ctrl-Z",
        }
    }
}

impl Step {
    /// Its id.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::WaitFor { id, .. }
            | Self::Sleep { id, .. }
            | Self::SendText { id, .. }
            | Self::SendCtrl { id, .. } => id,
        }
    }

    /// As listed and planned.
    pub(super) fn info(&self) -> StepInfo {
        let (kind, description, timeout_ms) = match self {
            Self::WaitFor { matcher, timeout_ms, .. } => {
                (StepKind::Wait, format!("Waits for {}.", matcher.shown()), *timeout_ms)
            }
            Self::Sleep { duration_ms, .. } => {
                (StepKind::Wait, format!("Waits {duration_ms} ms."), *duration_ms)
            }
            Self::SendText { text, wait_for, .. } => {
                let sent = redact(text).into_owned();
                let sent: String = sent.chars().take(80).collect();
                let (then, more) = wait_for.as_ref().map_or((String::new(), 0), |wait| {
                    (format!(" and waits for {}", wait.matcher.shown()), wait.timeout_ms)
                });
                (StepKind::Send, format!("Sends `{sent}`{then}."), half_a_minute() + more)
            }
            Self::SendCtrl { key, .. } => {
                (StepKind::Send, format!("Presses {}.", key.name()), half_a_minute())
            }
        };
        StepInfo { name: self.id().to_owned(), kind, description, timeout_ms }
    }
}

impl Matcher {
    /// What it waits for, ready to use.
    pub(super) fn condition(&self, patterns: &Patterns) -> crate::error::Result<drive::Condition> {
        match self.kind {
            MatcherKind::Substring => Ok(drive::Condition::Text(self.value.clone())),
            MatcherKind::Regex => drive::condition("matcher", &self.value, true, patterns),
            MatcherKind::Rule => {
                let rule = patterns.rule(&self.value).map(|rule| rule.id.clone());
                rule.map(drive::Condition::Rule).ok_or_else(|| {
                    let near = patterns.suggest(&self.value).join("`, `");
                    let error = crate::error::Kind::InvalidArguments
                        .because(format!("There is no rule `{}`.", self.value));
                    if near.is_empty() { error } else { error.hint(format!("Near: `{near}`.")) }
                })
            }
        }
    }

    /// For display.
    pub(super) fn shown(&self) -> String {
        let value: String = redact(&self.value).chars().take(80).collect();
        match self.kind {
            MatcherKind::Substring => format!("`{value}`"),
            MatcherKind::Regex => format!("/{value}/"),
            MatcherKind::Rule => format!("rule `{value}`"),
        }
    }
}

/// What is wrong with a declaration that could be read; the first mistake.
pub(super) fn check(declared: &Declared, patterns: &Patterns) -> Result<(), String> {
    if declared.schema_version != 1 {
        return Err(format!(
            "`schema_version` is {}; only 1 is supported",
            declared.schema_version
        ));
    }
    if !is_name(&declared.name) {
        return Err(format!(
            "`name` is `{}`; it must be 1 to 64 lower-case letters, digits, `_` or `-`",
            declared.name
        ));
    }
    if declared.description.len() > MAX_MATCHER {
        return Err(format!("`description` has more than {MAX_MATCHER} bytes"));
    }
    for agent in &declared.triggers.agent_types {
        if Agent::parse(agent).is_none() {
            return Err(format!("`triggers.agent_types` names the unknown agent `{agent}`"));
        }
    }
    for rule in &declared.triggers.rule_ids {
        if patterns.rule(rule).is_none() {
            return Err(format!("`triggers.rule_ids` names the unknown rule `{rule}`"));
        }
    }
    let steps = declared.steps.len();
    if steps == 0 || steps > MAX_STEPS {
        return Err(format!("`steps` has {steps} entries; 1 to {MAX_STEPS} are allowed"));
    }
    if declared.on_abort.len() > MAX_CLEANUP {
        return Err(format!("`on_abort` has more than {MAX_CLEANUP} entries"));
    }
    let mut ids = BTreeSet::new();
    for step in declared.steps.iter().chain(&declared.on_abort) {
        if !is_name(step.id()) {
            return Err(format!("`{}` is not a valid step id", step.id()));
        }
        if !ids.insert(step.id()) {
            return Err(format!("the step id `{}` is used twice", step.id()));
        }
        check_step(step, patterns).map_err(|what| format!("step `{}`: {what}", step.id()))?;
    }
    for step in &declared.on_abort {
        if !matches!(step, Step::SendText { wait_for: None, .. } | Step::SendCtrl { .. }) {
            return Err(format!("step `{}`: `on_abort` sends only, and never waits", step.id()));
        }
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b);
    (1..=64).contains(&text.len()) && text.bytes().all(allowed)
}

fn check_step(step: &Step, patterns: &Patterns) -> Result<(), String> {
    match step {
        Step::WaitFor { matcher, timeout_ms, .. } => check_wait(matcher, *timeout_ms, patterns),
        Step::Sleep { duration_ms, .. } => within("duration_ms", *duration_ms, MAX_SLEEP_MS),
        Step::SendText { text, wait_for, .. } => {
            if text.is_empty() || text.len() > MAX_TEXT {
                return Err(format!(
                    "`text` has {} bytes; 1 to {MAX_TEXT} are allowed",
                    text.len()
                ));
            }
            match drive::classify(text).map_err(|error| error.message)? {
                drive::Input::Text(_) => {}
                drive::Input::Key { .. } => {
                    return Err("`text` is a key; use `send_ctrl`".to_owned());
                }
            }
            wait_for
                .as_ref()
                .map_or(Ok(()), |wait| check_wait(&wait.matcher, wait.timeout_ms, patterns))
        }
        Step::SendCtrl { .. } => Ok(()),
    }
}

fn check_wait(matcher: &Matcher, timeout_ms: u64, patterns: &Patterns) -> Result<(), String> {
    within("timeout_ms", timeout_ms, MAX_WAIT_MS)?;
    let length = matcher.value.len();
    if length == 0 || length > MAX_MATCHER {
        return Err(format!("`matcher` has {length} bytes; 1 to {MAX_MATCHER} are allowed"));
    }
    matcher.condition(patterns).map(drop).map_err(|error| error.message)
}

fn within(name: &str, value: u64, most: u64) -> Result<(), String> {
    if value == 0 || value > most {
        return Err(format!("`{name}` is {value}; 1 to {most} are allowed"));
    }
    Ok(())
}

impl Step {
    /// It presses a key that may end what runs.
    pub(super) fn may_end_what_runs(&self) -> bool {
        matches!(self, Self::SendCtrl { key: Key::CtrlC | Key::CtrlD, .. })
    }

    /// A guess at how long it takes when all goes well.
    pub(super) fn estimate_ms(&self) -> u64 {
        match self {
            Self::Sleep { duration_ms, .. } => *duration_ms,
            Self::WaitFor { timeout_ms, .. } => timeout_ms / 4,
            Self::SendText { wait_for, .. } => {
                500 + wait_for.as_ref().map_or(0, |wait| wait.timeout_ms / 4)
            }
            Self::SendCtrl { .. } => 200,
        }
    }
}
