//! The answers of users that this process has used up, until they expire.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Used consents by expiry. Only answers that a user gave get here, and they expire within minutes.
#[derive(Default)]
pub(super) struct Consents {
    used: Mutex<BTreeSet<(u64, String)>>,
}

impl Consents {
    /// Uses up a consent that is valid until `expires`; both times in epoch milliseconds. Of several
    /// callers with the same consent exactly one gets `true`.
    pub(super) fn spend(&self, consent: &str, expires: u64, now: u64) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.split_off(&(now, String::new()));
        used.insert((expires, consent.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Consents;

    #[test]
    fn a_consent_is_used_once_and_forgotten_when_it_has_expired() {
        let consents = Consents::default();
        assert!(consents.spend("a", 100, 0));
        assert!(consents.spend("b", 100, 0));
        assert!(!consents.spend("a", 100, 99));
        assert!(consents.spend("c", 300, 101));
        assert_eq!(consents.used.lock().unwrap().len(), 1);
    }
}
