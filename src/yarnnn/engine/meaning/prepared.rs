//! Vectors that were made before the transaction that stores them: making one is slow, and a
//! transaction may run several times.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// Vectors that are kept; a writer needs a few, and for not very long.
const KEPT: usize = 256;

type Key = [u8; 32];

/// The newest vectors, by their text.
#[derive(Default)]
pub(super) struct PreparedVectors {
    newest: Mutex<VecDeque<(Key, Arc<[u8]>)>>,
}

impl PreparedVectors {
    /// Keeps the vector of a text for a while.
    pub(super) fn put(&self, text: &str, vector: Vec<u8>) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.len() >= KEPT {
            newest.pop_front();
        }
        newest.push_back((key(text), vector.into()));
    }

    /// The vector of a text, if it was made lately.
    pub(super) fn of(&self, text: &str) -> Option<Arc<[u8]>> {
        let key = key(text);
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.iter().rev().find(|(known, _)| *known == key).map(|(_, vector)| Arc::clone(vector))
    }
}

fn key(text: &str) -> Key {
    Sha256::digest(text.as_bytes()).into()
}
