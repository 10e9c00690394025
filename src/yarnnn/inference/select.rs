//! Selects the basket of a session, and decides whether the match is good enough to write.
//!
//! Baskets are in a total order (score, similarity, last refresh, id), so that the answer does not
//! depend on the input order. Pure: no clock, no storage.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::{Fingerprint, Millis};

use super::score::{Decision, PENALTY, Score, combine, recency, shown, tied, unit};
use super::signature::Signature;
use super::tie::{TieBreak, break_tie};
use super::vector::cosine;

#[cfg(test)]
mod tests;

/// Most baskets that an answer names.
pub(super) const RANKED: usize = 6;

/// Why a basket that fits is still to be confirmed.
const BY_WORDS: &str = " The built-in embedding model reads English only, so shared words decided, \
     and a basket is always confirmed; with embedder.kind api it need not be.";

/// A candidate basket.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its signature.
    pub signature: &'a Signature,
    /// Its calibrated similarity with the session; without one, their cosine counts.
    pub similarity: Option<f64>,
    /// How much the user has favoured it, 0 to 1.
    pub affinity: f64,
    /// The user moved something similar out of it.
    pub conflict: bool,
}

/// The result of inference. Never contains a vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The decision for a write.
    pub decision: Decision,
    /// The selected basket; `None` if there is none. The one with the best score, unless the
    /// tie-break selected another.
    pub primary: Option<Score>,
    /// The best baskets in order of score, at most `RANKED`.
    pub ranked: Vec<Score>,
    /// The decision is not `auto`.
    pub requires_confirmation: bool,
    /// The two best scores are closer than the contract's 0.06.
    pub needs_tie_break: bool,
    /// The result of the tie-break; `None` if there was no tie, or the
    /// tied baskets are too weak to write to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tie_break: Option<TieBreak>,
    /// The score was `auto`, but an unresolved tie lowered it to `confirm`. Irrelevant for reads.
    pub lowered: bool,
    /// The embedding model cannot read the session's language: words decided, and never `auto`.
    #[serde(default)]
    pub by_words: bool,
    /// Baskets whose vector is missing or of another length; their similarity counts as 0.
    pub not_compared: usize,
    /// The result in one sentence.
    pub summary: String,
}

/// A basket to rank.
struct Entry<'a> {
    signature: &'a Signature,
    score: f64,
    similarity: Option<f64>,
    cosine: Option<f64>,
    recency: f64,
    affinity: f64,
    conflict: bool,
}

