//! Turns findings into the answer: order, alignment, recommendation, summary. Knows the
//! formulas; of language only what must not be lost by merging.

use std::cmp::{Ordering, Reverse};

use super::clause::Clause;
use super::pair::{Pair, ratio};
use super::stance::is_negation;
use super::token::{Kind as TokenKind, Token, tokens};
use super::{Analysis, Conflict, Evidence, Kind, LISTED, LocatedFinding, Recommendation, Severity};
use crate::model::ByteSpan;

/// Alignment of an idea that nothing is known about.
const UNKNOWN: f64 = 0.5;
/// Below this the recommendation is always to revise.
const REVISE_BELOW: f64 = 0.4;

/// Counts of compared blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tally {
    /// Blocks that passed the gate.
    pub(super) related: usize,
    /// Blocks that would have, but for the focus.
    pub(super) outside: usize,
    /// Whether the idea was too long to be read to its end.
    pub(super) cut: bool,
    /// Pairs of clauses that were not compared by meaning, because there were too many.
    pub(super) unembedded: usize,
}

/// Which terms of the idea agreeing blocks cover.
#[derive(Debug)]
pub(super) struct Support {
    /// For each clause its terms of weight, and whether they are covered.
    covered: Vec<Vec<(String, bool)>>,
}

impl Support {
    /// Nothing is covered yet.
    pub(super) fn of(idea: &[Clause]) -> Self {
        let terms = |clause: &Clause| {
            let read = |_: &&super::clause::Term| !clause.whole;
            let weighty = clause.terms.iter().filter(|term| !term.light).filter(read);
            weighty.map(|term| (term.key.clone(), false)).collect()
        };
        Self { covered: idea.iter().map(terms).collect() }
    }

    /// A pair of clauses, the idea's being the one at `at`. One word in common is no support,
    /// unless it is all that the idea says.
    pub(super) fn add(&mut self, at: usize, pair: &Pair) {
        let Some(terms) = self.covered.get_mut(at) else { return };
        if pair.agrees() && (pair.shared.len() >= 2 || pair.more.is_empty()) {
            for (key, covered) in terms {
                *covered |= pair.shared.iter().any(|term| term.key == *key);
            }
        }
    }

    /// The share that is covered.
    pub(super) fn share(&self) -> f64 {
        let terms = self.covered.iter().flatten();
        ratio(terms.clone().filter(|(_, covered)| *covered).count(), terms.count())
    }
}

/// Contradictions first, then the graver, then the more alike, then a total order.
pub(super) fn order(left: &LocatedFinding, right: &LocatedFinding) -> Ordering {
    let rank = |placed: &LocatedFinding| {
        (placed.finding.kind != Kind::Contradiction, Reverse(placed.finding.severity))
    };
    let place = |placed: &LocatedFinding| (placed.idea, placed.known, placed.finding.rule);
    rank(left)
        .cmp(&rank(right))
        .then_with(|| right.finding.strength.total_cmp(&left.finding.strength))
        .then_with(|| left.finding.kind.cmp(&right.finding.kind))
        .then_with(|| left.block.id.cmp(&right.block.id))
        .then_with(|| place(left).cmp(&place(right)))
}

/// Assembles the answer.
pub(super) fn finish(
    mut placed: Vec<LocatedFinding>,
    support: f64,
    seen: Tally,
    text: &str,
) -> Analysis {
    placed.sort_by(order);
    let alignment_score = alignment(&placed, support, seen.related);
    let recommendation = recommend(&placed, alignment_score, text);
    let summary = summarise(&placed, seen, recommendation);
    let conflicts = placed.iter().take(LISTED).map(|placed| listed(placed, text)).collect();
    Analysis { alignment_score, conflicts, recommendation, support, related: seen.related, summary }
}

fn alignment(placed: &[LocatedFinding], support: f64, related: usize) -> f64 {
    if related == 0 {
        return UNKNOWN;
    }
    let against: f64 = placed.iter().map(weight).sum();
    // Round away floating-point error.
    ((0.5 + 0.5 * support - against).clamp(0.0, 1.0) * 1e9).round() / 1e9
}

fn weight(placed: &LocatedFinding) -> f64 {
    match (placed.finding.kind, placed.finding.severity) {
        (Kind::Contradiction, Severity::High) => 0.40,
        (Kind::Contradiction, Severity::Medium) => 0.25,
        (Kind::Contradiction, Severity::Low) => 0.10,
        _ => 0.0,
    }
}

