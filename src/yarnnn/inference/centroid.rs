//! A basket's position in the client's vector space: the time-decayed mean of its accepted writes.
//!
//! Stored as a mean and a weight, so that time changes the weight but never the direction: an
//! old basket can still be found, and the next write moves it more. Knows nothing of storage.

use crate::model::Millis;

use super::score::{days, faded};
use super::vector::{BadEmbedding, normalised, same_dims};

/// After this many days a write counts half.
pub(super) const CENTROID_HALF_LIFE_DAYS: f64 = 30.0;

/// Less than this is a rounding error after the last write was removed.
const NOTHING: f64 = 1e-6;

/// The mean of the fingerprints that a basket holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Centroid {
    /// Mean of the writes' normalised fingerprints; empty while there are none.
    pub vector: Vec<f32>,
    /// The number of writes, each decayed by its age at `updated`.
    pub weight: f64,
    /// The time that the weight refers to.
    pub updated: Millis,
}

impl Centroid {
    /// The centroid of a new basket: its first write.
    #[cfg(test)]
    pub(crate) fn first(fingerprint: &[f32], at: Millis) -> Result<Self, BadEmbedding> {
        let mut centroid = Self::default();
        centroid.add(fingerprint, at)?;
        Ok(centroid)
    }

    /// Decays the weight until `now`. Going back in time does nothing.
    pub(crate) fn decay(&mut self, now: Millis) {
        if now > self.updated {
            self.weight *= faded(days(self.updated, now), CENTROID_HALF_LIFE_DAYS);
            self.updated = now;
        }
    }

    /// Adds a write that was accepted at `at`.
    ///
    /// The order of calls does not matter: a late write is added decayed.
    pub(crate) fn add(&mut self, fingerprint: &[f32], at: Millis) -> Result<(), BadEmbedding> {
        let unit = self.unit(fingerprint)?;
        if self.vector.is_empty() {
            *self = Self { vector: unit, weight: 1.0, updated: at };
            return Ok(());
        }
        self.decay(at);
        let gained = faded(days(at, self.updated), CENTROID_HALF_LIFE_DAYS);
        let total = self.weight + gained;
        self.mix(&unit, self.weight / total, gained / total);
        self.weight = total;
        Ok(())
    }

    /// Removes at `now` a write that was accepted at `added`.
    ///
    /// The centroid is empty after the last one.
    pub(crate) fn remove(
        &mut self,
        fingerprint: &[f32],
        added: Millis,
        now: Millis,
    ) -> Result<(), BadEmbedding> {
        if self.vector.is_empty() {
            return Ok(());
        }
        let unit = self.unit(fingerprint)?;
        self.decay(now);
        let lost = faded(days(added, self.updated), CENTROID_HALF_LIFE_DAYS);
        let total = self.weight - lost;
        if total <= lost * NOTHING {
            *self = Self { updated: self.updated, ..Self::default() };
            return Ok(());
        }
        self.mix(&unit, self.weight / total, -lost / total);
        self.weight = total;
        Ok(())
    }

    /// The signature's vector, at length 1; `None` when it is empty or its writes cancel out.
    pub(crate) fn signature(&self) -> Option<Vec<f32>> {
        normalised(&self.vector)
    }

    fn mix(&mut self, other: &[f32], own: f64, others: f64) {
        for (mine, &theirs) in self.vector.iter_mut().zip(other) {
            *mine = (f64::from(*mine) * own + f64::from(theirs) * others) as f32;
        }
    }