/// Scores the candidates and decides. A duplicate basket counts once, with its better
/// score.
pub fn select(fingerprint: &Fingerprint, candidates: &[Candidate<'_>], now: Millis) -> Selection {
    choose(fingerprint, candidates, now, false)
}

/// The same for a session that the embedding model cannot read: words decide, and never `auto`.
pub(crate) fn select_by_words(
    fingerprint: &Fingerprint,
    candidates: &[Candidate<'_>],
    now: Millis,
) -> Selection {
    choose(fingerprint, candidates, now, true)
}

fn choose(
    fingerprint: &Fingerprint,
    candidates: &[Candidate<'_>],
    now: Millis,
    by_words: bool,
) -> Selection {
    let mut entries: Vec<Entry<'_>> =
        candidates.iter().map(|candidate| Entry::of(fingerprint, candidate, now)).collect();
    entries.sort_by(Entry::order);
    let mut seen = BTreeSet::new();
    entries.retain(|entry| seen.insert(entry.signature.basket_id.as_str()));

    let not_compared = entries.iter().filter(|entry| entry.similarity.is_none()).count();
    let needs_tie_break =
        matches!(entries.as_slice(), [first, second, ..] if tied(first.score, second.score));
    // Where words decided, they cannot decide again.
    let tie_break = if by_words { None } else { tie_break(fingerprint, &entries) };
    let decided = tie_break.as_ref().and_then(|tie| tie.decided_for.as_deref());
    let primary = match decided {
        Some(id) => entries.iter().find(|entry| entry.signature.basket_id == id),
        None => entries.first(),
    };
    let by_score = primary.map_or(Decision::Pick, |entry| Decision::of(entry.score));
    let lowered = by_score == Decision::Auto && needs_tie_break && decided.is_none();
    let decision = match by_score {
        Decision::Auto if lowered || by_words => Decision::Confirm,
        other => other,
    };
    let primary = primary.map(Entry::score);
    let ranked: Vec<Score> = entries.iter().take(RANKED).map(Entry::score).collect();
    let mut summary = summary(decision, primary.as_ref(), &ranked, lowered, tie_break.as_ref());
    if by_words && primary.is_some() {
        summary.push_str(BY_WORDS);
    }
    Selection {
        decision,
        requires_confirmation: decision != Decision::Auto,
        needs_tie_break,
        lowered,
        by_words,
        not_compared,
        summary,
        primary,
        ranked,
        tie_break,
    }
}

/// Breaks a tie, if at least two baskets are tied and strong enough to write to.
fn tie_break(fingerprint: &Fingerprint, entries: &[Entry<'_>]) -> Option<TieBreak> {
    let top = entries.first()?.score;
    let close: Vec<&Signature> = entries
        .iter()
        .take_while(|entry| tied(top, entry.score) && Decision::of(entry.score) != Decision::Pick)
        .take(RANKED + 1)
        .map(|entry| entry.signature)
        .collect();
    let looked_at = &close[..close.len().min(RANKED)];
    (close.len() > 1).then(|| break_tie(fingerprint, looked_at, close.len() > RANKED))
}

impl<'a> Entry<'a> {
    fn of(fingerprint: &Fingerprint, candidate: &Candidate<'a>, now: Millis) -> Self {
        let signature = candidate.signature;
        let cosine = cosine(&fingerprint.embedding, &signature.embedding);
        let similarity = candidate.similarity.or(cosine);
        let recency = recency(signature.last_refreshed, now);
        let affinity = unit(candidate.affinity);
        let conflict = candidate.conflict;
        let score = combine(similarity.unwrap_or(0.0), recency, affinity, conflict);
        Self { signature, score, similarity, cosine, recency, affinity, conflict }
    }

    fn order(&self, other: &Self) -> Ordering {
        let (own, others) = (self.signature, other.signature);
        (other.score.total_cmp(&self.score))
            .then(other.similarity.unwrap_or(0.0).total_cmp(&self.similarity.unwrap_or(0.0)))
            .then(others.last_refreshed.cmp(&own.last_refreshed))
            .then_with(|| own.basket_id.cmp(&others.basket_id))
    }

    fn score(&self) -> Score {
        Score {
            basket_id: self.signature.basket_id.clone(),
            name: self.signature.name.clone(),
            score: self.score,
            similarity: self.similarity.unwrap_or(0.0),
            cosine: self.cosine,
            recency: self.recency,
            affinity: self.affinity,
            penalty: if self.conflict { PENALTY } else { 0.0 },
        }
    }
}

fn summary(
    decision: Decision,
    primary: Option<&Score>,
    ranked: &[Score],
    lowered: bool,
    tie: Option<&TieBreak>,
) -> String {
    let Some(primary) = primary else {
        return "There is no basket to compare this session with yet.".to_owned();
    };
    let name = &primary.name;
    let score = shown(primary.score);
    let by_words = tie.is_some_and(|tie| tie.decided_for.is_some());
    match (decision, ranked) {
        (Decision::Confirm, [_, second, ..]) if lowered => format!(
            "“{name}” (score {score}) and “{}” ({}) fit about equally well; confirm one of them.",
            second.name,
            shown(second.score)
        ),
        (Decision::Auto, _) if by_words => format!(
            "This session belongs to “{name}” (score {score}, a tie decided by shared words); the \
             basket can be changed."
        ),
        (Decision::Auto, _) => {
            format!("This session belongs to “{name}” (score {score}); the basket can be changed.")
        }
        (Decision::Confirm, _) => format!(
            "This session may belong to “{name}” (score {score}); confirm it or choose another \
             basket."
        ),
        (Decision::Pick, _) => {
            format!("No basket fits well enough (best: “{name}”, score {score}); pick one.")
        }
    }
}
