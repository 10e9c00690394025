//! How the basket was selected, for the result's metadata. Never contains a vector.

use serde_json::{Value, json};
use toolwright_runtime::Call;

use super::super::inference::{Score, Selection};

/// Key in the result's `_meta`.
const KEY: &str = "_basket_selection";

/// Attaches the selection to the result. `named` is a basket that the caller chose instead.
pub(super) fn attach(call: &Call, selection: &Selection, named: Option<&str>) {
    let best = selection.primary.as_ref().map(|primary| primary.basket_id.as_str());
    let mut told = json!({
        "decision": selection.decision.as_str(),
        "primary": selection.primary.as_ref().map(score),
        "ranked": selection.ranked.iter().map(score).collect::<Vec<_>>(),
        "requiresConfirmation": selection.requires_confirmation,
        "needsTieBreak": selection.needs_tie_break,
        "lowered": selection.lowered,
        "byWords": selection.by_words,
        "summary": selection.summary,
    });
    if let Some(tie) = &selection.tie_break {
        told["tieBreak"] = json!({
            "decidedFor": tie.decided_for,
            "between": tie.between,
            "gap": tie.gap,
            "rationale": tie.rationale,
        });
    }
    if let Some(named) = named {
        told["explicit"] =
            json!({"basketId": named, "differs": best.is_some_and(|best| best != named)});
    }
    call.attach(KEY, told);
}

fn score(score: &Score) -> Value {
    json!({
        "basket": {"id": score.basket_id, "name": score.name},
        "score": score.score,
        "similarity": score.similarity,
        "cosine": score.cosine,
        "recencyBoost": score.recency,
        "affinityBoost": score.affinity,
        "penalty": score.penalty,
    })
}
