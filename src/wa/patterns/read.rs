//! Reads packs from YAML. Unknown keys are errors; every error names the file and the position.

use std::path::Path;

use serde::Deserialize;

use super::expression::compile_regex;
use super::finder::MIN_ANCHOR;
use super::rule::{Example, Fixtures, Pack, Rule, Scope};
use crate::error::{Error, Kind, Result};
use crate::model::{Agent, Severity};

/// Larger is no pack.
const MAX_BYTES: u64 = 4 << 20;
/// More rules than these are no pack.
const MAX_RULES: usize = 2000;
/// Pack of files that name none.
const CUSTOM: &str = "custom";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    pack: Option<String>,
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    agent: Option<RuleAgent>,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    rules: Vec<FullRule>,
    #[serde(default)]
    patterns: Vec<ShortRule>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RuleAgent {
    Codex,
    ClaudeCode,
    Gemini,
    Wezterm,
    Any,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullRule {
    id: String,
    #[serde(default)]
    aliases: Vec<String>,
    agent: Option<RuleAgent>,
    event_type: String,
    severity: Severity,
    #[serde(default)]
    scope: Scope,
    #[serde(default)]
    anchors: Vec<String>,
    regex: Option<String>,
    #[serde(default)]
    description: String,
    remediation: Option<String>,
    workflow: Option<String>,
    manual_fix: Option<String>,
    preview_command: Option<String>,
    learn_more_url: Option<String>,
    extracts: Option<Vec<String>>,
    #[serde(default)]
    changing: Vec<String>,
    #[serde(default)]
    matches: Vec<Example>,
    #[serde(default)]
    near_misses: Vec<String>,
}

/// A pattern of the user's own, with as little as possible to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShortRule {
    id: String,
    pattern: String,
    #[serde(default = "info")]
    severity: Severity,
    event_type: Option<String>,
    description: Option<String>,
    agent: Option<RuleAgent>,
    #[serde(default)]
    scope: Scope,
    workflow: Option<String>,
}

fn yes() -> bool {
    true
}

fn info() -> Severity {
    Severity::Info
}

impl RuleAgent {
    fn known(self) -> Option<Agent> {
        match self {
            Self::Codex => Some(Agent::Codex),
            Self::ClaudeCode => Some(Agent::ClaudeCode),
            Self::Gemini => Some(Agent::Gemini),
            Self::Wezterm => Some(Agent::Wezterm),
            Self::Any => None,
        }
    }
}

/// What a file held: the pack, and the rules of it that cannot be used.
pub(super) struct Read {
    pub(super) pack: Pack,
    pub(super) mistakes: Vec<Error>,
}

/// Reads a file of the user.
pub(super) fn file(path: &Path) -> Result<Read> {
    let name = path.display().to_string();
    let unreadable = |error: std::io::Error| {
        Kind::Config
            .because(format!("The rule pack `{name}` cannot be read: {error}."))
            .hint("Check the path and its permissions, or remove it from the settings.")
    };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > MAX_BYTES {
        return Err(invalid_pack(&name, format!("it has {size} bytes, more than {MAX_BYTES}")));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| invalid_pack(&name, format!("it is not UTF-8: {error}")))?;
    document(&name, &text)
}

/// Reads a text; `name` is what mistakes call it.
pub(super) fn document(name: &str, text: &str) -> Result<Read> {
    let document: Document =
        serde_yaml::from_str(text).map_err(|error| invalid_pack(name, error))?;
    if document.rules.len() + document.patterns.len() > MAX_RULES {
        return Err(invalid_pack(name, format!("it has more than {MAX_RULES} rules")));
    }
    let id = document.pack.clone().unwrap_or_else(|| CUSTOM.to_owned());
    let agent = document.agent;
    let mut rules = Vec::new();
    for raw in document.rules {
        rules.push(full(&id, agent, raw));
    }
    for raw in document.patterns {
        rules.push(short(&id, agent, raw));
    }

    let mut mistakes = Vec::new();
    for rule in &mut rules {
        if let Some(what) = rule_error(rule) {
            rule.enabled = false;
            mistakes.push(invalid_rule(name, text, &rule.id, &what));
        }
    }
    rules.sort_by(|a, b| a.id.cmp(&b.id));
    if let Some(pair) = rules.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(invalid_rule(name, text, &pair[0].id, "the id is used twice"));
    }
    let pack = Pack {
        name: document.name.unwrap_or_else(|| id.clone()),
        id,
        version: document.version.unwrap_or_else(|| "1".to_owned()),
        description: document.description,
        enabled: document.enabled,
        rules,
    };
    Ok(Read { pack, mistakes })
}

