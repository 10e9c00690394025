//! Places of which each holder may have only so many at once. Nothing is stored for who has none.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts the places that each holder has.
pub(super) struct Shares<K> {
    most: usize,
    held: Mutex<HashMap<K, usize>>,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    /// At most `most` places for each holder.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default() })
    }

    /// Takes a place until the share is dropped; `None` if the holder has as many as it may.
    pub(super) fn take(self: &Arc<Self>, holder: K) -> Option<Share<K>> {
        let mut held = self.held();
        let count = held.entry(holder).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Share { shares: self.clone(), holder })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One place; given back when dropped.
pub(super) struct Share<K: Copy + Eq + Hash> {
    shares: Arc<Shares<K>>,
    holder: K,
}

impl<K: Copy + Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut held = self.shares.held();
        if let Some(count) = held.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_holder_has_its_own_places_and_leaves_nothing_behind() {
        let shares = Shares::new(2);
        let (one, two) = (shares.take('a'), shares.take('a'));
        assert!(one.is_some() && two.is_some() && shares.take('a').is_none());
        assert!(shares.take('b').is_some());
        drop(one);
        assert!(shares.take('a').is_some());
        drop(two);
        assert!(shares.held().is_empty());
    }
}
