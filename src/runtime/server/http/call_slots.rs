//! Slots for running calls, and the queue for them.
//!
//! A caller may have only a part of the slots and of the queue, so that one caller with slow calls
//! leaves some of both to the others.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::caller_key::CallerKey;
use super::keyed_semaphores::{KeyedSemaphores, Seat};
use super::metrics::{GaugeGuard, Reason};
use super::shares::Shares;

/// Limits of running and queued calls.
pub(super) struct CallSlots {
    all: Arc<Semaphore>,
    total: u32,
    callers: Arc<KeyedSemaphores<CallerKey>>,
    queue: Semaphore,
    queued: Arc<Shares<CallerKey>>,
    timeout: Duration,
    waiting: Arc<AtomicU64>,
}

/// A slot for one call; free again when dropped.
pub(super) struct Slot {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    // Last, so that it goes when the permits are back.
    _seat: Seat<CallerKey>,
}

impl CallSlots {
    /// `share` is the number of slots that one caller may have.
    pub(super) fn new(
        total: u32,
        share: Option<usize>,
        max_waiting: usize,
        timeout: Duration,
        waiting: Arc<AtomicU64>,
    ) -> Arc<Self> {
        let total_slots = total as usize;
        let max_waiting = max_waiting.min(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            all: Arc::new(Semaphore::new(total_slots)),
            total,
            callers: KeyedSemaphores::new(share.unwrap_or_else(|| most_of(total_slots))),
            queue: Semaphore::new(max_waiting),
            queued: Shares::new(most_of(max_waiting)),
            timeout,
            waiting,
        })
    }

    /// A slot for a call of `caller`. Waits for one if there is room in the queue.
    pub(super) async fn take(self: &Arc<Self>, caller: CallerKey) -> Result<Slot, Reason> {
        let (seat, own) = self.callers.seat(caller);
        let free = own.clone().try_acquire_owned().ok();
        let free = free.and_then(|own| Some((own, self.all.clone().try_acquire_owned().ok()?)));
        let (own, all) = match free {
            Some(free) => free,
            None => {
                let _place = self.queue.try_acquire().map_err(|_| Reason::Busy)?;
                let _share = self.queued.take(caller).ok_or(Reason::Busy)?;
                let _waiting = GaugeGuard::new(&self.waiting);
                let waiting = async {
                    let own = own.acquire_owned().await.ok()?;
                    Some((own, self.all.clone().acquire_owned().await.ok()?))
                };
                let waited = tokio::time::timeout(self.timeout, waiting).await;
                waited.map_err(|_| Reason::Busy)?.ok_or(Reason::Stopping)?
            }
        };
        Ok(Slot { _all: all, _own: own, _seat: seat })
    }

    /// Waits until no call runs.
    pub(super) async fn all_free(&self) {
        let _all = self.all.acquire_many(self.total).await;
    }
}

/// Three quarters, rounded up.
fn most_of(total: usize) -> usize {
    total - total / 4
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::server::http::caller_key::AddressKey;

    fn caller(last: u8) -> CallerKey {
        CallerKey::Address(AddressKey::of([127, 0, 0, last].into()))
    }

    #[tokio::test]
    async fn one_caller_leaves_slots_and_queue_to_others() {
        let gauge = Arc::new(AtomicU64::new(0));
        let slots = CallSlots::new(4, None, 4, Duration::from_secs(600), gauge.clone());
        let mut running = Vec::new();
        for _ in 0..3 {
            running.push(slots.take(caller(9)).await.map_err(|_| "busy").unwrap());
        }
        let waiting: Vec<_> = (0..3)
            .map(|_| {
                let slots = slots.clone();
                tokio::spawn(async move { slots.take(caller(9)).await.is_ok() })
            })
            .collect();
        while gauge.load(Ordering::Relaxed) < 3 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(slots.take(caller(9)).await, Err(Reason::Busy)), "its part is full");
        assert!(slots.take(caller(1)).await.is_ok(), "others still run");
        for waits in waiting {
            running.pop();
            assert!(waits.await.unwrap());
        }
        drop(running);
        slots.all_free().await;
        assert!(slots.callers.is_empty(), "nothing is kept for who has gone");
    }
}
