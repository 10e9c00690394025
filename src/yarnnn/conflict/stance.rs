//! Whether a clause demands, forbids, permits, excuses, states or denies, and how far a negation
//! reaches. Knows tokens and terms of one clause.

use super::clause::Term;
use super::token::{Kind, Token};

/// The stance of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    /// It is so.
    State,
    /// It is not so.
    Deny,
    /// It must be so.
    Must,
    /// It must not be so.
    MustNot,
    /// It may be so.
    May,
    /// It need not be so.
    NeedNot,
}

/// How two stances on the same thing compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash {
    /// Both can hold.
    None,
    /// One says the opposite of the other.
    Polarity,
    /// A duty against a freedom, or against another duty.
    Duty,
}

/// The tokens that a negation reaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    from: usize,
    to: usize,
}

impl Scope {
    /// Whether it reaches a token.
    pub(super) fn reaches(self, at: usize) -> bool {
        (self.from..self.to).contains(&at)
    }
}

impl Stance {
    /// Whether it says no.
    pub(super) fn negative(self) -> bool {
        matches!(self, Self::Deny | Self::MustNot | Self::NeedNot)
    }

    /// How it stands to another.
    pub(super) fn clash(self, other: Self) -> Clash {
        use Stance::{Deny, May, Must, MustNot, NeedNot, State};
        match (self, other) {
            (Must, MustNot | NeedNot)
            | (MustNot | NeedNot, Must)
            | (MustNot, May)
            | (May, MustNot) => Clash::Duty,
            (State | Must | May, Deny)
            | (Deny, State | Must | May)
            | (State, MustNot)
            | (MustNot, State) => Clash::Polarity,
            _ => Clash::None,
        }
    }
}

const MUST: &[&str] = &[
    "must",
    "shall",
    "should",
    "always",
    "mandatory",
    "required",
    "obligatory",
    "muss",
    "müssen",
    "deve",
    "devem",
    "pflicht",
    "obrigatório",
];
const NEED: &[&str] =
    &["need", "needs", "require", "requires", "necessary", "needed", "compulsory"];
const MAY: &[&str] = &[
    "may",
    "can",
    "could",
    "allowed",
    "permitted",
    "possible",
    "able",
    "darf",
    "dürfen",
    "kann",
    "können",
    "erlaubt",
    "pode",
    "podem",
    "permitido",
];
const LET: &[&str] = &["allow", "allows", "permit", "permits", "let", "lets"];
const FORBID: &[&str] =
    &["forbidden", "forbid", "forbids", "prohibited", "prohibit", "prohibits", "banned", "ban"];
const FORBID_TOO: &[&str] = &[
    "bans",
    "disallowed",
    "disallow",
    "disallows",
    "impossible",
    "verboten",
    "untersagt",
    "proibido",
    "proibida",
];
const EXCUSE: &[&str] =
    &["optional", "voluntary", "unnecessary", "freiwillig", "opcional", "facultativo"];
/// Verbs that deny all that their clause names.
const STOPPING: &[&str] =
    &["lack", "lacks", "lacked", "avoid", "avoids", "skip", "skips", "skipped", "avoided"];
const STOPPING_TOO: &[&str] =
    &["cancelled", "canceled", "scrapped", "abandoned", "excluded", "refuses", "refused"];

/// Whether the word is read here and is no term of its own.
pub(super) fn is_marker(word: &str) -> bool {
    let lists = [MUST, NEED, MAY, LET, FORBID, FORBID_TOO, EXCUSE, STOPPING, STOPPING_TOO];
    lists.iter().any(|list| list.contains(&word))
        || ["unable", "without", "nothing", "nowhere", "rarely", "seldom", "hardly"].contains(&word)
}

/// Whether the word negates.
pub(super) fn is_negation(token: &Token) -> bool {
    negates(token) || token.any(&["without", "ohne", "sem"])
}

fn negates(token: &Token) -> bool {
    let foreign = ["nicht", "kein", "keine", "keinen", "keiner", "keinem", "nie", "niemand", "não"];
    if token.any(&foreign) || token.any(&["nem", "nunca", "ninguém", "nenhum", "nenhuma", "nada"])
    {
        return true;
    }
    let words = ["not", "no", "never", "nobody", "none", "neither", "nor", "cannot", "unable"];
    let more = ["nothing", "nowhere", "rarely", "seldom", "hardly"];
    token.any(&words) || token.any(&more) || token.lower.ends_with("n't")
}