fn full(pack: &str, agent: Option<RuleAgent>, raw: FullRule) -> Rule {
    let extracts = raw.extracts.unwrap_or_else(|| named_captures(raw.regex.as_deref()));
    Rule {
        id: raw.id,
        aliases: raw.aliases,
        pack: pack.to_owned(),
        agent: raw.agent.or(agent).and_then(RuleAgent::known),
        event_type: raw.event_type,
        severity: raw.severity,
        scope: raw.scope,
        anchors: raw.anchors,
        regex: raw.regex,
        description: raw.description,
        remediation: raw.remediation,
        workflow: raw.workflow,
        manual_fix: raw.manual_fix,
        preview_command: raw.preview_command,
        learn_more_url: raw.learn_more_url,
        extracts,
        changing: raw.changing,
        fixtures: Fixtures { matches: raw.matches, near_misses: raw.near_misses },
        enabled: true,
    }
}

fn short(pack: &str, agent: Option<RuleAgent>, raw: ShortRule) -> Rule {
    Rule {
        aliases: Vec::new(),
        pack: pack.to_owned(),
        agent: raw.agent.or(agent).and_then(RuleAgent::known),
        event_type: raw.event_type.unwrap_or_else(|| "custom.match".to_owned()),
        severity: raw.severity,
        scope: raw.scope,
        anchors: Vec::new(),
        extracts: named_captures(Some(&raw.pattern)),
        description: raw.description.unwrap_or_else(|| format!("The pattern `{}`.", raw.id)),
        regex: Some(raw.pattern),
        id: raw.id,
        remediation: None,
        workflow: raw.workflow,
        manual_fix: None,
        preview_command: None,
        learn_more_url: None,
        changing: Vec::new(),
        fixtures: Fixtures::default(),
        enabled: true,
    }
}

/// Names of the captures, in the order of the regex; none when it does not compile.
pub(super) fn named_captures(regex: Option<&str>) -> Vec<String> {
    let compiled = regex.and_then(|regex| compile_regex(regex).ok());
    let names = compiled.iter().flat_map(regex::Regex::capture_names);
    names.flatten().map(str::to_owned).collect()
}

/// Why a rule cannot be looked for.
pub(super) fn rule_error(rule: &Rule) -> Option<String> {
    if rule.id.trim().is_empty() {
        return Some("the id is empty".to_owned());
    }
    if rule.anchors.iter().any(|anchor| anchor.trim().is_empty()) {
        return Some("an anchor is empty".to_owned());
    }
    if rule.anchors.iter().any(|anchor| anchor.len() < MIN_ANCHOR) {
        return Some("an anchor has only one character".to_owned());
    }
    let Some(regex) = &rule.regex else {
        let nothing = rule.anchors.is_empty();
        return nothing.then(|| "it has neither anchors nor a regex".to_owned());
    };
    match compile_regex(regex) {
        Err(bad) => Some(format!("the regex cannot be used: {bad}")),
        Ok(regex) if regex.is_match("") => {
            Some("the regex matches the empty text, so it matches everywhere".to_owned())
        }
        Ok(_) => None,
    }
}

fn invalid_pack(file: &str, what: impl std::fmt::Display) -> Error {
    Kind::Config
        .because(format!("The rule pack `{file}` cannot be used: {what}."))
        .hint("Fix the file, or remove it from the settings.")
}

fn invalid_rule(file: &str, text: &str, rule: &str, what: &str) -> Error {
    let place = match line_of(text, rule) {
        Some(line) => format!(" (line {line})"),
        None => String::new(),
    };
    Kind::Config
        .because(format!("The rule pack `{file}`: rule `{rule}`{place}: {what}."))
        .hint("Fix the rule, or disable it. `wa.rules_lint` lists all problems.")
}

/// Line of a rule's id, counted from 1.
fn line_of(text: &str, rule: &str) -> Option<usize> {
    let names = |line: &str| {
        line.split_once("id:").is_some_and(|(_, value)| {
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            value.strip_prefix(rule).is_some_and(|rest| {
                !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
            })
        })
    };
    text.lines().position(names).map(|index| index + 1)
}
