//! Protection against token guessing: limits the rejected tokens per address. Over the limit, even a
//! correct token is not checked.
//!
//! Only so many tokens of one address are verified at once; others wait, so that clients with valid
//! tokens are not taken for guesses when many come together.
//!
//! Tokens that were accepted before are exempt, because many clients may share one address. Only
//! digests of addresses and tokens are stored.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::keyed_semaphores::{KeyedSemaphores, Seat};
use super::rate_limit::{CallerId, Rate, RateLimiter};

/// Maximum number of accepted tokens that are remembered; the set is cleared when it is full.
const MAX_ACCEPTED: usize = 16_384;

/// Maximum number of tokens of one address that are verified at once.
const MAX_VERIFYING: u32 = 16;

/// Counts rejected tokens per address.
pub(super) struct AuthThrottle {
    refused: RateLimiter,
    accepted: Mutex<HashSet<CallerId>>,
    verifying: Arc<KeyedSemaphores<CallerId>>,
}

/// The turn of a token to be verified.
pub(super) struct VerifyPermit {
    _permit: Option<OwnedSemaphorePermit>,
    _seat: Seat<CallerId>,
}

/// A token that may be checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It was accepted before.
    AcceptedBefore,
    /// It counts as rejected for this address until it is accepted.
    Counted(CallerId),
}

impl AuthThrottle {
    pub(super) fn new(rate: Rate) -> Self {
        let at_once = rate.burst.get().min(MAX_VERIFYING) as usize;
        Self {
            refused: RateLimiter::new(rate),
            accepted: Mutex::default(),
            verifying: KeyedSemaphores::new(at_once),
        }
    }

    /// Waits until fewer tokens of this address are being verified. Those that were accepted before do
    /// not wait.
    pub(super) async fn turn(&self, token: &CallerId, peer: CallerId) -> Option<VerifyPermit> {
        if self.accepted_before(token) {
            return None;
        }
        let (seat, own) = self.verifying.seat(peer);
        Some(VerifyPermit { _permit: own.acquire_owned().await.ok(), _seat: seat })
    }

    /// Whether a token of this address may be checked, or how long the client has to wait. An unknown
    /// token counts as rejected until it is accepted: otherwise many could be tried concurrently.
    pub(super) fn admit(
        &self,
        token: &CallerId,
        peer: CallerId,
        now: u64,
    ) -> Result<Attempt, Duration> {
        if self.accepted_before(token) {
            return Ok(Attempt::AcceptedBefore);
        }
        self.refused.admit(peer, now).map(|()| Attempt::Counted(peer))
    }

    fn accepted_before(&self, token: &CallerId) -> bool {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).contains(token)
    }

    /// The token was rejected. If it was accepted before, it no longer is exempt.
    pub(super) fn refused(&self, token: &CallerId) {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).remove(token);
    }

    /// The token could not be verified.
    pub(super) fn unverified(&self, attempt: &Attempt) {
        if let Attempt::Counted(peer) = attempt {
            self.refused.refund(peer);
        }
    }

    /// The token was accepted.
    pub(super) fn accepted(&self, token: CallerId, attempt: &Attempt) {
        self.unverified(attempt);
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if accepted.len() >= MAX_ACCEPTED {
            accepted.clear();
        }
        accepted.insert(token);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn rejected_tokens_are_limited_and_accepted_ones_are_exempt() {
        let [ten, three] = [10, 3].map(|number| NonZeroU32::new(number).unwrap());
        let throttle = AuthThrottle::new(Rate { per_second: ten, burst: three });
        let (here, there) = ([1; 32], [2; 32]);
        let admit = |token: u8, peer, now| throttle.admit(&[token; 32], peer, now);
        let attempt = admit(7, here, 0).unwrap();
        throttle.accepted([7; 32], &attempt);
        // Also while verification is still pending.
        for number in 3..6 {
            assert_eq!(admit(number, here, 0), Ok(Attempt::Counted(here)));
        }
        assert_eq!(admit(6, here, 0), Err(Duration::from_millis(100)));
        assert_eq!(admit(6, there, 0), Ok(Attempt::Counted(there)));
        assert_eq!(admit(7, here, 0), Ok(Attempt::AcceptedBefore));
        throttle.refused(&[7; 32]);
        assert_eq!(admit(7, here, 0), Err(Duration::from_millis(100)), "it was revoked");
        throttle.unverified(&Attempt::Counted(here));
        assert_eq!(admit(6, here, 0), Ok(Attempt::Counted(here)));
        assert_eq!(admit(6, here, 0), Err(Duration::from_millis(100)));
        assert_eq!(admit(6, here, 100_000_000), Ok(Attempt::Counted(here)));
    }
}
