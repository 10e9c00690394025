//! Seals the state that a client returns with the answer to a question.
//!
//! The client can read a seal but cannot forge one: it is an HMAC-SHA256 over the question, the
//! digest of tool and arguments, a nonce and the expiry. The key never leaves the process, unless it is
//! configured for several replicas.

use hmac::digest::Key;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::clock::Ids;
use crate::digest::{constant_time_eq, hex};

/// Randomness that tells equal questions apart.
const NONCE_BYTES: usize = 16;

/// What a seal is worth.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sealed {
    /// It holds.
    Valid {
        /// Until then, in epoch milliseconds.
        expires: u64,
        /// The same however the seal is spelled.
        id: String,
    },
    /// It held once.
    Expired,
    /// It was not made with this key for these parts.
    Foreign,
}

/// Creates and verifies seals.
pub(super) struct Seal {
    keyed: Hmac<Sha256>,
}

impl Seal {
    /// With the given key, or a random one.
    pub(super) fn new(key: Option<[u8; 32]>, ids: &dyn Ids) -> Self {
        let key = key.unwrap_or_else(|| {
            let mut key = [0; 32];
            ids.fill(&mut key);
            key
        });
        // Padded to the block size of the hash, as HMAC does with shorter keys.
        let mut padded = Key::<Hmac<Sha256>>::default();
        padded[..key.len()].copy_from_slice(&key);
        Self { keyed: Hmac::new(&padded) }
    }

    /// A seal over `parts` that is valid until `expires`, in epoch milliseconds. No two are equal.
    pub(super) fn seal(&self, parts: &[&str], expires: u64, ids: &dyn Ids) -> String {
        let nonce = ids.hex(NONCE_BYTES);
        format!("{expires:x}.{nonce}.{}", hex(&self.mac(parts, &nonce, expires)))
    }

    /// Whether the seal is authentic, covers exactly `parts`, and has not expired at `now`.
    pub(super) fn check(&self, seal: &str, parts: &[&str], now: u64) -> Sealed {
        let mut members = seal.split('.');
        let (Some(expires), Some(nonce), Some(mac), None) =
            (members.next(), members.next(), members.next(), members.next())
        else {
            return Sealed::Foreign;
        };
        let Ok(expires) = u64::from_str_radix(expires, 16) else { return Sealed::Foreign };
        let expected = hex(&self.mac(parts, nonce, expires));
        if !constant_time_eq(mac.as_bytes(), expected.as_bytes()) {
            return Sealed::Foreign;
        }
        if now < expires { Sealed::Valid { expires, id: expected } } else { Sealed::Expired }
    }

    fn mac(&self, parts: &[&str], nonce: &str, expires: u64) -> [u8; 32] {
        let mut mac = self.keyed.clone();
        mac.update(&expires.to_be_bytes());
        for part in [nonce].iter().chain(parts) {
            // Lengths keep ("ab", "c") and ("a", "bc") apart.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::CountingIds;

    fn seal() -> Seal {
        Seal::new(Some([7; 32]), &CountingIds::default())
    }

    fn made(parts: &[&str]) -> String {
        seal().seal(parts, 1_000, &CountingIds::default())
    }

    #[test]
    fn holds_for_what_it_was_made_for_until_it_expires() {
        let made = made(&["ask", "abc"]);
        let id = made.rsplit('.').next().unwrap().to_owned();
        let valid = Sealed::Valid { expires: 1_000, id };
        assert_eq!(seal().check(&made, &["ask", "abc"], 999), valid);
        let respelled = made.replacen("3e8.", "03E8.", 1);
        assert_eq!(seal().check(&respelled, &["ask", "abc"], 999), valid);
        assert_eq!(seal().check(&made, &["ask", "abc"], 1_000), Sealed::Expired);
        assert_eq!(seal().check(&made, &["ask", "abd"], 999), Sealed::Foreign);
        assert_eq!(seal().check(&made, &["aska", "bc"], 999), Sealed::Foreign);
        assert_eq!(seal().check(&made, &["ask", "abd"], 1_000), Sealed::Foreign);
    }

    #[test]
    fn refuses_what_was_tampered_with() {
        let made = made(&["x"]);
        let later = made.replacen("3e8.", "fffff.", 1);
        assert_ne!(made, later);
        let more = format!("{made}.0");
        let wrong = [later.as_str(), &more, "", ".", "..", "3e8.", "3e8..00", "zz.1.11"];
        for wrong in wrong.into_iter().chain([&made[..made.len() - 1]]) {
            assert_eq!(seal().check(wrong, &["x"], 10), Sealed::Foreign, "{wrong}");
        }
    }

    #[test]
    fn no_two_are_equal() {
        let ids = CountingIds::default();
        assert_ne!(seal().seal(&["x"], 1_000, &ids), seal().seal(&["x"], 1_000, &ids));
    }

    #[test]
    fn another_process_has_another_key() {
        let other = Seal::new(Some([8; 32]), &CountingIds::default());
        assert_eq!(other.check(&made(&["x"]), &["x"], 10), Sealed::Foreign);
    }
}
