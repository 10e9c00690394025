//! In what two clauses differ: figures, dates, sign, opposites, shares, order, conditions, choices.
//! Each difference is one candidate for a contradiction; whether it is one decides `weigh`, which
//! sees how alike the rest is. Knows pairs, not blocks.

use super::clause::{Clause, Term};
use super::pair::{Figures, Pair, like, ratio};
use super::quantity::{Quantity, Unit};
use super::share;
use super::stance::Clash;

/// What sort of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// A figure of the same unit.
    Number,
    /// A point in time.
    Date,
    /// One side denies what the other states.
    Polarity,
    /// Opposite words.
    Opposite,
    /// All against some, most against none.
    Share,
    /// "Only" excludes what the other names.
    Only,
    /// Before against after.
    Order,
    /// The idea says that it is over.
    Over,
    /// An exception or a condition against "in any case".
    Condition,
    /// Another name or noun in the same place.
    Choice,
    /// Two who changed places: who did it and to whom.
    Swap,
}

/// All sorts, in the order of their rows of weights.
pub(super) const SORTS: [Sort; 11] = [
    Sort::Number,
    Sort::Date,
    Sort::Polarity,
    Sort::Opposite,
    Sort::Share,
    Sort::Only,
    Sort::Order,
    Sort::Over,
    Sort::Condition,
    Sort::Choice,
    Sort::Swap,
];

/// A difference, and three measures that only its sort has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub(super) sort: Sort,
    pub(super) own: [f64; 3],
}

