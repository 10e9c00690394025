//! In-process locks: one edit of a project at a time.
//!
//! The store's compare-and-set is what keeps writes apart; these locks only save the writers of one
//! process from retries. Knows nothing about the edits.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Scope;

/// Projects share a few locks: two of them may wait for each other, none waits for ever.
#[derive(Debug, Default)]
pub struct ProjectLocks {
    locks: [Mutex<()>; 32],
}

impl ProjectLocks {
    /// Waits until no one else in this process edits the project; released when dropped.
    pub fn lock(&self, scope: &Scope) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(scope);
        let index = usize::try_from(hash % 32).unwrap_or_default();
        self.locks[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
