//! The user's own rules: a YAML file that is read again whenever it changes.
//!
//! ```yaml
//! rules:
//!   - id: no-prod
//!     priority: 10            # low first; 100 when missing
//!     match:                  # all of those given must hold; none given matches everything
//!       actions: [send_text]
//!       actors: [mcp, robot]
//!       pane_ids: [3]
//!       titles: ["*prod*"]    # globs
//!       cwds: ["/srv/**"]     # globs; `*` stays in one folder
//!       domains: ["ssh:*"]    # globs
//!       commands: ["^terraform "]   # regexes, searched in every line of the text
//!       agents: [codex]
//!     decision: deny          # or allow, require_approval
//!     message: "Ask in #ops."
//! ```
//!
//! Of the rules that match, the one with the lowest priority decides; then a denial before an
//! approval before an allowance; then the one that asks for more; then the first one. A
//! file that cannot be used isan error at every decision: no rules is not what its author meant.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::gate::as_read;
use super::types::Request;
use crate::error::{Error, Kind, Result};
use crate::model::{Action, ActorKind, Agent, Decision};

const SIZE_LIMIT: usize = 1 << 20;

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) decision: Decision,
    pub(super) message: Option<String>,
    priority: i64,
    when: When,
}

#[derive(Debug, Default)]
struct When {
    actions: Vec<Action>,
    actors: Vec<ActorKind>,
    pane_ids: Vec<u64>,
    titles: Vec<Regex>,
    cwds: Vec<Regex>,
    domains: Vec<Regex>,
    commands: Vec<Regex>,
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    #[serde(default = "usual_priority")]
    priority: i64,
    #[serde(default, rename = "match")]
    when: WrittenWhen,
    decision: Decision,
    message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WrittenWhen {
    actions: Vec<Action>,
    actors: Vec<ActorKind>,
    pane_ids: Vec<u64>,
    titles: Vec<String>,
    cwds: Vec<String>,
    domains: Vec<String>,
    commands: Vec<String>,
    agents: Vec<Agent>,
}

fn usual_priority() -> i64 {
    100
}

/// The rules, in the order in which they decide.
pub(super) type Rules = Arc<Vec<Rule>>;

/// The file, as it was when it was read last.
#[derive(Debug, Default)]
pub(super) struct Cache {
    last: Mutex<Option<(Stamp, Rules)>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
}

impl Cache {
    /// The rules as they are in the file now.
    pub(super) fn rules(&self, file: Option<&Path>, optional: bool) -> Result<Rules> {
        let Some(file) = file else { return Ok(Rules::default()) };
        let stamp = match std::fs::metadata(file) {
            Ok(found) => Stamp { modified: found.modified().ok(), length: found.len() },
            Err(error) if optional && error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Rules::default());
            }
            Err(error) => return Err(unusable(file, &error.to_string())),
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, rules)) = last.as_ref()
            && *known == stamp
        {
            return Ok(Arc::clone(rules));
        }
        let text = std::fs::read_to_string(file).map_err(|e| unusable(file, &e.to_string()))?;
        let rules = Arc::new(parse(file, &text)?);
        *last = Some((stamp, Arc::clone(&rules)));
        Ok(rules)
    }
}

fn unusable(file: &Path, what: &str) -> Error {
    Kind::Config
        .because(format!("`{}`: {what}.", file.display()))
        .reason("config.policy_file")
        .hint("Fix the file. Until then the policy denies every action.")
}

fn parse(file: &Path, text: &str) -> Result<Vec<Rule>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document {
        #[serde(default)]
        rules: Vec<serde_yaml::Value>,
    }
    let empty = text.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#'));
    if empty {
        return Ok(Vec::new());
    }
    let document: Document =
        serde_yaml::from_str(text).map_err(|error| unusable(file, &error.to_string()))?;
    let mut seen = BTreeSet::new();
    let mut rules = Vec::with_capacity(document.rules.len());
    for (index, value) in document.rules.into_iter().enumerate() {
        let id = value.get("id").and_then(|id| id.as_str()).map(|id| format!(" (`{id}`)"));
        let name = format!("rule {}{}", index + 1, id.unwrap_or_default());
        let invalid = |what: String| unusable(file, &format!("{name}: {what}"));
        let written: Written =
            serde_yaml::from_value(value).map_err(|error| invalid(error.to_string()))?;
        let rule = compile(written).map_err(&invalid)?;
        if !seen.insert(rule.id.clone()) {
            return Err(invalid("the id is used twice".to_owned()));
        }
        rules.push(rule);
    }
    // Stable: rules that are equal in all this keep the order of the file.
    rules.sort_by_key(|rule| {
        let strength = match rule.decision {
            Decision::Deny => 0,
            Decision::RequireApproval => 1,
            Decision::Allow => 2,
        };
        (rule.priority, strength, usize::MAX - rule.when.asks())
    });
    Ok(rules)
}

