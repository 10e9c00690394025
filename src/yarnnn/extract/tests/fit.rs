//! Fits the weights to the dev half of the labelled transcripts, by logistic regression.
//!
//! Run with `cargo test -p yarnnn --lib fit -- --ignored --nocapture`; it prints the table for
//! `weights.rs`, after figures over transcripts that each fit did not see.

use std::collections::BTreeMap;
use std::path::Path;

use crate::extract::clean;
use crate::extract::entities::Names;
use crate::extract::features::Features;
use crate::extract::units::units;
use crate::extract::weights::WEIGHTS;

/// Rounds, pace and how much weights are held small.
const ROUNDS: usize = 400;
const PACE: f64 = 4.0;
const SMALL: f64 = 2.0;
/// The tables of long transcripts would outvote the others.
const LONG: usize = 10_000;

struct Example {
    features: Features,
    /// 1 for a statement, 0 for talk.
    wanted: f64,
    weight: f64,
}

/// The examples of each transcript.
fn examples() -> BTreeMap<String, Vec<Example>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled/transcripts/dev");
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "txt") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let labels: serde_yaml::Value =
            serde_yaml::from_str(&std::fs::read_to_string(path.with_extension("yaml")).unwrap())
                .unwrap();
        let strings = |name: &str| labels[name].as_sequence().cloned().unwrap_or_default();
        let find = |quote: &str| text.find(quote).map(|at| (at, at + quote.len()));
        let important: Vec<_> =
            strings("important").iter().filter_map(|one| find(one["quote"].as_str()?)).collect();
        let acceptable: Vec<_> =
            strings("acceptable").iter().filter_map(|one| find(one.as_str()?)).collect();
        let cleaned = clean(&text);
        let mut found = Vec::new();
        for unit in units(&cleaned, &mut Names::default()).0 {
            let length = unit.span.end - unit.span.start;
            let shared = |passage: &(usize, usize)| {
                unit.span.end.min(passage.1).saturating_sub(unit.span.start.max(passage.0))
            };
            let of = |passages: &[(usize, usize)]| passages.iter().map(shared).max().unwrap_or(0);
            let (most, more) = (of(&important), of(&acceptable));
            let (wanted, weight) = match () {
                () if most * 2 >= length => (1.0, 1.0),
                () if more * 2 >= length => (1.0, 0.2),
                // Part of something important, but more is around it: tells nothing.
                () if most > 0 => continue,
                () => (0.0, 1.0),
            };
            let weight = if text.len() > LONG { weight * 0.5 } else { weight };
            found.push(Example { features: unit.features, wanted, weight });
        }
        all.insert(path.file_stem().unwrap().display().to_string(), found);
    }
    all
}

/// The weights and the base.
fn fit<'a>(examples: impl Iterator<Item = &'a Example> + Clone) -> ([f64; 46], f64) {
    let (mut weights, mut base) = ([0.0; 46], 0.0);
    let count: f64 = examples.clone().map(|one| one.weight).sum();
    for _ in 0..ROUNDS {
        let mut slopes = weights.map(|weight| SMALL * weight);
        let mut lean = 0.0;
        for one in examples.clone() {
            let sure = 1.0 / (1.0 + (-sum(&weights, base, one.features)).exp());
            let off = (sure - one.wanted) * one.weight;
            lean += off;
            for (slope, feature) in slopes.iter_mut().zip(WEIGHTS.map(|(feature, _)| feature)) {
                if one.features.has(feature) {
                    *slope += off;
                }
            }
        }
        base -= PACE * lean / count;
        for (weight, slope) in weights.iter_mut().zip(slopes) {
            *weight -= PACE * slope / count;
        }
    }
    (weights, base)
}

fn sum(weights: &[f64; 46], base: f64, features: Features) -> f64 {
    let all = weights.iter().zip(WEIGHTS.map(|(feature, _)| feature));
    base + all.filter(|(_, feature)| features.has(*feature)).map(|(weight, _)| weight).sum::<f64>()
}

#[test]
#[ignore = "prints the weights; run it after a change of features or of the dev transcripts"]
fn fit_weights() {
    let all = examples();
    let mut sums: Vec<(f64, &Example)> = Vec::new();
    for fold in 0..6 {
        let held = |at: usize| at % 6 == fold;
        let seen = all.values().enumerate().filter(|(at, _)| !held(*at));
        let (weights, base) = fit(seen.flat_map(|(_, examples)| examples));
        let unseen = all.values().enumerate().filter(|(at, _)| held(*at));
        let unseen = unseen.flat_map(|(_, examples)| examples);
        sums.extend(unseen.map(|one| (sum(&weights, base, one.features), one)));
    }
    for threshold in [-0.25, 0.0, 0.25, 0.5, 0.75] {
        let count = |of: &dyn Fn(bool, &Example) -> bool| {
            sums.iter().filter(|(sum, one)| of(*sum >= threshold, one)).count() as f64
        };
        let important = |one: &Example| one.wanted == 1.0 && one.weight >= 0.5;
        let missed =
            count(&|chosen, one| !chosen && important(one)) / count(&|_, one| important(one));
        let junk = count(&|chosen, one| chosen && one.wanted == 0.0) / count(&|chosen, _| chosen);
        println!("unseen, from {threshold}: missed {missed:.3}, junk {junk:.3}");
    }
    let (weights, base) = fit(all.values().flatten());
    println!("base {:.0}", base * 100.0);
    for (weight, feature) in weights.iter().zip(WEIGHTS.map(|(feature, _)| feature)) {
        println!("    (Feature::{feature:?}, {:.0}),", weight * 100.0);
    }
    assert!(weights.iter().all(|weight| weight.is_finite()));
}
