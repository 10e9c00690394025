//! How much each measure counts, and whether a difference is a contradiction. The weights were
//! fitted to the labelled pairs of `tests/labelled/conflicts/dev` and `pairs.yaml`, held near to
//! what one would expect by hand. Numbers only.

use super::differences::{Difference, MEASURES, SORTS};

/// Measures that all sorts share, in the order of `differences::measures` after the first.
const SHARED: [f64; MEASURES - 4] = [
    2.62, 1.96, 1.31, 0.59, 0.84, -0.55, 0.55, -1.42, -1.23, -0.67, -0.31, -0.64, -1.42, 0.0, 0.18,
    -1.33, -1.29, -0.78, -0.54, 0.85, -0.39, -0.68, -0.70,
];

/// For each sort: its start and its three own measures.
const OWN: [[f64; 4]; SORTS.len()] = [
    // Number
    [-2.90, 0.51, -0.01, -0.19],
    // Date
    [-3.32, -0.07, 0.39, -0.40],
    // Polarity
    [-3.76, 1.19, 0.18, -0.30],
    // Opposite
    [-3.59, 0.28, 0.41, 0.12],
    // Share
    [-3.42, 0.95, 0.10, 0.13],
    // Only
    [-3.43, 1.55, 0.20, -1.00],
    // Order
    [-3.46, 0.54, 0.0, 0.04],
    // Over
    [-2.79, 1.13, 0.51, 0.52],
    // Condition
    [-4.32, 1.23, 0.83, 0.21],
    // Choice
    [-4.69, 1.33, 0.44, 0.16],
    // Swap
    [-3.08, 1.00, -0.50, 0.0],
];

/// Above this a difference is a contradiction.
const THRESHOLD: f64 = 0.5;

/// How surely a difference with these measures is a contradiction; above 0 it is one.
pub(super) fn weigh(difference: &Difference, measures: &[f64; MEASURES]) -> f64 {
    let shared: f64 = SHARED.iter().zip(&measures[1..]).map(|(weight, value)| weight * value).sum();
    let place = SORTS.iter().position(|sort| *sort == difference.sort).unwrap_or_default();
    let [start, first, second, third] = OWN[place];
    let [one, two, three] = difference.own;
    shared + start + one * first + two * second + three * third - THRESHOLD
}
