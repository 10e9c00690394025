//! The contract's scoring formula, and the decision for a score.
//!
//! All sums are rounded to 1e-9 before they are compared, so that 0.8 is 0.8. Pure numbers; knows
//! nothing of vectors or of the clock.

use serde::{Deserialize, Serialize};

use super::signature::SIGNATURE_TTL_HOURS;
use crate::model::Millis;

/// From here on a write needs no confirmation.
pub(super) const AUTO: f64 = 0.80;
/// From here on the user is asked to confirm.
pub(super) const CONFIRM: f64 = 0.55;
/// Two baskets closer than this are tied.
pub(crate) const TIE: f64 = 0.06;
/// Penalty of a basket that the user moved something similar out of.
pub(super) const PENALTY: f64 = 0.15;
/// A signature of this age has no recency left.
pub(super) const RECENCY_DAYS: f64 = 30.0;

const SIMILARITY_WEIGHT: f64 = 0.75;
const RECENCY_WEIGHT: f64 = 0.15;
const AFFINITY_WEIGHT: f64 = 0.10;

const DAY_MS: f64 = 86_400_000.0;

/// The decision for a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Write; the basket can still be changed.
    Auto,
    /// Wait for the user's confirmation.
    Confirm,
    /// Queue until a reviewer picks a basket.
    Pick,
}

/// A basket's score and its parts. Never contains a vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The basket.
    pub basket_id: String,
    /// Its name.
    pub name: String,
    /// The score; see `combine`.
    pub score: f64,
    /// How similar the session is to the basket, at most 1; calibrated, see `calibrate`. 0 where
    /// they cannot be compared.
    pub similarity: f64,
    /// Cosine with the basket's vector, -1 to 1; none where there is none of the same model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// How recently the signature was refreshed, 0 to 1.
    pub recency: f64,
    /// How much the user has favoured the basket, 0 to 1.
    pub affinity: f64,
    /// The penalty.
    pub penalty: f64,
}

impl Decision {
    /// The decision for a score alone.
    pub fn of(score: f64) -> Self {
        let score = round9(score);
        if score >= AUTO {
            Self::Auto
        } else if score >= CONFIRM {
            Self::Confirm
        } else {
            Self::Pick
        }
    }

    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Confirm => "confirm",
            Self::Pick => "pick",
        }
    }
}

/// The score of a basket: 0.75 similarity, 0.15 recency, 0.10 affinity, less 0.15 on a conflict.
pub(crate) fn combine(similarity: f64, recency: f64, affinity: f64, conflict: bool) -> f64 {
    let penalty = if conflict { PENALTY } else { 0.0 };
    let gained = SIMILARITY_WEIGHT * similarity
        + RECENCY_WEIGHT * unit(recency)
        + AFFINITY_WEIGHT * unit(affinity);
    round9(gained - penalty)
}

/// Falls with the age of a signature, by 1 over [`RECENCY_DAYS`]. A signature is due for a refresh
/// when it is as old as its time to live, so none counts as older than that: a basket that rested
/// for a month can still be `auto`. One that was never refreshed has 0.
pub(crate) fn recency(last_refreshed: Option<Millis>, now: Millis) -> f64 {
    let oldest = SIGNATURE_TTL_HOURS as f64 / 24.0;
    last_refreshed.map_or(0.0, |at| round9(unit(1.0 - days(at, now).min(oldest) / RECENCY_DAYS)))
}

/// Days from `at` to `now`; negative where a clock runs ahead.
pub(super) fn days(at: Millis, now: Millis) -> f64 {
    now.saturating_sub(at) as f64 / DAY_MS
}

/// Exponential decay after `age` days; a negative age counts as 0.
pub(super) fn faded(age: f64, half_life: f64) -> f64 {
    (-age.max(0.0) / half_life).exp2()
}

/// Rounds to 1e-9, as everything is before it is compared.
pub(crate) fn round9(number: f64) -> f64 {
    // Adding 0 turns a negative zero into a plain one.
    (number * 1e9).round() / 1e9 + 0.0
}

/// Whether two scores are tied.
pub(super) fn tied(one: f64, other: f64) -> bool {
    round9((one - other).abs()) < TIE
}

/// Two decimals, cut and not rounded: 0.799 is shown as 0.79, since it is not yet `auto`.
pub(super) fn shown(score: f64) -> String {
    let hundredths = ((score * 1e9).round() / 1e7).floor() / 100.0;
    format!("{hundredths:.2}")
}

