//! The relation of a pair of clauses: a contradiction, if one of their differences weighs enough,
//! else an overlap or a refinement. Knows nothing of scores.

use super::differences::{self, Difference, Sort};
use super::near::Near;
use super::pair::{Figures, Pair};
use super::stance::Clash;
use super::weigh::weigh;
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

/// The relation of a pair. A contradiction hides every likeness.
pub(super) fn judge(
    pair: &Pair,
    block: &Block,
    similarity: Option<f64>,
    near: &Near,
) -> Option<Finding> {
    let figures = pair.figures();
    let found = differences::differences(pair, &figures);
    if !pair.idea.question && !pair.known.question {
        let worst = heaviest(pair, &figures, &found, near);
        if let Some(difference) = worst {
            let mut finding = contradiction(pair, &figures, difference, is_firm(block));
            if pair.idea.hedged || pair.known.hedged {
                finding.severity = finding.severity.lowered();
            }
            return Some(finding);
        }
    }
    // What differs in more than words is no overlap.
    let differs = found.iter().any(|difference| difference.sort != Sort::Choice);
    if differs { None } else { likeness(pair, &figures, similarity) }
}

fn is_firm(block: &Block) -> bool {
    matches!(block.state, BlockState::Locked | BlockState::Constant)
        || block.semantic_type == SemanticType::Constraint
}

/// The cosine that is assumed to find out whether it is worth computing.
const HOPED: f64 = 0.95;

/// The difference that weighs most, if it is a contradiction; on a draw the first.
fn heaviest<'a>(
    pair: &Pair,
    figures: &Figures,
    found: &'a [Difference],
    near: &Near,
) -> Option<&'a Difference> {
    let others = found.len().saturating_sub(1);
    let weight = |difference: &Difference, cosine| {
        weigh(difference, &differences::measures(pair, figures, cosine, difference, others))
    };
    let english = pair.idea.english && pair.known.english;
    let hopeful =
        |one: &&Difference| weight(one, english.then_some(HOPED)).max(weight(one, None)) > 0.0;
    if !found.iter().any(|one| hopeful(&one)) {
        return None;
    }
    let cosine = near.cosine(pair.idea, pair.known);
    let weighed = found.iter().rev().map(|one| (weight(one, cosine), one));
    let (weight, heaviest) = weighed.max_by(|left, right| left.0.total_cmp(&right.0))?;
    (weight > 0.0).then_some(heaviest)
}

fn contradiction(pair: &Pair, figures: &Figures, of: &Difference, firm: bool) -> Finding {
    use Severity::{High, Medium};
    let far = |list: &[(_, _, bool)]| list.first().is_some_and(|(_, _, far)| *far);
    let graver = |high: bool| if high { High } else { Medium };
    let (rule, severity, what) = match of.sort {
        Sort::Number => {
            ("number", graver(far(&figures.different)), "A different figure for the same thing")
        }
        Sort::Date => {
            ("date", graver(far(&figures.moments)), "A different date for the same thing")
        }
        Sort::Polarity if pair.idea.stance.clash(pair.known.stance) == Clash::Duty => {
            ("modality", High, "One side requires or forbids what the other leaves open")
        }
        Sort::Polarity => ("polarity", graver(firm), "One side states what the other denies"),
        Sort::Opposite => ("antonym", Medium, "The two use opposite words for the same thing"),
        Sort::Share => ("quantity", Medium, "The two speak of different shares of the same thing"),
        Sort::Only => ("modality", High, "One side excludes what the other states"),
        Sort::Order => ("order", Medium, "The two tell a different order"),
        Sort::Over => ("supersession", Medium, "The idea says that this is over"),
        Sort::Condition => ("condition", Medium, "The two set different conditions"),
        Sort::Swap => ("who_did_what", Medium, "The two change places"),
        Sort::Choice => ("exclusive_choice", Medium, "One thing, two choices"),
    };
    Finding {
        kind: Kind::Contradiction,
        severity,
        rule,
        strength: pair.jaccard(figures),
        description: format!("{what}: {}.", matter(pair)),
    }
}

/// The subject of the pair, in the idea's terms.
fn matter(pair: &Pair) -> String {
    let terms = pair.shared.iter().chain(pair.flips.iter().map(|(term, _)| term));
    let words: Vec<_> = terms.take(4).map(|term| term.word.as_str()).collect();
    words.join(", ")
}

/// Whether two clauses about the same thing differ in figures, dates, names or in a denial: what
/// merging would hide.
pub(super) fn differs(pair: &Pair) -> bool {
    if pair.shared.len() + pair.flips.len() < 2 {
        return false;
    }
    let figures = pair.figures();
    let apart = figures.more > 0 && figures.less > 0;
    let denied = pair.idea.stance.negative() != pair.known.stance.negative();
    !figures.different.is_empty()
        || !figures.moments.is_empty()
        || apart
        || pair.other_names()
        || denied == pair.flips.len().is_multiple_of(2)
}

/// Says the same, or the same and more.
fn likeness(pair: &Pair, figures: &Figures, similarity: Option<f64>) -> Option<Finding> {
    let own_figures = figures.more > 0 && figures.less > 0;
    if !pair.agrees() || !figures.different.is_empty() || !figures.moments.is_empty() || own_figures
    {
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
    let nouns = |terms: &[&super::clause::Term]| terms.iter().any(|term| !term.verb);
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
