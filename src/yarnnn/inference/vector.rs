//! Vectors: validation, cosine similarity and storage format.
//!
//! A vector that cannot be compared is refused here with a specific error, to avoid a silent
//! similarity of 0 later. Knows nothing of baskets.

use sha2::{Digest, Sha256};

use super::score::round9;

/// Fewest numbers that are accepted.
pub(super) const MIN_DIMS: usize = 8;
/// Most numbers that are accepted.
pub(super) const MAX_DIMS: usize = 4096;

/// Parallel running sums, so that the compiler can use SIMD registers.
const LANES: usize = 8;

/// Why an embedding cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadEmbedding {
    /// It is missing.
    #[error("`session_fingerprint.embedding` is missing.")]
    Missing,
    /// It has no numbers.
    #[error("`session_fingerprint.embedding` is empty.")]
    Empty,
    /// Its length is outside `MIN_DIMS` to `MAX_DIMS`.
    #[error(
        "`session_fingerprint.embedding` has {given} numbers; {MIN_DIMS} to {MAX_DIMS} can be used."
    )]
    Dimensions {
        /// Its length.
        given: usize,
    },
    /// A number is NaN or infinite.
    #[error("`session_fingerprint.embedding`[{index}] is not a finite number.")]
    NotFinite {
        /// Which one, from 0.
        index: usize,
    },
    /// A number does not fit 32 bits.
    #[error("`session_fingerprint.embedding`[{index}] is too large for 32 bits.")]
    TooLarge {
        /// Which one, from 0.
        index: usize,
    },
    /// All numbers are 0, so it points nowhere.
    #[error("`session_fingerprint.embedding` has only zeros, so it points nowhere.")]
    Zero,
    /// It is of another length than the vectors of the same model.
    #[error(
        "`session_fingerprint.embedding` has {given} numbers, but the vectors that this workspace has \
         of the same model have {expected}."
    )]
    Mismatch {
        /// Its length.
        given: usize,
        /// The length of the stored ones.
        expected: usize,
    },
    /// It has fewer numbers than any embedding model makes.
    #[error(
        "`session_fingerprint.embedding` has {given} numbers; embedding models make {fewest} or more."
    )]
    TooFew {
        /// Its length.
        given: usize,
        /// The fewest that are accepted.
        fewest: usize,
    },
    /// Nearly all numbers are the same, or count up or down.
    #[error(
        "Nearly all numbers of `session_fingerprint.embedding` are {how}; it is not the vector of an \
         embedding model."
    )]
    Implausible {
        /// What nearly all are.
        how: &'static str,
    },
    /// Stored bytes are not a row of 32-bit numbers.
    #[error("A stored vector of {bytes} bytes is not a row of 32-bit numbers.")]
    Damaged {
        /// How many bytes there are.
        bytes: usize,
    },
    /// The text for a fingerprint has no words.
    #[error("The text has no words to compute a fingerprint from.")]
    NoWords,
}

impl BadEmbedding {
    /// A stable code for clients.
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "EMBEDDING_MISSING",
            Self::Empty => "EMBEDDING_EMPTY",
            Self::Dimensions { .. } => "EMBEDDING_DIMENSIONS",
            Self::NotFinite { .. } | Self::TooLarge { .. } => "EMBEDDING_NOT_FINITE",
            Self::Zero => "EMBEDDING_ZERO",
            Self::Mismatch { .. } => "EMBEDDING_DIMENSION_MISMATCH",
            Self::TooFew { .. } => "EMBEDDING_TOO_SHORT",
            Self::Implausible { .. } => "EMBEDDING_IMPLAUSIBLE",
            Self::Damaged { .. } => "EMBEDDING_DAMAGED",
            Self::NoWords => "FINGERPRINT_NO_WORDS",
        }
    }

    /// What to do about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Missing | Self::Empty => {
                "This server takes the host's vectors only: its host must add them, or an operator \
                 sets `embedder.kind` to `builtin` or `api`."
            }
            Self::TooFew { .. } | Self::Implausible { .. } => {
                "Leave `session_fingerprint.embedding` out: the server makes one. Only a host with an \
                 embedding model sends its own."
            }
            Self::Dimensions { .. } => {
                "Use an embedding of 8 to 4096 numbers; shorten longer ones at the client."
            }
            Self::NotFinite { .. } | Self::TooLarge { .. } => {
                "Send finite numbers; embedding models give numbers between -1 and 1."
            }
            Self::Zero => {
                "Leave `session_fingerprint.embedding` out, or send the embedding of a non-empty text."
            }
            Self::Mismatch { .. } => {
                "Name the model in `embedding_model`, another name for another length: vectors of \
                 different models are kept apart."
            }
            Self::Damaged { .. } => "The basket's signature must be refreshed.",
            Self::NoWords => "Use a text with at least one meaningful word.",
        }
    }
}

