//! Tells a model's vector from one that somebody made up.
//!
//! A language model that is asked for numbers writes a few, round, repeated or counting ones. Such a
//! vector says nothing of the session, and would misfile it.

use crate::inference::BadEmbedding;

/// Fewest numbers of an embedding model's vector.
pub(crate) const FEWEST: usize = 64;
/// Numbers closer than this share of the largest one are equal.
const TOLERANCE: f32 = 1e-6;

/// Refuses a vector of fewer than 64 numbers, and one of which four in five numbers are equal, or
/// follow each other in equal steps.
pub(crate) fn plausible(vector: &[f32]) -> Result<(), BadEmbedding> {
    if vector.len() < FEWEST {
        return Err(BadEmbedding::TooFew { given: vector.len(), fewest: FEWEST });
    }
    let largest = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    let tolerance = largest * TOLERANCE;
    let nearly_all = |same: usize, all: usize| same * 5 >= all * 4;
    if vector.iter().filter(|number| number.abs() <= tolerance).count() * 5 >= vector.len() * 4 {
        return Err(BadEmbedding::Implausible { how: "zero" });
    }
    if nearly_all(most_equal(vector.to_vec(), tolerance), vector.len()) {
        return Err(BadEmbedding::Implausible { how: "equal" });
    }
    let steps: Vec<f32> = vector.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let count = steps.len();
    match nearly_all(most_equal(steps, tolerance * 4.0), count) {
        true => Err(BadEmbedding::Implausible { how: "evenly spaced" }),
        false => Ok(()),
    }
}

/// How many of the numbers are equal to each other, at most.
fn most_equal(mut numbers: Vec<f32>, tolerance: f32) -> usize {
    numbers.sort_unstable_by(f32::total_cmp);
    let mut first = 0;
    let mut most = 0;
    for (last, number) in numbers.iter().enumerate() {
        while numbers.get(first).is_some_and(|low| number - low > tolerance) {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look like a model's.
    fn real(dims: usize) -> Vec<f32> {
        (0..dims).map(|n| ((n * n + 7 * n) as f32 * 0.618).sin() * 0.05).collect()
    }

    fn how(vector: &[f32]) -> Option<&'static str> {
        match plausible(vector) {
            Ok(()) => None,
            Err(BadEmbedding::Implausible { how }) => Some(how),
            Err(BadEmbedding::TooFew { .. }) => Some("too few"),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn made_up_vectors_are_refused_and_say_why() {
        let counting = |dims: usize, cycle: usize| -> Vec<f32> {
            (0..dims).map(|n| ((n % cycle) + 1) as f32 / 10.0).collect()
        };
        let mut hot = vec![0.0; 384];
        hot[3] = 1.0;
        let mut spotted = vec![0.5; 100];
        spotted[..20].copy_from_slice(&real(20));
        let falling: Vec<f32> = (0..1536).map(|n| 1.0 - n as f32 * 0.001).collect();
        for (vector, expected) in [
            (vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "too few"),
            (real(63), "too few"),
            (hot, "zero"),
            (vec![0.25; 64], "equal"),
            (spotted, "equal"),
            (counting(384, 384), "evenly spaced"),
            (counting(384, 10), "evenly spaced"),
            (falling, "evenly spaced"),
        ] {
            assert_eq!(how(&vector), Some(expected), "{:?}", &vector[..8]);
        }
    }

    #[test]
    fn vectors_of_models_are_taken_in_every_number_format() {
        for dims in [64, 384, 1536, 4096] {
            let floats = real(dims);
            let bytes: Vec<f32> = floats.iter().map(|n| (n * 2_000.0).round()).collect();
            let signs: Vec<f32> = floats.iter().map(|n| n.signum()).collect();
            let bits: Vec<f32> = signs.iter().map(|n| n.max(0.0)).collect();
            let scaled: Vec<f32> = floats.iter().map(|n| n * 1e-20).collect();
            for vector in [floats, bytes, signs, bits, scaled] {
                assert_eq!(how(&vector), None, "{dims}: {:?}", &vector[..8]);
            }
        }
    }

    #[test]
    fn a_fifth_of_other_numbers_is_enough() {
        let mut vector = vec![0.5; 100];
        vector[..21].copy_from_slice(&real(21));
        assert_eq!(how(&vector), None);
    }
}
