//! A user's affinity to baskets, from their confirmations and misroutes.
//!
//! A confirmation counts for a basket, a misroute against it; both decay. Knows no scores.

use std::collections::BTreeMap;

use crate::model::Millis;

use super::score::{days, faded, round9, unit};
use super::vector::cosine;

/// After this many days a confirmation or misroute counts half.
pub(super) const SIGNAL_HALF_LIFE_DAYS: f64 = 30.0;
/// How similar a session must be to one that was moved away.
pub(super) const MOVED_SIMILARITY: f64 = 0.9;
/// How long a move counts.
pub(super) const MOVED_DAYS: f64 = 90.0;

/// One basket's confirmations (`1.0`) and misroutes (`-1.0`), decayed and summed.
///
/// Not normalised; see [`affinities`].
pub(super) fn affinity(events: &[(Millis, f64)], now: Millis) -> f64 {
    events
        .iter()
        .filter(|(_, sign)| sign.is_finite())
        .map(|(at, sign)| sign.clamp(-1.0, 1.0) * faded(days(*at, now), SIGNAL_HALF_LIFE_DAYS))
        .sum()
}

/// Every basket's affinity, 0 to 1: its sum, divided by the largest one.
///
/// The divisor is at least 1, the weight of one fresh confirmation. Otherwise a single yes of last
/// year would count in full as long as no other basket had one.
pub(crate) fn affinities(
    events: &BTreeMap<String, Vec<(Millis, f64)>>,
    now: Millis,
) -> BTreeMap<String, f64> {
    let sums: BTreeMap<&String, f64> =
        events.iter().map(|(basket, events)| (basket, affinity(events, now))).collect();
    let largest = sums.values().copied().fold(1.0, f64::max);
    sums.into_iter().map(|(basket, sum)| (basket.clone(), round9(unit(sum / largest)))).collect()
}

/// Whether the user recently moved a similar session out of the basket whose moves are given.
pub(crate) fn moved_away(fingerprint: &[f32], moves: &[(Millis, &[f32])], now: Millis) -> bool {
    moves
        .iter()
        .filter(|(at, _)| days(*at, now) <= MOVED_DAYS)
        .filter_map(|(_, moved)| cosine(fingerprint, moved))
        .any(|similarity| similarity >= MOVED_SIMILARITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Millis = 86_400_000;
    const NOW: Millis = 1_700_000_000_000;

    fn of(baskets: &[(&str, &[(Millis, f64)])]) -> BTreeMap<String, f64> {
        let events = baskets.iter().map(|(id, events)| ((*id).to_owned(), events.to_vec()));
        affinities(&events.collect(), NOW)
    }

    #[test]
    fn a_signal_halves_every_thirty_days() {
        let events = [(NOW, 1.0), (NOW - 30 * DAY, 1.0), (NOW - 60 * DAY, -1.0)];
        assert_eq!(affinity(&events, NOW), 1.25);
        assert_eq!(affinity(&[(NOW + DAY, 1.0)], NOW), 1.0);
        assert_eq!(affinity(&[(NOW, f64::NAN), (NOW, 50.0)], NOW), 1.0);
        assert_eq!(affinity(&[], NOW), 0.0);
    }

    #[test]
    fn the_most_confirmed_basket_has_one_and_others_their_share() {
        let found = of(&[
            ("a", &[(NOW, 1.0), (NOW, 1.0), (NOW, 1.0), (NOW, 1.0)]),
            ("b", &[(NOW, 1.0)]),
            ("c", &[(NOW, 1.0), (NOW, -1.0), (NOW, -1.0)]),
            ("d", &[]),
        ]);
        let values: Vec<f64> = found.values().copied().collect();
        assert_eq!(values, [1.0, 0.25, 0.0, 0.0]);
    }

    #[test]
    fn one_old_confirmation_does_not_count_in_full() {
        assert_eq!(of(&[("a", &[(NOW, 1.0)])])["a"], 1.0);
        assert_eq!(of(&[("a", &[(NOW - 90 * DAY, 1.0)])])["a"], 0.125);
    }

    #[test]
    fn only_misroutes_leave_nothing() {
        assert_eq!(of(&[("a", &[(NOW, -1.0)]), ("b", &[(NOW, -1.0), (NOW, -1.0)])])["b"], 0.0);
    }

    #[test]
    fn a_move_counts_when_alike_and_recent() {
        let here = [1.0, 0.0, 0.0, 0.0];
        let edge = [9.0, 3.0, 3.0, 1.0]; // of length 10
        let unlike = [8.999, 3.0, 3.0, 1.0];
        for (at, moved, expected) in [
            (NOW, &edge, true),
            (NOW, &unlike, false),
            (NOW - 90 * DAY, &here, true),
            (NOW - 90 * DAY - 1, &here, false),
        ] {
            assert_eq!(moved_away(&here, &[(at, moved)], NOW), expected, "{at} {moved:?}");
        }
        assert!(!moved_away(&here, &[(NOW, &[1.0])], NOW));
    }
}
