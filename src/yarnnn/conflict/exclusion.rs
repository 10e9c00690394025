//! Two kinds of exclusion: "only X", which excludes the rest, and "instead of X" or "no longer",
//! which ends a previous state. Knows tokens and terms of one clause.

use std::collections::BTreeSet;

use super::clause::Term;
use super::quantity::Quantity;
use super::stem;
use super::token::{Kind, Token};

/// What "only" limits a clause to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limit {
    /// Keys that "only" speaks of.
    pub(super) to: BTreeSet<String>,
}

/// What a clause says is over.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Replaced {
    /// Keys of what is over.
    pub(super) keys: BTreeSet<String>,
    /// Figures that are over.
    pub(super) figures: Vec<Quantity>,
}

/// What "only" limits the clause to: the words right after it, or right before it at the end.
pub(super) fn limit(tokens: &[Token], terms: &[Term], verb: usize) -> Option<Limit> {
    let at = tokens.iter().position(|token| token.any(&["only", "solely", "exclusively"]))?;
    let keys = |from: usize, to: usize| -> BTreeSet<String> {
        let inside = |term: &&Term| (from..to).contains(&term.at) && !term.light;
        terms.iter().filter(inside).map(|term| term.key.clone()).collect()
    };
    let last = tokens.iter().rposition(|token| token.kind == Kind::Word) == Some(at);
    let to = if last {
        let lead = tokens[..at].iter().rposition(|token| token.any(LEADS)).unwrap_or(verb);
        keys(lead, at)
    } else if !keys(at, verb).is_empty() {
        keys(at, verb)
    } else {
        // "only sell to companies in Germany" is about the last phrase.
        let lead = tokens.iter().rposition(|token| token.any(LEADS)).filter(|lead| *lead > at);
        keys(lead.unwrap_or(at), tokens.len())
    };
    (!to.is_empty()).then_some(Limit { to })
}

const LEADS: &[&str] = &["by", "to", "in", "on", "for", "from", "with", "at", "via", "through"];

/// What the clause says is over.
pub(super) fn replaced(
    tokens: &[Token],
    terms: &[Term],
    quantities: &[Quantity],
) -> Option<Replaced> {
    let (from, to) = over(tokens)?;
    let keys: BTreeSet<String> = terms
        .iter()
        .filter(|term| (from..to).contains(&term.at) && !term.light)
        .map(|term| term.key.clone())
        .collect();
    let figures: Vec<Quantity> =
        quantities.iter().filter(|quantity| (from..to).contains(&quantity.at)).cloned().collect();
    (!keys.is_empty() || !figures.is_empty()).then_some(Replaced { keys, figures })
}

/// The tokens that name what is over.
fn over(tokens: &[Token]) -> Option<(usize, usize)> {
    let all = (0, tokens.len());
    let stop = |from: usize| {
        let ends = |token: &Token| token.any(&[",", ";", "with", "by", "for", "because", "when"]);
        tokens[from..].iter().position(ends).map_or(tokens.len(), |at| from + at)
    };
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let followed = |word: &str| next.is_some_and(|token| token.is(word));
        let key = stem::key(&token.lower);
        let since = token.lower.ends_with("n't") || token.is("not");
        let handed = token.any(&["handed", "took", "taken", "gave"])
            && tokens[at..].iter().take(4).any(|one| one.any(&["over", "up"]));
        let moved = token.any(&["moved", "switched", "changed", "postponed", "rescheduled"])
            && next.is_some_and(|to| to.any(&["to", "from"]));
        if (since && tokens[at..].iter().any(|one| one.is("since"))) || handed || moved {
            return Some(all);
        }
        if (token.is("no") && followed("longer"))
            || token.is("anymore")
            || token.is("mehr") && at > 0 && tokens[at - 1].any(&["nicht", "keine", "kein"])
        {
            return Some(all);
        }
        if (token.is("any") && followed("more")) || (token.is("used") && followed("to")) {
            return Some(all);
        }
        let place = token.is("place") && at > 0 && tokens[at - 1].is("in");
        if (token.any(&["instead", "place"]) && followed("of") && (place || token.is("instead")))
            || (token.is("rather") && followed("than"))
            || (token.is("away") && followed("from") && tokens[..at].iter().any(changes))
            || (token.any(&["drop", "dropped", "dropping", "ditched", "abandoned", "scrapped"])
                && at > 0)
            || (token.any(&["stopped", "quit", "ceased"])
                && next.is_some_and(|word| word.lower.ends_with("ing")))
            || (token.is("stop") && followed("using"))
            || (token.is("phase") && followed("out"))
        {
            return Some((at + 2, stop(at + 2)));
        }
        if token.any(&[
            "discontinued",
            "abolished",
            "terminated",
            "dissolved",
            "abgeschafft",
            "eingestellt",
            "extinto",
        ]) {
            return Some((0, at));
        }
        if token.any(&["replaces", "replacing", "supersedes", "superseding", "retire", "sunset"])
            || (token.any(&["replace", "replaced", "superseded", "supersede", "retired"])
                && !followed("by")
                && !followed("with"))
        {
            return Some((at + 1, stop(at + 1)));
        }
        if token.any(&["replaced", "superseded"]) {
            return Some((0, at));
        }
        if token.is("from") && tokens[..at].iter().any(changes) {
            let to = tokens[at..].iter().position(|token| token.is("to"))?;
            return Some((at + 1, at + to));
        }
        if key == stem::key("favour") && at > 0 && tokens[at - 1].is("in") && followed("of") {
            return Some((0, at));
        }
    }
    None
}

fn changes(token: &Token) -> bool {
    let words = ["move", "change", "raise", "lower", "increase", "reduce", "cut", "shift", "go"];
    let key = stem::key(&token.lower);
    words.iter().any(|word| stem::key(word) == key)
}
