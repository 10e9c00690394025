//! Scans text: all anchors at once, then the regexes near them.
//!
//! A match reaches at most [`REACH`] bytes and [`LINES`] lines from its anchor, so the cost of a scan
//! is that of searching for anchors, whatever the rules are.

use std::collections::BTreeMap;

use regex::Regex;
use toolwright_runtime::digest::sha256_hex;

use super::detection::Detection;
use super::expression::compile_regex;
use super::finder::Finder;
use super::regex_analysis;
use super::rule::{Pack, Rule, Scope};
use crate::model::Agent;

/// How far from its anchor a match may reach, in bytes.
pub(super) const REACH: usize = 1024;
/// How far from its anchor's line a match may reach, in lines.
const LINES: usize = 6;
/// Anchors this close share one run of the regex.
const NEAR: usize = 256;
/// A rule is found at most so often in one text; more is a flood.
const MAX_PER_RULE: usize = 256;
/// The matched text that a detection keeps.
const MAX_MATCHED: usize = 1024;
const REGEX_CONFIDENCE: f64 = 0.95;
const ANCHOR_CONFIDENCE: f64 = 0.6;

/// A rule that can be looked for.
#[derive(Debug)]
struct Compiled {
    rule: Rule,
    regex: Option<Regex>,
}

/// Rules in the form that is fast to look for.
#[derive(Debug)]
pub(super) struct Scanner {
    rules: Vec<Compiled>,
    anchors: Finder,
    /// For each anchor the rules that have it.
    owners: Vec<Vec<usize>>,
    /// Rules without anchors: their regex sees every text.
    everywhere: Vec<usize>,
}

/// Where the anchors of one rule were seen and not checked yet.
#[derive(Clone, Copy, Default)]
struct Window {
    open: bool,
    from: usize,
    hit_end: usize,
    /// End of the last match: text before it was reported.
    reported: usize,
    found: usize,
}

/// The rule is about that agent, about the terminal, or about anybody.
pub(super) fn gate(rule: Option<Agent>, pane: Option<Agent>) -> bool {
    match (rule, pane) {
        (None | Some(Agent::Wezterm), _) | (_, None | Some(Agent::Unknown)) => true,
        (Some(rule), Some(pane)) => rule == pane,
    }
}

impl Scanner {
    /// Compiles the rules of these packs that are turned on. Rules that cannot be compiled are left
    /// out; reading reported them.
    pub(super) fn new(packs: &[Pack]) -> Self {
        let mut rules = Vec::new();
        let mut everywhere = Vec::new();
        let mut owners: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for rule in packs.iter().filter(|pack| pack.enabled).flat_map(|pack| &pack.rules) {
            let regex = rule.regex.as_deref().map(compile_regex);
            let regex = match (rule.enabled, regex) {
                (false, _) | (_, Some(Err(_))) => continue,
                (true, Some(Ok(regex))) => Some(regex),
                (true, None) => None,
            };
            let index = rules.len();
            let anchors = looked_for(rule);
            if anchors.is_empty() {
                everywhere.push(index);
            }
            for anchor in anchors {
                let of_anchor = owners.entry(anchor.to_ascii_lowercase()).or_default();
                if !of_anchor.contains(&index) {
                    of_anchor.push(index);
                }
            }
            rules.push(Compiled { rule: rule.clone(), regex });
        }
        let (anchors, owners): (Vec<String>, Vec<Vec<usize>>) = owners.into_iter().unzip();
        Self { rules, anchors: Finder::new(&anchors), owners, everywhere }
    }

    /// No anchor is in the text, and no rule goes without.
    pub(super) fn rejects(&self, text: &str) -> bool {
        let mut seen = false;
        self.anchors.each(text, |_, _, _| {
            seen = true;
            false
        });
        !seen && self.everywhere.is_empty()
    }

    /// Everything in the text, by place, then by rule. See [`super::Patterns::scan`].
    pub(super) fn scan(&self, text: &str, agent: Option<Agent>, scope: Scope) -> Vec<Detection> {
        let mut found = Vec::new();
        let mut windows = vec![Window::default(); self.rules.len()];
        let wanted: Vec<bool> = self
            .rules
            .iter()
            .map(|compiled| compiled.rule.scope.covers(scope) && gate(compiled.rule.agent, agent))
            .collect();
        for &index in self.everywhere.iter().filter(|index| wanted[**index]) {
            let window = Window { open: true, hit_end: text.len(), ..Window::default() };
            self.try_regex(index, window, text, text.len(), agent, &mut found);
        }
        self.anchors.each(text, |anchor, start, end| {
            for &index in &self.owners[anchor] {
                if !wanted[index] || windows[index].found >= MAX_PER_RULE {
                    continue;
                }
                let window = &mut windows[index];
                if self.rules[index].regex.is_none() {
                    if start >= window.reported {
                        window.reported = end;
                        window.found += 1;
                        let nothing = BTreeMap::new();
                        found.push(self.detection(index, text, (start, end), nothing, agent));
                    }
                } else if window.open && start <= window.hit_end + NEAR {
                    window.hit_end = window.hit_end.max(end);
                } else {
                    if window.open {
                        let end = forward(text, window.hit_end);
                        *window = self.try_regex(index, *window, text, end, agent, &mut found);
                    }
                    window.open = true;
                    window.from = backward(text, start).max(window.reported);
                    window.hit_end = end;
                }
            }
            true
        });
        for (index, window) in windows.into_iter().enumerate().filter(|(_, window)| window.open) {
            let end = forward(text, window.hit_end);
            self.try_regex(index, window, text, end, agent, &mut found);
        }
        found.sort_by(|a, b| (a.span, &a.rule_id).cmp(&(b.span, &b.rule_id)));
        found
    }

