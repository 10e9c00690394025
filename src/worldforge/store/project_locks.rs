//! Edits of one project, one after the other within this process.
//!
//! Not what keeps writes apart (that is the compare-and-set of the store), but what spares writers
//! of one process the repeating. Knows nothing of what is edited.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Scope;

/// Projects share a few locks: two of them may wait for each other, none waits for ever.
#[derive(Debug, Default)]
pub struct Turns {
    locks: [Mutex<()>; 32],
}

impl Turns {
    /// Waits until nobody else of this process edits the project; over when dropped.
    pub fn take(&self, scope: &Scope) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(scope);
        let index = usize::try_from(hash % 32).unwrap_or_default();
        self.locks[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
