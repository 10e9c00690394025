//! Many vectors in contiguous memory, for workspaces with thousands of baskets.
//!
//! Rows are normalised once and padded to whole lanes, so that a search is one pass of multiply and
//! add. 32-bit sums are good enough for a shortlist, not for a decision, which compares
//! exactly with [`super::cosine`]. Knows row numbers, not baskets.

#[cfg(test)]
use std::cmp::Ordering;

use super::vector::{BadEmbedding, normalised, same_dims};

/// Numbers summed in parallel; the compiler maps them to SIMD registers.
const LANES: usize = 16;

/// Normalised vectors of one length, by row number.
#[derive(Debug, Clone)]
pub struct Packed {
    dims: usize,
    stride: usize,
    numbers: Vec<f32>,
}

/// A row and its similarity.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Near {
    /// Its number.
    pub row: usize,
    /// Cosine, to about 1e-5.
    pub similarity: f32,
}

impl Packed {
    /// No rows yet; every row will have `dims` numbers.
    pub fn new(dims: usize) -> Self {
        Self::with_capacity(dims, 0)
    }

    /// The same, with room for `rows`.
    pub fn with_capacity(dims: usize, rows: usize) -> Self {
        let stride = dims.max(1).next_multiple_of(LANES);
        Self { dims, stride, numbers: Vec::with_capacity(stride.saturating_mul(rows)) }
    }

    /// How many numbers each vector has.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.numbers.len() / self.stride
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Adds a vector and returns its row.
    pub fn push(&mut self, vector: &[f32]) -> Result<usize, BadEmbedding> {
        let unit = self.unit(vector)?;
        self.numbers.extend_from_slice(&unit);
        Ok(self.len() - 1)
    }

    /// Adds a blank row with similarity 0, for a basket without a usable vector.
    pub fn push_blank(&mut self) -> usize {
        self.numbers.resize(self.numbers.len() + self.stride, 0.0);
        self.len() - 1
    }

    /// Replaces a row's vector; does nothing if there is no such row.
    pub fn set(&mut self, row: usize, vector: &[f32]) -> Result<(), BadEmbedding> {
        let unit = self.unit(vector)?;
        let start = row.saturating_mul(self.stride);
        if let Some(old) = self.numbers.get_mut(start..start.saturating_add(self.stride)) {
            old.copy_from_slice(&unit);
        }
        Ok(())
    }

    /// The cosine of every row with `fingerprint`, in row order, to about 1e-5.
    pub fn similarities(&self, fingerprint: &[f32]) -> Result<Vec<f32>, BadEmbedding> {
        let unit = self.unit(fingerprint)?;
        Ok(self.numbers.chunks_exact(self.stride).map(|row| dot(row, &unit)).collect())
    }

    /// At length 1 and padded.
    fn unit(&self, vector: &[f32]) -> Result<Vec<f32>, BadEmbedding> {
        same_dims(vector.len(), self.dims)?;
        let mut unit = normalised(vector).ok_or(BadEmbedding::Zero)?;
        unit.resize(self.stride, 0.0);
        Ok(unit)
    }
}

/// The `k` rows most similar to `fingerprint`, best first; equal ones in row order.
#[cfg(test)]
pub(super) fn best(
    fingerprint: &[f32],
    vectors: &Packed,
    k: usize,
) -> Result<Vec<Near>, BadEmbedding> {
    let mut near: Vec<Near> = vectors
        .similarities(fingerprint)?
        .into_iter()
        .enumerate()
        .map(|(row, similarity)| Near { row, similarity })
        .collect();
    let order = |a: &Near, b: &Near| -> Ordering {
        b.similarity.total_cmp(&a.similarity).then(a.row.cmp(&b.row))
    };
    if k < near.len() {
        near.select_nth_unstable_by(k, order);
        near.truncate(k);
    }
    near.sort_unstable_by(order);
    Ok(near)
}

/// Dot product. Lanes are summed separately so that the compiler can vectorise: it must not
/// reorder a single running sum.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (left, _) = left.as_chunks::<LANES>();
    let (right, _) = right.as_chunks::<LANES>();
    for (a, b) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::Numbers;
    use super::super::vector::cosine;
    use super::*;

    #[test]
    fn finds_what_a_plain_comparison_finds() {
        for dims in [8, 15, 16, 17, 100, 1536] {
            let mut numbers = Numbers::new(dims as u64);
            let vectors: Vec<Vec<f32>> = (0..60).map(|_| numbers.vector(dims)).collect();
            let mut packed = Packed::with_capacity(dims, 60);
            for (row, vector) in vectors.iter().enumerate() {
                assert_eq!(packed.push(vector), Ok(row));
            }
            let wanted = numbers.vector(dims);
            let all = packed.similarities(&wanted).unwrap();
            let mut plain: Vec<(usize, f64)> = Vec::new();
            for (row, vector) in vectors.iter().enumerate() {
                let exact = cosine(&wanted, vector).unwrap();
                assert!((f64::from(all[row]) - exact).abs() < 1e-5, "{dims} {row}");
                plain.push((row, exact));
            }
            plain.sort_by(|a, b| b.1.total_cmp(&a.1));
            let found = best(&wanted, &packed, 5).unwrap();
            assert_eq!(
                found.iter().map(|near| near.row).collect::<Vec<_>>(),
                plain[..5].iter().map(|(row, _)| *row).collect::<Vec<_>>(),
                "{dims}"
            );
        }
    }

    #[test]
    fn equal_rows_come_in_row_order_and_k_may_be_anything() {
        let mut packed = Packed::new(8);
        for _ in 0..4 {
            packed.push(&[1.0; 8]).unwrap();
        }
        let rows = |k| -> Vec<usize> {
            best(&[2.0; 8], &packed, k).unwrap().into_iter().map(|near| near.row).collect()
        };
        assert_eq!(rows(0), [0_usize; 0]);
        assert_eq!(rows(3), [0, 1, 2]);
        assert_eq!(rows(99), [0, 1, 2, 3]);
        assert_eq!(best(&[2.0; 8], &Packed::new(8), 3), Ok(Vec::new()));
    }

    #[test]
    fn rows_can_be_blank_and_be_filled_later() {
        let mut packed = Packed::new(8);
        assert!(packed.is_empty());
        assert_eq!(packed.push_blank(), 0);
        assert_eq!(packed.similarities(&[1.0; 8]), Ok(vec![0.0]));
        packed.set(0, &[3.0; 8]).unwrap();
        packed.set(7, &[3.0; 8]).unwrap();
        assert_eq!(packed.len(), 1);
        assert!((packed.similarities(&[1.0; 8]).unwrap()[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn another_length_or_a_zero_vector_is_refused_and_leaves_no_row() {
        let mut packed = Packed::new(8);
        let mismatch = BadEmbedding::Mismatch { given: 9, expected: 8 };
        assert_eq!(packed.push(&[1.0; 9]), Err(mismatch));
        assert_eq!(packed.push(&[0.0; 8]), Err(BadEmbedding::Zero));
        assert_eq!(best(&[1.0; 9], &packed, 1), Err(mismatch));
        assert_eq!(packed.len(), 0);
        assert_eq!(packed.dims(), 8);
    }
}
