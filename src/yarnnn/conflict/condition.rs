//! Conditions and exceptions of a clause: what it leaves out, and whether it holds regardless.
//! Knows tokens and terms.

use std::collections::BTreeSet;

use super::clause::Term;
use super::token::Token;

/// What a clause makes its statement depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Condition {
    /// Keys of what is left out, or of what is needed.
    pub(super) keys: BTreeSet<String>,
    /// Whether it leaves out: "unless", "except", "without".
    pub(super) except: bool,
    /// Whether it is a condition at all.
    pub(super) given: bool,
    /// Whether the clause says that it holds in any case.
    pub(super) regardless: bool,
}

const EXCEPT: &[&str] = &[
    "unless",
    "except",
    "excepting",
    "excluding",
    "apart",
    "without",
    "außer",
    "ohne",
    "exceto",
    "salvo",
    "sem",
    "barring",
    "outside",
    "außerhalb",
    "fora",
];
const GIVEN: &[&str] = &[
    "if", "when", "once", "provided", "only", "wenn", "falls", "sofern", "sobald", "se", "quando",
    "whenever", "where", "while", "needs", "requires", "as",
];

/// The condition of a clause.
pub(super) fn read(tokens: &[Token], terms: &[Term]) -> Condition {
    let pair = |first: &[&str], second: &[&str]| {
        tokens.windows(2).any(|two| two[0].any(first) && two[1].any(second))
    };
    let regardless = tokens.iter().any(|token| {
        token.any(&[
            "regardless",
            "irrespective",
            "anyway",
            "always",
            "whatever",
            "trotzdem",
            "mesmo",
            "auch",
        ])
    }) || pair(&["even"], &["if", "where", "when", "without", "with"])
        || pair(&["or"], &["without", "not"])
        || pair(&["no"], &["matter"])
        || pair(&["right", "straight"], &["away"])
        || pair(&["in"], &["any"]);
    let except = tokens.iter().position(|token| token.any(EXCEPT));
    let given = tokens.iter().position(|token| token.any(GIVEN));
    let Some(at) = except.or(given) else {
        return Condition { regardless, ..Condition::default() };
    };
    let end =
        tokens[at..].iter().position(|token| token.is(",")).map_or(tokens.len(), |end| at + end);
    let keys = terms
        .iter()
        .filter(|term| (at..end).contains(&term.at) && !term.light)
        .map(|term| term.key.clone())
        .collect();
    Condition { keys, except: except.is_some(), given: except.is_none(), regardless }
}

/// Whether a clause tells of a single occasion: "yesterday", "right now".
pub(super) fn once(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.any(ONCE)) || just_now(tokens)
}

/// Words of a single occasion.
const ONCE: &[&str] = &[
    "yesterday",
    "today",
    "tonight",
    "currently",
    "gestern",
    "heute",
    "ontem",
    "hoje",
    "momentarily",
    "exceptionally",
];

/// "right now", "last Tuesday", "this morning", "at the moment".
fn just_now(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|two| {
        (two[0].is("right") && two[1].is("now"))
            || (two[0].is("the") && two[1].is("moment"))
            || (two[0].is("-") && two[1].is("off"))
            || (two[0].any(&["last", "this"])
                && (two[1].any(&["morning", "afternoon", "evening", "night", "week", "weekend"])
                    || two[1].lower.ends_with("day")))
    })
}