/// One for true.
fn one(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// All differences of a pair.
pub(super) fn differences(pair: &Pair, figures: &Figures) -> Vec<Difference> {
    let mut found = Vec::new();
    // Where the day and the hour differ, or a figure and its time, two things are told.
    let scales: std::collections::BTreeSet<_> = figures
        .moments
        .iter()
        .filter_map(|(left, _, _)| match &left.unit {
            Unit::Moment(moment) => Some(moment.scale()),
            _ => None,
        })
        .collect();
    let dated = scales.contains(&super::dates::Scale::Date)
        || scales.contains(&super::dates::Scale::Relative);
    let dates = figures.moments.iter().filter(|(left, _, _)| {
        matches!(&left.unit, Unit::Moment(moment) if moment.scale() == super::dates::Scale::Date)
    });
    // Where two dates differ, one of them tells which year or period is meant.
    let apart = (scales.len() > 1 && !both_parts(figures))
        || (dated && !figures.different.is_empty())
        || dates.count() > 1;
    let counted = !figures.moments.is_empty() && !figures.different.is_empty();
    let mut add = |sort, own: Option<[f64; 3]>| {
        let timed = matches!(sort, Sort::Number | Sort::Date);
        // Closed on one day and open on another is no conflict.
        let signed = matches!(sort, Sort::Polarity | Sort::Opposite) && !figures.moments.is_empty();
        let more = sort == Sort::Date && (pair.idea.additive || pair.known.additive);
        let dropped = signed || more || (timed && apart) || (sort == Sort::Number && counted);
        if let Some(own) = own.filter(|_| !dropped) {
            found.push(Difference { sort, own });
        }
    };
    add(Sort::Number, number(figures));
    add(Sort::Date, date(figures));
    add(Sort::Polarity, polarity(pair));
    add(Sort::Opposite, opposite(pair));
    add(Sort::Share, shares(pair, figures));
    add(Sort::Only, only(pair));
    add(Sort::Order, order(pair));
    add(Sort::Over, over(pair));
    add(Sort::Condition, condition(pair));
    add(Sort::Choice, choice(pair));
    add(Sort::Swap, swap(pair));
    found
}

/// Whether hours differ as parts of the day only: "Saturday morning", "Friday afternoon".
fn both_parts(figures: &Figures) -> bool {
    figures.moments.iter().all(|(left, right, _)| match (&left.unit, &right.unit) {
        (Unit::Moment(left), Unit::Moment(right)) => {
            left.scale() != super::dates::Scale::Clock || left.is_part() && right.is_part()
        }
        _ => true,
    })
}

fn number(figures: &Figures) -> Option<[f64; 3]> {
    let (left, right, far) = *figures.different.first()?;
    let plain = |quantity: &Quantity| matches!(&quantity.unit, Unit::Count(_));
    let bare = |quantity: &Quantity| matches!(&quantity.unit, Unit::Count(noun) if noun.is_empty());
    Some([one(!plain(left) && !plain(right)), one(far), one(bare(left) || bare(right))])
}

fn date(figures: &Figures) -> Option<[f64; 3]> {
    let (left, _, far) = *figures.moments.first()?;
    let weekday = matches!(&left.unit, Unit::Moment(moment) if moment.scale() == super::dates::Scale::Weekday);
    Some([one(weekday), one(far), one(figures.moments.len() > 1)])
}

fn polarity(pair: &Pair) -> Option<[f64; 3]> {
    let clash = pair.idea.stance.clash(pair.known.stance);
    let both_over = pair.idea.replaced.is_some() && pair.known.replaced.is_some();
    if clash == Clash::None || pair.agrees() || both_over || excepted(pair) {
        return None;
    }
    let (no, yes) =
        if pair.idea.stance.negative() { (pair.idea, pair.known) } else { (pair.known, pair.idea) };
    Some([denied(no, yes), one(clash == Clash::Duty), one(!pair.flips.is_empty())])
}

/// Whether one side denies what the other leaves out.
fn excepted(pair: &Pair) -> bool {
    let sides = [(pair.idea, pair.known), (pair.known, pair.idea)];
    sides.into_iter().any(|(one, other)| {
        one.condition.except && !other.condition.except && other.stance.negative()
    })
}

/// How much of what `no` denies `yes` says.
fn denied(no: &Clause, yes: &Clause) -> f64 {
    let scope: Vec<_> = no.terms.iter().filter(|term| term.negated && !term.light).collect();
    let there = |term: &&&Term| {
        yes.terms.iter().any(|other| like(&other.key, &term.key)) || yes.around.contains(&term.key)
    };
    if scope.is_empty() { 0.5 } else { ratio(scope.iter().filter(there).count(), scope.len()) }
}

fn opposite(pair: &Pair) -> Option<[f64; 3]> {
    if pair.flips.is_empty() || pair.agrees() {
        return None;
    }
    let (left, right) = *pair.flips.first()?;
    Some([
        one(left.key == right.key),
        one(left.predicate && right.predicate),
        one(left.at == 0 || right.at == 0),
    ])
}

fn shares(pair: &Pair, figures: &Figures) -> Option<[f64; 3]> {
    let (left, right) = (portion(pair.idea)?, portion(pair.known)?);
    let percent = figures.different.iter().any(|(one, _, _)| one.unit == Unit::Percent);
    if percent || !share::apart(left, right) || excepted(pair) {
        return None;
    }
    let zero = left.1 == 0.0 || right.1 == 0.0;
    let part = |share: share::Share| share.0 > 0.0 && share.1 < 1.0;
    Some([(left.0 - right.0).abs().min(1.0), one(zero), one(part(left) || part(right))])
}

/// The share of a clause, by words or in percent.
fn portion(clause: &Clause) -> Option<share::Share> {
    let percent = clause.quantities.iter().find(|quantity| quantity.unit == Unit::Percent);
    percent.map(|of| (of.low / 100.0, of.high / 100.0)).or(clause.share)
}

fn only(pair: &Pair) -> Option<[f64; 3]> {
    let sides = [(pair.idea, pair.known, &pair.less), (pair.known, pair.idea, &pair.more)];
    for (only, other, others) in sides {
        let Some(limit) = &only.limit else { continue };
        if other.stance.negative() || only.stance.negative() {
            continue;
        }
        let inside = limit.to.iter().any(|key| other.terms.iter().any(|term| like(&term.key, key)));
        let any = other.share.is_some_and(|share| share.0 >= 1.0);
        if !inside && !others.is_empty() || any {
            let rest =
                only.terms.iter().filter(|term| !term.light && !limit.to.contains(&term.key));
            let rest: Vec<_> = rest.collect();
            let there = |term: &&&Term| other.terms.iter().any(|one| like(&one.key, &term.key));
            let same = ratio(rest.iter().filter(there).count(), rest.len());
            if any && inside && same < 1.0 {
                continue;
            }
            return Some([same, one(any), one(other.limit.is_some())]);
        }
    }
    None
}

fn order(pair: &Pair) -> Option<[f64; 3]> {
    let (left, right) = (pair.idea.order.as_ref()?, pair.known.order.as_ref()?);
    let turned = left.reversed(right, &like);
    turned
        .then(|| [one(left.after != right.after), one(!pair.flips.is_empty()), one(pair.agrees())])
}

fn over(pair: &Pair) -> Option<[f64; 3]> {
    let replaced = pair.idea.replaced.as_ref()?;
    if pair.known.replaced.is_some() {
        return None;
    }
    let named =
        replaced.keys.iter().filter(|key| pair.known.terms.iter().any(|term| like(&term.key, key)));
    let figure = replaced.figures.iter().any(|old| {
        let same = |known: &Quantity| old.relate(known) == super::quantity::Relation::Same;
        pair.known.quantities.iter().any(same)
    });
    let share = ratio(named.count(), replaced.keys.len());
    (share > 0.0 || figure).then(|| {
        let beyond = pair.shared.iter().any(|term| !replaced.keys.contains(&term.key));
        [share, one(figure), one(beyond)]
    })
}

fn condition(pair: &Pair) -> Option<[f64; 3]> {
    let sides = [(pair.idea, pair.known), (pair.known, pair.idea)];
    for (bound, other) in sides {
        let given = &bound.condition;
        if given.keys.is_empty() {
            continue;
        }
        let there = |key: &&String| {
            other.terms.iter().any(|term| like(&term.key, key)) || other.around.contains(*key)
        };
        let share = ratio(given.keys.iter().filter(there).count(), given.keys.len());
        let differs = other.condition.regardless && !given.regardless
            || given.except && !other.condition.except && share >= 0.5
            || given.given && other.condition.except;
        if differs {
            return Some([share, one(other.condition.regardless), one(given.except)]);
        }
    }
    None
}

fn choice(pair: &Pair) -> Option<[f64; 3]> {
    // One phrase on each side.
    let phrase = |terms: &[&Term]| {
        let nouns: Vec<_> = terms.iter().filter(|term| !term.verb && !term.unit).collect();
        let named = nouns.iter().any(|term| term.name);
        match (nouns.first(), nouns.last()) {
            (Some(first), Some(last)) => named || last.at - first.at < 4,
            _ => false,
        }
    };
    if !phrase(&pair.more) || !phrase(&pair.less) || pair.shared.len() + pair.flips.len() < 1 {
        return None;
    }
    let subject = |terms: &[&Term]| terms.iter().any(|term| !term.predicate && !term.verb);
    let names = |terms: &[&Term]| {
        terms.iter().filter(|term| term.name || term.capital && term.at == 0).count()
    };
    let who = subject(&pair.more) && subject(&pair.less);
    let named = names(&pair.more) > 0 && names(&pair.less) > 0;
    let family = pair.more.iter().any(|left| {
        let family = super::clause::family(&left.key);
        family.is_some()
            && pair.less.iter().any(|right| super::clause::family(&right.key) == family)
    });
    // The same place in the sentence; "by X" is the subject of the active.
    let first =
        |terms: &[&'_ Term]| terms.iter().find(|term| !term.verb).map(|term| term.lead.clone());
    let place = match (first(&pair.more), first(&pair.less)) {
        (Some(left), Some(right)) => {
            left == right
                || (left.is_empty() && right == "by")
                || (right.is_empty() && left == "by")
        }
        _ => false,
    };
    (named || place || family).then(|| [one(named), one(place || family), one(who)])
}

/// Two that both clauses name, in the other order around the same word.
fn swap(pair: &Pair) -> Option<[f64; 3]> {
    let (idea, known) = (pair.idea, pair.known);
    let at = |clause: &Clause, key: &str| {
        clause
            .terms
            .iter()
            .find(|term| like(&term.key, key))
            .map(|term| (term.at, term.lead.clone()))
    };
    let passive = |clause: &Clause| clause.terms.iter().any(|term| term.lead == "by");
    let ordered = idea.order.is_some() || known.order.is_some();
    // The passive changes places without changing who did it.
    let turned = passive(idea) != passive(known);
    if !pair.agrees() || ordered {
        return None;
    }
    for first in &pair.shared {
        for second in pair.shared.iter().filter(|second| second.at > first.at) {
            let (there, then) = (at(known, &first.key)?, at(known, &second.key)?);
            let (head, tail) = if turned { (&there, &then) } else { (&then, &there) };
            let together =
                [&second.lead, &tail.1].into_iter().any(|lead| lead == "with" || lead == "and");
            let by = [&second.lead, &tail.1].into_iter().any(|lead| lead == "by");
            if head.0 >= tail.0 || together || !first.lead.is_empty() || !head.1.is_empty() {
                continue;
            }
            if turned && !by {
                continue;
            }
            let between = pair.shared.iter().any(|verb| {
                let place = at(known, &verb.key).map_or(0, |place| place.0);
                follows(idea, first.at) == Some(verb.at)
                    && verb.at < second.at
                    && follows(known, head.0) == Some(place)
                    && place < tail.0
            });
            if between {
                let named = (first.name || first.capital) && (second.name || second.capital);
                return Some([one(named), one(first.verb || second.verb), 0.0]);
            }
        }
    }
    None
}

/// The term after another.
fn follows(clause: &Clause, at: usize) -> Option<usize> {
    clause.terms.iter().map(|term| term.at).find(|next| *next > at)
}

/// Measures of how alike the rest is.
pub(super) const MEASURES: usize = 27;

/// The measures of a difference in its pair, and how many more differences there are.
pub(super) fn measures(
    pair: &Pair,
    figures: &Figures,
    cosine: Option<f64>,
    difference: &Difference,
    others: usize,
) -> [f64; MEASURES] {
    let weighty = |terms: &[&Term]| terms.iter().filter(|term| !term.unit).count();
    let (shared, more, less) = (weighty(&pair.shared), weighty(&pair.more), weighty(&pair.less));
    let names = |terms: &[&Term]| terms.iter().any(|term| term.name);
    let (left, right) = (names(&pair.more), names(&pair.less));
    let (idea, known) = (pair.idea, pair.known);
    let part = |clause: &Clause| clause.share.is_some_and(|share| share.0 < 1.0 && share.1 > 0.0);
    // Where only the figure is left, all the rest is alike.
    let alike =
        |apart: usize| if shared + apart == 0 { 1.0 } else { ratio(shared, shared + apart) };
    let subjects = (Subject::of(idea, &pair.more), Subject::of(known, &pair.less));
    let verb = |terms: &[&Term]| terms.iter().any(|term| term.verb);
    // Another subject is just what these are about.
    let other = matches!(difference.sort, Sort::Only | Sort::Choice | Sort::Swap);
    let few = |count: usize, most: usize| ratio(count.min(most), most);
    [
        1.0,
        cosine.unwrap_or_default(),
        one(cosine.is_none()),
        alike(more.min(less)),
        alike(more + less),
        few(shared, 5),
        one(left && right),
        one(left != right),
        one(pair.siblings() || pair.opposed),
        one(modified(pair)),
        few(others, 3),
        one(figures.same > 0),
        one(figures.more > 0 && figures.less > 0),
        one(idea.once || known.once),
        few(more.min(less), 4),
        few(more + less, 10),
        one(part(idea) && part(known)),
        one(idea.stance.negative() && known.stance.negative()),
        one(idea.additive || known.additive),
        one(!other && subjects.0.own && subjects.1.own),
        subjects.0.shared.max(subjects.1.shared),
        one(!other) * f64::midpoint(one(subjects.0.head), one(subjects.1.head)),
        one(verb(&pair.more) && verb(&pair.less)),
        one(!pair.flips.is_empty() && !matches!(difference.sort, Sort::Polarity | Sort::Opposite)),
        difference.own[0],
        difference.own[1],
        difference.own[2],
    ]
}

/// How a clause's subject stands to the other clause.
struct Subject {
    /// The share of it that the other clause has too; half where there is no subject.
    shared: f64,
    /// Whether a part of it is the clause's own: "the morning class" against "the evening class".
    own: bool,
    /// Whether its last word is: "Anna's cousin" against "Anna".
    head: bool,
}

impl Subject {
    fn of(clause: &Clause, alone: &[&Term]) -> Self {
        let words = clause.terms.iter().filter(|term| !term.predicate && !term.light && !term.verb);
        let words: Vec<_> = words.collect();
        let own = |term: &&Term| alone.iter().any(|other| other.at == term.at);
        let apart = words.iter().filter(|term| own(term)).count();
        let shared = if words.is_empty() { 0.5 } else { 1.0 - ratio(apart, words.len()) };
        Self { shared, own: apart > 0, head: words.last().is_some_and(own) }
    }
}

/// Whether each side has a word of its own right before the same word: "the morning shift" and
/// "the late shift".
fn modified(pair: &Pair) -> bool {
    let before = |clause: &Clause, alone: &[&Term], key: &str| {
        let head = clause.terms.iter().find(|term| like(&term.key, key));
        head.is_some_and(|head| alone.iter().any(|term| term.at + 1 == head.at && !term.verb))
    };
    pair.shared.iter().any(|term| {
        before(pair.idea, &pair.more, &term.key) && before(pair.known, &pair.less, &term.key)
    })
}
