//! The rules: the relation of a pair of clauses. Each rule is one function that checks a
//! pair and returns a finding or nothing. Knows nothing of scores.

use super::choice;
use super::clause::{Clause, Term};
use super::pair::{Figures, Pair};
use super::quantity::{Quantity, Relation};
use super::stance::Clash;
use super::{Kind, Severity};
use crate::model::{Block, BlockState, SemanticType};

/// The finding of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    /// The relation of the idea to the block.
    pub(super) kind: Kind,
    /// How much it matters.
    pub(super) severity: Severity,
    /// Which rule.
    pub(super) rule: &'static str,
    /// Similarity of the clauses, 0 to 1.
    pub(super) strength: f64,
    /// The finding as a sentence.
    pub(super) description: String,
}

/// Terms in common from which on clauses say the same.
const OVERLAP: f64 = 0.6;
/// The same, where each side has a noun that the other lacks.
const MIXED_OVERLAP: f64 = 0.7;
/// Terms in common from which on it is hardly worth saying again.
const STRONG_OVERLAP: f64 = 0.85;
/// Cosine from which on texts say the same.
const SIMILAR: f64 = 0.92;

/// Applies the rules to a pair of clauses. What the idea explicitly replaces is no contradiction;
/// after that the most severe contradiction wins, then similarity.
pub(super) fn judge(pair: &Pair, block: &Block, similarity: Option<f64>) -> Option<Finding> {
    let figures = pair.figures();
    if let Some(found) = superseded(pair, &figures) {
        return Some(found);
    }
    if !pair.idea.question && !pair.known.question {
        let firm = matches!(block.state, BlockState::Locked | BlockState::Constant)
            || block.semantic_type == SemanticType::Constraint;
        let found = [
            stance(pair, &figures, firm),
            limit(pair, &figures),
            figure(pair, &figures),
            choice::choice(pair, &figures),
            opposite(pair, &figures),
        ];
        // On a draw the first rule wins.
        let worst = found.into_iter().flatten().rev().max_by_key(|found| found.severity);
        if let Some(mut found) = worst {
            if pair.idea.hedged || pair.known.hedged {
                found.severity = found.severity.lowered();
            }
            found.strength = pair.jaccard(&figures);
            return Some(found);
        }
    }
    likeness(pair, &figures, similarity)
}

/// A contradiction; its strength is filled in by [`judge`].
pub(super) fn contradiction(
    rule: &'static str,
    severity: Severity,
    description: String,
) -> Finding {
    Finding { kind: Kind::Contradiction, severity, rule, strength: 0.0, description }
}

/// The subject of the pair, in the idea's terms.
pub(super) fn matter(pair: &Pair) -> String {
    let terms = pair.shared.iter().chain(pair.flips.iter().map(|(term, _)| term));
    let words: Vec<_> = terms.take(4).map(|term| term.word.as_str()).collect();
    words.join(", ")
}

/// The new text ends what the block says: "no longer", "instead of".
fn superseded(pair: &Pair, figures: &Figures) -> Option<Finding> {
    let replaced = pair.idea.replaced.as_ref()?;
    let named = replaced.keys.iter().filter(|key| pair.known.term(key).is_some()).count();
    let figure = replaced
        .figures
        .iter()
        .any(|old| pair.known.quantities.iter().any(|known| old.relate(known) == Relation::Same));
    let beyond = pair.shared.iter().any(|term| !replaced.keys.contains(&term.key));
    let whole = named >= 2 || pair.less.is_empty();
    if !(figure && beyond) && !(named * 2 >= replaced.keys.len().max(1) && (beyond || whole)) {
        return None;
    }
    Some(Finding {
        kind: Kind::Refinement,
        severity: Severity::Medium,
        rule: "supersession",
        strength: pair.jaccard(figures),
        description: format!("The idea replaces what the block says about {}.", matter(pair)),
    })
}

/// Same statement, opposite sign; or a duty against a freedom.
fn stance(pair: &Pair, figures: &Figures, firm: bool) -> Option<Finding> {
    let clash = pair.idea.stance.clash(pair.known.stance);
    if clash == Clash::None || pair.agrees() || !figures.moments.is_empty() {
        return None;
    }
    let idea_denies = pair.idea.stance.negative();
    let (no, yes) = if idea_denies { (pair.idea, pair.known) } else { (pair.known, pair.idea) };
    // "Never on Fridays" says nothing of other days.
    let restricted = if idea_denies { figures.more } else { figures.less } > 0;
    if restricted || !denied(no, yes) || pair.siblings() {
        return None;
    }
    let (no_rest, yes_rest) =
        if idea_denies { (&pair.more, &pair.less) } else { (&pair.less, &pair.more) };
    // Where each side names a doer of its own, they speak of two things.
    let subject = |terms: &[&Term]| terms.iter().any(|term| !term.predicate);
    if !no_rest.is_empty() && !yes_rest.is_empty() {
        let short = no_rest.len().min(yes_rest.len());
        if (subject(no_rest) && subject(yes_rest)) || short > 1 || pair.shared.len() < 2 {
            return None;
        }
    }
    let about = matter(pair);
    Some(match clash {
        Clash::Duty => contradiction(
            "modality",
            Severity::High,
            format!("One side requires or forbids what the other leaves open: {about}."),
        ),
        _ => contradiction(
            "polarity",
            if firm { Severity::High } else { Severity::Medium },
            format!("One side states what the other denies: {about}."),
        ),
    })
}

