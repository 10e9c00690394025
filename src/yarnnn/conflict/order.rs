//! What comes before what: "X before Y", "after Y, X", "X, then Y". Knows tokens and terms.

use std::collections::BTreeSet;

use super::clause::Term;
use super::token::{Kind, Token};

/// Two things and that the first comes before the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) first: BTreeSet<String>,
    pub(super) second: BTreeSet<String>,
    /// Whether the clause was told from the later thing's side: "X after Y".
    pub(super) after: bool,
}

const BEFORE: &[&str] = &[
    "before", "until", "till", "vor", "bevor", "bis", "antes", "ahead", "earlier", "precedes",
    "prior",
];
const AFTER: &[&str] = &[
    "after",
    "once",
    "since",
    "nach",
    "nachdem",
    "seit",
    "depois",
    "após",
    "later",
    "follows",
    "following",
    "afterwards",
];

/// The order that a clause states.
pub(super) fn read(tokens: &[Token], terms: &[Term]) -> Option<Order> {
    let at = tokens.iter().position(|token| token.any(BEFORE) || token.any(AFTER))?;
    let after = tokens[at].any(AFTER);
    let keys = |from: usize, to: usize| -> BTreeSet<String> {
        let inside = terms.iter().filter(|term| (from..to).contains(&term.at));
        inside.map(|term| term.key.clone()).collect()
    };
    let comma = tokens[at..].iter().position(|token| token.kind == Kind::Mark && token.is(","));
    let comma = comma.map_or(tokens.len(), |comma| at + comma);
    let point = keys(at + 1, comma);
    let mut thing = keys(0, at);
    if thing.is_empty() {
        thing = keys(comma, tokens.len());
    }
    if thing.is_empty() || point.is_empty() {
        return None;
    }
    let (first, second) = if after { (point, thing) } else { (thing, point) };
    Some(Order { first, second, after })
}

impl Order {
    /// Whether the other says that it is the other way round.
    pub(super) fn reversed(&self, other: &Self, like: &dyn Fn(&str, &str) -> bool) -> bool {
        let share = |left: &BTreeSet<String>, right: &BTreeSet<String>| {
            left.iter().filter(|one| right.iter().any(|two| like(one, two))).count()
        };
        let straight = (share(&self.first, &other.first), share(&self.second, &other.second));
        let crossed = (share(&self.first, &other.second), share(&self.second, &other.first));
        crossed.0 + crossed.1 > straight.0 + straight.1 && (crossed.0 > 0 || crossed.1 > 0)
    }
}
