//! Functions of floats with a fixed order of operations, in a form that compilers can vectorise.
//!
//! The standard library's `exp` differs between platforms; these give the same bits everywhere.

/// Sums run in this many lanes, whatever the machine has.
const LANES: usize = 16;

/// Added to variances, as the model was trained.
const EPSILON: f32 = 1e-12;

/// Adding this to a float rounds it to a whole number, which the sum's low bits are. Unlike a cast it
/// is one instruction, for a whole vector too.
const ROUND: f32 = 12_582_912.0;

/// The nearest whole number of 16 bits; `number` must fit.
#[inline(always)]
pub(crate) fn rounded(number: f32) -> i16 {
    (number + ROUND).to_bits() as i16
}

/// e^x for x from -87 to 88; nearly 0 below. Within 2e-7 of the exact value, relatively.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let biased = x * std::f32::consts::LOG2_E + ROUND;
    let power = biased - ROUND;
    // ln 2 in two parts, so that the difference stays exact.
    let rest = (x - power * 0.693_359_4) + power * 2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    for factor in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5, 1.0, 1.0] {
        sum = sum * rest + factor;
    }
    sum * f32::from_bits((biased.to_bits() << 23).wrapping_add(127 << 23))
}

/// The Gaussian error linear unit, x · Φ(x). The error function is within 2e-7.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut sum = 1.061_405_4;
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = sum * t + factor;
    }
    let error = 1.0 - sum * t * exp(-size * size);
    0.5 * x * (1.0 + error.copysign(x))
}

/// Folds all numbers in lanes, and then the lanes.
#[inline(always)]
fn folded(numbers: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut lanes = [start; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = join(*lane, number);
        }
    }
    for (lane, &number) in lanes.iter_mut().zip(rest) {
        *lane = join(*lane, number);
    }
    lanes
}

/// The sum of a function of all numbers.
#[inline(always)]
pub(crate) fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    folded(numbers, 0.0, |sum, number| sum + of(number)).iter().sum()
}

/// The largest value of a function of all numbers, at least `least`.
#[inline(always)]
pub(crate) fn largest(numbers: &[f32], least: f32, of: impl Fn(f32) -> f32) -> f32 {
    let larger = |one: f32, other: f32| if other > one { other } else { one };
    folded(numbers, least, |most, number| larger(most, of(number))).into_iter().fold(least, larger)
}

/// Normalises a row to mean 0 and variance 1, then scales and shifts it.
#[inline(always)]
pub(crate) fn layer_norm(row: &mut [f32], weight: &[f32], bias: &[f32]) {
    let count = row.len() as f32;
    let mean = sum(row, |number| number) / count;
    let variance = sum(row, |number| (number - mean) * (number - mean)) / count;
    let factor = 1.0 / (variance + EPSILON).sqrt();
    for ((number, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *number = (*number - mean) * factor * weight + bias;
    }
}

/// Turns scores into shares that add up to 1.
#[inline(always)]
pub(crate) fn softmax(scores: &mut [f32]) {
    let most = largest(scores, f32::MIN, |score| score);
    for score in scores.iter_mut() {
        *score = exp(*score - most);
    }
    let factor = 1.0 / sum(scores, |share| share);
    for score in scores {
        *score *= factor;
    }
}

/// Scales a vector to length 1; false when it points nowhere.
pub(crate) fn unit(vector: &mut [f32]) -> bool {
    let length = sum(vector, |number| number * number).sqrt();
    for number in vector.iter_mut() {
        *number /= length;
    }
    length > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_everywhere() {
        for step in -8_700..8_800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(error < 3e-7, "{x}: {error}");
        }
        assert!(exp(-1e30) < 1e-37);
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_whole_one() {
        for (number, whole) in
            [(0.4, 0), (0.6, 1), (-0.6, -1), (32_767.0, 32_767), (-32_767.4, -32_767)]
        {
            assert_eq!(rounded(number), whole, "{number}");
        }
    }

    #[test]
    fn gelu_has_the_known_values() {
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_3), (3.0, 2.995_950_3), (-9.0, 0.0)]
        {
            assert!((gelu(x) - expected).abs() < 1e-6, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn shares_add_up_and_rows_are_normalised() {
        let mut scores = [3.0, -2.0, 900.0, 900.0];
        softmax(&mut scores);
        assert!((scores[2] - 0.5).abs() < 1e-6 && scores[0] < 1e-30, "{scores:?}");
        let mut row: Vec<f32> = (0..37).map(|n| n as f32).collect();
        layer_norm(&mut row, &[2.0; 37], &[1.0; 37]);
        assert!((sum(&row, |n| n) / 37.0 - 1.0).abs() < 1e-5);
        assert!((sum(&row, |n| (n - 1.0) * (n - 1.0)) / 37.0 - 4.0).abs() < 1e-4);
        assert!(!unit(&mut [0.0; 4]));
    }
}
