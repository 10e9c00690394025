//! Matrix products of 8-bit weights with activations of 16 bits: exact integer sums, so that every
//! machine gets the same numbers.
//!
//! Activations are scaled to 16 bits row by row, which costs less than a thousandth of what the 8
//! bits of the weights do.

use super::math::{largest, rounded};
use super::weights::Matrix;
use super::wide::{Machine, WEIGHTS};

/// Rows of activations that are multiplied at once: as many sums as fit into registers.
const TOKENS: usize = 4;

/// A linear layer of `K` inputs.
pub(crate) struct Linear<const K: usize> {
    pub(crate) matrix: Matrix,
    pub(crate) bias: Vec<f32>,
}

/// Rows of activations, scaled to 16 bits.
pub(crate) struct Scaled<const K: usize> {
    rows: Vec<[i16; K]>,
    scales: Vec<f32>,
}

impl<const K: usize> Scaled<K> {
    /// The largest number such that no sum of products leaves 32 bits.
    const LARGEST: i32 = {
        let fits = i32::MAX / (128 * K as i32);
        if fits < i16::MAX as i32 { fits } else { i16::MAX as i32 }
    };

    #[inline(always)]
    pub(crate) fn of(rows: &[[f32; K]]) -> Self {
        let mut scaled =
            Self { rows: Vec::with_capacity(rows.len()), scales: Vec::with_capacity(rows.len()) };
        for row in rows {
            let most = largest(row, 0.0, f32::abs);
            let largest = Self::LARGEST as f32;
            let factor = if most > 0.0 { largest / most } else { 0.0 };
            let mut narrow = [0; K];
            for (narrow, number) in narrow.iter_mut().zip(row) {
                *narrow = rounded(number * factor);
            }
            scaled.rows.push(narrow);
            scaled.scales.push(most / largest);
        }
        scaled
    }
}

impl<const K: usize> Linear<K> {
    /// The layer's output for each row, `N` numbers each.
    #[inline(always)]
    pub(crate) fn apply<const N: usize>(
        &self,
        machine: impl Machine,
        input: &Scaled<K>,
    ) -> Vec<[f32; N]> {
        let mut output = vec![[0.0; N]; input.rows.len()];
        let mut wide = [[0_i16; K]; WEIGHTS];
        let (rows, _) = self.matrix.rows.as_chunks::<K>();
        for (block, rows) in rows.chunks(WEIGHTS).enumerate() {
            for (wide, row) in wide.iter_mut().zip(rows) {
                for (wide, byte) in wide.iter_mut().zip(row) {
                    *wide = i16::from(byte.cast_signed());
                }
            }
            let first = block * WEIGHTS;
            let scales = self.matrix.scales.get(first..).unwrap_or_default();
            let bias = self.bias.get(first..).unwrap_or_default();
            let mut put = |token: usize, sums: [i32; WEIGHTS]| {
                let Some((row, scale)) = output.get_mut(token).zip(input.scales.get(token)) else {
                    return;
                };
                let places = row.iter_mut().skip(first).zip(sums).zip(scales).zip(bias);
                for (((place, sum), own), bias) in places {
                    *place = sum as f32 * (own * scale) + bias;
                }
            };
            let (groups, rest) = input.rows.as_chunks::<TOKENS>();
            for (group, tokens) in groups.iter().enumerate() {
                let sums = machine.products(&wide, tokens);
                for (token, sums) in sums.into_iter().enumerate() {
                    put(group * TOKENS + token, sums);
                }
            }
            for (token, row) in rest.iter().enumerate() {
                let [sums] = machine.products(&wide, std::array::from_ref(row));
                put(groups.len() * TOKENS + token, sums);
            }
        }
        output
    }
}
