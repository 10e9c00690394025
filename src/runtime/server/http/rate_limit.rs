//! Rate limit per caller: a token bucket (GCRA).
//!
//! A caller is identified by a digest. The table stores one number per caller, the time at which its
//! full allowance is available again; an unknown caller has its full allowance. Old entries are
//! dropped in two generations, so the table has a fixed maximum size.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Maximum callers per generation. Further callers share one allowance.
const MAX_CALLERS: usize = 16_384;
/// The key of the shared allowance; not a possible digest.
const SHARED: CallerId = [0; 32];

const SECOND: u64 = 1_000_000_000;

/// Digest that identifies a caller.
pub(super) type CallerId = [u8; 32];

/// A rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Sustained requests per second.
    pub per_second: NonZeroU32,
    /// Maximum burst.
    pub burst: NonZeroU32,
}

/// Enforces a rate limit per caller.
pub(super) struct RateLimiter {
    /// Cost of one request, in nanoseconds.
    cost: u64,
    /// Cost of a full burst.
    capacity: u64,
    usage: Mutex<Usage>,
}

/// Caller → time at which its full allowance is available again.
#[derive(Default)]
struct Usage {
    recent: HashMap<CallerId, u64>,
    /// Callers without a request since `rotated_at`.
    earlier: HashMap<CallerId, u64>,
    rotated_at: u64,
}

impl RateLimiter {
    pub(super) fn new(rate: Rate) -> Self {
        let cost = (SECOND / u64::from(rate.per_second.get())).max(1);
        Self { cost, capacity: cost * u64::from(rate.burst.get()), usage: Mutex::default() }
    }

    /// Admits a request at `now`, in monotonic nanoseconds, or returns how long to wait.
    pub(super) fn admit(&self, caller: CallerId, now: u64) -> Result<(), Duration> {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.rotate(now, self.capacity);
        let known = usage.recent.contains_key(&caller);
        let caller = if known || usage.recent.len() < MAX_CALLERS { caller } else { SHARED };
        let free_at = usage.recent.get(&caller).or_else(|| usage.earlier.get(&caller));
        let free_at = free_at.copied().unwrap_or(now).max(now).saturating_add(self.cost);
        match (free_at - now).checked_sub(self.capacity) {
            None | Some(0) => {
                usage.recent.insert(caller, free_at);
                Ok(())
            }
            Some(wait) => Err(Duration::from_nanos(wait)),
        }
    }

    /// Refunds a counted request.
    pub(super) fn refund(&self, caller: &CallerId) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        let Usage { recent, earlier, .. } = &mut *usage;
        let known = recent.contains_key(caller) || earlier.contains_key(caller);
        let caller = if known { caller } else { &SHARED };
        if let Some(free_at) = recent.get_mut(caller).or_else(|| earlier.get_mut(caller)) {
            *free_at = free_at.saturating_sub(self.cost);
        }
    }
}

impl Usage {
    /// A caller without a request for `capacity` has its full allowance and can be dropped.
    fn rotate(&mut self, now: u64, capacity: u64) {
        let age = now.saturating_sub(self.rotated_at);
        if age < capacity {
            return;
        }
        self.earlier = std::mem::take(&mut self.recent);
        if age >= capacity.saturating_mul(2) {
            self.earlier.clear();
        }
        self.rotated_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn limiter(per_second: u32, burst: u32) -> RateLimiter {
        RateLimiter::new(Rate {
            per_second: NonZeroU32::new(per_second).unwrap(),
            burst: NonZeroU32::new(burst).unwrap(),
        })
    }

    fn caller(number: usize) -> CallerId {
        let mut caller = [1; 32];
        caller[..8].copy_from_slice(&number.to_be_bytes());
        caller
    }

    /// How many of 100 concurrent requests pass.
    fn passed(limiter: &RateLimiter, caller: CallerId, now: u64) -> usize {
        (0..100).filter(|_| limiter.admit(caller, now).is_ok()).count()
    }

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let limiter = limiter(10, 30);
        let start = 7_777 * MS;
        assert_eq!(passed(&limiter, caller(1), start), 30);
        assert_eq!(limiter.admit(caller(1), start), Err(Duration::from_millis(100)));
        assert_eq!(passed(&limiter, caller(2), start), 30, "callers do not share");
        assert_eq!(passed(&limiter, caller(1), start + 99 * MS), 0, "refusals cost nothing");
        assert_eq!(passed(&limiter, caller(1), start + 100 * MS), 1);
        assert_eq!(passed(&limiter, caller(1), start + 1_100 * MS), 10);
        assert_eq!(passed(&limiter, caller(1), start + 60_000 * MS), 30, "never more than a burst");
    }

    #[test]
    fn a_steady_caller_at_the_rate_is_never_refused() {
        let limiter = limiter(10, 1);
        for step in 0..1_000 {
            assert_eq!(limiter.admit(caller(1), step * 100 * MS), Ok(()), "{step}");
        }
    }

    #[test]
    fn dropping_entries_allows_no_more_than_the_rate() {
        for pause in [1, 50, 99, 100, 101, 150, 199, 200, 250, 333] {
            let limiter = limiter(10, 3);
            let end = 60_000;
            let passed = (0..end).step_by(pause).map(|ms| passed(&limiter, caller(1), ms * MS));
            let capacity = 3 + usize::try_from(end / 100).unwrap();
            assert!(passed.sum::<usize>() <= capacity, "every {pause} ms");
        }
    }

    #[test]
    fn refunds_can_be_used_again() {
        let limiter = limiter(10, 3);
        assert_eq!(passed(&limiter, caller(1), 0), 3);
        limiter.refund(&caller(1));
        limiter.refund(&caller(2));
        assert_eq!(passed(&limiter, caller(1), 0), 1);
        assert_eq!(passed(&limiter, caller(2), 0), 3, "never more than a burst");
        // Also across a rotation of the table.
        limiter.refund(&caller(1));
        limiter.refund(&caller(1));
        assert_eq!(passed(&limiter, caller(3), 300 * MS), 3);
        limiter.refund(&caller(1));
        assert_eq!(passed(&limiter, caller(1), 300 * MS), 3);
    }

    #[test]
    fn memory_is_bounded_and_further_callers_share() {
        let limiter = limiter(1, 1);
        assert!((0..MAX_CALLERS).all(|number| limiter.admit(caller(number), 0).is_ok()));
        let beyond = (MAX_CALLERS..MAX_CALLERS + 50)
            .filter(|number| limiter.admit(caller(*number), 0).is_ok());
        assert_eq!(beyond.count(), 1);
        let held = || {
            let usage = limiter.usage.lock().unwrap();
            usage.recent.len() + usage.earlier.len()
        };
        assert_eq!(held(), MAX_CALLERS + 1);
        assert_eq!(limiter.admit(caller(1), SECOND), Ok(()));
        assert_eq!(limiter.admit(caller(1), 3 * SECOND), Ok(()));
        assert_eq!(held(), 1, "idle callers are dropped");
    }
}
