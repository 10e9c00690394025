//! How the cosines of a model spread in a workspace: between texts and their own basket, and between
//! texts and other baskets.

use super::calibrate::Known;
use super::vector::{cosine, normalised};

/// Fewer members say nothing about a basket.
const FEWEST: usize = 4;
/// Fewer baskets say nothing about a model.
const BASKETS: usize = 3;
/// Newest members of each basket that are looked at.
const LOOKED_AT: usize = 8;
/// Means are at least this far apart.
const APART: f64 = 0.05;

/// Two distributions of cosines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    /// Mean cosine of a text to the centroid of the others of its basket.
    pub(super) own: f64,
    /// Mean cosine of a text to another basket's centroid.
    pub(super) other: f64,
    /// Texts that this was seen on.
    pub(super) seen: f64,
}

impl Spread {
    /// The prior, corrected by what was seen.
    pub(super) fn after(&self, prior: &Self) -> Self {
        let seen = self.seen + prior.seen;
        let mix = |own: f64, before: f64| (own * self.seen + before * prior.seen) / seen;
        Self { own: mix(self.own, prior.own), other: mix(self.other, prior.other), seen }
    }

    /// A cosine of this spread as the one that is as far from either mean in the other.
    pub(super) fn in_known_units(&self, cosine: f64, known: &Self) -> f64 {
        let apart = (self.own - self.other).max(APART);
        known.other + (cosine - self.other) / apart * (known.own - known.other)
    }
}

/// The spread among the baskets that a session is compared with.
pub(super) fn spread(baskets: &[Known<'_>]) -> Spread {
    let told: Vec<&Known<'_>> = baskets
        .iter()
        .filter(|basket| basket.members.len() >= FEWEST && !basket.centroid.is_empty())
        .collect();
    if told.len() < BASKETS {
        return Spread::default();
    }
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (at, basket) in told.iter().enumerate() {
        let units: Vec<Vec<f32>> =
            basket.members.iter().filter_map(|member| normalised(member)).collect();
        let sum = sum(&units);
        for unit in units.iter().take(LOOKED_AT) {
            let rest: Vec<f32> = sum.iter().zip(unit).map(|(sum, own)| sum - own).collect();
            own.extend(cosine(unit, &rest));
            let elsewhere = told.iter().enumerate().filter(|(other, _)| *other != at);
            others.extend(elsewhere.filter_map(|(_, other)| cosine(unit, other.centroid)));
        }
    }
    Spread { own: mean(&own), other: mean(&others), seen: own.len() as f64 }
}

fn sum(units: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = units.first().cloned().unwrap_or_default();
    for unit in units.iter().skip(1) {
        sum.iter_mut().zip(unit).for_each(|(sum, own)| *sum += own);
    }
    sum
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}
