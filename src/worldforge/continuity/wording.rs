//! Renders findings as issues: messages, suggestions, waivers, order.

use std::cmp::Reverse;

use super::finding::Finding;
use crate::messages::{self, Language};
use crate::model::{Issue, Severity, Waiver};
use crate::story::Story;
use crate::story::scene::NodeIndex;

/// The findings of a node as issues, the worst first.
pub(super) fn issues(
    story: &Story,
    at: NodeIndex,
    found: Vec<Finding>,
    language: Language,
) -> Vec<Issue> {
    let node = &story.scenes[at].node;
    let mut issues: Vec<Issue> = Vec::with_capacity(found.len());
    for finding in found {
        let texts = messages::texts(finding.code, language);
        let Some(text) = texts.get(finding.text).or(texts.first()) else { continue };
        let title = std::slice::from_ref(&node.title);
        let mut issue = Issue {
            severity: finding.weight(),
            code: finding.code.name().to_owned(),
            message: filled(text.message, title, &finding.args),
            node_id: node.id.clone(),
            entity_ids: finding.who.iter().map(|who| story.index.known[*who].id.clone()).collect(),
            suggestion: Some(filled(text.suggestion, title, &finding.args)),
        };
        if finding.partly {
            issue.message += language.pick(" (on some paths only)", " (só em alguns caminhos)");
        }
        if let Some(waiver) = node.waivers.iter().find(|waiver| covers(waiver, &issue)) {
            issue.severity = Severity::Info;
            let waived = language.pick("Waived", "Dispensado");
            issue.message += &format!(" {waived}: {}", waiver.reason);
        }
        issues.push(issue);
    }
    issues.sort_by(|one, other| {
        let key = |issue: &Issue| Reverse(issue.severity);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.code.cmp(&other.code))
            .then_with(|| one.entity_ids.cmp(&other.entity_ids))
            .then_with(|| one.message.cmp(&other.message))
    });
    issues.dedup();
    issues
}

fn covers(waiver: &Waiver, issue: &Issue) -> bool {
    let meant = |id| waiver.entity_ids.contains(id);
    waiver.code == issue.code
        && (waiver.entity_ids.is_empty() || issue.entity_ids.iter().any(meant))
}

/// A text with the node's title for `{node}` and the words for `{0}`, `{1}` …
fn filled(text: &str, title: &[String], words: &[String]) -> String {
    let mut filled = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        let word = match name.parse::<usize>() {
            Ok(number) => words.get(number),
            Err(_) => title.first(),
        };
        filled.push_str(word.map_or("", String::as_str));
        rest = after;
    }
    filled.push_str(rest);
    filled.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_take_their_places() {
        let words = ["Ana".to_owned(), "{0}".to_owned()];
        let title = ["Storm".to_owned()];
        assert_eq!(filled("{1}: {0} in {node}. {7}", &title, &words), "{0}: Ana in Storm.");
        assert_eq!(filled("plain", &title, &words), "plain");
    }
}
