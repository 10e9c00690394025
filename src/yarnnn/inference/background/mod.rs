//! How near a session is to everyday topics in general, in the space of the built-in model.
//!
//! A session that belongs to a basket is nearer to it than to any topic that anyone may write about;
//! a session that is merely about something is not. The vectors are those of the lines of
//! `topics.txt`, at 8 bits a number; nothing is computed at start. Knows nothing of baskets.

use std::sync::OnceLock;

use super::packed::Packed;

/// Length of the model's vectors.
const DIMS: usize = 384;
/// Topics that count as near.
const NEAR: usize = 30;

/// One byte a number, one row a line of `topics.txt`.
static ROWS: &[u8] = include_bytes!("vectors.i8");

/// How near a session is to the topics nearest to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Background {
    /// Mean cosine with the two nearest topics.
    pub(super) nearest: f64,
    /// Mean cosine with the [`NEAR`] nearest ones.
    pub(super) mean: f64,
    /// Their standard deviation.
    pub(super) deviation: f64,
}

/// The background of a session's vector; none if it cannot be a vector of the model.
pub(super) fn background(session: &[f32]) -> Option<Background> {
    let mut near = topics().similarities(session).ok()?;
    near.sort_unstable_by(|a, b| b.total_cmp(a));
    near.truncate(NEAR);
    let near: Vec<f64> = near.into_iter().map(f64::from).collect();
    let mean = mean(&near);
    let spread: Vec<f64> = near.iter().map(|one| (one - mean).powi(2)).collect();
    Some(Background {
        nearest: self::mean(near.get(..2)?),
        mean,
        deviation: self::mean(&spread).sqrt(),
    })
}

fn topics() -> &'static Packed {
    static ONLY: OnceLock<Packed> = OnceLock::new();
    ONLY.get_or_init(|| {
        let mut packed = Packed::with_capacity(DIMS, ROWS.len() / DIMS);
        for row in ROWS.chunks_exact(DIMS) {
            let row: Vec<f32> = row.iter().map(|byte| f32::from(byte.cast_signed())).collect();
            // No row is zero: a test compares each with its line.
            let _ = packed.push(&row);
        }
        packed
    })
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

#[cfg(all(test, feature = "builtin-embedder"))]
mod tests {
    use super::super::vector::cosine;
    use super::*;

    /// `YARNNN_WRITE_TOPICS=1` writes the vectors anew after a change of the lines.
    #[test]
    fn every_row_is_the_vector_of_its_line() {
        let model = toolwright_embedding::Embedder::get().unwrap();
        let lines: Vec<&str> = include_str!("topics.txt").lines().collect();
        let vectors: Vec<Vec<f32>> = lines.iter().map(|line| model.embed(line).unwrap()).collect();
        if std::env::var_os("YARNNN_WRITE_TOPICS").is_some() {
            let byte = |row: &Vec<f32>| -> Vec<u8> {
                let most = row.iter().fold(0.0_f32, |most, one| most.max(one.abs()));
                row.iter().map(|one| ((one / most * 127.0).round() as i8).cast_unsigned()).collect()
            };
            let bytes: Vec<u8> = vectors.iter().flat_map(byte).collect();
            let to = concat!(env!("CARGO_MANIFEST_DIR"), "/inference/background/vectors.i8");
            std::fs::write(to, bytes).unwrap();
            return;
        }
        assert_eq!(ROWS.len(), lines.len() * DIMS);
        for ((line, vector), row) in lines.iter().zip(&vectors).zip(ROWS.chunks_exact(DIMS)) {
            let row: Vec<f32> = row.iter().map(|byte| f32::from(byte.cast_signed())).collect();
            assert!(cosine(vector, &row).unwrap() > 0.999, "{line}");
        }
    }

    #[test]
    fn an_everyday_topic_is_near_and_another_length_has_no_background() {
        let model = toolwright_embedding::Embedder::get().unwrap();
        let of = |text| background(&model.embed(text).unwrap()).unwrap();
        let cake = of("How long does the cake bake, and at what temperature?");
        let code = of("The idempotency key of the ledger service is a tuple.");
        assert!(cake.nearest > code.nearest + 0.1, "{cake:?} {code:?}");
        assert!(cake.nearest > cake.mean && cake.deviation > 0.0, "{cake:?}");
        assert_eq!(background(&[1.0; 8]), None);
    }
}