/// Validates an embedding and converts it to 32 bits.
pub(crate) fn check(embedding: &[f64]) -> Result<Vec<f32>, BadEmbedding> {
    if embedding.is_empty() {
        return Err(BadEmbedding::Empty);
    }
    if !(MIN_DIMS..=MAX_DIMS).contains(&embedding.len()) {
        return Err(BadEmbedding::Dimensions { given: embedding.len() });
    }
    let mut narrow = Vec::with_capacity(embedding.len());
    for (index, &number) in embedding.iter().enumerate() {
        if !number.is_finite() {
            return Err(BadEmbedding::NotFinite { index });
        }
        let small = number as f32;
        if !small.is_finite() {
            return Err(BadEmbedding::TooLarge { index });
        }
        narrow.push(small);
    }
    // After narrowing: a vector that is zero in 32 bits cannot be compared.
    if narrow.iter().all(|&number| number == 0.0) {
        return Err(BadEmbedding::Zero);
    }
    Ok(narrow)
}

/// Refuses a vector of another length than expected.
pub(crate) fn same_dims(given: usize, expected: usize) -> Result<(), BadEmbedding> {
    if given == expected { Ok(()) } else { Err(BadEmbedding::Mismatch { given, expected }) }
}

/// Cosine similarity of two vectors, -1 to 1, rounded to 1e-9.
///
/// `None` when they cannot be compared: lengths differ, one is empty, points nowhere, or is not
/// finite.
pub(crate) fn cosine(left: &[f32], right: &[f32]) -> Option<f64> {
    if left.len() != right.len() {
        return None;
    }
    let (dot, lefts, rights) = products(left, right);
    // One root of each: the product of two tiny squares could vanish.
    let cosine = dot / (lefts.sqrt() * rights.sqrt());
    cosine.is_finite().then(|| round9(cosine.clamp(-1.0, 1.0)))
}

/// The vector at length 1; `None` where it points nowhere or is not finite.
pub(super) fn normalised(vector: &[f32]) -> Option<Vec<f32>> {
    let (square, _, _) = products(vector, vector);
    let norm = square.sqrt();
    (norm.is_finite() && norm > 0.0)
        .then(|| vector.iter().map(|&number| (f64::from(number) / norm) as f32).collect())
}

/// `left·right`, `left·left`, `right·right`, in 64 bits and in a fixed order of additions.
fn products(left: &[f32], right: &[f32]) -> (f64, f64, f64) {
    let (mut dot, mut lefts, mut rights) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let ((left, left_rest), (right, right_rest)) = (left.as_chunks(), right.as_chunks());
    // The whole chunks have a length that the compiler knows; the rest is shorter than one.
    let mut take = |a: &[f32], b: &[f32]| {
        for (lane, (&a, &b)) in a.iter().zip(b).enumerate() {
            let (a, b) = (f64::from(a), f64::from(b));
            dot[lane] += a * b;
            lefts[lane] += a * a;
            rights[lane] += b * b;
        }
    };
    for (a, b) in left.iter().zip(right) {
        take(a as &[f32; LANES], b as &[f32; LANES]);
    }
    take(left_rest, right_rest);
    (dot.iter().sum(), lefts.iter().sum(), rights.iter().sum())
}

