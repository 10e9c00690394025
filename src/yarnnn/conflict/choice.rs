//! The single-choice rule: the same thing done with, by or at something else. Needs more than
//! two different words, since most attributes can have several values.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::Severity;
use super::clause::{Term, family};
use super::lexicon::{HOLDER, ROOMY, SELECT, SINGLE};
use super::pair::{Figures, Pair};
use super::rules::{Finding, contradiction, matter};
use super::stem;

/// Words of a phrase that names what was chosen.
const PHRASE: usize = 3;

static SINGLES: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| SINGLE.split_whitespace().map(stem::key).collect());
static ROOMIES: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| ROOMY.split_whitespace().map(stem::key).collect());
static SELECTS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| SELECT.split_whitespace().map(stem::key).collect());
static HOLDERS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| HOLDER.split_whitespace().map(stem::key).collect());

/// Finds two choices for one thing.
pub(super) fn choice(pair: &Pair, figures: &Figures) -> Option<Finding> {
    let stated = !pair.idea.stance.negative() && !pair.known.stance.negative();
    let plain = stated && pair.flips.is_empty() && !pair.idea.additive && !pair.known.additive;
    if !plain || !figures.different.is_empty() || !figures.moments.is_empty() {
        return None;
    }
    let (left, right) = (chosen(&pair.more)?, chosen(&pair.less)?);
    let held = pair.shared.iter().any(|term| HOLDERS.contains(&term.key));
    if !left.predicate && !right.predicate && !held {
        return None;
    }
    let single = pair.idea.copula
        && pair.known.copula
        && left.predicate
        && right.predicate
        && pair.shared.iter().any(|term| SINGLES.contains(&term.key));
    let chooses = chooses(pair);
    let fits = match (family(&left.key), family(&right.key)) {
        (Some(one), Some(other)) => one == other && (chooses || same_act(pair)),
        _ if held => left.capital && right.capital,
        _ => single || (chooses && left.name && right.name),
    };
    if !fits || (pair.siblings() && !single) {
        return None;
    }
    Some(contradiction(
        "exclusive_choice",
        Severity::Medium,
        format!("One thing, two choices: {}.", matter(pair)),
    ))
}

/// Whether both tell of a choice, by the same verb or by one that may stand for the other.
fn chooses(pair: &Pair) -> bool {
    let (left, right) = (&pair.idea.choices, &pair.known.choices);
    let selects = |verbs: &BTreeSet<String>| !verbs.is_disjoint(&SELECTS);
    !left.is_disjoint(right) || (selects(left) && selects(right))
}

/// Whether both name the same act, and one that leaves no room for others.
fn same_act(pair: &Pair) -> bool {
    let acts = |term: &&&Term| term.verb && !ROOMIES.contains(&term.key);
    pair.shared.iter().filter(acts).count() > 0
}

/// The term that names the choice, when all that one side has alone is one short phrase.
fn chosen<'a>(alone: &[&'a Term]) -> Option<&'a Term> {
    let weighty: Vec<_> = alone.iter().copied().filter(|term| !term.verb).collect();
    let (first, last) = (weighty.first()?, weighty.last()?);
    let short = weighty.len() <= PHRASE && last.at.abs_diff(first.at) < PHRASE;
    let named = weighty.iter().find(|term| family(&term.key).is_some());
    let named = named.or_else(|| weighty.iter().find(|term| term.name)).or(weighty.last());
    named.copied().filter(|_| short)
}