/// The stance of a clause and what its negation reaches.
pub(super) fn read(tokens: &[Token], terms: &[Term], english: bool) -> (Stance, Scope) {
    let has = |list: &[&str]| tokens.iter().any(|token| token.any(list));
    let whole = Scope { from: 0, to: tokens.len() };
    let nothing = Scope { from: 0, to: 0 };
    let negation = (0..tokens.len()).find(|at| denies(tokens, *at, english));
    let have_to =
        tokens.windows(2).any(|two| two[0].any(&["have", "has", "had"]) && two[1].is("to"));
    let may = has(LET)
        || tokens.iter().any(|token| token.any(MAY) && !(token.is("may") && token.capital))
        || tokens.iter().any(|token| token.any(&["cannot", "can't", "couldn't", "unable"]));
    let forbid = has(FORBID) || has(FORBID_TOO);
    // "X is allowed" and similar phrases apply to everything around them.
    let about_all = forbid
        || has(EXCUSE)
        || has(STOPPING)
        || has(STOPPING_TOO)
        || has(&["allowed", "permitted", "possible", "mandatory", "required", "necessary"])
        || has(&["needed", "obligatory", "compulsory"]);
    let Some(at) = negation else {
        if forbid {
            return (Stance::MustNot, whole);
        }
        if has(EXCUSE) {
            return (Stance::NeedNot, whole);
        }
        if has(STOPPING) || has(STOPPING_TOO) || against(tokens) {
            return (Stance::Deny, whole);
        }
        if let Some(local) = without(tokens, terms) {
            return (Stance::Deny, local);
        }
        if has(MUST) || has(NEED) || have_to {
            return (Stance::Must, nothing);
        }
        return (if may { Stance::May } else { Stance::State }, nothing);
    };
    let after = Scope { from: at + 1, to: tokens.len() };
    let empty = !terms.iter().any(|term| after.reaches(term.at) && !term.light);
    let scope = if about_all || empty { whole } else { after };
    let never = tokens[at].is("never");
    let excused = has(NEED)
        || have_to
        || has(&["mandatory", "required", "obligatory"])
        || tokens[at..].iter().any(|token| token.is("always"));
    let stance = if forbid {
        Stance::May
    } else if has(EXCUSE) {
        Stance::Must
    } else if excused {
        Stance::NeedNot
    } else if has(MUST) || may || never {
        Stance::MustNot
    } else {
        Stance::Deny
    };
    if stance.negative() { (stance, scope) } else { (stance, nothing) }
}

/// Whether the word at `at` denies: not the Portuguese "no", and not "no. 3" or "not only".
fn denies(tokens: &[Token], at: usize, english: bool) -> bool {
    let no = tokens[at].is("no");
    let number = tokens.get(at + 1).is_some_and(|next| next.is(".") || next.kind == Kind::Number);
    let next = |list: &[&str]| tokens.get(at + 1).is_some_and(|next| next.any(list));
    // "No more than ten" and "not counting guests" deny nothing.
    let limit = no && next(&["more", "less", "fewer", "later", "earlier", "sooner"]);
    let aside = tokens[at].is("not") && next(&["counting", "including", "later", "earlier"]);
    negates(&tokens[at])
        && !(no && (!english || number))
        && !is_only_pair(tokens, at)
        && !(limit && tokens.get(at + 2).is_some_and(|than| than.is("than")))
        && !aside
}

/// "not only" denies nothing.
fn is_only_pair(tokens: &[Token], at: usize) -> bool {
    tokens[at].is("not") && tokens.get(at + 1).is_some_and(|next| next.any(&["only", "just"]))
}

/// "decided against X".
fn against(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|two| {
        two[0].any(&["decided", "decide", "voted", "advise", "advised", "are", "is"])
            && two[1].is("against")
    })
}

/// "without X" denies X alone.
fn without(tokens: &[Token], terms: &[Term]) -> Option<Scope> {
    let at = tokens.iter().position(|token| token.any(&["without", "ohne", "sem"]))?;
    let last = terms.iter().filter(|term| term.at > at).take(2).last()?;
    Some(Scope { from: at + 1, to: last.at + 1 })
}

#[cfg(test)]
mod tests {
    use super::super::sentence::clauses;
    use super::*;

    fn stance(text: &str) -> Stance {
        clauses(text, "", 1)[0].stance
    }

    #[test]
    fn what_a_clause_does() {
        for (text, expected) in [
            ("Backups run at night", Stance::State),
            ("In May the backups run", Stance::State),
            ("Backups not only run at night", Stance::State),
            ("Backups don't run at night", Stance::Deny),
            ("There is no backup", Stance::Deny),
            ("We decided against backups", Stance::Deny),
            ("We ship without backups", Stance::Deny),
            ("Backups must be encrypted", Stance::Must),
            ("Backups have to be encrypted", Stance::Must),
            ("Backups are not optional", Stance::Must),
            ("Backups must not be shared", Stance::MustNot),
            ("Never share backups", Stance::MustNot),
            ("Sharing backups is forbidden", Stance::MustNot),
            ("Nobody may share backups", Stance::MustNot),
            ("Staff cannot share backups", Stance::MustNot),
            ("Staff may share backups", Stance::May),
            ("Sharing backups is not prohibited", Stance::May),
            ("Backups need not be encrypted", Stance::NeedNot),
            ("Backups don't have to be encrypted", Stance::NeedNot),
            ("Encrypting backups is optional", Stance::NeedNot),
        ] {
            assert_eq!(stance(text), expected, "{text}");
        }
    }

    #[test]
    fn a_clash_has_no_direction() {
        use Stance::{Deny, May, Must, MustNot, NeedNot, State};
        let all = [State, Deny, Must, MustNot, May, NeedNot];
        for left in all {
            assert_eq!(left.clash(left), Clash::None);
            for right in all {
                assert_eq!(left.clash(right), right.clash(left));
            }
        }
    }

    #[test]
    fn a_negation_reaches_what_follows() {
        let clause = &clauses("The export job does not include drafts", "", 1)[0];
        let negated: Vec<_> = clause.terms.iter().filter(|term| term.negated).collect();
        assert_eq!(negated.len(), 2);
        assert!(negated.iter().all(|term| term.word == "include" || term.word == "drafts"));
    }
}