/// The storage format: 32-bit numbers, little-endian.
pub(crate) fn to_blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Reads what [`to_blob`] wrote.
pub(crate) fn from_blob(bytes: &[u8]) -> Result<Vec<f32>, BadEmbedding> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(BadEmbedding::Damaged { bytes: bytes.len() });
    }
    Ok(numbers.iter().map(|&number| f32::from_le_bytes(number)).collect())
}

/// SHA-256 of the vector in hexadecimal, for logs that must not contain the vector itself.
pub(crate) fn digest(vector: &[f32]) -> String {
    Sha256::digest(to_blob(vector)).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ones(dims: usize) -> Vec<f64> {
        vec![1.0; dims]
    }

    #[test]
    fn a_usable_embedding_is_narrowed_and_kept() {
        assert_eq!(check(&[0.5, -0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]).unwrap()[..2], [0.5, -0.25]);
    }

    #[test]
    fn lengths_are_taken_at_their_edges() {
        for given in [1, 7, 4097] {
            assert_eq!(check(&ones(given)), Err(BadEmbedding::Dimensions { given }));
        }
        for given in [8, 4096] {
            assert_eq!(check(&ones(given)).unwrap().len(), given);
        }
    }

    #[test]
    fn each_unusable_embedding_has_its_reason_and_names_the_number() {
        let with = |index: usize, number: f64| {
            let mut vector = ones(8);
            vector[index] = number;
            check(&vector).unwrap_err()
        };
        assert_eq!(check(&[]), Err(BadEmbedding::Empty));
        assert_eq!(with(3, f64::NAN), BadEmbedding::NotFinite { index: 3 });
        assert_eq!(with(7, f64::NEG_INFINITY), BadEmbedding::NotFinite { index: 7 });
        assert_eq!(with(0, 1e300), BadEmbedding::TooLarge { index: 0 });
        assert_eq!(check(&[0.0; 8]), Err(BadEmbedding::Zero));
        assert_eq!(check(&[1e-300; 8]), Err(BadEmbedding::Zero));
        assert_eq!(
            with(3, f64::NAN).to_string(),
            "`session_fingerprint.embedding`[3] is not a finite number."
        );
        assert_eq!(same_dims(8, 16).unwrap_err().code(), "EMBEDDING_DIMENSION_MISMATCH");
        assert_eq!(same_dims(16, 16), Ok(()));
    }

    #[test]
    fn cosine_knows_direction_and_not_length() {
        assert_eq!(cosine(&[1.0, 2.0, 2.0], &[2.0, 4.0, 4.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[-3.0, 0.0]), Some(-1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[3.0, 4.0]), Some(0.6));
    }

    #[test]
    fn cosine_survives_the_largest_and_smallest_numbers() {
        assert_eq!(cosine(&[f32::MAX; 9], &[f32::MAX; 9]), Some(1.0));
        assert_eq!(cosine(&[1e-45; 9], &[1e-45; 9]), Some(1.0));
    }

    #[test]
    fn vectors_that_cannot_be_compared_have_no_cosine() {
        assert_eq!(cosine(&[], &[]), None);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[f32::NAN, 0.0], &[1.0, 0.0]), None);
    }

    #[test]
    fn a_normalised_vector_has_length_one() {
        assert_eq!(normalised(&[3.0, 4.0]), Some(vec![0.6, 0.8]));
        assert_eq!(normalised(&[0.0, 0.0]), None);
    }

    #[test]
    fn bytes_come_back_as_they_went_and_damage_is_seen() {
        let vector = vec![0.1, -2.5, 1e-45, f32::MAX];
        assert_eq!(from_blob(&to_blob(&vector)), Ok(vector));
        assert_eq!(from_blob(&[0; 7]), Err(BadEmbedding::Damaged { bytes: 7 }));
    }

    #[test]
    fn a_digest_is_that_of_the_stored_bytes() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(&[]), empty);
        assert_ne!(digest(&[1.0]), digest(&[1.000_000_1]));
    }
}