/// Whether what `no` denies is what `yes` says. All of it has to be there; a phrase at the end may
/// be missing when `yes` has nothing else to say.
fn denied(no: &Clause, yes: &Clause) -> bool {
    let scope: Vec<_> = no.terms.iter().filter(|term| term.negated).collect();
    let there = |key: &str| yes.term(key).is_some() || yes.around.contains(key);
    let Some(head) = scope.first() else { return false };
    let missing = scope.iter().filter(|term| !there(&term.key)).count();
    let rest = yes.terms.iter().filter(|term| !term.light && no.term(&term.key).is_none()).count();
    let weighty = scope.iter().any(|term| !term.light && there(&term.key));
    let allowed = match (rest, scope.len()) {
        (0, long) => long / 2,
        (_, long) if long > 4 => 1,
        _ => 0,
    };
    weighty && there(&head.key) && missing <= allowed
}

/// "Only X may": but something else does.
fn limit(pair: &Pair, figures: &Figures) -> Option<Finding> {
    let sides = [(pair.idea, pair.known, &pair.less), (pair.known, pair.idea, &pair.more)];
    for (only, other, others) in sides {
        let Some(limit) = &only.limit else { continue };
        let free = !other.stance.negative() && other.limit.is_none() && !only.stance.negative();
        let rest: Vec<_> =
            only.terms.iter().filter(|term| !term.light && !limit.to.contains(&term.key)).collect();
        let same = !rest.is_empty() && rest.iter().all(|term| other.term(&term.key).is_some());
        let inside = limit.to.iter().any(|key| other.term(key).is_some());
        if free && same && !inside && (1..=2).contains(&others.len()) && figures.moments.is_empty()
        {
            return Some(contradiction(
                "modality",
                Severity::High,
                format!("One side excludes what the other states: {}.", matter(pair)),
            ));
        }
    }
    None
}

/// Same attribute and unit, another figure or date.
fn figure(pair: &Pair, figures: &Figures) -> Option<Finding> {
    let negative = pair.idea.stance.negative() != pair.known.stance.negative();
    if negative || pair.idea.additive || pair.known.additive || !pair.agrees() {
        return None;
    }
    // Figures of two periods are two figures.
    let periods = !figures.moments.is_empty()
        && (!figures.different.is_empty() || figures.same + figures.more + figures.less > 0)
        && pair.idea.quantities.iter().chain(&pair.known.quantities).any(Quantity::is_measure);
    let own = figures.more > 0 && figures.less > 0;
    if periods || own || !pair.same_matter() {
        return None;
    }
    let (left, right, far) = match figures.different.as_slice() {
        [] => *figures.moments.first()?,
        [one] => *one,
        _ => return None,
    };
    let what = if left.is_moment() || right.is_moment() { "date" } else { "figure" };
    Some(contradiction(
        if what == "date" { "date" } else { "number" },
        if far { Severity::High } else { Severity::Medium },
        format!("A different {what} for the same thing: {}.", matter(pair)),
    ))
}

/// An opposite in the predicate.
fn opposite(pair: &Pair, figures: &Figures) -> Option<Finding> {
    let plain = !pair.idea.stance.negative() && !pair.known.stance.negative();
    if !plain || pair.agrees() || !figures.moments.is_empty() || pair.shared.is_empty() {
        return None;
    }
    if pair.flips.is_empty() || !pair.same_matter() {
        return None;
    }
    Some(contradiction(
        "antonym",
        Severity::Medium,
        format!("The two use opposite words for the same thing: {}.", matter(pair)),
    ))
}

/// Says the same, or the same and more.
fn likeness(pair: &Pair, figures: &Figures, similarity: Option<f64>) -> Option<Finding> {
    if !pair.agrees() || !figures.different.is_empty() || !figures.moments.is_empty() {
        return None;
    }
    let strength = pair.jaccard(figures);
    let shared = pair.shared.len() + pair.flips.len() + figures.same;
    let extra = pair.more.len() + figures.more;
    let contained = pair.less.is_empty() && figures.less == 0;
    let about = matter(pair);
    if contained && shared >= 2 && extra >= 2 && strength < STRONG_OVERLAP {
        return Some(Finding {
            kind: Kind::Refinement,
            severity: Severity::Low,
            rule: "more_exact",
            strength,
            description: format!("The idea is more precise than the block about {about}."),
        });
    }
    let close = similarity.is_some_and(|cosine| cosine >= SIMILAR)
        && figures.more == 0
        && figures.less == 0;
    let known_already = extra == 0 && shared >= 3;
    if pair.other_names() || pair.siblings() || pair.opposed {
        return None;
    }
    // Where each side has a noun of its own, more has to be the same.
    let nouns = |terms: &[&Term]| terms.iter().any(|term| !term.verb);
    let enough = if nouns(&pair.more) && nouns(&pair.less) { MIXED_OVERLAP } else { OVERLAP };
    let alike = shared >= 2 && strength >= enough;
    if !alike && !close && !known_already {
        return None;
    }
    let best = strength.max(if close { similarity.unwrap_or_default() } else { 0.0 });
    let severity = if best >= STRONG_OVERLAP { Severity::Medium } else { Severity::Low };
    Some(Finding {
        kind: Kind::Overlap,
        severity,
        rule: "overlap",
        strength: best,
        description: format!("The block already says this about {about}."),
    })
}
