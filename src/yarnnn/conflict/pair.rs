//! Compares an idea's clause with a block's clause: what they share, where they differ, and whether
//! they are about the same thing at all. Knows no rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::clause::{Clause, Term};
use super::lexicon::SIBLINGS;
use super::opposites::opposite;
use super::quantity::{Bound, Quantity, Relation, Unit};
use super::stance::Clash;
use super::stem;

/// Two clauses, compared term by term.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    /// Of the idea.
    pub(super) idea: &'a Clause,
    /// Of the block.
    pub(super) known: &'a Clause,
    /// Terms of weight in both, as they are in the idea.
    pub(super) shared: Vec<&'a Term>,
    /// Opposites in the predicates: the idea's and the block's.
    pub(super) flips: Vec<(&'a Term, &'a Term)>,
    /// Whether there are opposites that are not in both predicates: two things, or two cases.
    pub(super) opposed: bool,
    /// Terms of weight that only the idea has.
    pub(super) more: Vec<&'a Term>,
    /// Terms of weight that only the block has.
    pub(super) less: Vec<&'a Term>,
}

/// How the figures of a pair compare.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures<'a> {
    /// Said by both.
    pub(super) same: usize,
    /// Of one thing, and not both true.
    pub(super) different: Vec<(&'a Quantity, &'a Quantity, bool)>,
    /// Points in time that differ.
    pub(super) moments: Vec<(&'a Quantity, &'a Quantity, bool)>,
    /// Only in the idea.
    pub(super) more: usize,
    /// Only in the block.
    pub(super) less: usize,
}

/// Nouns that stand for whatever is counted.
static COUNTED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    "time times people person piece unit item leute menschen personen pessoas miúdos seats kid member \
     retry attempt copy entry spot place slot body head hand name round go dose portion stück vezes mal"
        .split_whitespace()
        .map(stem::key)
        .collect()
});

static ROWS: LazyLock<Vec<BTreeSet<String>>> =
    LazyLock::new(|| SIBLINGS.iter().map(|row| row.split(' ').map(stem::key).collect()).collect());

impl<'a> Pair<'a> {
    /// Compares two clauses. None when they share no significant term: the gate.
    pub(super) fn of(idea: &'a Clause, known: &'a Clause) -> Option<Self> {
        let (shared, flips, more, less) = (vec![], vec![], vec![], vec![]);
        let mut pair = Self { idea, known, shared, flips, opposed: false, more, less };
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for term in idea.terms.iter().filter(|term| !term.light) {
            match counterpart(known, term) {
                Some(other) if other.minus == term.minus => {
                    used.insert(&other.key);
                    pair.shared.push(term);
                }
                Some(other) => {
                    used.insert(&other.key);
                    if other.predicate || term.predicate {
                        pair.flips.push((term, other));
                    } else {
                        pair.opposed = true;
                        pair.more.push(term);
                        pair.less.push(other);
                    }
                }
                None if around(known, term) => {}
                None => pair.more.push(term),
            }
        }
        let missing =
            |term: &&Term| !term.light && !used.contains(term.key.as_str()) && !around(idea, term);
        pair.less.extend(known.terms.iter().filter(missing));
        pair.pair_opposites();
        (!pair.shared.is_empty() || !pair.flips.is_empty()).then_some(pair)
    }

    /// Takes opposites out of what each side has alone.
    fn pair_opposites(&mut self) {
        let mut at = 0;
        while let Some(left) = self.more.get(at).copied() {
            let found = self.less.iter().position(|right| opposite(&left.key, &right.key));
            let Some(place) = found else {
                at += 1;
                continue;
            };
            let right = self.less.remove(place);
            self.more.remove(at);
            self.flips.push((left, right));
        }
    }

    /// Whether both say yes or no in the same way. Two reversals cancel out: "not public" is
    /// "private".
    pub(super) fn agrees(&self) -> bool {
        let reversed = self.idea.stance.clash(self.known.stance) != Clash::None;
        reversed == (self.flips.len() % 2 == 1)
    }

    /// Whether each side names another sort of one thing, such as two plans.
    pub(super) fn siblings(&self) -> bool {
        ROWS.iter().any(|row| {
            let alone = |one: &Clause, other: &Clause| {
                let named = |term: &&Term| row.contains(&term.key);
                one.terms.iter().filter(named).any(|term| other.term(&term.key).is_none())
            };
            alone(self.idea, self.known) && alone(self.known, self.idea)
        })
    }

