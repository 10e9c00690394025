//! A semaphore for each holder, which is kept as long as somebody uses it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

/// Semaphores by their holders.
pub(super) struct KeyedSemaphores<K> {
    permits: usize,
    by_holder: Mutex<HashMap<K, Arc<Semaphore>>>,
}

/// The use of one semaphore. The last one takes it along.
pub(super) struct Seat<K: Copy + Eq + Hash> {
    all: Arc<KeyedSemaphores<K>>,
    holder: K,
    own: Option<Arc<Semaphore>>,
}

impl<K: Copy + Eq + Hash> KeyedSemaphores<K> {
    /// Each holder has `permits`.
    pub(super) fn new(permits: usize) -> Arc<Self> {
        let permits = permits.clamp(1, Semaphore::MAX_PERMITS);
        Arc::new(Self { permits, by_holder: Mutex::default() })
    }

    /// The semaphore of a holder. Its permits must go before the seat.
    pub(super) fn seat(self: &Arc<Self>, holder: K) -> (Seat<K>, Arc<Semaphore>) {
        let new = || Arc::new(Semaphore::new(self.permits));
        let own = self.by_holder().entry(holder).or_insert_with(new).clone();
        (Seat { all: self.clone(), holder, own: Some(own.clone()) }, own)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.by_holder().is_empty()
    }

    fn by_holder(&self) -> MutexGuard<'_, HashMap<K, Arc<Semaphore>>> {
        self.by_holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Drop for Seat<K> {
    fn drop(&mut self) {
        self.own = None;
        let mut by_holder = self.all.by_holder();
        if by_holder.get(&self.holder).is_some_and(|own| Arc::strong_count(own) == 1) {
            by_holder.remove(&self.holder);
        }
    }
}
