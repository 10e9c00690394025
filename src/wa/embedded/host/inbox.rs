//! Queue of output between the reader of a pseudo-terminal and the emulator.
//!
//! Output that piles up while the emulator works is handed over as one piece, which is cheaper.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The reader waits when so many bytes wait already; the program then waits for its terminal, as it
/// does everywhere.
const FULL: usize = 1 << 20;
/// Memory that is kept while nothing comes.
const KEPT: usize = 16 << 10;

#[derive(Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    came: Condvar,
    taken: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    ended: bool,
}

/// What [`Inbox::take`] found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TakeOutcome {
    Bytes,
    /// Nothing came in time.
    Nothing,
    /// Nothing will come any more.
    End,
}

impl Inbox {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, bytes: &[u8]) {
        let waiting = self.waiting();
        let room = self.taken.wait_while(waiting, |waiting| waiting.bytes.len() >= FULL);
        let mut waiting = room.unwrap_or_else(PoisonError::into_inner);
        let was_empty = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(bytes);
        drop(waiting);
        if was_empty {
            self.came.notify_one();
        }
    }

    pub(super) fn end(&self) {
        self.waiting().ended = true;
        self.came.notify_one();
    }

    /// Everything that waits, into `bytes`, which is emptied first.
    pub(super) fn take(&self, bytes: &mut Vec<u8>, patience: Option<Duration>) -> TakeOutcome {
        bytes.clear();
        let mut waiting = self.waiting();
        if waiting.bytes.is_empty() {
            // The storm is over; its memory is not needed to sleep.
            bytes.shrink_to(KEPT);
            waiting.bytes.shrink_to(KEPT);
        }
        let nothing = |waiting: &mut Waiting| waiting.bytes.is_empty() && !waiting.ended;
        let mut waiting = match patience {
            None => self.came.wait_while(waiting, nothing).unwrap_or_else(PoisonError::into_inner),
            Some(patience) => {
                let waited = self.came.wait_timeout_while(waiting, patience, nothing);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        if waiting.bytes.is_empty() {
            return if waiting.ended { TakeOutcome::End } else { TakeOutcome::Nothing };
        }
        std::mem::swap(&mut waiting.bytes, bytes);
        drop(waiting);
        self.taken.notify_one();
        TakeOutcome::Bytes
    }
}
