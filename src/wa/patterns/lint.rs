//! Lints rules: names, regexes, fixtures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::expression::compile_regex;
use super::read::named_captures;
use super::regex_analysis;
use super::rule::{Pack, Rule, Scope};
use super::scan::Scanner;
use crate::error::Error;
use crate::model::Agent;

/// Longer regexes are hard to read.
const LONG_REGEX: usize = 500;
/// Shorter anchors are everywhere, in bytes.
const SHORT_ANCHOR: usize = 3;
/// Built-in packs, and whose text their rules are about.
const CORE: [(&str, Agent); 4] = [
    ("core.claude_code", Agent::ClaudeCode),
    ("core.codex", Agent::Codex),
    ("core.gemini", Agent::Gemini),
    ("core.wezterm", Agent::Wezterm),
];

/// What lint found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintReport {
    /// All rules there are.
    pub total_rules: usize,
    /// Those checked.
    pub rules_checked: usize,
    /// Wrong.
    pub errors: Vec<Issue>,
    /// Doubtful.
    pub warnings: Vec<Issue>,
    /// When fixtures were asked for.
    pub fixture_coverage: Option<Coverage>,
    /// No errors; with `strict` no warnings either.
    pub passed: bool,
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issue {
    /// Which rule; `file:<path>` for a file that cannot be read.
    pub rule_id: String,
    /// `naming`, `regex` or `fixture`.
    pub category: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub suggestion: Option<String>,
}

/// Which rules have examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// With at least one text that must match and one that must not.
    pub rules_with_fixtures: usize,
    /// The others.
    pub rules_without_fixtures: Vec<String>,
    /// All examples.
    pub total_fixtures: usize,
}

struct Findings<'a> {
    rule: &'a Rule,
    report: &'a mut LintReport,
}

impl Findings<'_> {
    fn issue(&self, category: &'static str, message: String, suggestion: &str) -> Issue {
        let suggestion = (!suggestion.is_empty()).then(|| suggestion.to_owned());
        Issue { rule_id: self.rule.id.clone(), category, message, suggestion }
    }

    fn error(&mut self, category: &'static str, message: impl Into<String>, suggestion: &str) {
        let issue = self.issue(category, message.into(), suggestion);
        self.report.errors.push(issue);
    }

    fn warning(&mut self, category: &'static str, message: impl Into<String>, suggestion: &str) {
        let issue = self.issue(category, message.into(), suggestion);
        self.report.warnings.push(issue);
    }
}

/// Checks `packs`, which are some of `all`.
pub(super) fn lint(
    all: &[Pack],
    packs: &[Pack],
    unreadable: &[(PathBuf, Error)],
    fixtures: bool,
    strict: bool,
) -> LintReport {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for name in super::load::all_names(all) {
        *names.entry(name).or_default() += 1;
    }
    let mut report = LintReport {
        total_rules: all.iter().map(|pack| pack.rules.len()).sum(),
        fixture_coverage: fixtures.then(Coverage::default),
        ..LintReport::default()
    };
    for (file, error) in unreadable {
        report.errors.push(Issue {
            rule_id: format!("file:{}", file.display()),
            category: "naming",
            message: error.message.clone(),
            suggestion: error.hint.clone(),
        });
    }
    for rule in packs.iter().flat_map(|pack| &pack.rules) {
        report.rules_checked += 1;
        let mut findings = Findings { rule, report: &mut report };
        check_names(&mut findings, &names);
        check_regex(&mut findings);
        if fixtures {
            check_fixtures(&mut findings);
        }
    }
    report.errors.sort();
    report.warnings.sort();
    report.passed = report.errors.is_empty() && (!strict || report.warnings.is_empty());
    report
}

fn check_names(findings: &mut Findings<'_>, names: &BTreeMap<&str, usize>) {
    let rule = findings.rule;
    let expected = format!("Write it as `{}:some_name`.", rule.pack);
    match rule.id.split_once(':') {
        Some((pack, name)) if dotted(pack) && word(name) => {
            if pack != rule.pack {
                let message = format!("the id's prefix `{pack}` is not its pack, `{}`", rule.pack);
                findings.error("naming", message, &expected);
            }
        }
        _ => findings.error("naming", "the id is not of the form `pack:name`", &expected),
    }
    let core = CORE.iter().find(|(pack, _)| *pack == rule.pack);
    if let Some((_, agent)) = core
        && rule.agent != Some(*agent)
    {
        let message = format!("a rule of `{}` must be about `{agent}`", rule.pack);
        findings.error("naming", message, "Omit `agent`, or move the rule to another pack.");
    }
    for name in std::iter::once(&rule.id).chain(&rule.aliases) {
        if names.get(name.as_str()).is_some_and(|count| *count > 1) {
            let message = format!("the name `{name}` belongs to more than one rule");
            findings.error("naming", message, "Give each rule its own id and aliases.");
        }
    }
    for alias in rule.aliases.iter().filter(|alias| !dotted(alias)) {
        let message = format!("the alias `{alias}` is not words separated by dots");
        findings.error("naming", message, "Write it as `agent.topic.name`.");
    }
    if !dotted(&rule.event_type) || !rule.event_type.contains('.') {
        let message =
            format!("the event type `{}` is not of the form `topic.what`", rule.event_type);
        findings.error("naming", message, "Write it as `usage.reached`.");
    }
    if rule.workflow.as_deref().is_some_and(|workflow| !word(workflow)) {
        findings.error("naming", "the workflow's name is not in snake_case", "");
    }
    if rule.description.trim().is_empty() {
        findings.warning("naming", "it has no description", "Describe what a match means.");
    }
}