    fn unit(&self, fingerprint: &[f32]) -> Result<Vec<f32>, BadEmbedding> {
        if !self.vector.is_empty() {
            same_dims(fingerprint.len(), self.vector.len())?;
        }
        normalised(fingerprint).ok_or(BadEmbedding::Zero)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Numbers;
    use super::super::vector::cosine;
    use super::*;

    const DAY: Millis = 86_400_000;
    const EAST: [f32; 2] = [5.0, 0.0];
    const NORTH: [f32; 2] = [0.0, 0.1];

    fn alike(one: &Centroid, other: &Centroid) {
        assert!((one.weight - other.weight).abs() < 1e-9, "{one:?} {other:?}");
        for (a, b) in one.vector.iter().zip(&other.vector) {
            assert!((a - b).abs() < 1e-5, "{one:?} {other:?}");
        }
    }

    #[test]
    fn the_first_write_is_the_centroid_whatever_its_length() {
        let centroid = Centroid::first(&EAST, 7).unwrap();
        assert_eq!(centroid, Centroid { vector: vec![1.0, 0.0], weight: 1.0, updated: 7 });
        assert_eq!(centroid.signature(), Some(vec![1.0, 0.0]));
    }

    #[test]
    fn every_write_counts_the_same_at_the_same_time() {
        let mut centroid = Centroid::first(&EAST, 0).unwrap();
        centroid.add(&NORTH, 0).unwrap();
        assert_eq!(centroid.vector, [0.5, 0.5]);
        assert_eq!(centroid.weight, 2.0);
    }

    #[test]
    fn an_older_write_counts_less() {
        let mut centroid = Centroid::first(&EAST, 0).unwrap();
        centroid.add(&NORTH, 30 * DAY).unwrap();
        assert_eq!(centroid.weight, 1.5);
        assert_eq!(centroid.vector, [1.0 / 3.0, 2.0 / 3.0]);
    }

    #[test]
    fn time_alone_fades_the_weight_and_keeps_the_direction() {
        let mut centroid = Centroid::first(&EAST, 0).unwrap();
        centroid.decay(30 * DAY);
        centroid.decay(0);
        assert_eq!((centroid.weight, centroid.updated), (0.5, 30 * DAY));
        centroid.decay(200_000 * DAY);
        assert_eq!(centroid.weight, 0.0);
        assert_eq!(centroid.signature(), Some(vec![1.0, 0.0]));
        centroid.add(&NORTH, 200_000 * DAY).unwrap();
        assert_eq!(centroid.signature(), Some(vec![0.0, 1.0]));
    }

    #[test]
    fn the_order_of_writes_does_not_matter() {
        let mut numbers = Numbers::new(3);
        let mut writes: Vec<(Vec<f32>, Millis)> =
            (0..20).map(|_| (numbers.vector(32), numbers.below(100) as Millis * DAY)).collect();
        let of = |writes: &[(Vec<f32>, Millis)]| {
            let mut centroid = Centroid::default();
            for (vector, at) in writes {
                centroid.add(vector, *at).unwrap();
            }
            centroid.decay(100 * DAY);
            centroid
        };
        let first = of(&writes);
        for _ in 0..5 {
            numbers.shuffle(&mut writes);
            alike(&of(&writes), &first);
        }
    }

    #[test]
    fn a_misroute_leaves_what_was_there_without_it() {
        let mut numbers = Numbers::new(4);
        let (one, two, wrong) = (numbers.vector(64), numbers.vector(64), numbers.vector(64));
        let mut with = Centroid::first(&one, 0).unwrap();
        with.add(&wrong, 10 * DAY).unwrap();
        with.add(&two, 25 * DAY).unwrap();
        with.remove(&wrong, 10 * DAY, 40 * DAY).unwrap();
        let mut without = Centroid::first(&one, 0).unwrap();
        without.add(&two, 25 * DAY).unwrap();
        without.decay(40 * DAY);
        alike(&with, &without);
        assert!(cosine(&with.vector, &without.vector).unwrap() > 0.999_999);
    }

    #[test]
    fn taking_out_the_last_write_leaves_an_empty_centroid_that_can_start_again() {
        let mut centroid = Centroid::first(&EAST, 0).unwrap();
        centroid.remove(&EAST, 0, 17 * DAY).unwrap();
        assert_eq!(centroid.signature(), None);
        assert_eq!((centroid.vector.len(), centroid.weight), (0, 0.0));
        centroid.remove(&EAST, 0, 18 * DAY).unwrap();
        centroid.add(&[0.0, 0.0, 2.0], 18 * DAY).unwrap();
        assert_eq!(centroid.signature(), Some(vec![0.0, 0.0, 1.0]));
    }

    #[test]
    fn writes_that_cancel_out_point_nowhere() {
        let mut centroid = Centroid::first(&EAST, 0).unwrap();
        centroid.add(&[-1.0, 0.0], 0).unwrap();
        assert_eq!(centroid.signature(), None);
    }

    #[test]
    fn a_vector_of_another_length_changes_nothing() {
        let mut centroid = Centroid::first(&EAST, 0).unwrap();
        let before = centroid.clone();
        let mismatch = Err(BadEmbedding::Mismatch { given: 3, expected: 2 });
        assert_eq!(centroid.add(&[1.0; 3], DAY), mismatch);
        assert_eq!(centroid.remove(&[1.0; 3], 0, DAY), mismatch);
        assert_eq!(centroid.add(&[0.0; 2], DAY), Err(BadEmbedding::Zero));
        assert_eq!(centroid, before);
    }
}