/// Clamps to 0 to 1; NaN counts as 0.
pub(super) fn unit(number: f64) -> f64 {
    if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Millis = 86_400_000;

    #[test]
    fn golden_values_are_exact() {
        for (parts, expected) in [
            ((1.0, 1.0, 0.0, false), 0.90),
            ((1.0, 0.0, 0.0, false), 0.75),
            ((1.0, 1.0, 1.0, false), 1.00),
            ((1.0, 1.0, 1.0, true), 0.85),
            ((0.8, 1.0, 0.5, false), 0.80),
        ] {
            let (similarity, recency, affinity, conflict) = parts;
            assert_eq!(combine(similarity, recency, affinity, conflict), expected, "{parts:?}");
        }
    }

    #[test]
    fn thresholds_hold_at_their_edges() {
        for (score, decision) in [
            (1.0, Decision::Auto),
            (0.8, Decision::Auto),
            (0.800_000_000_000_000_2, Decision::Auto),
            (0.799_999_999_9, Decision::Auto), // closer than 1e-9
            (0.799_999_999, Decision::Confirm),
            (0.55, Decision::Confirm),
            (0.549_999_999_999, Decision::Confirm),
            (0.549_999_999, Decision::Pick),
            (0.0, Decision::Pick),
            (-0.9, Decision::Pick),
        ] {
            assert_eq!(Decision::of(score), decision, "{score}");
        }
    }

    #[test]
    fn each_decision_is_reached_from_the_similarity_that_the_formula_asks_for() {
        // Needed similarity at recency 1, 0.5, 0 (and 1/3), with affinity 0 or 1.
        for (recency, affinity, wanted, needed) in [
            (1.0, 0.0, Decision::Auto, 0.866_667),
            (0.5, 0.0, Decision::Auto, 0.966_667),
            (1.0 / 3.0, 0.0, Decision::Auto, 1.0),
            (1.0, 1.0, Decision::Auto, 0.733_334),
            (0.5, 1.0, Decision::Auto, 0.833_334),
            (0.0, 1.0, Decision::Auto, 0.933_334),
            (1.0, 0.0, Decision::Confirm, 0.533_334),
            (0.5, 0.0, Decision::Confirm, 0.633_334),
            (0.0, 0.0, Decision::Confirm, 0.733_334),
        ] {
            let at = |similarity| Decision::of(combine(similarity, recency, affinity, false));
            assert_eq!(at(needed), wanted, "{needed} at {recency}/{affinity}");
            assert_ne!(at(needed - 0.000_002), wanted, "{needed} at {recency}/{affinity}");
        }
        assert_eq!(Decision::of(combine(1.0, 0.33, 0.0, false)), Decision::Confirm);
        // A basket of last month, without affinity.
        let old = recency(Some(0), 30 * DAY);
        assert_eq!(Decision::of(combine(0.961, old, 0.0, false)), Decision::Auto);
    }

    #[test]
    fn recency_falls_until_a_refresh_is_due() {
        let now = 1_700_000_000_000;
        for (age, expected) in [
            (0, 1.0),
            (6, 0.8),
            (14, 0.533_333_333),
            (30, 0.533_333_333),
            (400, 0.533_333_333),
            (-5, 1.0),
        ] {
            assert_eq!(recency(Some(now - age * DAY), now), expected, "{age} days");
        }
        assert_eq!(recency(None, now), 0.0);
        assert_eq!(recency(Some(Millis::MIN), Millis::MAX), 0.533_333_333);
        assert_eq!(recency(Some(Millis::MAX), Millis::MIN), 1.0);
    }

    #[test]
    fn boosts_from_outside_cannot_leave_their_range() {
        assert_eq!(combine(0.0, 9.0, 9.0, false), 0.25);
        assert_eq!(combine(0.0, -9.0, f64::NAN, false), 0.0);
    }

    #[test]
    fn a_tie_is_strictly_less_than_six_hundredths() {
        assert!(tied(0.85, 0.80));
        assert!(!tied(0.86, 0.80)); // 0.05999999999999994 before rounding
        assert!(tied(0.80, 0.859_999_999));
    }

    #[test]
    fn a_score_is_not_shown_as_the_next_better_state() {
        assert_eq!(shown(0.799_999), "0.79");
        assert_eq!(shown(0.8), "0.80");
        assert_eq!(shown(0.29), "0.29");
        assert_eq!(shown(1.0), "1.00");
    }

    #[test]
    fn zero_is_never_negative() {
        assert!(round9(-1e-12).is_sign_positive());
    }
}
