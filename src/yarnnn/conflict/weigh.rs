//! How much each measure counts, and whether a difference is a contradiction. The weights were
//! fitted to the labelled pairs of `tests/labelled/conflicts/dev` and `pairs.yaml`, starting from
//! what one would expect by hand. Numbers only.

use super::differences::{Difference, MEASURES, SORTS};

/// Measures that all sorts share, in the order of `differences::measures` after the first.
const SHARED: [f64; MEASURES - 4] = [
    2.964, 2.230, 1.477, 0.886, 1.281, -0.206, 0.337, -1.719, -1.761, -0.864, -0.527, -0.932,
    -1.662, -0.512, -0.649, -1.424, -1.822, -1.111,
];

/// For each sort: its start, its three own measures, and what cosine and shared words count more.
const OWN: [[f64; 6]; SORTS.len()] = [
    // Number
    [-2.013, 0.192, 0.021, -0.461, -0.031, 0.096],
    // Date
    [-2.781, -0.252, 0.668, -0.500, 0.105, -0.005],
    // Polarity
    [-3.982, 1.491, 0.352, -0.300, -0.416, 0.057],
    // Opposite
    [-3.215, 0.172, 0.458, 0.286, 0.052, 0.059],
    // Share
    [-2.966, 1.024, -0.083, 0.117, 0.012, 0.024],
    // Only
    [-2.915, 1.561, 0.043, -1.000, 0.044, -0.066],
    // Order
    [-2.932, 0.568, 0.000, 0.051, 0.153, 0.077],
    // Over
    [-2.562, 0.953, 0.500, 0.391, 0.055, 0.017],
    // Condition
    [-3.532, 1.439, 0.832, 0.315, -0.145, -0.094],
    // Choice
    [-4.298, 1.628, 0.473, -0.296, 0.352, -0.048],
    // Swap
    [-2.732, 1.007, -0.500, 0.000, -0.219, -0.232],
];

/// Above this a difference is a contradiction.
const THRESHOLD: f64 = 0.25;

/// How surely a difference with these measures is a contradiction; above 0 it is one.
pub(super) fn weigh(difference: &Difference, measures: &[f64; MEASURES]) -> f64 {
    let shared: f64 = SHARED.iter().zip(&measures[1..]).map(|(weight, value)| weight * value).sum();
    let place = SORTS.iter().position(|sort| *sort == difference.sort).unwrap_or_default();
    let [start, first, second, third, cosine, words] = OWN[place];
    let own = difference.own[0] * first + difference.own[1] * second + difference.own[2] * third;
    shared + start + own + cosine * measures[1] + words * measures[4] - THRESHOLD
}
