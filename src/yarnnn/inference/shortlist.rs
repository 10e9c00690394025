//! Shortlists the baskets that need an exact comparison.
//!
//! One fast pass over packed vectors scores every basket with an error of about 1e-5. What
//! is left out is further below the last one that [`super::select`] names than that error, so
//! selecting from the shortlist gives the same answer as selecting from all.

use crate::model::Millis;

use super::packed::Packed;
use super::score::{combine, recency};
use super::select::RANKED;
use super::vector::BadEmbedding;

/// More than twice the error of 32-bit sums over 4,096 numbers.
const MARGIN: f64 = 1e-4;

/// The inputs of a basket's score besides its vector.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScoreInputs {
    /// When its signature was refreshed.
    pub last_refreshed: Option<Millis>,
    /// How much the user has favoured it, 0 to 1.
    pub affinity: f64,
    /// The user moved something similar out of it.
    pub conflict: bool,
}

/// The rows to pass to [`super::select`], in row order.
///
/// `standings` are by row; a row without one has no boosts. Baskets without a usable vector are
/// blank rows.
pub fn shortlist(
    fingerprint: &[f32],
    vectors: &Packed,
    standings: &[ScoreInputs],
    now: Millis,
) -> Result<Vec<usize>, BadEmbedding> {
    let scores: Vec<f64> = vectors
        .similarities(fingerprint)?
        .into_iter()
        .enumerate()
        .map(|(row, similarity)| {
            let standing = standings.get(row).copied().unwrap_or_default();
            let recency = recency(standing.last_refreshed, now);
            combine(f64::from(similarity), recency, standing.affinity, standing.conflict)
        })
        .collect();
    Ok(shortlist_rows(&scores))
}

/// The rows whose approximate score is among the best, or within the error of one that is.
pub(crate) fn shortlist_rows(scores: &[f64]) -> Vec<usize> {
    // One more than is ranked: a tie of seven differs from a tie of six.
    let mut order = scores.to_vec();
    let last = RANKED.min(order.len().saturating_sub(1));
    let floor = match order.get(last) {
        Some(_) => *order.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1 - MARGIN,
        None => return Vec::new(),
    };
    (0..scores.len()).filter(|&row| scores[row] >= floor).collect()
}

#[cfg(test)]
mod tests {
    use super::super::select::{Candidate, select};
    use super::super::signature::Signature;
    use super::super::testing::Numbers;
    use super::*;
    use crate::model::Fingerprint;

    const DAY: Millis = 86_400_000;
    const NOW: Millis = 1_700_000_000_000;

    struct Workspace {
        signatures: Vec<Signature>,
        standings: Vec<ScoreInputs>,
        packed: Packed,
    }

    /// Baskets around a few topics, some of them exactly equal, some without a vector.
    fn workspace(numbers: &mut Numbers, baskets: usize, dims: usize) -> Workspace {
        let topics: Vec<Vec<f32>> = (0..5).map(|_| numbers.vector(dims)).collect();
        let mut made = Workspace {
            signatures: Vec::new(),
            standings: Vec::new(),
            packed: Packed::with_capacity(dims, baskets),
        };
        for n in 0..baskets {
            let mut vector = topics[numbers.below(5)].clone();
            if numbers.below(3) > 0 {
                let spread = numbers.unit() as f32;
                let noise = numbers.vector(dims);
                vector.iter_mut().zip(noise).for_each(|(x, y)| *x += spread * y);
            }
            if numbers.below(20) == 0 {
                vector.clear();
                made.packed.push_blank();
            } else {
                made.packed.push(&vector).unwrap();
            }
            let standing = ScoreInputs {
                last_refreshed: (numbers.below(4) > 0)
                    .then(|| NOW - numbers.below(40) as Millis * DAY),
                affinity: if numbers.below(2) == 0 { 0.0 } else { numbers.unit() },
                conflict: numbers.below(6) == 0,
            };
            made.standings.push(standing);
            made.signatures.push(Signature {
                basket_id: format!("b{:04}", (n * 7919) % 10_000),
                name: format!("Basket {n}"),
                embedding: vector,
                entities: vec![format!("Name{}", n % 9)],
                last_refreshed: standing.last_refreshed,
                ..Signature::default()
            });
        }
        made
    }

    impl Workspace {
        fn candidate(&self, row: usize) -> Candidate<'_> {
            Candidate {
                signature: &self.signatures[row],
                similarity: None,
                affinity: self.standings[row].affinity,
                conflict: self.standings[row].conflict,
            }
        }
    }

    #[test]
    fn selecting_from_the_shortlist_is_selecting_from_all() {
        let mut numbers = Numbers::new(11);
        let mut shortest = usize::MAX;
        for round in 0..60 {
            let baskets = [0, 1, 5, 6, 7, 8, 200][round % 7];
            let workspace = workspace(&mut numbers, baskets, 24);
            let embedding = match workspace.signatures.first() {
                Some(signature) if signature.embedding.len() == 24 => signature.embedding.clone(),
                _ => numbers.vector(24),
            };
            let session = Fingerprint {
                embedding,
                entities: vec!["Name3".to_owned()],
                ..Fingerprint::default()
            };
            let rows = shortlist(&session.embedding, &workspace.packed, &workspace.standings, NOW)
                .unwrap();
            let all: Vec<_> = (0..baskets).map(|row| workspace.candidate(row)).collect();
            let few: Vec<_> = rows.iter().map(|&row| workspace.candidate(row)).collect();
            let (mut from_all, from_few) =
                (select(&session, &all, NOW), select(&session, &few, NOW));
            // Only this one counts what is not on the list.
            from_all.not_compared = from_few.not_compared;
            assert_eq!(from_all, from_few, "round {round}");
            if baskets == 200 {
                shortest = shortest.min(rows.len());
            }
        }
        assert!(shortest < 60, "a shortlist is short: {shortest}");
    }

    #[test]
    fn a_weaker_vector_with_better_standing_is_kept() {
        let mut packed = Packed::new(8);
        let mut standings = vec![ScoreInputs::default(); 20];
        for _ in 0..20 {
            packed.push(&[1.0; 8]).unwrap();
        }
        packed.set(13, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.2]).unwrap();
        standings[13].affinity = 1.0;
        standings[4].conflict = true;
        let rows = shortlist(&[1.0; 8], &packed, &standings, NOW).unwrap();
        assert!(rows.contains(&13) && !rows.contains(&4), "{rows:?}");
    }

    #[test]
    fn a_seventh_basket_in_a_tie_is_kept() {
        let mut packed = Packed::new(8);
        let mut standings = Vec::new();
        for row in 0..9 {
            packed.push(&[1.0; 8]).unwrap();
            standings.push(ScoreInputs {
                last_refreshed: Some(NOW - row * DAY),
                ..ScoreInputs::default()
            });
        }
        let rows = shortlist(&[1.0; 8], &packed, &standings, NOW).unwrap();
        assert_eq!(rows, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn another_length_is_refused() {
        let refused = shortlist(&[1.0; 9], &Packed::new(8), &[], NOW);
        assert_eq!(refused, Err(BadEmbedding::Mismatch { given: 9, expected: 8 }));
    }
}