    /// Whether both sides have a name that the other lacks.
    pub(super) fn other_names(&self) -> bool {
        self.more.iter().any(|term| term.name) && self.less.iter().any(|term| term.name)
    }

    /// Shared weight against all weight, figures included.
    pub(super) fn jaccard(&self, figures: &Figures) -> f64 {
        let both = self.shared.len() + self.flips.len() + figures.same;
        let apart = self.more.len() + self.less.len() + figures.more + figures.less;
        ratio(both, both + apart)
    }

    /// Compares all figures.
    pub(super) fn figures(&self) -> Figures<'a> {
        let mut found = Figures::default();
        let mut open: Vec<&Quantity> = self.known.quantities.iter().collect();
        let mut rest: Vec<&Quantity> = Vec::new();
        for quantity in &self.idea.quantities {
            match open.iter().position(|other| self.relate(quantity, other) == Relation::Same) {
                Some(at) => {
                    open.remove(at);
                    found.same += 1;
                }
                None => rest.push(quantity),
            }
        }
        for quantity in rest {
            let like = |other: &&Quantity| self.relate(quantity, other) != Relation::Apart;
            let Some(at) = open.iter().position(like) else {
                found.more += 1;
                continue;
            };
            let other = open.remove(at);
            match self.relate(quantity, other) {
                Relation::Different { .. } if quantity.aside != other.aside => found.more += 1,
                Relation::Different { far } if quantity.is_moment() => {
                    found.moments.push((quantity, other, far));
                }
                Relation::Different { far } => found.different.push((quantity, other, far)),
                // A day of the same month says the same and more; a figure within a limit does not.
                _ if quantity.is_moment()
                    || quantity.bound == Bound::About
                    || other.bound == Bound::About =>
                {
                    found.same += 1;
                }
                _ => (found.more, found.less) = (found.more + 1, found.less + 1),
            }
        }
        found.less += open.len();
        found
    }

    /// Compares two figures; a bare number needs the other's noun in its clause.
    fn relate(&self, idea: &Quantity, known: &Quantity) -> Relation {
        if let (Unit::Count(left), Unit::Count(right)) = (&idea.unit, &known.unit)
            && left != right
        {
            let named = |noun: &str, clause: &Clause| {
                clause.term(noun).is_some() || clause.around.contains(noun)
            };
            let generic = |noun: &str| COUNTED.contains(noun);
            let fits = like(left, right)
                || generic(left)
                || generic(right)
                || (left.is_empty() != right.is_empty())
                || (left.is_empty() && named(right, self.idea))
                || (right.is_empty() && named(left, self.known));
            if !fits {
                return Relation::Apart;
            }
            // What is counted is the same, whatever it is called.
            let of = Quantity { unit: known.unit.clone(), ..idea.clone() };
            return of.relate(known);
        }
        idea.relate(known)
    }
}

/// The term of a clause that is the same word, or the same root.
fn counterpart<'a>(clause: &'a Clause, term: &Term) -> Option<&'a Term> {
    let same = clause.terms.iter().find(|other| other.key == term.key && other.minus == term.minus);
    let exact = same.or_else(|| clause.term(&term.key));
    exact.or_else(|| clause.terms.iter().find(|other| !other.light && like(&other.key, &term.key)))
}

fn around(clause: &Clause, term: &Term) -> bool {
    let mut keys = clause.around.iter().chain(&clause.context);
    keys.any(|key| like(key, &term.key))
}

/// Letters that two words must begin with to be of one root.
pub(super) const ROOT: usize = 5;

/// Whether two keys are forms of one root, or one is part of the other's compound: `insur` and
/// `insured`, `vereinssauna` and `sauna`.
pub(super) fn like(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let count = |word: &str| word.chars().count();
    let (short, long) = if count(left) <= count(right) { (left, right) } else { (right, left) };
    if count(short) < ROOT || short.contains(' ') || long.contains(' ') {
        return false;
    }
    let same = short.chars().zip(long.chars()).take_while(|(one, other)| one == other).count();
    long.starts_with(short)
        || long.ends_with(short)
        || (same >= ROOT && same * 3 >= count(long) * 2)
}

/// A share; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of words in a clause")]
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
