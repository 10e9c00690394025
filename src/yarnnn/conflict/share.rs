//! How many of all a clause speaks of: all, most, some, none, only a part. Knows tokens.

use super::quantity::Quantity;
use super::token::Token;

/// The least and the greatest share, 0 to 1.
pub(super) type Share = (f64, f64);

const ALL: &[&str] = &[
    "all",
    "every",
    "each",
    "both",
    "always",
    "everyone",
    "everybody",
    "everything",
    "whole",
    "entire",
    "entirely",
    "completely",
    "fully",
    "any",
    "alle",
    "jeder",
    "jede",
    "jedes",
    "immer",
    "beide",
    "todos",
    "todas",
    "todo",
    "toda",
    "cada",
    "sempre",
    "ambos",
    "anyone",
    "anybody",
    "throughout",
    "without exception",
    "sämtliche",
    "qualquer",
];
const PART: &[&str] = &[
    "manche",
    "einige",
    "alguns",
    "algumas",
    "some",
    "sometimes",
    "several",
    "certain",
    "few",
    "rarely",
    "seldom",
    "hardly",
    "occasionally",
    "half",
    "poucos",
    "poucas",
    "wenige",
    "manchmal",
    "selten",
    "às vezes",
    "raramente",
];
const FEW: &[&str] = &[
    "few",
    "rarely",
    "seldom",
    "hardly",
    "occasionally",
    "poucos",
    "poucas",
    "wenige",
    "selten",
    "raramente",
    "minority",
    "minderheit",
    "minoria",
    "handful",
];
const PARTLY: &[&str] = &["partly", "partially", "partial", "teilweise", "parcialmente"];
const MOST: &[&str] =
    &["most", "mostly", "usually", "majority", "meisten", "meist", "maioria", "mainly", "normally"];
const NONE: &[&str] = &[
    "none", "nobody", "no", "never", "nothing", "neither", "kein", "keine", "keiner", "niemand",
    "nie", "nenhum", "nenhuma", "ninguém", "nunca",
];
const ONLY: &[&str] = &["only", "just", "nur", "só", "apenas", "somente", "solely", "merely"];
const NOT: &[&str] = &["not", "nicht", "nem", "não"];

/// What "only" leaves.
const SOME_ONLY: Share = (0.01, 0.95);

/// The share that a clause speaks of, if it names one.
pub(super) fn read(tokens: &[Token], quantities: &[Quantity]) -> Option<Share> {
    let mut found: Option<Share> = None;
    // "Every forty minutes" is no share.
    let figure = |at: usize| quantities.iter().any(|one| (one.at..one.end).contains(&at));
    for (at, token) in tokens.iter().enumerate().filter(|(at, _)| !figure(*at)) {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let only = before.is_some_and(|word| word.any(ONLY));
        let not = before.is_some_and(|word| word.any(NOT));
        let at_most = before.is_some_and(|word| word.is("at")) && token.is("most");
        let share = if token.any(ALL) {
            // "not all", "not any".
            if not { Some((0.0, 0.99)) } else { Some((1.0, 1.0)) }
        } else if token.any(NONE) && !before.is_some_and(|word| word.is("or")) {
            Some((0.0, 0.0))
        } else if token.any(FEW) {
            Some((0.01, 0.49))
        } else if token.any(PARTLY) {
            Some((0.01, 0.9))
        } else if token.any(MOST) && !at_most {
            Some((0.5, 1.0))
        } else if token.any(PART) {
            if only { Some((0.01, 0.9)) } else { Some((0.01, 1.0)) }
        } else if token.any(ONLY) {
            Some(SOME_ONLY)
        } else {
            None
        };
        // "Only a few" is a few.
        found = if found == Some(SOME_ONLY) { share.or(found) } else { found.or(share) };
    }
    found
}

/// Whether both cannot hold.
pub(super) fn apart(left: Share, right: Share) -> bool {
    left.0 > right.1 || right.0 > left.1
}
