//! Breaks ties between baskets with close scores by the words they share with the session.
//!
//! Compares words only, never vectors, since those could not separate the baskets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Fingerprint;

use super::score::round9;
use super::signature::Signature;
use super::words::{spell, terms};

/// How far one basket's words must be ahead to decide.
pub(super) const TIE_WORDS_GAP: f64 = 0.10;

const ENTITIES_WEIGHT: f64 = 0.6;
const TERMS_WEIGHT: f64 = 0.4;

/// Most shared words that are named.
const NAMED: usize = 5;

/// The result of a tie-break.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TieBreak {
    /// The winner; `None` if the user has to choose.
    pub decided_for: Option<String>,
    /// The tied baskets, best score first.
    pub between: Vec<String>,
    /// How far the best basket's words are ahead of the next one's, 0 to 1.
    pub gap: f64,
    /// Why, in one sentence.
    pub rationale: String,
}

/// Names and topics: compared form to displayed form.
struct Said {
    entities: BTreeMap<String, String>,
    terms: BTreeMap<String, String>,
}

/// Breaks a tie between baskets, given best score first. `too_many` means that more are tied than
/// are compared.
pub(super) fn break_tie(
    fingerprint: &Fingerprint,
    tied: &[&Signature],
    too_many: bool,
) -> TieBreak {
    let session =
        Said::of(&fingerprint.entities, &fingerprint.keywords, fingerprint.summary.as_deref());
    let mut shared: Vec<(f64, &Signature)> = tied
        .iter()
        .map(|signature| {
            let basket =
                Said::of(&signature.entities, &signature.keywords, signature.summary.as_deref());
            (session.overlap(&basket), *signature)
        })
        .collect();
    // Stable: equal words leave the better score first.
    shared.sort_by(|a, b| b.0.total_cmp(&a.0));
    let gap = match shared.as_slice() {
        [first, second, ..] => round9(first.0 - second.0),
        _ => 0.0,
    };
    let ahead = shared.first().filter(|_| !too_many && gap >= TIE_WORDS_GAP);
    TieBreak {
        decided_for: ahead.map(|(_, signature)| signature.basket_id.clone()),
        between: tied.iter().map(|signature| signature.basket_id.clone()).collect(),
        gap,
        rationale: match ahead {
            Some((_, signature)) => {
                format!(
                    "The session shares {} with “{}”, and less with the others.",
                    session.named(signature),
                    signature.name
                )
            }
            None if too_many => "Too many baskets fit equally well.".to_owned(),
            None if session.is_silent() => {
                "The fingerprint has no entities, keywords or summary to tell the baskets apart."
                    .to_owned()
            }
            None => "The session's words fit the baskets about equally well.".to_owned(),
        },
    }
}

impl Said {
    fn of(entities: &[String], keywords: &[String], summary: Option<&str>) -> Self {
        let mut said = terms(&keywords.join("\n"));
        for (stem, word) in terms(summary.unwrap_or_default()) {
            spell(&mut said, stem, word);
        }
        let entities = entities
            .iter()
            .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|name| !name.is_empty())
            .map(|name| (name.to_lowercase(), name))
            .collect();
        Self { entities, terms: said }
    }

    fn is_silent(&self) -> bool {
        self.entities.is_empty() && self.terms.is_empty()
    }

    /// 0 to 1: how much of both is in both.
    fn overlap(&self, other: &Self) -> f64 {
        let entities = jaccard(
            self.entities.keys().filter(|name| other.entities.contains_key(*name)).count(),
            self.entities.len(),
            other.entities.len(),
        );
        let terms = jaccard(
            self.terms.keys().filter(|term| other.terms.contains_key(*term)).count(),
            self.terms.len(),
            other.terms.len(),
        );
        round9(ENTITIES_WEIGHT * entities + TERMS_WEIGHT * terms)
    }

    /// The shared words for display, names first.
    fn named(&self, signature: &Signature) -> String {
        let basket =
            Self::of(&signature.entities, &signature.keywords, signature.summary.as_deref());
        let names = self
            .entities
            .iter()
            .filter(|(name, _)| basket.entities.contains_key(*name))
            .map(|(_, shown)| shown.as_str());
        let terms = self.terms.iter().filter_map(|(term, here)| {
            let there = basket.terms.get(term)?;
            Some([here, there].into_iter().min_by_key(|word| word.len())?.as_str())
        });
        names.chain(terms).take(NAMED).collect::<Vec<_>>().join(", ")
    }
}