    /// Tries a rule's regex between the window's beginning and `end`.
    fn try_regex(
        &self,
        index: usize,
        mut window: Window,
        text: &str,
        end: usize,
        agent: Option<Agent>,
        found: &mut Vec<Detection>,
    ) -> Window {
        let Some(regex) = &self.rules[index].regex else { return window };
        // What lies before the window stays in sight, for `^` and `\b`.
        let haystack = &text[..end];
        let mut at = window.from;
        while window.found < MAX_PER_RULE
            && let Some(captures) = regex.captures_at(haystack, at)
            && let Some(whole) = captures.get(0)
        {
            if whole.is_empty() {
                // An empty match says nothing; the next one begins at least a character later.
                match haystack[whole.end()..].chars().next() {
                    Some(c) => at = whole.end() + c.len_utf8(),
                    None => break,
                }
                continue;
            }
            at = whole.end();
            window.reported = at;
            window.found += 1;
            let named = regex.capture_names().flatten().filter_map(|name| {
                let value = captures.name(name)?.as_str().trim();
                (!value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
            });
            let span = (whole.start(), whole.end());
            found.push(self.detection(index, text, span, named.collect(), agent));
        }
        window.open = false;
        window
    }

    fn detection(
        &self,
        index: usize,
        text: &str,
        span: (usize, usize),
        extracted: BTreeMap<String, String>,
        agent: Option<Agent>,
    ) -> Detection {
        let Compiled { rule, regex } = &self.rules[index];
        let matched = &text[span.0..span.1];
        let cut = matched.floor_char_boundary(MAX_MATCHED);
        Detection {
            rule_id: rule.id.clone(),
            pack_id: rule.pack.clone(),
            event_type: rule.event_type.clone(),
            severity: rule.severity,
            agent: rule.agent.or(agent).unwrap_or(Agent::Unknown),
            confidence: if regex.is_some() { REGEX_CONFIDENCE } else { ANCHOR_CONFIDENCE },
            dedupe: dedupe(rule, &extracted),
            extracted,
            matched: matched[..cut].to_owned(),
            span,
        }
    }

    /// Places of a rule's anchors in a part of the text, in order, at most `limit`; and whether there were more.
    pub(super) fn anchors_of(
        &self,
        rule_id: &str,
        text: &str,
        within: (usize, usize),
        limit: usize,
    ) -> (Vec<(usize, usize)>, bool) {
        let Some(index) = self.rules.iter().position(|compiled| compiled.rule.id == rule_id) else {
            return (Vec::new(), false);
        };
        let inside = &text[within.0..within.1];
        let mut places = Vec::new();
        self.anchors.each(inside, |anchor, start, end| {
            if self.owners[anchor].contains(&index) {
                places.push((within.0 + start, within.0 + end));
            }
            places.len() <= limit
        });
        let more = places.len() > limit;
        places.truncate(limit);
        (places, more)
    }
}

/// A rule's anchors; where it has none, literals that its regex cannot match without.
fn looked_for(rule: &Rule) -> Vec<String> {
    match &rule.regex {
        Some(regex) if rule.anchors.is_empty() => {
            regex_analysis::literals(&regex_analysis::parse(regex)).unwrap_or_default()
        }
        _ => rule.anchors.clone(),
    }
}

fn dedupe(rule: &Rule, extracted: &BTreeMap<String, String>) -> String {
    let mut said = String::new();
    for (name, value) in extracted.iter().filter(|(name, _)| !rule.changing.contains(name)) {
        // Values may hold anything; lengths keep pairs apart.
        said.push_str(&format!("{name}={}:{value};", value.len()));
    }
    if said.is_empty() {
        return rule.id.clone();
    }
    let digest = sha256_hex(said.as_bytes());
    format!("{}#{}", rule.id, digest.get(..32).unwrap_or(&digest))
}

/// Start of the line [`LINES`] above, or [`REACH`] bytes before.
fn backward(text: &str, from: usize) -> usize {
    let lowest = text.floor_char_boundary(from.saturating_sub(REACH));
    let mut at = from;
    for _ in 0..=LINES {
        match text.as_bytes()[lowest..at].iter().rposition(|byte| *byte == b'\n') {
            Some(index) => at = lowest + index,
            None => return lowest,
        }
    }
    at + 1
}

/// End of the line [`LINES`] below, or [`REACH`] bytes after.
fn forward(text: &str, from: usize) -> usize {
    let highest = text.ceil_char_boundary((from + REACH).min(text.len()));
    let mut at = from;
    for _ in 0..=LINES {
        match text.as_bytes()[at..highest].iter().position(|byte| *byte == b'\n') {
            Some(index) => at += index + 1,
            None => return highest,
        }
    }
    at
}
