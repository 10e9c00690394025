//! Rules and packs. Plain data.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::{Agent, Severity};

/// Which text a rule is for, or which text is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// What was printed, line after line.
    #[default]
    Log,
    /// What is on the screen now: programs paint it again and again.
    Screen,
    /// Both. For a pane on the alternate screen, only the screen can be scanned.
    All,
}

impl Scope {
    /// A rule of this scope is tried on text of that scope.
    pub fn covers(self, text: Self) -> bool {
        self == text || self == Self::All || text == Self::All
    }
}

/// A set of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// `core.codex`
    pub id: String,
    /// For display.
    pub name: String,
    /// Of the pack.
    pub version: String,
    /// What it is about.
    pub description: Option<String>,
    /// Its rules are tried.
    pub enabled: bool,
    /// Sorted by id.
    pub rules: Vec<Rule>,
}

/// What to look for, and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `core.codex:usage_reached`
    pub id: String,
    /// Other names, such as `codex.usage.reached`.
    pub aliases: Vec<String>,
    /// Id of its pack.
    pub pack: String,
    /// Whose text; `None` is anybody's.
    pub agent: Option<Agent>,
    /// `usage.reached`
    pub event_type: String,
    /// How much it matters.
    pub severity: Severity,
    /// Printed text or screen.
    pub scope: Scope,
    /// A match contains one of these, letter case of ASCII aside. Empty: the regex is tried on
    /// everything.
    pub anchors: Vec<String>,
    /// Named captures become `extracted`. Without a regex an anchor is enough.
    pub regex: Option<String>,
    /// What it means when it is seen.
    pub description: String,
    /// What to do.
    pub remediation: Option<String>,
    /// Which workflow handles it.
    pub workflow: Option<String>,
    /// What to do manually.
    pub manual_fix: Option<String>,
    /// Shows what would be done; `{pane}`, `{event_id}`, `{agent}`, `{rule_id}` are filled in.
    pub preview_command: Option<String>,
    /// More to read.
    pub learn_more_url: Option<String>,
    /// Names of what is extracted.
    pub extracts: Vec<String>,
    /// Extracts that change from one sighting of the same thing to the next; not part of `dedupe`.
    pub changing: Vec<String>,
    /// Examples.
    pub fixtures: Fixtures,
    /// It is tried. Rules that settings turn off, and those that cannot be compiled, stay listed.
    pub enabled: bool,
}

/// Examples of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixtures {
    /// Must be found.
    pub matches: Vec<Example>,
    /// Must not be found.
    pub near_misses: Vec<String>,
}

/// A text that a rule must find.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The text.
    pub text: String,
    /// What must be extracted: these and no others.
    #[serde(default)]
    pub extracted: BTreeMap<String, String>,
}