fn recommend(placed: &[LocatedFinding], score: f64, text: &str) -> Recommendation {
    let kind = placed.first().map(|first| first.finding.kind);
    let grave = placed.first().is_some_and(|first| {
        first.finding.kind == Kind::Contradiction && first.finding.severity == Severity::High
    });
    let strong = placed.first().is_some_and(|first| first.finding.severity >= Severity::Medium);
    match kind {
        _ if grave || score < REVISE_BELOW => Recommendation::Revise,
        // Where less is the same, merging could hide what differs.
        Some(Kind::Overlap)
            if strong && placed.iter().take(1).all(|one| same_details(one, text)) =>
        {
            Recommendation::Merge
        }
        _ => Recommendation::Proceed,
    }
}

/// Words that turn a statement round.
const TURNING: [&str; 12] = [
    "before",
    "after",
    "until",
    "since",
    "except",
    "excluding",
    "exclude",
    "excludes",
    "excluded",
    "vor",
    "nach",
    "antes",
];

/// Whether the two statements have the same numbers, names, negations and turning words, in the same
/// order: merging what differs in one of them would lose it.
fn same_details(placed: &LocatedFinding, text: &str) -> bool {
    let details = |text: &str, span: ByteSpan| -> Vec<String> {
        let all = tokens(text.get(span.start..span.end).unwrap_or_default());
        let tells = |(at, token): &(usize, Token)| {
            token.kind == TokenKind::Number
                || *at > 0 && token.capital
                || is_negation(token)
                || token.any(&TURNING)
        };
        all.into_iter().enumerate().filter(tells).map(|(_, token)| token.lower).collect()
    };
    // What else the idea says would be merged unseen.
    let compared = placed.idea.end.saturating_sub(placed.idea.start);
    let whole = compared * 5 >= text.trim().len() * 4;
    whole && details(text, placed.idea) == details(&placed.block.content, placed.known)
}

fn listed(placed: &LocatedFinding, text: &str) -> Conflict {
    let quote =
        |text: &str, span: ByteSpan| text.get(span.start..span.end).unwrap_or_default().to_owned();
    Conflict {
        block_id: placed.block.id.clone(),
        kind: placed.finding.kind,
        severity: placed.finding.severity,
        description: placed.finding.description.clone(),
        rule: placed.finding.rule,
        evidence: Evidence {
            idea_span: placed.idea,
            block_span: placed.known,
            idea_quote: quote(text, placed.idea),
            block_quote: quote(&placed.block.content, placed.known),
        },
    }
}

fn summarise(placed: &[LocatedFinding], seen: Tally, recommendation: Recommendation) -> String {
    let Tally { related, outside, cut, unembedded } = seen;
    let mut said = String::new();
    if related == 0 {
        said.push_str("No related substrate: nothing is known about this idea.");
    } else {
        let count = |kind| placed.iter().filter(|placed| placed.finding.kind == kind).count();
        let parts: Vec<_> = [
            (Kind::Contradiction, "contradiction", "contradictions"),
            (Kind::Overlap, "overlap", "overlaps"),
            (Kind::Refinement, "refinement", "refinements"),
        ]
        .into_iter()
        .filter_map(|(kind, one, many)| match count(kind) {
            0 => None,
            1 => Some(format!("1 {one}")),
            found => Some(format!("{found} {many}")),
        })
        .collect();
        let blocks = if related == 1 { "block" } else { "blocks" };
        let found = if parts.is_empty() { "no conflict".to_owned() } else { parts.join(", ") };
        said.push_str(&format!("Compared with {related} related {blocks}: {found}."));
    }
    if outside > 0 {
        said.push_str(&format!(" {outside} more outside the focus areas were left out."));
    }
    if cut {
        said.push_str(" The idea is long and only its beginning was read; split it to be sure.");
    }
    if unembedded > 0 {
        said.push_str(&format!(
            " {unembedded} pairs of clauses were compared by their words alone."
        ));
    }
    if placed.len() > LISTED {
        said.push_str(&format!(" Only the first {LISTED} are listed."));
    }
    said.push_str(match recommendation {
        Recommendation::Proceed => "",
        Recommendation::Revise => " Settle the contradictions before adding it.",
        Recommendation::Merge => " Merge it into the block that already says so.",
    });
    said
}
