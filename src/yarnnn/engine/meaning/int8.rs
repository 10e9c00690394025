//! Vectors in 8-bit numbers: a quarter of the memory, and similarities within 0.01 of the exact ones.
//!
//! Only directions are compared, so no scale is kept. Sums are exact integers: the same on every
//! machine. Knows row numbers, not blocks.

/// The largest number of a row.
const LARGEST: f32 = 127.0;
/// The largest number of a question. Sums over thousands of products stay within 32 bits.
const FINEST: f32 = 2_047.0;

/// A vector as rows are stored; empty if it has no direction.
pub(super) fn packed(vector: &[f32]) -> Vec<u8> {
    match scale(vector, LARGEST) {
        Some(scale) => {
            vector.iter().map(|number| ((number * scale).round() as i8).cast_unsigned()).collect()
        }
        None => Vec::new(),
    }
}

/// What the largest number must be multiplied by to become `most`.
fn scale(vector: &[f32], most: f32) -> Option<f32> {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    (largest.is_normal() && vector.iter().all(|number| number.is_finite()))
        .then_some(most / largest)
        .filter(|scale| scale.is_finite())
}

/// What rows are compared with.
pub(super) struct Sought {
    numbers: Vec<i16>,
    length: f32,
}

impl Sought {
    /// None if the vector has no direction.
    pub(super) fn new(vector: &[f32]) -> Option<Self> {
        let scale = scale(vector, FINEST)?;
        let numbers: Vec<i16> =
            vector.iter().map(|number| (number * scale).round() as i16).collect();
        let squares: i64 = numbers.iter().map(|number| i64::from(*number).pow(2)).sum();
        Some(Self { numbers, length: (squares as f32).sqrt() })
    }

    pub(super) fn dims(&self) -> usize {
        self.numbers.len()
    }
}

/// Many vectors of one length.
#[derive(Default)]
pub(super) struct Rows {
    dims: usize,
    numbers: Vec<i8>,
    /// The length of each; 0 for a row that nothing is similar to.
    lengths: Vec<f32>,
}

impl Rows {
    pub(super) fn new(dims: usize) -> Self {
        Self { dims: dims.max(1), ..Self::default() }
    }

    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    /// Adds a row. One of another length is similar to nothing.
    pub(super) fn push(&mut self, vector: &[u8]) {
        let fits = vector.len() == self.dims;
        let squares: i64 = match fits {
            true => vector.iter().map(|byte| i64::from(byte.cast_signed()).pow(2)).sum(),
            false => 0,
        };
        self.lengths.push((squares as f32).sqrt());
        match fits {
            true => self.numbers.extend(vector.iter().map(|byte| byte.cast_signed())),
            false => self.numbers.resize(self.numbers.len() + self.dims, 0),
        }
    }

    /// Keeps the rows that `keep` says, by their number.
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut kept = Self::new(self.dims);
        for (row, (numbers, length)) in
            self.numbers.chunks_exact(self.dims).zip(&self.lengths).enumerate()
        {
            if keep(row) {
                kept.numbers.extend_from_slice(numbers);
                kept.lengths.push(*length);
            }
        }
        *self = kept;
    }

    /// The similarity of each row, in their order: the cosine.
    pub(super) fn similarities(&self, sought: &Sought) -> impl Iterator<Item = f32> {
        self.numbers.chunks_exact(self.dims).zip(&self.lengths).map(|(row, length)| {
            let lengths = length * sought.length;
            match lengths > 0.0 && sought.dims() == self.dims {
                true => dot(row, &sought.numbers) as f32 / lengths,
                false => 0.0,
            }
        })
    }
}

/// In a form that the compiler turns into vector instructions.
fn dot(row: &[i8], sought: &[i16]) -> i32 {
    row.iter().zip(sought).fold(0, |sum: i32, (left, right)| {
        sum.wrapping_add(i32::from(*left).wrapping_mul(i32::from(*right)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::cosine;

    /// Numbers that look like a model's.
    fn vector(seed: usize, dims: usize) -> Vec<f32> {
        (0..dims).map(|n| (((n + 1) * (seed + 3)) as f32 * 0.618).sin() * 0.05).collect()
    }

    #[test]
    fn similarities_are_within_a_hundredth_of_the_exact_ones() {
        for dims in [1, 8, 384, 1_536] {
            let mut rows = Rows::new(dims);
            (0..40).for_each(|seed| rows.push(&packed(&vector(seed, dims))));
            let question = vector(7, dims);
            let sought = Sought::new(&question).unwrap();
            for (seed, similarity) in rows.similarities(&sought).enumerate() {
                let exact = cosine(&question, &vector(seed, dims)).unwrap();
                assert!((f64::from(similarity) - exact).abs() < 0.01, "{dims} {seed}: {exact}");
            }
        }
    }

    #[test]
    fn a_row_without_direction_or_of_another_length_is_similar_to_nothing() {
        let sought = Sought::new(&[1.0, 2.0]).unwrap();
        let mut rows = Rows::new(2);
        rows.push(&packed(&[0.0, 0.0]));
        rows.push(&packed(&[1.0, 2.0, 3.0]));
        rows.push(&packed(&[2.0, 4.0]));
        let found: Vec<f32> = rows.similarities(&sought).collect();
        assert_eq!(found[..2], [0.0, 0.0]);
        assert!(found[2] > 0.999, "{found:?}");
        let longer = Sought::new(&[1.0, 2.0, 3.0]).unwrap();
        assert!(rows.similarities(&longer).all(|similarity| similarity == 0.0));
        rows.retain(|row| row == 2);
        assert_eq!(rows.similarities(&sought).count(), 1);
        for nothing in [&[][..], &[0.0], &[f32::NAN, 1.0], &[f32::INFINITY], &[1e-42]] {
            assert!(Sought::new(nothing).is_none() && packed(nothing).is_empty());
        }
    }
}