fn compile(written: Written) -> std::result::Result<Rule, String> {
    let Written { id, priority, when, decision, message } = written;
    let plain = |next: char| next.is_ascii_alphanumeric() || "_-.".contains(next);
    if id.is_empty() || id.len() > 64 || !id.chars().all(plain) {
        return Err("id: use 1 to 64 letters, digits, `_`, `-` and `.`".to_owned());
    }
    let all = |key: &str, texts: Vec<String>, build: fn(&str) -> String| {
        texts
            .iter()
            .map(|text| {
                let built =
                    RegexBuilder::new(&build(text)).multi_line(true).size_limit(SIZE_LIMIT).build();
                built.map_err(|error| format!("match.{key}: `{text}`: {error}"))
            })
            .collect::<std::result::Result<Vec<_>, _>>()
    };
    let when = When {
        titles: all("titles", when.titles, |text| glob(text, ".*"))?,
        cwds: all("cwds", when.cwds, |text| glob(text, "[^/]*"))?,
        domains: all("domains", when.domains, |text| glob(text, ".*"))?,
        commands: all("commands", when.commands, str::to_owned)?,
        actions: when.actions,
        actors: when.actors,
        pane_ids: when.pane_ids,
        agents: when.agents,
    };
    Ok(Rule { id, decision, message, priority, when })
}

/// A glob as a regex: `*` is `star`, `**` anything, `?` one character.
fn glob(text: &str, star: &str) -> String {
    let mut regex = String::from(r"(?s)\A");
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**") {
            regex.push_str(".*");
            rest = after;
            continue;
        }
        match next {
            '*' => regex.push_str(star),
            '?' => regex.push('.'),
            other => regex.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[next.len_utf8()..];
    }
    regex.push_str(r"\z");
    regex
}

impl When {
    /// How many things it asks for.
    fn asks(&self) -> usize {
        let lists = [
            self.actions.len(),
            self.actors.len(),
            self.pane_ids.len(),
            self.titles.len(),
            self.cwds.len(),
            self.domains.len(),
            self.commands.len(),
            self.agents.len(),
        ];
        lists.into_iter().filter(|length| *length > 0).count()
    }
}

impl Rule {
    /// Whether it is about this request. What is unknown matches nothing.
    pub(super) fn matches(&self, request: &Request<'_>) -> bool {
        let When { actions, actors, pane_ids, titles, cwds, domains, commands, agents } =
            &self.when;
        let pane = request.pane;
        let any = |regexes: &[Regex], text: Option<&str>| {
            regexes.is_empty()
                || text.is_some_and(|text| regexes.iter().any(|regex| regex.is_match(text)))
        };
        let agent = request.state.and_then(|state| state.agent).map(|seen| seen.agent);
        // What is forbidden is so as well when it only reads like it; what is allowed is not.
        let restricts = self.decision != Decision::Allow;
        let read = request.text.filter(|_| restricts).map(as_read);
        (actions.is_empty() || actions.contains(&request.action))
            && (actors.is_empty() || actors.contains(&request.actor.kind))
            && (pane_ids.is_empty() || pane.is_some_and(|pane| pane_ids.contains(&pane.pane_id)))
            && any(titles, pane.and_then(|pane| pane.title.as_deref()))
            && any(cwds, pane.and_then(|pane| pane.cwd.as_deref()))
            && any(domains, pane.map(|pane| pane.domain.as_str()))
            && (any(commands, request.text) || any(commands, read.as_deref()))
            && (agents.is_empty() || agent.is_some_and(|agent| agents.contains(&agent)))
    }
}
