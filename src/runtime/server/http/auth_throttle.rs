//! Guessing tokens: an address whose tokens are refused may try only so many, and a right guess among
//! the later ones helps nobody.
//!
//! Tokens that were accepted once are let through, because many clients may stand behind one
//! address. Of addresses and tokens only digests are known.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::rate_limit::{CallerId, Rate, RateLimiter};

/// Accepted tokens that are remembered; beyond it, all are forgotten.
const MAX_ACCEPTED: usize = 16_384;

/// Counts what was refused.
pub(super) struct AuthThrottle {
    refused: RateLimiter,
    accepted: Mutex<HashSet<CallerId>>,
}

/// A token that is looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It was accepted before.
    AcceptedBefore,
    /// It counts as refused, for this address.
    Counted(CallerId),
}

impl AuthThrottle {
    pub(super) fn new(rate: Rate) -> Self {
        Self { refused: RateLimiter::new(rate), accepted: Mutex::default() }
    }

    /// Whether a token of this address is looked at, or how long it has to wait. One that is not
    /// known counts as refused until more is known: else many could be tried at the same moment.
    pub(super) fn admit(
        &self,
        token: &CallerId,
        peer: CallerId,
        now: u64,
    ) -> Result<Attempt, Duration> {
        let accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if accepted.contains(token) {
            return Ok(Attempt::AcceptedBefore);
        }
        self.refused.admit(peer, now).map(|()| Attempt::Counted(peer))
    }

    /// The token was refused. One that was good before is a guess from now on.
    pub(super) fn refused(&self, token: &CallerId) {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner).remove(token);
    }

    /// Nobody could say whether the token was good.
    pub(super) fn unverified(&self, attempt: &Attempt) {
        if let Attempt::Counted(peer) = attempt {
            self.refused.refund(peer);
        }
    }

    /// The token was good.
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
    fn who_guessed_too_often_waits_and_who_was_accepted_does_not() {
        let [ten, three] = [10, 3].map(|number| NonZeroU32::new(number).unwrap());
        let throttle = AuthThrottle::new(Rate { per_second: ten, burst: three });
        let (here, there) = ([1; 32], [2; 32]);
        let admit = |token: u8, peer, now| throttle.admit(&[token; 32], peer, now);
        let attempt = admit(7, here, 0).unwrap();
        throttle.accepted([7; 32], &attempt);
        // Also while the answers are still awaited.
        for number in 3..6 {
            assert_eq!(admit(number, here, 0), Ok(Attempt::Counted(here)));
        }
        assert_eq!(admit(6, here, 0), Err(Duration::from_millis(100)));
        assert_eq!(admit(6, there, 0), Ok(Attempt::Counted(there)));
        assert_eq!(admit(7, here, 0), Ok(Attempt::AcceptedBefore));
        throttle.refused(&[7; 32]);
        assert_eq!(admit(7, here, 0), Err(Duration::from_millis(100)), "it was withdrawn");
        throttle.unverified(&Attempt::Counted(here));
        assert_eq!(admit(6, here, 0), Ok(Attempt::Counted(here)));
        assert_eq!(admit(6, here, 0), Err(Duration::from_millis(100)));
        assert_eq!(admit(6, here, 100_000_000), Ok(Attempt::Counted(here)));
    }
}