/// Small letters, digits and underscores, a letter first.
fn word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn dotted(text: &str) -> bool {
    text.split('.').all(word)
}

fn check_regex(findings: &mut Findings<'_>) {
    let rule = findings.rule;
    check_anchors(findings);
    let Some(regex) = &rule.regex else {
        if !rule.extracts.is_empty() {
            findings.error("regex", "it extracts something but has no regex", "");
        }
        return;
    };
    if let Some(mistake) = super::read::rule_error(rule) {
        findings.error("regex", mistake, "");
    }
    if compile_regex(regex).is_err() {
        return;
    }
    let captured: BTreeSet<String> = named_captures(Some(regex)).into_iter().collect();
    let reported: BTreeSet<String> = rule.extracts.iter().cloned().collect();
    for name in reported.difference(&captured) {
        let message = format!("`extracts` names `{name}`, which the regex does not capture");
        findings.error("regex", message, &format!("Add `(?<{name}>…)` or remove the name."));
    }
    for name in captured.difference(&reported) {
        let message = format!("the regex captures `{name}`, which `extracts` does not name");
        findings.error("regex", message, "Add the name, or make the group `(?:…)`.");
    }
    for name in rule.changing.iter().filter(|name| !captured.contains(*name)) {
        let message = format!("`changing` names `{name}`, which the regex does not capture");
        findings.error("regex", message, "");
    }
    let tree = regex_analysis::parse(regex);
    if regex_analysis::nested_repetition(&tree) {
        let message = "it nests unbounded repetitions";
        findings.warning(
            "regex",
            message,
            "Backtracking engines are slow on it; use a single repetition.",
        );
    }
    if regex_analysis::wildcards_in_a_row(&tree) >= 3 {
        findings.warning("regex", "it has three wildcards in a row", "One is enough.");
    }
    let length = regex.chars().count();
    if length > LONG_REGEX {
        let message = format!("the regex has {length} characters, more than {LONG_REGEX}");
        findings.warning("regex", message, "Split the rule.");
    }
    if regex.contains("  ") && !regex.contains("(?x") {
        let message = "it has two spaces in a row, which are easily lost";
        findings.warning("regex", message, r"Write ` {2}` or `\s+`.");
    }
    if rule.anchors.is_empty() && regex_analysis::literals(&tree).is_none() {
        let message = "no literal occurs in every match, so the regex runs on all text";
        findings.warning("regex", message, "Add an anchor, or a longer literal.");
    }
    if !rule.anchors.is_empty() && !regex_analysis::implies(&tree, &rule.anchors) {
        let message = "the regex can match text without any of the anchors";
        findings.warning("regex", message, "Such a match is never found; add an anchor for it.");
    }
}

fn check_anchors(findings: &mut Findings<'_>) {
    let rule = findings.rule;
    if rule.regex.is_none() && rule.anchors.is_empty() {
        findings.error("regex", "it has neither anchors nor a regex", "Add an anchor.");
    }
    let mut seen = BTreeSet::new();
    for anchor in &rule.anchors {
        if rule.regex.is_none() && anchor.trim().is_empty() {
            findings.error("regex", "an anchor is empty", "Remove it.");
        } else if anchor.len() < SHORT_ANCHOR {
            let message = format!("the anchor `{anchor}` is too short to be selective");
            findings.warning("regex", message, "Use a longer one.");
        }
        if !seen.insert(anchor.to_ascii_lowercase()) {
            let message = format!("the anchor `{anchor}` is listed twice");
            findings.warning("regex", message, "Remove one.");
        }
    }
}

fn check_fixtures(findings: &mut Findings<'_>) {
    let rule = findings.rule;
    let (matches, misses) = (&rule.fixtures.matches, &rule.fixtures.near_misses);
    if let Some(coverage) = &mut findings.report.fixture_coverage {
        coverage.total_fixtures += matches.len() + misses.len();
        if matches.is_empty() || misses.is_empty() {
            coverage.rules_without_fixtures.push(rule.id.clone());
        } else {
            coverage.rules_with_fixtures += 1;
        }
    }
    if matches.is_empty() {
        findings.warning("fixture", "it has no matching example", "Add one under `matches`.");
    }
    if misses.is_empty() {
        findings.warning("fixture", "it has no near-miss example", "Add one under `near_misses`.");
    }
    let only = Pack {
        id: rule.pack.clone(),
        name: String::new(),
        version: String::new(),
        description: None,
        enabled: true,
        rules: vec![Rule { enabled: true, ..rule.clone() }],
    };
    let engine = Scanner::new(&[only]);
    for (index, example) in matches.iter().enumerate() {
        let number = index + 1;
        let found = engine.scan(&example.text, rule.agent, Scope::All);
        match found.iter().find(|found| found.extracted == example.extracted) {
            Some(_) => {}
            None if found.is_empty() => {
                findings.error("fixture", format!("example {number} does not match"), "");
            }
            None => {
                // Names only: examples may show what secrets look like.
                let keys: Vec<&str> =
                    found.iter().flat_map(|f| f.extracted.keys()).map(String::as_str).collect();
                let keys = if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") };
                let message =
                    format!("example {number} extracts other values ({keys}) than declared");
                findings.error("fixture", message, "");
            }
        }
    }
    for (index, text) in misses.iter().enumerate() {
        if !engine.scan(text, rule.agent, Scope::All).is_empty() {
            let message = format!("near miss {} matches", index + 1);
            findings.error("fixture", message, "Make the regex stricter.");
        }
    }
}