/// Shared part of two sets; two empty sets share nothing.
fn jaccard(both: usize, left: usize, right: usize) -> f64 {
    let either = left + right - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &str) -> Vec<String> {
        list.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    fn basket(id: &str, entities: &str, keywords: &str) -> Signature {
        Signature {
            basket_id: id.to_owned(),
            name: id.to_uppercase(),
            entities: words(entities),
            keywords: words(keywords),
            ..Signature::default()
        }
    }

    fn session(entities: &str, keywords: &str, summary: &str) -> Fingerprint {
        Fingerprint {
            entities: words(entities),
            keywords: words(keywords),
            summary: (!summary.is_empty()).then(|| summary.to_owned()),
            ..Fingerprint::default()
        }
    }

    #[test]
    fn shared_names_and_words_decide_and_are_named() {
        let (one, two) = (basket("a", "Acme", "ships"), basket("b", "Stripe,Ada", "refunds"));
        let seen = break_tie(&session("stripe,Ada", "", "A refund is late."), &[&one, &two], false);
        assert_eq!(seen.decided_for.as_deref(), Some("b"));
        // Entities 1, terms 1 of 2: "late" is said by the session alone.
        assert_eq!(seen.gap, 0.8);
        assert_eq!(seen.between, ["a", "b"]);
        assert_eq!(
            seen.rationale,
            "The session shares Ada, stripe, refund with “B”, and less with the others."
        );
    }

    #[test]
    fn the_gap_decides_at_its_edge_and_not_below() {
        // Terms: one of four shared, times 0.4, is exactly 0.10.
        let (one, two) = (basket("a", "", "alpha"), basket("b", "", "nothing"));
        let four = session("", "alpha,beta,gamma,delta", "");
        let seen = break_tie(&four, &[&one, &two], false);
        assert_eq!((seen.gap, seen.decided_for.as_deref()), (0.1, Some("a")));
        let five = session("", "alpha,beta,gamma,delta,omega", "");
        let seen = break_tie(&five, &[&one, &two], false);
        assert_eq!((seen.gap, seen.decided_for), (0.08, None));
    }

    #[test]
    fn a_third_basket_with_the_same_words_keeps_it_undecided() {
        let (one, two) = (basket("a", "Stripe", ""), basket("b", "Acme", ""));
        let three = basket("c", "Stripe", "");
        let stripe = session("Stripe", "", "");
        assert_eq!(break_tie(&stripe, &[&one, &two], false).decided_for.as_deref(), Some("a"));
        assert_eq!(break_tie(&stripe, &[&one, &two, &three], false).decided_for, None);
        assert_eq!(break_tie(&stripe, &[&one, &two], true).decided_for, None);
    }

    #[test]
    fn a_fingerprint_without_words_decides_nothing() {
        let (one, two) = (basket("a", "Stripe", ""), basket("b", "", ""));
        let seen = break_tie(&session("", "", ""), &[&one, &two], false);
        assert_eq!((seen.gap, seen.decided_for), (0.0, None));
        assert!(seen.rationale.contains("no entities"), "{}", seen.rationale);
    }

    #[test]
    fn names_are_compared_without_case_or_blanks() {
        let (one, two) = (basket("a", "ADA  LOVELACE", ""), basket("b", "", ""));
        let seen = break_tie(&session(" Ada Lovelace", "", ""), &[&one, &two], false);
        assert_eq!((seen.gap, seen.decided_for.as_deref()), (0.6, Some("a")));
    }
}
